"""How parsed sentences are written, in every format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TypeAlias

from arbora.dependency.output import KBEST_RANK
from arbora.draw import text as drawn
from arbora.draw.carried import Asked
from arbora.draw.characters import visible
from arbora.draw.gallery import Exhibit, write_html, write_svg
from arbora.pipeline.documents import ParsedSentence
from arbora.treebank import Constituent, Sentence, write
from arbora.treebank.files import open_output
from arbora.treebank.formats import Format, unread

Writer: TypeAlias = "Callable[[str, Iterator[Sentence], Look], None]"


class Look:
    """How drawn trees look: the style, colours, and whether probabilities are shown."""

    def __init__(self, style: str, coloured: bool, probabilities: bool) -> None:
        self.style, self.coloured, self.probabilities = style, coloured, probabilities

    def shown(self, sentence: Sentence) -> Iterator[tuple[Sentence | Constituent, Asked]]:
        """The trees of a sentence that are to be drawn, and their probabilities."""
        parsed = ParsedSentence(sentence)
        if parsed.has_heads:
            yield sentence, None if self.probabilities else False
        if (tree := parsed.constituents) is not None:
            yield tree, None if self.probabilities else False


def _write_treebank(format: str) -> Writer:
    def write_as(target: str, sentences: Iterator[Sentence], _: Look) -> None:
        write(target, sentences, format)

    return write_as


def _write_brackets(target: str, sentences: Iterator[Sentence], _: Look) -> None:
    """A tree a line; an empty line between the k best trees of one sentence and those of the next."""
    with open_output(target) as stream:
        for place, sentence in enumerate(sentences):
            first = (sentence.findings or {}).get(KBEST_RANK) == 1
            stream.write(f"{chr(10) if first and place else ''}{sentence.constituents}\n".encode())


def _write_json(target: str, sentences: Iterator[Sentence], look: Look) -> None:
    with open_output(target) as stream:
        for sentence in sentences:
            stream.write(_json_line(sentence, probabilities=look.probabilities).encode())


def _json_line(sentence: Sentence, *, probabilities: bool = False) -> str:
    data = ParsedSentence(sentence).to_dict(probabilities=probabilities)
    return f"{json.dumps(data, ensure_ascii=False)}\n"


JSON = Format("json", (".json", ".jsonl"), "an object a line", unread, _json_line, lambda *_: "")
"""The same, for sentences that have no parser."""


def _write_drawn(target: str, sentences: Iterator[Sentence], look: Look) -> None:
    with open_output(target) as stream:
        pictures = (
            drawn(tree, look.style, odds, coloured=look.coloured)
            for sentence in sentences
            for tree, odds in look.shown(sentence)
        )
        for place, picture in enumerate(pictures):
            stream.write((("\n" if place else "") + picture + "\n").encode())


def _write_svg(target: str, sentences: Iterator[Sentence], look: Look) -> None:
    named = (
        (visible(sentence.sent_id or f"#{number}"), *shown)
        for number, sentence in enumerate(sentences, 1)
        for shown in look.shown(sentence)
    )
    write_svg(target, (Exhibit(number, *own) for number, own in enumerate(named, 1)))


def _write_html(target: str, sentences: Iterator[Sentence], look: Look) -> None:
    named = (
        Exhibit(number, sentence.text or " ".join(sentence.forms), *shown)
        for number, sentence in enumerate(sentences, 1)
        for shown in look.shown(sentence)
    )
    write_html(target, named)


WRITERS: dict[str, Writer] = {
    "conllu": _write_treebank("conllu"),
    "conllx": _write_treebank("conllx"),
    "brackets": _write_brackets,
    "json": _write_json,
    "text": _write_drawn,
    "svg": _write_svg,
    "html": _write_html,
}
"""By the names of formats."""
