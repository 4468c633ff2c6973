"""Documents as spaCy has them, and back; spaCy itself is imported when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from arbora.errors import ArboraError
from arbora.pipeline.documents import SPANS, Document, ParsedSentence
from arbora.treebank import Sentence


def to_spacy(document: Document, vocab: Any = None) -> Any:
    """A ``spacy.tokens.Doc`` with the document's words, tags, lemmas and trees.

    spaCy has no multiword tokens, so its words are Arbora's. Where a word is not what the text has, as in
    multiword tokens, the Doc's text differs from the document's. ``vocab`` is that of a spaCy pipeline; a
    fresh one without it.
    """
    try:
        make_doc = import_module("spacy.tokens").Doc
        make_vocab = import_module("spacy.vocab").Vocab
    except ImportError:
        raise ArboraError("this needs spaCy: pip install spacy") from None
    words: list[str] = []
    spaces: list[bool] = []
    heads: list[int] = []
    starts: list[bool] = []
    tokens = [token for sentence in document.sentences for token in sentence]
    for sentence in document.sentences:
        first = len(words)
        words += sentence.forms
        spaces += _spaces_after(sentence)
        heads += [
            first + (id if head in (None, 0) else head) - 1 for id, head in enumerate(sentence.heads, 1)
        ]
        starts += [index == 0 for index in range(len(sentence))]
    return make_doc(
        make_vocab() if vocab is None else vocab,
        words=words,
        spaces=spaces,
        pos=[_known(token.upos) for token in tokens],
        tags=[_known(token.xpos) for token in tokens],
        lemmas=[_known(token.lemma) for token in tokens],
        morphs=[_known(token.feats) for token in tokens],
        heads=heads,
        deps=["ROOT" if token.head == 0 else _known(token.deprel) for token in tokens],
        sent_starts=starts,
    )


def from_spacy(doc: Any) -> Document:
    """The document of a ``spacy.tokens.Doc``; words that are spaces only are left out."""
    spans = list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]] if len(doc) else []
    return Document(doc.text, [s for span in spans if len((s := _sentence_of(span)).forms)])


def _sentence_of(span: Any) -> ParsedSentence:
    tokens = [token for token in span if not token.is_space]
    numbers = {token.i: id for id, token in enumerate(tokens, 1)}
    has_tree = span.doc.has_annotation("DEP")
    heads = [0 if token.head.i == token.i else numbers.get(token.head.i, 0) for token in tokens]
    sentence = Sentence(
        [token.text for token in tokens],
        [token.lemma_ or "_" for token in tokens],
        [token.pos_ or "_" for token in tokens],
        [token.tag_ or "_" for token in tokens],
        [str(token.morph) or "_" for token in tokens],
        list(heads) if has_tree else None,
        [_label(token) for token in tokens] if has_tree else None,
        misc=["_" if token.whitespace_ else "SpaceAfter=No" for token in tokens],
        comments=[f"# text = {' '.join(span.text.split())}"],
    )
    sentence.findings = {SPANS: [(token.idx, token.idx + len(token.text)) for token in tokens]}
    return ParsedSentence(sentence)


def _label(token: Any) -> str:
    return "root" if token.dep_ == "ROOT" else token.dep_ or "_"


def _known(value: str) -> str:
    return "" if value == "_" else value


def _spaces_after(sentence: ParsedSentence) -> list[bool]:
    """Whether a space follows each word; within multiword tokens none does."""
    spaces = ["SpaceAfter=No" not in misc.split("|") for misc in sentence.misc]
    for row in sentence.multiwords:
        spaces[row.first - 1 : row.last - 1] = [False] * (row.last - row.first)
        spaces[row.last - 1] = "SpaceAfter=No" not in row.misc.split("|")
    return spaces
