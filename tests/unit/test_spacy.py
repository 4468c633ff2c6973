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
            vars(token).update(
                norm_=word.lower(), tag_=xpos, lemma_=lemma, morph=morph, dep_=dep, is_space=word.isspace()
            )
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

    def __getitem__(self, place: int) -> SimpleNamespace:
        return self.tokens[place]


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


TEXTS = [
    "  The door\tis  open.\n\nWhere is\u2028 the key? \n",
    "\ufeffGo!",
    "The door is open.\u2029\ufeff",
    " ",
    "\n\n",
    "",
    "a\x0bb\x0cc\x1cd\x85 e\u3000f\xa0.",
]


def check_every_space_and_offset(text: str) -> None:
    document = small_pipeline()(text)
    doc = document.to_spacy()
    assert doc.text == text
    words = [token for token in doc if token.pos_ != "SPACE"]
    assert [(token.idx, token.text) for token in words] == [
        (word.start, word.form) for word in document.words
    ]
    assert not any(token.is_space for token in words)
    for token, word in zip(words, document.words, strict=True):
        assert token.head.text == (word.head_token or word).form
    ends = [(span[0].i, span[-1].i) for span in doc.sents]
    assert len(ends) == max(len(document), bool(text))
    again = Document.from_spacy(doc)
    assert again.text == text
    assert [sentence.misc for sentence in again] == [sentence.misc for sentence in document]
    assert [sentence.heads for sentence in again] == [sentence.heads for sentence in document]
    assert [sentence.spans for sentence in again] == [sentence.spans for sentence in document]


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("text", TEXTS)
def test_every_space_and_offset_is_kept(text):
    check_every_space_and_offset(text)


@with_spacy
@pytest.mark.parametrize("text", TEXTS)
def test_spacy_keeps_every_space_and_offset(text):
    check_every_space_and_offset(text)


def contracted(text: str, multiword: str, words: list[str]) -> ParsedSentence:
    """A multiword token, and ``See`` as the head of all of it."""
    count = len(words)
    sentence = Sentence(
        [*words, "See"],
        heads=[count + 1] * count + [0],
        deprels=["case"] * count + ["root"],
        misc=["_"] * count + ["SpaceAfter=No"],
        multiwords=[Multiword(1, count, multiword)],
    )
    first, last = text.index(multiword), text.index("See")
    sentence.findings = {"spans": [(first, first + len(multiword))] * count + [(last, last + 3)]}
    return ParsedSentence(sentence)


@pytest.mark.usefixtures("stand_in")
def test_words_that_the_text_does_not_have_are_norms():
    """Whether places are known, or only what MISC says."""
    for spans in (True, False):
        sentence = contracted("zum See", "zum", ["zu", "dem"])
        if not spans:
            sentence.findings = None
        doc = Document("zum See", [sentence]).to_spacy()
        assert doc.text == "zum See"
        assert [(token.text, token.norm_) for token in doc] == [("zu", "zu"), ("m", "dem"), ("See", "see")]
        assert [token.head.i for token in doc] == [2, 2, 2]


@pytest.mark.usefixtures("stand_in")
def test_a_token_of_fewer_letters_than_words_is_one():
    doc = Document("à  See", [contracted("à  See", "à", ["a", "a"])]).to_spacy()
    assert [token.text for token in doc] == ["à", " ", "See"]
    assert doc.text == "à  See"
    assert [token.head.i for token in doc] == [2, 0, 2]


@with_spacy
def test_there_and_back():
    check_there_and_back()


@with_spacy
def test_a_document_of_nothing():
    assert len(Document.from_spacy(Document("", []).to_spacy())) == 0
