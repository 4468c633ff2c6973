"""Documents as spaCy has them; where spaCy is not installed, only that this is said."""

from __future__ import annotations

import importlib.util
import sys

import pytest
from small_pipeline import small_pipeline

from arbora.errors import ArboraError
from arbora.pipeline import Document

TEXT = "The door is open. Where is the key?"
with_spacy = pytest.mark.skipif(importlib.util.find_spec("spacy") is None, reason="spaCy is not installed")


def test_without_spacy_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy.tokens", None)
    with pytest.raises(ArboraError, match="pip install spacy"):
        small_pipeline()(TEXT).to_spacy()


@with_spacy
def test_there_and_back():
    document = small_pipeline()(TEXT)
    doc = document.to_spacy()
    assert doc.text == TEXT
    assert [len(span) for span in doc.sents] == [len(sentence) for sentence in document]
    again = Document.from_spacy(doc)
    for own, other in zip(document, again, strict=True):
        for column in ("forms", "lemmas", "upos", "xpos", "heads", "deprels"):
            assert getattr(own, column) == getattr(other, column), column
        assert own.places == other.places


@with_spacy
def test_a_document_of_nothing():
    assert len(Document.from_spacy(Document("", []).to_spacy())) == 0
