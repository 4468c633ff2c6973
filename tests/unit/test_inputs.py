"""What pipelines and models are given: text, words, names; and what is none of these gets one clear line."""

from __future__ import annotations

import pytest
from small_pipeline import small_pipeline
from small_runs import train_small
from small_training import treebank

import arbora
from arbora.dependency import ParseOptions
from arbora.errors import ArboraError, WrongTypeError
from arbora.models import find_architecture
from arbora.models.registry import PLACES
from arbora.pipeline import ParsedSentence
from arbora.treebank import Sentence

ONE_LINE = r"^[^\n]+$"


@pytest.mark.parametrize("text", [["a"], None, 3, ("a", "b"), {"a"}, Sentence(["a"]), b"a"])
def test_what_is_no_text(text):
    with pytest.raises(WrongTypeError, match=ONE_LINE) as found:
        small_pipeline()(text)
    assert str(found.value).startswith("one text is needed, a str, not ")
    with pytest.raises(WrongTypeError, match=ONE_LINE):
        list(small_pipeline().pipe([text]))
    with pytest.raises(WrongTypeError, match=ONE_LINE):
        small_pipeline().tokenizer.tokenize(text)


def test_hints():
    nlp = small_pipeline()
    with pytest.raises(
        WrongTypeError, match=r"not a list: nlp\.pipe takes many texts, nlp\.annotate sentences"
    ):
        nlp(["a"])  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="not None"):
        nlp(None)  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="decode them first"):
        nlp(b"a")  # type: ignore[arg-type]


@pytest.mark.parametrize("texts", ["abc", None, 3, b"a"])
def test_what_is_not_many_texts(texts):
    with pytest.raises(WrongTypeError, match=r"^many texts are needed[^\n]+$"):
        next(small_pipeline().pipe(texts))


@pytest.mark.parametrize("sentences", ["Dogs bark.", None, 3, Sentence(["a"])])
def test_what_is_not_many_sentences(sentences):
    with pytest.raises(WrongTypeError, match=r"^many sentences are needed[^\n]+$"):
        small_pipeline().annotate(sentences)


@pytest.mark.parametrize("one", ["Dogs", None, 3, [1], ["a", None], Sentence(["a"])[1]])
def test_what_is_no_sentence(one):
    with pytest.raises(WrongTypeError, match=r"^a sentence is needed[^\n]+$"):
        list(small_pipeline().annotate([one]))
    with pytest.raises(WrongTypeError, match=r"Sentence is needed[^\n]+$"):
        list(small_pipeline().parser.parse([one]))


def test_words_are_annotated_as_text_is():
    """The same trees, probabilities and k-best trees, from sentences and from lists of words."""
    nlp = small_pipeline()
    document = nlp("The door is open. Where is the key?")
    for given in (
        [sentence.forms for sentence in document],
        [tuple(sentence.forms) for sentence in document],
        [Sentence(sentence.forms) for sentence in document],
    ):
        found = list(nlp.annotate(given))
        for own, expected in zip(found, document, strict=True):
            assert isinstance(own, ParsedSentence)
            assert (own.heads, own.deprels, own.upos) == (expected.heads, expected.deprels, expected.upos)
            assert [word.probability for word in own] == [word.probability for word in expected]
            assert own[1].head_probabilities == expected[1].head_probabilities
            assert own[1].label_probabilities == expected[1].label_probabilities
            assert own.kbest(3) == expected.kbest(3)
            assert own.to_svg(probabilities=True)
            assert own[1].start is None


def test_options_are_those_of_the_call():
    nlp, sentence = small_pipeline(), treebank()[0]
    found = next(nlp.annotate([sentence], ParseOptions(probabilities=True)))
    assert found.findings is not None
    assert found[1].probability == pytest.approx(found.head_probabilities()[0])


@pytest.mark.parametrize("name", [None, 3, b"en", ["en"], 1.5])
def test_what_is_no_name_of_a_model(name):
    with pytest.raises(WrongTypeError, match=r"^a model is opened by its name or file, not by[^\n]+$"):
        arbora.load(name)


@pytest.mark.parametrize("architecture", PLACES)
def test_load_opens_any_model(architecture, tmp_path):
    path = tmp_path / "m"
    train_small(architecture, path)
    for name in (path, str(path)):
        assert type(arbora.load(name)) is find_architecture(architecture).load_class()


def test_load_refuses_what_is_no_model(tmp_path):
    (tmp_path / "text").write_text("nothing")
    for name in (tmp_path, tmp_path / "text", tmp_path / "nowhere", ""):
        with pytest.raises(ArboraError, match=ONE_LINE):
            arbora.load(name)
