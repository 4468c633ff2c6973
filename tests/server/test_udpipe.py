"""UDPipe's REST: parameters, formats, answers and errors, in process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from server_cases import ask, two_models

import arbora
from arbora.server.limits import Limits, RequestError
from arbora.server.udpipe import process
from arbora.treebank import Sentence
from arbora.treebank.conllu import scan

ROOT = Path(__file__).resolve().parents[2]
TEXT = "Dogs bark. Cats\nmeow loudly.\n"


def answer(fields: dict[str, str], query: str = "") -> dict[str, str]:
    response = ask("POST", f"/process{query}", data=fields)
    assert response.status_code == 200, response.text
    found: dict[str, str] = response.json()
    return found


def sentences(conllu: str) -> list[Sentence]:
    found = list(scan([conllu.encode()], False))
    assert all(isinstance(sentence, Sentence) for sentence in found)
    return found  # type: ignore[return-value]


def refusal(**fields: str) -> str:
    response = ask("POST", "/process", data=fields)
    assert response.status_code == 400
    assert response.headers["content-type"].startswith("text/plain")
    return response.text


def test_models_are_listed_with_what_they_do():
    for method in ("GET", "POST"):
        response = ask(method, "/models")
        assert response.headers["access-control-allow-origin"] == "*"
        assert response.json() == {
            "models": {name: ["tokenizer", "tagger", "parser"] for name in ("english-ewt-ud", "other")},
            "default_model": "english-ewt-ud",
        }


def test_a_text_gets_the_trees_that_the_pipeline_gives():
    found = answer({"data": TEXT, "tokenizer": "", "tagger": "", "parser": ""})
    assert list(found) == ["model", "acknowledgements", "result"]
    assert found["model"] == "english-ewt-ud"
    assert isinstance(found["acknowledgements"], list)
    lines = found["result"].split("\n")
    assert lines[0].startswith("# generator = Arbora ")
    assert lines[1:3] == ["# udpipe_model = english-ewt-ud", "# udpipe_model_licence = CC BY-SA 4.0"]
    assert "\n".join(lines[3:]) == arbora.load()(TEXT).to_conllu()


def test_the_version_of_conllu_may_be_said():
    fields = {"data": "Dogs bark.", "tokenizer": ""}
    plain = answer({**fields, "output": "conllu"})
    assert answer({**fields, "output": "conllu=v2"}) == plain
    again = {"data": plain["result"], "output": "vertical"}
    assert answer({**again, "input": "conllu=v2"}) == answer(again)


def test_the_length_for_bills_counts_characters_of_words_after_normalisation():
    response = ask("POST", "/process", data={"data": "Cafe\u0301 now", "input": "horizontal"})
    assert response.headers["x-billing-input-nfc-len"] == "7"
    assert response.headers["access-control-allow-origin"] == "*"
    assert sentences(response.json()["result"])[0].forms == ["Café", "now"]


def test_query_and_bodies_are_merged_and_a_bare_key_counts():
    merged = answer({"data": "Dogs bark.", "parser": ""}, "?tokenizer&tagger&data=ignored")
    assert [s.forms for s in sentences(merged["result"])] == [["Dogs", "bark", "."]]
    assert None not in sentences(merged["result"])[0].heads
    by_query = ask("GET", "/process?tokenizer&tagger&parser=&data=Dogs%20bark.")
    assert by_query.json() == merged
    parts = {"data": ("book.txt", b"Dogs bark."), "parser": (None, ""), "tagger": (None, "")}
    assert ask("POST", "/process?tokenizer", files=parts).json() == merged


def test_the_tokenizer_counts_more_than_the_input():
    found = answer({"data": "Dogs bark.", "tokenizer": "", "input": "vertical", "output": "horizontal"})
    assert found["result"] == "Dogs bark .\n"


@pytest.mark.parametrize(
    ("fields", "has_tags", "has_trees"),
    [
        ({}, False, False),
        ({"tagger": ""}, True, False),
        ({"tagger": "", "parser": ""}, True, True),
        ({"tagger": "none", "parser": "none"}, False, False),
        ({"parser": ""}, True, True),
    ],
)
def test_parts_are_on_by_presence(fields, has_tags, has_trees):
    found = sentences(answer({"data": "Dogs bark.", "tokenizer": "", **fields})["result"])[0]
    assert ("_" not in found.upos) == has_tags
    assert (None not in found.heads) == has_trees


def test_a_parser_alone_keeps_the_tags_that_are_there():
    lines = Sentence(["Dogs", "bark"], lemmas=["doggy", "_"], upos=["VERB", "_"]).to_conllu()
    found = sentences(answer({"data": lines, "parser": ""})["result"])[0]
    assert (found[1].upos, found[1].lemma) == ("VERB", "doggy")
    assert None not in found.heads
    replaced = sentences(answer({"data": lines, "tagger": "", "parser": ""})["result"])[0]
    assert replaced[1].lemma != "doggy"


def test_given_heads_and_labels_bind_where_constraints_are_asked_for():
    words = Sentence(["Dogs", "bark", "now"])
    free = sentences(answer({"data": words.to_conllu(), "tagger": "", "parser": ""})["result"])[0]
    other = next(head for head in (2, 3) if head != free.heads[0])
    words[1].head, words[1].deprel = other, "vocative"
    lines = words.to_conllu()
    bound = sentences(answer({"data": lines, "tagger": "", "parser": "constraints"})["result"])[0]
    assert (bound[1].head, bound[1].deprel) == (other, "vocative")
    loose = sentences(answer({"data": lines, "tagger": "", "parser": ""})["result"])[0]
    assert loose.heads == free.heads


def test_given_heads_bind_where_they_cross():
    treebank = (ROOT / "examples" / "treebank" / "en.conllu").read_text("utf-8")
    given = sentences(treebank)
    assert not all(own.is_projective() for own in given)
    assert arbora.load().parser.header["options"]["projective"]  # else nothing would be asked of the server
    partly = [own.copy() for own in given]
    crossing = next(own for own in partly if not own.is_projective())
    crossing.heads = [
        head if word in crossing.nonprojective_words() or head == 0 else None
        for word, head in enumerate(crossing.heads, 1)
    ]
    for asked in (given, partly):
        lines = "".join(own.to_conllu() for own in asked)
        found = sentences(answer({"data": lines, "parser": "constraints"})["result"])
        for own, before in zip(found, asked, strict=True):
            pairs = list(zip(own.heads, before.heads, strict=True))
            assert all(head == bound for head, bound in pairs if bound is not None)
            assert None not in own.heads
            assert len(own.roots) == 1
    free = sentences(answer({"data": treebank, "parser": ""})["result"])
    assert all(own.is_projective() for own in free)


def test_presegmented_lines_are_sentences_whatever_is_in_them():
    found = answer({"data": TEXT + "\nNew\r\n", "tokenizer": "presegmented;ranges"})
    own = sentences(found["result"])
    assert [s.text for s in own] == ["Dogs bark. Cats", "meow loudly.", "New"]
    places = [item for s in own for misc in s.misc for item in misc.split("|") if "TokenRange" in item]
    assert places[:2] == ["TokenRange=0:4", "TokenRange=5:9"]
    assert places[-1] == "TokenRange=30:33"


def test_spaces_are_kept_unless_they_shall_be_normal():
    kept = sentences(answer({"data": "Dogs  bark .\n", "tokenizer": ""})["result"])[0]
    assert kept.misc == ["SpacesAfter=\\s\\s", "_", "SpacesAfter=\\n"]
    normal = sentences(answer({"data": "Dogs  bark.\n", "tokenizer": "normalized_spaces"})["result"])[0]
    assert normal.misc == ["_", "SpaceAfter=No", "_"]


@pytest.mark.parametrize(
    ("output", "result"),
    [
        ("horizontal", "Dogs bark .\nNew\u00a0York is big .\n"),
        ("vertical", "Dogs\nbark\n.\n\nNew York\nis\nbig\n.\n\n"),
        ("plaintext", "Dogs bark . New York is big . "),
        ("plaintext=normalized_spaces", "Dogs bark .\n\nNew York is big .\n"),
        ("horizontal=paragraphs", "Dogs bark .\n\nNew\u00a0York is big .\n"),
    ],
)
def test_formats_go_out_as_udpipe_writes_them(output, result):
    first = Sentence(["Dogs", "bark", "."], comments=["# newpar"])
    second = Sentence(["New York", "is", "big", "."], comments=["# newpar"] if "=" in output else [])
    lines = first.to_conllu() + second.to_conllu()
    assert answer({"data": lines, "output": output})["result"] == result


def test_the_text_comes_back_as_plaintext():
    text = "Dogs  bark.\n\n Cats\tmeow loudly."
    assert answer({"data": text, "tokenizer": "", "output": "plaintext"})["result"] == text


@pytest.mark.parametrize("format", ["horizontal", "vertical", "conllu"])
def test_formats_come_in_as_they_went_out(format):
    written = answer({"data": "Dogs bark. Cats meow.", "tokenizer": "", "output": format})["result"]
    with_returns = written.replace("\n", "\r\n")  # as clients that send mail send it
    back = answer({"data": with_returns, "input": format, "output": "horizontal"})["result"]
    assert back == "Dogs bark .\nCats meow .\n"


def test_weblicht_answers_conllu_alone():
    tokenized = ask("POST", "/weblicht/tokenize?model=other&data=no&tagger", content=b"Dogs bark.")
    assert tokenized.headers["content-type"] == "application/conllu"
    assert sentences(tokenized.text)[0].upos == ["_", "_", "_"]
    tagged = ask("POST", "/weblicht/tag", content=tokenized.content)
    assert "_" not in sentences(tagged.text)[0].upos
    parsed = ask("POST", "/weblicht/parse", content=tagged.content)
    assert None not in sentences(parsed.text)[0].heads
    assert ask("POST", "/weblicht/parse", content=b"\xff").status_code == 400
    by_query = ask("GET", "/weblicht/tokenize?data=Dogs%20bark.")
    assert by_query.text == tokenized.text


@pytest.mark.parametrize("name", ["", "english", "english-ewt", "english-ewt-ud"])
def test_models_are_found_by_parts_of_their_names(name):
    assert answer({"data": "Dogs", "input": "horizontal", "model": name})["model"] == "english-ewt-ud"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "The parameter 'data' is required."),
        ({"data": "x", "model": "eng"}, "The requested model 'eng' does not exist."),
        ({"data": "x", "tokenizer": "", "output": "epe"}, "Unknown output format 'epe'."),
        ({"data": "x", "tokenizer": "", "output": "conllu=v1"}, "Unknown output format 'conllu=v1'."),
        ({"data": "x", "tokenizer": "", "output": "conllu=x"}, "Unknown output format 'conllu=x'."),
        (
            {"data": "x", "input": "conllu=v1"},
            "Cannot parse the input in 'conllu=v1' format: there is no such format.",
        ),
        ({"data": "x", "input": "pdf"}, "Cannot parse the input in 'pdf' format: there is no such format."),
        ({"data": "x\n\n"}, "Cannot parse the input in 'conllu' format: data:1: sentence #1: ten columns "),
    ],
)
def test_what_is_wrong_is_said_in_a_line(fields, reason):
    assert refusal(**fields).startswith(reason)


def test_a_tree_that_cannot_be_is_refused_with_the_reason():
    for heads, reason in (([2, 0, 0], "no tree fits"), ([2, 1, 0], "cycle")):
        lines = Sentence(["Dogs", "bark", "."], heads=heads).to_conllu()
        assert reason in refusal(data=lines, tagger="", parser="constraints")


def test_sentences_that_are_too_long_are_refused():
    with pytest.raises(RequestError, match="Sentence longer than 5 words"):
        process(two_models(), {"data": "a b c d e f", "input": "horizontal"}, Limits(sentence=5))
    five = process(two_models(), {"data": "a b c d e", "input": "horizontal"}, Limits(sentence=5))
    assert len(sentences(five)[0]) == 5


def test_addresses_and_bodies_that_are_none():
    assert ask("GET", "/nowhere").status_code == 404
    assert ask("GET", "/nowhere").text == "No handler for the given URL '/nowhere'"
    assert ask("PUT", "/process").status_code == 405
    odd = ask("POST", "/process", content=b"{}", headers={"content-type": "application/json"})
    assert (odd.status_code, odd.text) == (400, "Unsupported payload Content-Type 'application/json'.")
    broken = {"content-type": "multipart/form-data; boundary=x"}
    for body in (b"", b"--x\r\n", b"--x\r\nContent-Disposition: form-data; name=data\r\n\r\ntext", b"\xff"):
        response = ask("POST", "/process", content=body, headers=broken)
        assert (response.status_code, response.text) == (400, "Cannot parse the multipart/form-data payload.")
    assert ask("GET", "/process?data=%FF").text == "Cannot parse request URL."


def test_the_answer_is_json_of_the_very_bytes():
    response = ask("POST", "/process", data={"data": 'Größe "x" 漢字 \u2028', "tokenizer": ""})
    assert json.loads(response.content)["result"].count("漢") == 2
    assert "漢".encode() in response.content
