"""Vertical text: a word a line, an empty line after each sentence. Words may hold spaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arbora.errors import ArboraError, FileError
from arbora.treebank.lines import word_lines
from arbora.treebank.problems import Broken
from arbora.treebank.sentence import Sentence

MOST_WORDS = 1_000_000
"""A sentence of more words is taken for a file of another kind, lest it fill the memory."""


def scan(pieces: Iterable[bytes], single_root: bool | None = None) -> Iterator[Sentence | Broken]:
    r"""The sentences of a file that comes in pieces (``single_root`` means nothing here).

    >>> [sentence.forms for sentence in scan([b"Dogs\nbark\n\nNo\n"])]
    [['Dogs', 'bark'], ['No']]
    """
    forms: list[str] = []
    problems: list[FileError] = []
    first, sentences = 0, 1
    for number, line in enumerate(word_lines(pieces), 1):
        if line and not forms and not problems:
            first = number
        if isinstance(line, FileError):
            problems.append(line)
        elif line:
            forms.append(line)
            if len(forms) > MOST_WORDS:
                raise FileError(f"a sentence of more than {MOST_WORDS} words: are empty lines missing?")
        elif forms or problems:
            yield Broken(problems) if problems else _sentence(forms, (first, sentences))
            forms, problems = [], []
            sentences += 1
    if forms or problems:
        yield Broken(problems) if problems else _sentence(forms, (first, sentences))


def _sentence(forms: list[str], place: tuple[int, int]) -> Sentence:
    sentence = Sentence(forms)
    sentence._place = (*place, True)
    return sentence


def encode(sentence: Sentence) -> str:
    r"""The words, a line each, and an empty line.

    >>> encode(Sentence(["Dogs", "bark"]))
    'Dogs\nbark\n\n'
    """
    for form in sentence.forms:
        if not form.strip(" ") or any(c in form for c in "\t\n\r"):
            raise ArboraError(f"a line cannot hold the word {form!r}")
    return "".join(f"{form}\n" for form in sentence.forms) + "\n"


def separator(text: str, *items: object) -> str:
    """What must stand between this sentence and the next: nothing, an empty line ends each."""
    return ""
