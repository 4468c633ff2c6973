"""Pipelines: from text to documents, and to files and back."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from small_pipeline import SMALL, small_pipeline
from small_training import treebank

from arbora.dependency import ParseOptions
from arbora.errors import ArboraError, FileError
from arbora.models import write_model
from arbora.pipeline import Document, Pipeline, load, measure_pipeline, train_pipeline
from arbora.treebank.conllu import scan

TEXT = "The door is open. Where is the key?\n\nDogs bark."


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return small_pipeline()


def parsed_bytes(nlp: Pipeline, pieces: list[bytes], **options) -> bytes:
    return b"".join(piece.data for piece in nlp.parse_text(pieces, ParseOptions(**options)))


def test_a_text_becomes_sentences_with_tags_and_trees(nlp):
    document = nlp(TEXT)
    assert [sentence.forms for sentence in document][:2] == [
        ["The", "door", "is", "open", "."],
        ["Where", "is", "the", "key", "?"],
    ]
    for sentence in document:
        assert len(sentence.roots) == 1
        assert "_" not in sentence.upos + sentence.deprels


def test_words_know_their_places(nlp):
    document = nlp(TEXT)
    for sentence in document.sentences:
        for token in sentence:
            assert TEXT[token.start : token.end] == token.form
            assert "TokenRange" not in token.misc


def test_words_know_how_sure_they_are(nlp):
    sentence = nlp(TEXT).sentences[0]
    for token in sentence:
        assert 0 < token.probability <= 1
        assert sum(token.head_probabilities.values()) == pytest.approx(1)
        assert sum(token.label_probabilities.values()) == pytest.approx(1)
        assert token.head_probabilities[token.head] == token.probability
        assert token.label_probabilities[token.deprel] == token.label_probability
        values = list(token.head_probabilities.values())
        assert values == sorted(values, reverse=True)


def test_the_best_of_k_trees_is_the_first(nlp):
    trees = nlp("Where is the key?").sentences[0].kbest(5)
    assert len(trees) == 5
    scores = [tree.log_probability for tree in trees]
    assert scores == sorted(scores, reverse=True)
    assert len({(*tree.heads, *tree.deprels) for tree in trees}) == 5


def test_many_texts_come_in_order_whatever_the_batch_and_threads(nlp):
    texts = ["Dogs bark.", "", "The door is open. Where is the key?", " \n ", "Go!"] * 3
    expected = [nlp(text).to_conllu() for text in texts]
    for batch_size, threads in ((1, 1), (4, 2), (100, 3)):
        found = nlp.pipe(iter(texts), batch_size=batch_size, threads=threads)
        assert [document.to_conllu() for document in found] == expected
    with pytest.raises(ArboraError, match="batch_size"):
        next(nlp.pipe(["a"], batch_size=0))


def test_the_fast_way_gives_the_same_however_the_text_is_cut(nlp):
    text = TEXT * 20
    expected = nlp(text).to_conllu().encode()
    assert parsed_bytes(nlp, [text.encode()]) == expected
    generator = random.Random(1)
    data = text.encode()
    cuts = sorted(generator.sample(range(len(data)), 30))
    pieces = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    assert parsed_bytes(nlp, pieces, threads=2) == expected


@pytest.mark.parametrize(
    "text", ["", " \t\n", "😀", "مرحبا بالعالم.", "a\x00b\x07", "e\u0301 \u200b x", "." * 1000]
)
def test_odd_texts_lose_nothing(nlp, text):
    document = nlp(text)
    shown = "".join(token.form for sentence in document for token in sentence)
    kept = {(token.start, token.end) for sentence in document for token in sentence}
    covered = "".join(text[start:end] for start, end in sorted(kept))
    assert "".join(covered.split()) == "".join(text.split())
    assert bool(shown) == bool(text.strip())


def test_half_a_character_is_refused(nlp):
    with pytest.raises(ArboraError, match="surrogate"):
        nlp("half \ud800 of it")


def test_bytes_that_are_no_text_are_refused_with_their_place(nlp):
    with pytest.raises(FileError, match="byte 7"):
        parsed_bytes(nlp, [b"Go!\nab\xff"])


def test_saved_and_loaded_it_answers_the_same(nlp, tmp_path):
    for compact in (False, True):
        path = tmp_path / "small.arbora"
        nlp.save(path, compact_weights=compact)
        again = Pipeline.load(path)
        assert again.card == nlp.card
        again.save(tmp_path / "again.arbora", compact_weights=compact)
        assert (tmp_path / "again.arbora").read_bytes() == path.read_bytes()
        if not compact:
            assert again(TEXT).to_conllu() == nlp(TEXT).to_conllu()
        assert len(again(TEXT)) == len(nlp(TEXT))
        assert load(path)(TEXT).to_conllu() == again(TEXT).to_conllu()


def test_files_that_are_no_pipelines_are_refused(tmp_path):
    path = tmp_path / "other.arbora"
    write_model(path, {"architecture": "tagger"}, {"x": np.zeros(1, np.float32)})
    with pytest.raises(FileError, match="not a pipeline"):
        Pipeline.load(path)
    write_model(path, {"architecture": "pipeline", "card": {}}, {"x": np.zeros(1, np.float32)})
    with pytest.raises(FileError, match="no pipeline that Arbora can use: it lacks 'components'"):
        Pipeline.load(path)
    with pytest.raises(ArboraError, match="nowhere: there is no such file, and"):
        load("nowhere")


def test_components_have_names_and_an_order(nlp):
    assert list(nlp.components) == ["tokenizer", "tagger", "parser"]
    assert nlp["tagger"] is nlp.tagger
    assert nlp.adds[:2] == ("words", "upos")
    assert nlp.find("deprels") is nlp.parser
    short = Pipeline([("words", nlp.tokenizer)])
    assert short.find("words") is nlp.tokenizer
    with pytest.raises(ArboraError, match="no component that adds heads: words"):
        _ = short.parser


def test_any_list_of_components_can_be_a_file(nlp, tmp_path):
    two = Pipeline([("first", nlp.tagger), ("second", nlp.tagger), ("third", nlp.tokenizer)], {"data": "x"})
    two.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert list(again.components) == ["first", "second", "third"]
    assert again.card == {"data": "x"}
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    assert [one["name"] for one in again.header["components"]] == ["first", "second", "third"]


def test_a_component_of_an_unknown_architecture(nlp, tmp_path):
    header, tensors = nlp.to_parts()
    header["components"][1]["architecture"] = "oracle"
    write_model(tmp_path / "m", header, tensors)
    with pytest.raises(FileError, match="there is no architecture 'oracle' in this Arbora; upgrade"):
        load(tmp_path / "m")


def test_plain_data_and_back(nlp):
    document = nlp(TEXT)
    data = json.loads(json.dumps(document.to_dict(probabilities=True)))
    word = data["sentences"][0]["words"][0]
    assert word["form"] == "The"
    assert 0 < word["probability"] <= 1
    again = Document.from_dict(data)
    assert [s.forms for s in again] == [s.forms for s in document]
    assert [s.heads for s in again] == [s.heads for s in document]
    assert again.sentences[1][2].start == document.sentences[1][2].start
    with pytest.raises(ValueError, match="was not parsed here"):
        again.sentences[0].all_probabilities()


def test_pictures(nlp):
    document = nlp("Dogs bark.")
    sentence = document.sentences[0]
    assert "Dogs" in sentence.to_svg(probabilities=True)
    assert "bark" in sentence.to_text("indented")
    assert sentence._repr_svg_() == sentence.to_svg()
    assert document._repr_html_().count("<svg") == 1


def test_the_card_tells_how_good_it_is(nlp):
    scores = nlp.card["scores"]
    assert scores == measure_pipeline(nlp, treebank(), threads=2)
    assert set(scores) == {"raw_text", "gold_tokens", "gold_tags"}
    assert scores["gold_tokens"]["UPOS"] > 80
    assert scores["gold_tags"]["LAS"] > 30


def test_multiword_tokens_share_their_place():
    pieces = nlp_of_turkish()
    text = "Evdeki kitap."
    for sentence in pieces(text):
        for token in sentence:
            assert text[token.start : token.end]


def nlp_of_turkish() -> Pipeline:
    turkish = treebank("tr")
    return train_pipeline(turkish, turkish, SMALL)


def test_bytes_read_back_as_sentences(nlp):
    assert len(list(scan([parsed_bytes(nlp, [TEXT.encode()])], False))) == len(nlp(TEXT))
