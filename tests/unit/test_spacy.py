"""Documents as spaCy has them: what spaCy is told and asked, by a stand-in; and spaCy itself where it is."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from types import ModuleType, SimpleNamespace

import pytest
from small_pipeline import small_pipeline

from arbora.errors import ArboraError
from arbora.pipeline import Document, ParsedSentence
from arbora.treebank import Multiword, Sentence

TEXT = "The door is open. Where is the key?"
with_spacy = pytest.mark.skipif(importlib.util.find_spec("spacy") is None, reason="spaCy is not installed")


def test_without_spacy_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy.tokens", None)
    with pytest.raises(ArboraError, match="pip install spacy"):
        small_pipeline()(TEXT).to_spacy()


class StandIn:
    """As much of a spaCy Doc as conversion uses: it keeps what it is told, and answers from it."""

    def __init__(self, vocab, words, spaces, pos, tags, lemmas, morphs, heads, deps, sent_starts) -> None:
        self.text, self.tokens = "", []
        rows = zip(words, spaces, pos, tags, lemmas, morphs, deps, strict=True)
        for i, (word, space, upos, xpos, lemma, morph, dep) in enumerate(rows):
            token = SimpleNamespace(i=i, idx=len(self.text), text=word, whitespace_=" " * space, pos_=upos)
            vars(token).update(tag_=xpos, lemma_=lemma, morph=morph, dep_=dep, is_space=word.isspace())
            self.tokens.append(token)
            self.text += word + " " * space
        for token, head in zip(self.tokens, heads, strict=True):
            token.head = self.tokens[head]
        edges = [i for i, first in enumerate(sent_starts) if first] + [len(words)]
        self.sents = [self.span(a, b) for a, b in itertools.pairwise(edges)]

    def span(self, start: int, end: int) -> list:
        own = self.tokens[start:end]

        class Span(list):
            doc = self
            text = self.text[own[0].idx : own[-1].idx + len(own[-1].text)]

        return Span(own)

    def has_annotation(self, _: str) -> bool:
        return True

    def __len__(self) -> int:
        return len(self.tokens)


def check_there_and_back() -> None:
    document = small_pipeline()(TEXT)
    doc = document.to_spacy()
    assert doc.text == TEXT
    assert [len(span) for span in doc.sents] == [len(sentence) for sentence in document]
    again = Document.from_spacy(doc)
    for own, other in zip(document, again, strict=True):
        for column in ("forms", "lemmas", "upos", "xpos", "heads", "deprels"):
            assert getattr(own, column) == getattr(other, column), column
        assert own.spans == other.spans


@pytest.fixture
def stand_in(monkeypatch) -> None:
    for name, members in (
        ("spacy", {}),
        ("spacy.tokens", {"Doc": StandIn}),
        ("spacy.vocab", {"Vocab": object}),
    ):
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)


@pytest.mark.usefixtures("stand_in")
def test_what_spacy_is_told_comes_back():
    check_there_and_back()


@pytest.mark.usefixtures("stand_in")
def test_multiword_tokens_are_words_without_space_between():
    sentence = Sentence(
        ["do", "n't", "go"],
        heads=[3, 3, 0],
        deprels=["aux", "advmod", "root"],
        misc=["_", "_", "SpaceAfter=No"],
        multiwords=[Multiword(1, 2, "don't")],
    )
    doc = Document("don't go", [ParsedSentence(sentence)]).to_spacy()
    assert doc.text == "don't go"
    assert [(token.dep_, token.head.i) for token in doc.tokens] == [("aux", 2), ("advmod", 2), ("ROOT", 2)]


@with_spacy
def test_there_and_back():
    check_there_and_back()


@with_spacy
def test_a_document_of_nothing():
    assert len(Document.from_spacy(Document("", []).to_spacy())) == 0
