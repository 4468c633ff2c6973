"""Plain data of sentences and back: nothing is lost."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from full_sentence import full
from small_pipeline import small_pipeline

from arbora.dependency import ParseOptions
from arbora.pipeline import Document, ParsedSentence
from arbora.treebank import Sentence, read
from arbora.treebank.columns import COLUMNS

TEXT = "The door is open. Where is the key?"


def listed(value: Any) -> Any:
    if isinstance(value, (list, tuple, np.ndarray)):
        return [listed(one) for one in value]
    return value


def findings(sentence: Sentence) -> dict[str, Any]:
    return {name: listed(value) for name, value in (sentence.findings or {}).items()}


def there_and_back(sentence: Sentence) -> None:
    data = ParsedSentence(sentence).to_dict()
    found = ParsedSentence.from_dict(json.loads(json.dumps(data)))
    for name in COLUMNS:
        assert getattr(found, name) == getattr(sentence, name), name
    assert findings(found) == findings(sentence)
    assert found.to_dict() == data


@pytest.mark.parametrize("name", ["en", "de", "tr"])
def test_sentences_of_files(name):
    for sentence in read(f"examples/treebank/{name}.conllu", single_root=False):
        there_and_back(sentence)


def test_a_sentence_that_has_everything():
    there_and_back(full())
    there_and_back(Sentence())
    there_and_back(Sentence(comments=["# only this"]))


@pytest.mark.parametrize(
    "options",
    [
        ParseOptions(),
        ParseOptions(probabilities=True),
        ParseOptions(probabilities=True, certificates=True),
    ],
)
def test_documents(options):
    """MISC has probabilities with few digits, findings all of them: both come back."""
    document = small_pipeline()(TEXT + "  \n", options)
    for sentence in document:
        there_and_back(sentence)
    again = Document.from_dict(json.loads(json.dumps(document.to_dict())))
    assert again.to_conllu() == document.to_conllu()
    assert again.text == document.text
    assert [(word.start, word.end) for word in again.words] == [(w.start, w.end) for w in document.words]


def test_probabilities_that_were_asked_for_come_back():
    document = small_pipeline()(TEXT)
    again = Document.from_dict(document.to_dict(probabilities=True))
    assert [word.probability for word in again.words] == [word.probability for word in document.words]
    assert again[0].to_svg(probabilities=True) == document[0].to_svg(probabilities=True)
    with pytest.raises(ValueError, match="was not parsed here"):
        again[0].kbest(2)


def test_misc_that_says_something_between_stays_as_it_is():
    sentence = Sentence(["a"], misc=["HeadProbability=0.5|SpaceAfter=No"])
    sentence.findings = {"HeadProbability": np.array([0.5001])}
    there_and_back(sentence)
    assert ParsedSentence(sentence).to_dict()["words"][0]["misc"] == "HeadProbability=0.5|SpaceAfter=No"


def test_constituents():
    comments = ["# constituents = (S (VP (XX Go)))", "# constituent_probabilities = 1.0000 0.5000"]
    sentence = Sentence(["Go"], xpos=["VB"], comments=comments)
    sentence.findings = {"constituent_probabilities": [1.0, 0.50001], "constituents_log_probability": -0.7}
    there_and_back(sentence)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\u2028", "\ufeff \x1c"])
def test_a_document_keeps_a_text_that_has_no_words(text):
    document = small_pipeline()(text)
    assert (document.text, document.sentences, document.words) == (text, [], [])
    assert Document.from_dict(json.loads(json.dumps(document.to_dict()))).text == text
