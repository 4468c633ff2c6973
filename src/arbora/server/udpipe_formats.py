"""The formats of UDPipe's REST that are no CoNLL-U: what comes in, and what goes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from arbora.errors import FileError
from arbora.treebank import Sentence, horizontal, vertical
from arbora.treebank.comments import begins
from arbora.treebank.problems import Broken
from arbora.treebank.spaces import raw_text, spaces_around
from arbora.treebank.tokens import surface_tokens

NO_BREAK_SPACE = "\u00a0"
"""What stands for a space within a word, where spaces separate words."""


def read_horizontal(data: bytes) -> Iterator[Sentence]:
    """A sentence a line, words between spaces; a no-break space is a space within a word.

    >>> [sentence.forms for sentence in read_horizontal("New\u00a0York is\\n\\nbig\\n".encode())]
    [['New York', 'is'], ['big']]
    """
    for sentence in _numbered(horizontal.scan([data])):
        sentence.forms = [form.replace(NO_BREAK_SPACE, " ") for form in sentence.forms]
        yield sentence


def read_vertical(data: bytes) -> Iterator[Sentence]:
    """A word a line, an empty line after each sentence."""
    return _numbered(vertical.scan([data]))


READERS: Mapping[str, Callable[[bytes], Iterator[Sentence]]] = {
    "horizontal": read_horizontal,
    "vertical": read_vertical,
}


def _numbered(found: Iterable[Sentence | Broken]) -> Iterator[Sentence]:
    for number, sentence in enumerate(found, 1):
        if isinstance(sentence, Broken):
            raise FileError("a line is no UTF-8")
        sentence.comments = [*(["# newdoc", "# newpar"] if number == 1 else []), f"# sent_id = {number}"]
        yield sentence


def write_horizontal(sentences: Iterable[Sentence], options: str) -> str:
    """A sentence a line; with ``paragraphs``, an empty line before each paragraph but the first."""
    return _lines(
        sentences,
        options == "paragraphs",
        lambda sentence: " ".join(
            token.form.replace(" ", NO_BREAK_SPACE) for token in surface_tokens(sentence)
        ),
    )


def write_vertical(sentences: Iterable[Sentence], options: str) -> str:
    """A token a line, an empty line after each sentence."""
    return _lines(
        sentences,
        options == "paragraphs",
        lambda sentence: "".join(f"{token.form}\n" for token in surface_tokens(sentence)),
    )


def write_plaintext(sentences: Iterable[Sentence], options: str) -> str:
    """The text as it was; with ``normalized_spaces`` a sentence a line, with one space or none in between."""
    if options != "normalized_spaces":
        return raw_text(sentences)
    return _lines(sentences, True, _on_one_line)


WRITERS: Mapping[str, Callable[[Iterable[Sentence], str], str]] = {
    "horizontal": write_horizontal,
    "vertical": write_vertical,
    "plaintext": write_plaintext,
}


def without_spaces(sentence: Sentence) -> None:
    """Take out of MISC how many spaces there were and of which kinds, but not that there were none.

    >>> sentence = Sentence(["Hi"], misc=["SpacesAfter=\\\\n|Lang=en"])
    >>> without_spaces(sentence)
    >>> sentence.misc
    ['Lang=en']
    """
    sentence.misc = [_other_items(misc) for misc in sentence.misc]
    for token in sentence.multiwords:
        token.misc = _other_items(token.misc)


def _other_items(misc: str) -> str:
    kinds = ("SpacesBefore", "SpacesAfter", "SpacesInToken")
    return "|".join(item for item in misc.split("|") if item.partition("=")[0] not in kinds) or "_"


def _lines(sentences: Iterable[Sentence], paragraphs: bool, line: Callable[[Sentence], str]) -> str:
    lines: list[str] = []
    for sentence in sentences:
        if lines and paragraphs and begins(sentence, "newdoc", "newpar"):
            lines.append("\n")
        lines.append(line(sentence) + "\n")
    return "".join(lines)


def _on_one_line(sentence: Sentence) -> str:
    tokens = [(token.form, spaces_around(token.misc).after) for token in surface_tokens(sentence)]
    return "".join(form + (" " if after else "") for form, after in tokens).rstrip(" ")
