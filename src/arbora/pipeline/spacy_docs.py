"""Documents as spaCy has them, and back; spaCy itself is imported when it is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from typing import Any

from arbora.errors import ArboraError
from arbora.pipeline.documents import Document, ParsedSentence
from arbora.pipeline.plain_data import SPANS
from arbora.treebank import Sentence, Token
from arbora.treebank.spaces import spaces_around, spaces_misc
from arbora.treebank.tokens import SurfaceToken, surface_tokens


def to_spacy(document: Document, vocab: Any = None) -> Any:
    """A ``spacy.tokens.Doc`` with the document's words, tags, lemmas and trees, and its text to the letter.

    Offsets are those of the text: spaces other than a single one are tokens, as spaCy has them (SPACE,
    attached to the word before). spaCy has no multiword tokens: their words share the token's characters, and
    where these are not the word (``m`` of ``zum`` for ``dem``), ``norm_`` has it. A multiword token of
    fewer characters than words becomes one token. ``vocab`` is that of a spaCy pipeline; a fresh one without
    it.
    """
    try:
        make_doc = import_module("spacy.tokens").Doc
        make_vocab = import_module("spacy.vocab").Vocab
    except ImportError:
        raise ArboraError("this needs spaCy: pip install spacy") from None
    rows = _Rows()
    for sentence, token, before, written in _written_tokens(document):
        rows.add_spaces(before)
        if token is not None:
            rows.add_token(sentence, token, written)
    doc = make_doc(
        make_vocab() if vocab is None else vocab,
        words=rows.texts,
        spaces=rows.spaces,
        pos=[_known(word.upos) if word else "SPACE" for word in rows.words],
        tags=[_known(word.xpos) if word else "_SP" for word in rows.words],
        lemmas=[
            _known(word.lemma) if word else text for word, text in zip(rows.words, rows.texts, strict=True)
        ],
        morphs=[_known(word.feats) if word else "" for word in rows.words],
        heads=rows.heads(),
        deps=[_label_there(word) if word else "dep" for word in rows.words],
        sent_starts=rows.starts,
    )
    for place, word in enumerate(rows.words):
        if word is not None and word.form != rows.texts[place]:
            doc[place].norm_ = word.form
    return doc


@dataclass
class _Rows:
    """The tokens of a Doc, column by column; ``words`` has None for spaces."""

    texts: list[str] = field(default_factory=list)
    spaces: list[bool] = field(default_factory=list)
    words: list[Token | None] = field(default_factory=list)
    starts: list[bool] = field(default_factory=list)
    places: dict[Token, int] = field(default_factory=dict)
    sentence: ParsedSentence | None = None

    def add_spaces(self, gap: str) -> None:
        """What stands between two tokens: a single space belongs to the one before."""
        if gap.startswith(" ") and self.words and self.words[-1] is not None:
            self.spaces[-1] = True
            gap = gap[1:]
        if gap:
            self._add(gap, None, not self.texts)

    def add_token(self, sentence: ParsedSentence, token: SurfaceToken, written: str) -> None:
        """The words of a token, each with its share of what is written."""
        words = sentence[token.first : token.last + 1]
        starts = sentence is not self.sentence and any(word is not None for word in self.words)
        self.sentence = sentence
        starts = starts or not self.texts
        if len(written) < len(words):
            inside = range(token.first, token.last + 1)
            outward = next((word for word in words if word.head not in inside), words[0])
            self.places |= dict.fromkeys(words, len(self.texts))
            self._add(written, outward, starts)
            return
        for place, (word, part) in enumerate(zip(words, _shares(written, words), strict=True)):
            self.places[word] = len(self.texts)
            self._add(part, word, starts and place == 0)

    def heads(self) -> list[int]:
        """Where the head of each stands; a root is its own, spaces hang on the word before, or else after."""
        found = []
        for place, word in enumerate(self.words):
            head = word.head_token if word is not None else None
            if head is not None:
                found.append(self.places[head])
            elif word is None and len(self.words) > 1:
                found.append(place - 1 if place else 1)
            else:
                found.append(place)
        return found

    def _add(self, text: str, word: Token | None, starts: bool) -> None:
        self.texts.append(text)
        self.spaces.append(False)
        self.words.append(word)
        self.starts.append(starts)


def _written_tokens(
    document: Document,
) -> Iterator[tuple[ParsedSentence, SurfaceToken | None, str, str]]:
    """Each token with what stands before it and how it is written; at the end none, and what follows."""
    tokens = [(sentence, token) for sentence in document.sentences for token in surface_tokens(sentence)]
    if all(sentence.spans is not None for sentence in document.sentences if len(sentence)):
        end = 0
        for sentence, token in tokens:
            start, after = (sentence.spans or [])[token.first - 1]
            yield sentence, token, document.text[end:start], document.text[start:after]
            end = after
        rest = document.text[end:]
    else:
        rest = ""
        for sentence, token in tokens:
            spaces = spaces_around(token.misc)
            yield sentence, token, rest + spaces.before, token.form
            rest = spaces.after
        rest = "" if rest == " " and not document.text.endswith(" ") else rest
    if rest:
        yield ParsedSentence(Sentence()), None, rest, ""


def _shares(written: str, words: list[Any]) -> list[str]:
    """What is written, in a part for each word: as long as the word, as far as it reaches.

    >>> _shares("zum", Sentence(["zu", "dem"])[:])
    ['zu', 'm']
    """
    parts = []
    for left, word in zip(range(len(words) - 1, 0, -1), words, strict=False):
        length = max(1, min(len(word.form), len(written) - left))
        parts.append(written[:length])
        written = written[length:]
    return [*parts, written]


def from_spacy(doc: Any) -> Document:
    """The document of a ``spacy.tokens.Doc``; tokens that are spaces only are spaces here."""
    spans = list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]] if len(doc) else []
    sentences = [s for span in spans if len((s := _sentence_of(span)).forms)]
    _note_spaces(doc.text, sentences)
    return Document(doc.text, sentences)


def _sentence_of(span: Any) -> ParsedSentence:
    tokens = [token for token in span if not (token.is_space or token.pos_ == "SPACE")]
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
        comments=[f"# text = {' '.join(span.text.split())}"],
    )
    sentence.findings = {SPANS: [(token.idx, token.idx + len(token.text)) for token in tokens]}
    return ParsedSentence(sentence)


def _note_spaces(text: str, sentences: list[ParsedSentence]) -> None:
    """Tell in MISC what stands between the words."""
    spans = [span for sentence in sentences for span in sentence.spans or ()]
    starts = [*(start for start, _ in spans), len(text)]
    gaps = [text[end:start] for (_, end), start in zip(spans, starts[1:], strict=True)]
    notes = [spaces_misc("" if place else text[: starts[0]], gap) for place, gap in enumerate(gaps)]
    waiting = iter(notes)
    for sentence in sentences:
        sentence.misc = list(islice(waiting, len(sentence)))


def _label(token: Any) -> str:
    return "root" if token.dep_ == "ROOT" else token.dep_ or "_"


def _label_there(word: Token) -> str:
    return "ROOT" if word.head == 0 else _known(word.deprel)


def _known(value: str) -> str:
    return "" if value == "_" else value
