"""The tokenizer: raw text to sentences, tokens and words, with every character kept."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError, WrongTypeError, shown
from arbora.models import Component, Parts, Tensors
from arbora.models.checking import (
    a_list,
    a_mapping,
    a_number,
    a_positive,
    a_row,
    a_text,
    a_whole,
    moderate,
    some_options,
)
from arbora.models.options import a_count, check_like
from arbora.text.tokenizing.multiwords import make_multiwords
from arbora.text.tokenizing.options import TokenizerOptions
from arbora.text.tokenizing.paragraphs import no_utf8, sound_paragraphs
from arbora.text.tokenizing.templates import parse_templates
from arbora.treebank import Sentence
from arbora.treebank.batches import Skip, to_sentences
from arbora.treebank.findings import CERTAINTY
from arbora.treebank.given import each_piece

ARCHITECTURE = "tokenizer"
TENSORS = {"pages": np.uint16, "blocks": np.uint8, "tokens": np.int16, "sentences": np.int16}
DOUBTS = ("words", "ends")
"""What makes sentences less certain, by the names that headers have for it."""
MOST_DOUBT = 1e6
PREFIX = "tokenizer."
"""What the names of its tensors begin with, so that they can live in a file with others."""


class Span(NamedTuple):
    """A token's place in a text, in characters: ``text[start:end]``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TokenizedConllu:
    """A piece of output: whole sentences as CoNLL-U, and how many there are so far."""

    data: bytes
    sentences: int
    tokens: int
    words: int


def _pair(value: Any) -> tuple[int, int]:
    """Two classes of characters that a space may stand between within a token."""
    left, right = (a_whole(each, "a class of characters") for each in a_list(value, "spaces_in_tokens", 2))
    return left, right


class Tokenizer(Component):
    """Cuts text into sentences, tokens and words. Immutable: one object serves all threads.

    No character is lost or changed: a token's form is what the text has at its place, and spaces are kept in
    MISC. Where tokens and sentences end is decided for each gap between characters by itself, so the answer
    does not depend on how a text comes in pieces.
    """

    architecture = ARCHITECTURE

    def __init__(self, header: Mapping[str, Any], tensors: Tensors) -> None:
        """From a header and tensors as `to_parts` gives them; `load` is the usual way here."""
        self.header = dict(header)
        options = some_options(TokenizerOptions, header["options"])
        self._tensors = {name: a_row(tensors, PREFIX + name, dtype) for name, dtype in TENSORS.items()}
        self._multiwords = make_multiwords(header["multiwords"])
        weights = {}
        for kind in ("tokens", "sentences"):
            step = a_positive(header[kind]["step"], f"the step of {kind}")
            weights[kind] = moderate(_core.ShortWeights(self._tensors[kind], step), kind)
        self._model = _core.TextModel(
            self._tensors["pages"],
            self._tensors["blocks"],
            parse_templates(a_text(header["tokens"]["templates"], "templates")),
            parse_templates(a_text(header["sentences"]["templates"], "templates")),
            weights["tokens"],
            weights["sentences"],
            a_number(header["sentences"]["threshold"], "threshold", -1e30, 1e30),
            [_pair(pair) for pair in a_list(header["spaces_in_tokens"], "spaces_in_tokens")],
            *certainty_of(header),
        )
        self._limits = (options.sentence_tokens, options.token_characters)

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], tensors: Tensors) -> Tokenizer:
        """The tokenizer of a header and tensors as `to_parts` gives them."""
        return cls(header, tensors)

    def to_parts(self, *, compact_weights: bool = False) -> Parts:
        """The header and the tensors of the model file; it has no smaller form."""
        header = {**self.header, "architecture": ARCHITECTURE}
        return header, {PREFIX + name: tensor for name, tensor in self._tensors.items()}

    def with_certainty(self, certainty: Mapping[str, float]) -> Tokenizer:
        """The same tokenizer, with another ``certainty`` in its header: see `certainty_of`."""
        header, tensors = self.to_parts()
        return Tokenizer({**header, CERTAINTY: dict(certainty)}, tensors)

    def tokenize(self, text: str, *, ranges: bool = False) -> list[Sentence]:
        """The sentences of a text. With ``ranges``, MISC has each token's place, ``TokenRange=start:end``.

        ArboraError if the text has a lone surrogate, which is half a character.
        """
        return list(to_sentences(self.batches([encoded(text)], ranges=ranges)))

    def spans(self, text: str) -> list[list[Span]]:
        """The places of all tokens, sentence by sentence.

        Between them are spaces and nothing else, so the text can be put together again from its tokens.
        """
        batch = self.scan(text)
        places = list(map(Span, batch.starts.tolist(), batch.ends.tolist()))
        ends = batch.sentence_ends.tolist()
        return [places[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def scan(self, text: str) -> _core.TextBatch:
        """All that the core finds in a text, in flat arrays."""
        return _core.TextScanner(self._model, *self._limits).feed(encoded(text), True, 1)

    def split(self, form: str) -> list[str] | None:
        """The words of a token that holds several; None if it is one word."""
        if not isinstance(form, str):
            raise WrongTypeError(f"a token is a text, not {shown(form)}")
        return self._multiwords.split(form)

    def stream(
        self,
        pieces: Iterable[bytes],
        *,
        ranges: bool = False,
        threads: int = 1,
        skip: Skip | None = None,
    ) -> Generator[TokenizedConllu, None, None]:
        """A text that comes in pieces of UTF-8, as CoNLL-U; memory does not grow with it.

        The output is the same however the pieces are cut, and whatever the threads. FileError with line and
        byte where it is no UTF-8, when all before was handed on; with ``skip``, which gets the error, such
        paragraphs are left out.
        """
        counts = _core.TextCounts()
        for batch in self.batches(pieces, ranges=ranges, threads=threads, counts=counts, skip=skip):
            data = batch.to_conllu(threads=threads)
            yield TokenizedConllu(data, counts.sentences, counts.tokens, counts.words)

    def batches(
        self,
        pieces: Iterable[bytes],
        *,
        ranges: bool = False,
        lines: bool = False,
        threads: int = 1,
        counts: _core.TextCounts | None = None,
        skip: Skip | None = None,
    ) -> Generator[_core.Batch, None, None]:
        """The same as batches of the core, for components that follow; ``counts`` counts what comes.

        With ``lines``, sentences end where lines do, and nowhere else, however long they are. With ``skip``,
        paragraphs that are no UTF-8 are left out, and it gets the errors.
        """
        pieces = each_piece(pieces)
        threads = a_count(threads, "threads")
        check_like({"ranges": ranges, "lines": lines}, {"ranges": False, "lines": False})
        if skip is not None:
            pieces = sound_paragraphs(pieces, skip)
        sentence_tokens, token_characters = self._limits
        scanner = _core.TextScanner(
            self._model, sys.maxsize if lines else sentence_tokens, token_characters, lines
        )
        counts = counts or _core.TextCounts()

        def answer(piece: bytes, final: bool) -> _core.Batch:
            try:
                found = scanner.feed(piece, final, threads)
            except ValueError:
                raise no_utf8(scanner.byte + 1, scanner.line) from None
            return found.to_batch(self._multiwords, ranges, counts, threads)

        for piece in pieces:
            if len(batch := answer(piece, False)):
                yield batch
        if len(batch := answer(b"", True)):
            yield batch


def certainty_of(header: Mapping[str, Any]) -> tuple[float, float]:
    """How much doubt there is about every word, and how much that about a sentence's ends counts.

    A pipeline learns it, for its parser; without it, the sentences of a tokenizer are all certain.

    >>> certainty_of({"certainty": {"words": 0.01, "ends": 0.1}}), certainty_of({})
    ((0.01, 0.1), (0.0, 0.0))
    """
    own = a_mapping(header.get(CERTAINTY, {}), CERTAINTY)
    words, ends = (a_number(own.get(name, 0.0), f"{name} of {CERTAINTY}", 0, MOST_DOUBT) for name in DOUBTS)
    return words, ends


def encoded(text: str) -> bytes:
    """The text in UTF-8; ArboraError if it has half a character.

    >>> encoded("Größe")
    b'Gr\\xc3\\xb6\\xc3\\x9fe'
    """
    if not isinstance(text, str):
        raise WrongTypeError(f"a text is needed, a str, and this is of the type {type(text).__name__}")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ArboraError(
            f"the text has a lone surrogate at {error.start}, which is half a character"
        ) from None


def make_tensors(
    classes: tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]],
    tokens: _core.ShortWeights,
    sentences: _core.ShortWeights,
) -> dict[str, npt.NDArray[Any]]:
    """The tensors of a tokenizer that has these parts."""
    parts: dict[str, npt.NDArray[Any]] = {
        "pages": classes[0],
        "blocks": classes[1],
        "tokens": np.asarray(tokens.values),
        "sentences": np.asarray(sentences.values),
    }
    return {PREFIX + name: tensor for name, tensor in parts.items()}
