"""The JSON API: answers are those of the pipeline, what binds is honoured, and what is wrong is named."""

from __future__ import annotations

from typing import Any

import pytest
from server_cases import ask

import arbora
from arbora.dependency import ParseOptions
from arbora.server.app import make_app
from arbora.server.json_types import Constraints
from arbora.server.limits import RequestError
from arbora.server.models import ServedModel, ServedModels
from arbora.server.sentences import bind
from arbora.treebank import Multiword, Sentence

TEXT = "The dog that you saw yesterday barks. Cats meow."
WORDS = ["The", "old", "dog", "barks", "loudly"]
DATA = {"words": [{"form": form} for form in WORDS]}


def parse(**asked: Any) -> list[dict[str, Any]]:
    response = ask("POST", "/v1/parse", json=asked)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    found: list[dict[str, Any]] = response.json()["sentences"]
    return found


def refusal(path: str = "/v1/parse", **asked: Any) -> dict[str, Any]:
    response = ask("POST", path, json=asked)
    assert response.status_code == 400, response.text
    found: dict[str, Any] = response.json()
    return found


def heads(sentence: dict[str, Any]) -> list[int]:
    return [word["head"] for word in sentence["words"]]


def test_models():
    found = ask("GET", "/v1/models").json()
    nlp = arbora.load()
    assert (found["version"], found["default"]) == (arbora.__version__, "english-ewt-ud")
    assert [model["name"] for model in found["models"]] == ["english-ewt-ud", "other"]
    first = found["models"][0]
    assert first["adds"] == list(nlp.adds)
    assert (first["labels"], first["upos"]) == (nlp.parser.labels, nlp.tagger.tags)
    assert first["card"] == nlp.card


def test_a_text_is_answered_as_documents_say_it():
    nlp, options = arbora.load(), ParseOptions(probabilities=True)
    response = ask("POST", "/v1/parse", json={"text": TEXT, "model": "english", "probabilities": True})
    assert response.json() == {"model": "english-ewt-ud", **nlp(TEXT, options).to_dict()}


def test_alternatives_and_ranked_trees_are_those_of_the_sentence():
    found = parse(text=TEXT, alternatives=0.01, kbest=3)
    for own, sentence in zip(found, arbora.load()(TEXT), strict=True):
        for word, alternatives in zip(sentence, own["alternatives"], strict=True):
            expected = [[h, p] for h, p in word.head_probabilities.items() if p >= 0.01]
            assert alternatives["heads"] == expected
            labels = [[label, p] for label, p in word.label_probabilities.items() if p >= 0.01]
            assert alternatives["labels"] == labels
        trees = sentence.kbest(3)
        assert [tree["heads"] for tree in own["kbest"]] == [tree.heads for tree in trees]
        assert [tree["deprels"] for tree in own["kbest"]] == [tree.deprels for tree in trees]
        assert [tree["log_probability"] for tree in own["kbest"]] == [t.log_probability for t in trees]


@pytest.mark.parametrize("kind", ["sentences", "blocks", "conllu"])
def test_sentences_come_in_each_way(kind):
    sentence = Sentence(WORDS, multiwords=[Multiword(1, 2, "Theold")], comments=["# sent_id = a"])
    data = arbora.pipeline.documents.ParsedSentence(sentence).to_dict()
    asked = {
        "sentences": {"sentences": [data, DATA]},
        "blocks": {"sentences": [{"conllu": sentence.to_conllu()}, DATA]},
        "conllu": {"conllu": sentence.to_conllu() + Sentence(WORDS).to_conllu()},
    }[kind]
    expected = [own.to_dict() for own in arbora.load().annotate([sentence, WORDS])]
    assert parse(**asked) == expected


def test_answers_can_be_asked_again():
    first = parse(text=TEXT, probabilities=True, alternatives=0.1, kbest=2)
    again = parse(sentences=first, keep_tags=True)
    assert [heads(sentence) for sentence in again] == [heads(sentence) for sentence in first]
    assert [s["multiwords"] for s in again] == [s["multiwords"] for s in first]


def test_tags_stay_if_they_shall():
    words = [{"form": "Dogs", "upos": "X", "lemma": "cat"}, {"form": "bark"}]
    kept = parse(sentences=[{"words": words}], keep_tags=True)[0]["words"]
    assert (kept[0]["upos"], kept[0]["lemma"]) == ("X", "cat")
    assert kept[1]["upos"] != "_"
    assert parse(sentences=[{"words": words}])[0]["words"][0]["lemma"] != "cat"


def test_heads_labels_and_roots_bind():
    free = parse(sentences=[DATA])[0]
    assert heads(free)[:3] == [3, 3, 4]
    bound = {"heads": {"1": 2}, "labels": {"5": "vocative"}, "roots": [3]}
    first, second = parse(
        sentences=[DATA, DATA], constraints=[bound], probabilities=True, alternatives=0.0, kbest=2
    )
    for tree in (first, *first["kbest"]):
        found = heads(tree) if "words" in tree else tree["heads"]
        assert (found[0], found[2]) == (2, 0)
    assert first["words"][4]["deprel"] == "vocative"
    assert first["alternatives"][0]["heads"] == [[2, 1.0]]
    assert first["alternatives"][4]["labels"] == [["vocative", 1.0]]
    for word, own in zip(first["words"], first["alternatives"], strict=True):
        assert dict(map(tuple, own["heads"]))[word["head"]] == pytest.approx(word["probability"], abs=1e-9)
    assert heads(second) == heads(free)


def test_what_the_input_has_binds_where_it_shall():
    words = [{"form": form} for form in WORDS]
    words[0] |= {"head": 2, "deprel": "dep"}
    assert parse(sentences=[{"words": words}])[0]["words"][0]["head"] == 3
    found = parse(sentences=[{"words": words}], constraints_from_input=True, constraints=[{"roots": [3]}])[0]
    assert (heads(found)[0], heads(found)[2]) == (2, 0)
    assert found["words"][0]["deprel"] == "dep"
    only = parse(sentences=[{"words": words}], constraints=[{"roots": [3]}])[0]
    assert heads(only)[0] == 3


@pytest.mark.parametrize("options", [{}, {"decoder": "mbr"}, {"solver": "ad3"}])
def test_forbidden_arcs_are_in_no_tree(options):
    asked = {"sentences": [DATA], "options": options}
    before = heads(parse(**asked)[0])
    forbidden = [[head, word] for word, head in enumerate(before, 1) if word in (1, 5)]
    found = parse(**asked, constraints=[{"forbidden": forbidden}], alternatives=0.0, kbest=3)[0]
    for head, word in forbidden:
        assert heads(found)[word - 1] != head
        assert all(tree["heads"][word - 1] != head for tree in found["kbest"])
        assert head not in dict(map(tuple, found["alternatives"][word - 1]["heads"]))


def test_forbidden_heads_of_the_input_bind_where_they_shall():
    words = [{"form": form, "misc": "ForbiddenHeads=3,4" if form == "The" else "_"} for form in WORDS]
    assert parse(sentences=[{"words": words}])[0]["words"][0]["head"] == 3
    bound = parse(sentences=[{"words": words}], constraints_from_input=True)[0]["words"][0]
    assert bound["head"] not in (3, 4)
    assert bound["misc"] == "ForbiddenHeads=3,4"


def test_forbidden_heads_are_written_where_the_parser_reads_them():
    sentence = Sentence(WORDS, misc=["SpaceAfter=No", "_", "ForbiddenHeads=9", "_", "_"])
    bind(sentence, Constraints(forbidden=[(3, 1), (0, 1), (3, 2)]), from_input=False)
    assert sentence.misc == ["SpaceAfter=No|ForbiddenHeads=3,0", "ForbiddenHeads=3", "_", "_", "_"]
    with pytest.raises(RequestError, match="no word 6"):
        bind(sentence, Constraints(forbidden=[(6, 1)]), from_input=False)


def test_what_is_said_twice_binds_once():
    asked = {"roots": [3, 3], "heads": {"3": 0, "1": 2}, "labels": {"1": "det"}}
    words = [{"form": form} for form in WORDS]
    words[0] |= {"head": 2, "deprel": "det"}
    found = parse(sentences=[{"words": words}], constraints=[asked], constraints_from_input=True)[0]
    assert (heads(found)[0], heads(found)[2], found["words"][0]["deprel"]) == (2, 0, "det")


def test_a_sentence_without_words_is_answered():
    assert parse(sentences=[{"words": []}], constraints=[{}])[0]["words"] == []


def test_a_sentence_without_a_tree_fails_alone():
    circle = {"heads": {"1": 2, "2": 1}}
    found = parse(sentences=[DATA, DATA, DATA], constraints=[None, circle, None], kbest=2, alternatives=0.5)
    assert heads(found[0]) == heads(found[2])
    assert "they form a cycle" in found[1]["error"]
    assert [word["form"] for word in found[1]["words"]] == WORDS
    assert "error" not in found[0]


def test_neural_pipelines_are_served_with_all_that_others_have():
    """Tags come from the parser, and are there beside rules and the k best trees too."""
    nlp = arbora.load("en-neural")
    app = make_app(ServedModels([ServedModel("en-neural", nlp)]))

    def sentences(**asked: Any) -> list[dict[str, Any]]:
        response = ask("POST", "/v1/parse", app=app, json=asked)
        assert response.status_code == 200, response.text
        return response.json()["sentences"]

    options = ParseOptions(probabilities=True)
    expected = nlp(TEXT, options).to_dict()["sentences"]
    assert sentences(text=TEXT, probabilities=True) == expected
    tags = ["PRON", "VERB", "PUNCT"]
    (ruled,) = sentences(text="It works.", rules="root is upos=PRON")
    assert [word["upos"] for word in ruled["words"]] == tags
    assert heads(ruled)[0] == 0
    (ranked,) = sentences(text="It works.", kbest=2)
    assert [word["upos"] for word in ranked["words"]] == tags
    assert len(ranked["kbest"]) == 2


def test_rules_hold_and_certificates_come():
    found = parse(sentences=[DATA], rules="root is upos=NOUN")[0]
    assert found["words"][heads(found).index(0)]["upos"] == "NOUN"
    assert parse(text=TEXT, options={"certificates": True})[0]["certificate"] == {"proved": True, "gap": 0.0}


def test_options_of_parsing():
    nlp = arbora.load()
    options = ParseOptions(decoder="mbr", projective=True, single_root=False, solver="ad3", exact_length=20)
    named = {"decoder": "mbr", "projective": True, "single_root": False, "solver": "ad3", "exact_length": 20}
    assert parse(text=TEXT, options=named) == [s.to_dict() for s in nlp(TEXT, options)]


def bound(constraints: dict[str, Any]) -> dict[str, Any]:
    return {"sentences": [DATA], "constraints": [constraints]}


@pytest.mark.parametrize(
    ("asked", "error", "place"),
    [
        ({}, "Exactly one of text, conllu and sentences is needed.", None),
        ({"text": "x", "conllu": ""}, "Exactly one of text, conllu and sentences is needed.", None),
        ({"text": "x", "model": "xx"}, "The requested model 'xx' does not exist.", None),
        ({"text": "x", "modle": "xx"}, "Object contains unknown field `modle`.", None),
        ({"text": 1}, "Expected `str`, got `int` - at `$.text`.", None),
        ({"conllu": "x\n\n"}, "conllu:1: sentence #1: ten columns", None),
        ({"text": "x", "rules": "such"}, "rules:1: there is no such rule", None),
        (
            {"text": "x", "rules": "root is upos=X", "probabilities": True},
            "rules go with the best tree",
            None,
        ),
        ({"text": "x", "rules": "root is upos=X", "kbest": 2}, "rules go with the best tree: no kbest", None),
        (
            {"text": "x", "rules": "root is upos=X", "alternatives": 0.1},
            "rules go with the best tree: no alternatives",
            None,
        ),
        ({"text": "x", "constraints": [{"roots": [1]}]}, "Constraints go with conllu or sentences", None),
        ({"text": "x", "options": {"solver": "ilp"}}, "Invalid enum value 'ilp'", None),
        ({"sentences": [DATA, {}]}, "A sentence has either words or conllu.", 1),
        ({"sentences": [DATA, {"conllu": ""}]}, "The block of a sentence has 0 sentences.", 1),
        (
            {"sentences": [{"words": [{"form": "x", "head": 2}]}]},
            "heads: word 1 has the head 2, which is not",
            0,
        ),
        (
            {"sentences": [DATA], "constraints": [None, None]},
            "There are constraints for more than the 1",
            None,
        ),
        ({"sentences": [DATA], "constraints": [{"heads": {"x": 1}}]}, "'x' is no id of a word.", 0),
        ({"sentences": [DATA], "constraints": [{"roots": [6]}]}, "There is no word 6 in a sentence of 5", 0),
        (bound({"roots": [1], "heads": {"1": 2}}), "The head of word 1 cannot be 0 and 2.", 0),
        (bound({"heads": {"1": 2, "01": 3}}), "The head of word 1 cannot be 2 and 3.", 0),
        (bound({"labels": {"1": "x", "01": "y"}}), "The label of word 1 cannot be 'x' and 'y'.", 0),
        (
            {
                "sentences": [{"words": [{"form": "a", "head": 0}, {"form": "b"}]}],
                "constraints_from_input": True,
                "constraints": [{"heads": {"1": 2}}],
            },
            "The head of word 1 cannot be 0 and 2.",
            0,
        ),
        (bound({"labels": {"1": "a\tb"}}), "deprels: word 1 has a tab or a line end in it: 'a\\tb'.", 0),
        (bound({"labels": {"1": "a\nb"}}), "deprels: word 1 has a tab or a line end in it: 'a\\nb'.", 0),
        (bound({"labels": {"1": ""}}), "deprels: word 1 is empty", 0),
        ({"sentences": [DATA, {"words": [{"form": "a\tb"}]}]}, "forms: word 1 has a tab or a line end", 1),
        ({"sentences": [{"words": [{"form": "a", "misc": "b\rc"}]}]}, "misc: word 1 has a tab or a line", 0),
        (
            {"sentences": [{**DATA, "multiwords": [{"first": 1, "last": 2, "form": "a\nb"}]}]},
            "multiwords: a field of 1-2 has a tab or a line end in it: 'a\\nb'.",
            0,
        ),
        ({"sentences": [{**DATA, "comments": ["# a\nb"]}]}, "comments: a comment has a line end in it", 0),
        ({"sentences": [{**DATA, "text": "a\nb"}]}, "comments: a comment has a line end in it", 0),
        ({"sentences": [{"words": [{"form": "a"}] * 1001}]}, "Sentence longer than 1000 words", 0),
    ],
)
def test_what_is_wrong_is_named(asked, error, place):
    found = refusal(**asked)
    assert found["error"].startswith(error)
    assert found.get("sentence") == place


def test_only_json_is_taken():
    response = ask("POST", "/v1/parse", content=b'{"text": "x"}', headers={"content-type": "text/plain"})
    assert (response.status_code, list(response.json())) == (415, ["error"])
    for body in (b"", b"{", b'{"text": "\xff"}', b'{"text": "\\ud800"}', b"[" * 100_000):
        response = ask("POST", "/v1/parse", content=body, headers={"content-type": "application/json"})
        assert response.status_code == 400, body[:20]
        assert list(response.json()) == ["error"]
    assert ask("GET", "/v1/nowhere").json() == {"error": "No handler for the given URL '/v1/nowhere'"}
    assert ask("GET", "/v1/parse").status_code == 405
