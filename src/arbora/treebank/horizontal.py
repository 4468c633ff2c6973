"""Horizontal text: a sentence a line, its words separated by spaces. Empty lines are nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arbora.errors import ArboraError, FileError
from arbora.treebank.lines import word_lines
from arbora.treebank.problems import Broken
from arbora.treebank.sentence import Sentence


def scan(pieces: Iterable[bytes], single_root: bool | None = None) -> Iterator[Sentence | Broken]:
    r"""The sentences of a file that comes in pieces (``single_root`` means nothing here).

    >>> [sentence.forms for sentence in scan([b"Dogs  bark .\nNo\n"])]
    [['Dogs', 'bark', '.'], ['No']]
    """
    sentences = 0
    for number, line in enumerate(word_lines(pieces), 1):
        sentences += bool(line)
        if isinstance(line, FileError):
            yield Broken([line])
        elif line:
            sentence = Sentence([word for word in line.split(" ") if word])
            sentence._place = (number, sentences, False)
            yield sentence


def encode(sentence: Sentence) -> str:
    r"""The words on a line; ArboraError if one of them holds a space, which only `vertical` can have.

    >>> encode(Sentence(["Dogs", "bark"]))
    'Dogs bark\n'
    """
    for form in sentence.forms:
        if not form or any(c in form for c in " \t\n\r"):
            raise ArboraError(f"a line of words cannot hold the word {form!r}: write vertical or conllu")
    return " ".join(sentence.forms) + "\n"


def separator(text: str, *items: object) -> str:
    """What must stand between this sentence and the next: nothing, each ends its own line."""
    return ""
