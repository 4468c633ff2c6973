"""Treebanks as running text: what the tokenizer learns from, and what it is measured on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.errors import ArboraError
from arbora.treebank import Sentence
from arbora.treebank.comments import begins
from arbora.treebank.tokens import surface_tokens

Bytes: TypeAlias = npt.NDArray[np.uint8]

TOKEN_END, SENTENCE_END = 1, 2
"""What follows a character, besides nothing."""

WRAPPED, LINES, WIDE = 0.15, 0.1, 0.05
"""Shares of the paragraphs that are wrapped like an e-mail, that have a line for each sentence, and that have
two spaces between sentences."""
WIDTHS = (50, 100)
"""How long the lines of a wrapped paragraph are."""
LONGEST_PARAGRAPH = 20
"""Sentences, where the treebank does not tell paragraphs."""


@dataclass(frozen=True, slots=True)
class SentenceText:
    """The text of a sentence, where its tokens end in it, and whether a space follows."""

    text: str
    ends: list[int]
    space_after: bool


@dataclass(frozen=True, slots=True)
class RunningText:
    """A text, and for each of its characters what follows it: 0, `TOKEN_END` or `SENTENCE_END`."""

    text: str
    boundary: Bytes

    def token_spans(self) -> npt.NDArray[np.int64]:
        """Begin and end of every token, shape (tokens, 2)."""
        return spans_of(self.text, np.flatnonzero(self.boundary) + 1)

    def sentence_spans(self) -> npt.NDArray[np.int64]:
        """Begin and end of every sentence, shape (sentences, 2)."""
        return spans_of(self.text, np.flatnonzero(self.boundary == SENTENCE_END) + 1)


def spans_of(text: str, ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The spans with these ends: each begins after the one before, and after the spaces there.

    >>> spans_of("Hi  you", np.array([2, 7])).tolist()
    [[0, 2], [4, 7]]
    """
    begins = []
    at = 0
    for end in ends.tolist():
        while text[at].isspace():
            at += 1
        begins.append(at)
        at = end
    return np.stack([np.array(begins, np.int64), ends], 1)


def text_of(sentence: Sentence) -> SentenceText:
    """The text of a sentence, by ``# text`` if it fits the tokens, and else by SpaceAfter.

    >>> text_of(Sentence(["Hi", "!"], misc=["SpaceAfter=No", "_"]))
    SentenceText(text='Hi!', ends=[2, 3], space_after=True)
    """
    tokens = list(surface_tokens(sentence))
    no_space = ["SpaceAfter=No" in token.misc.split("|") for token in tokens]
    found = _fitted(sentence.text or "", [token.form for token in tokens])
    if found is None:
        text, ends = "", []
        for token, close in zip(tokens, no_space, strict=True):
            text += token.form
            ends.append(len(text))
            text += "" if close else " "
        found = text.rstrip(), ends
    return SentenceText(*found, not no_space[-1])


def _fitted(text: str, forms: list[str]) -> tuple[str, list[int]] | None:
    """The text and the ends of the forms in it; None if they are not what it says."""
    ends, at = [], 0
    for form in forms:
        while at < len(text) and text[at].isspace():
            at += 1
        if not text.startswith(form, at):
            return None
        at += len(form)
        ends.append(at)
    return (text, ends) if at == len(text) else None


def paragraphs_of(sentences: Iterable[Sentence]) -> list[list[SentenceText]]:
    """The paragraphs of a treebank, by ``# newdoc`` and ``# newpar``; ArboraError if there are no words."""
    paragraphs: list[list[SentenceText]] = []
    for sentence in sentences:
        if not len(sentence):
            continue
        if not paragraphs or begins(sentence, "newdoc", "newpar"):
            paragraphs.append([])
        paragraphs[-1].append(text_of(sentence))
    if not paragraphs:
        raise ArboraError("the treebank has no words")
    return paragraphs


def count_tokens(sentences: Iterable[Sentence]) -> Counter[tuple[str, tuple[str, ...]]]:
    """How often each token occurs, with its words."""
    return Counter(
        (token.form, tuple(sentence.forms[token.first - 1 : token.last]))
        for sentence in sentences
        for token in surface_tokens(sentence)
    )


def running_text(paragraphs: Sequence[list[SentenceText]]) -> RunningText:
    """The text as it would be read: a space between sentences, a blank line between paragraphs."""
    return _joined([_paragraph(paragraph, " ") for paragraph in paragraphs], "\n\n")


def varied_text(paragraphs: Sequence[list[SentenceText]], random: np.random.Generator) -> RunningText:
    """The text as it may be read: some paragraphs have lines, by width or by sentence."""
    found = []
    for paragraph in _shortened(paragraphs, random):
        kind = random.random()
        if kind < LINES:
            found.append(_paragraph(paragraph, "\n"))
        elif kind < LINES + WRAPPED:
            found.append(_wrapped(_paragraph(paragraph, " "), int(random.integers(*WIDTHS))))
        else:
            found.append(_paragraph(paragraph, "  " if kind > 1 - WIDE else " "))
    return _joined(found, "\n\n")


def _shortened(
    paragraphs: Sequence[list[SentenceText]], random: np.random.Generator
) -> Iterable[list[SentenceText]]:
    for paragraph in paragraphs:
        at = 0
        while at < len(paragraph):
            length = len(paragraph) - at
            if length > LONGEST_PARAGRAPH:
                length = int(random.integers(1, LONGEST_PARAGRAPH + 1))
            yield paragraph[at : at + length]
            at += length


def _paragraph(sentences: Sequence[SentenceText], between: str) -> RunningText:
    pieces: list[str] = []
    ends: list[int] = []
    last: list[int] = []
    at = 0
    for place, sentence in enumerate(sentences):
        pieces.append(sentence.text)
        ends += (at + end for end in sentence.ends)
        at += len(sentence.text)
        last.append(at)
        # A line is ended even where no space is: that is what the line is for.
        if place + 1 < len(sentences) and (sentence.space_after or between == "\n"):
            pieces.append(between)
            at += len(between)
    boundary = np.zeros(at, np.uint8)
    boundary[np.array(ends) - 1] = TOKEN_END
    boundary[np.array(last) - 1] = SENTENCE_END
    return RunningText("".join(pieces), boundary)


def _wrapped(paragraph: RunningText, width: int) -> RunningText:
    """The paragraph with line breaks for spaces between tokens, so that lines have at most this width."""
    text, at = paragraph.text, 0
    characters = list(text)
    while at + width < len(text):
        space = text.rfind(" ", at, at + width)
        if space <= at:
            break  # a word longer than a line: the rest stays one
        if paragraph.boundary[space - 1]:
            characters[space] = "\n"
        at = space + 1
    return RunningText("".join(characters), paragraph.boundary)


def _joined(parts: list[RunningText], between: str) -> RunningText:
    gap = np.zeros(len(between), np.uint8)
    arrays = [array for part in parts for array in (part.boundary, gap)]
    return RunningText(between.join(part.text for part in parts), np.concatenate(arrays[:-1]))
