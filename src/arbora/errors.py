"""The errors a user can meet. Each is one clear sentence; the command line prints it and exits with 2."""

from __future__ import annotations


def shown(value: object) -> str:
    """A value in a message: in one line, and not too long.

    >>> shown(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11...'
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else text[:37] + "..."


class ArboraError(Exception):
    """Anything that is the input's or the caller's fault, said in one line."""

    exit_code = 2
    """What the command line ends with."""


class ArboraWarning(UserWarning):
    """Something is odd that could be dealt with, said in one line; the command line prints it and goes on."""


class FileError(ArboraError):
    """A file that cannot be read or written, or whose content breaks its format.

    >>> print(FileError("ten columns are needed, this line has 9", file="en.conllu", line=7, sentence="s2"))
    en.conllu:7: sentence s2: ten columns are needed, this line has 9
    """

    def __init__(
        self, reason: str, *, file: str | None = None, line: int | None = None, sentence: str | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.file = file
        self.line = line
        self.sentence = sentence

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line) if part is not None)
        parts = [place, f"sentence {self.sentence}" if self.sentence else "", self.reason]
        return ": ".join(part for part in parts if part)


class DamagedFileError(FileError):
    """A compressed file, or one of Parquet, in which something is wrong: it cannot be read to its end."""


class InvalidScoresError(ArboraError, ValueError):
    """Scores of a wrong shape, or with ``nan`` or ``+inf`` in them."""


class InfeasibleTreeError(ArboraError, ValueError):
    """No tree satisfies the constraints; the message names the tokens.

    ``reason`` is the message without the name of the sentence, where it has one; ``word`` is the one that is
    the reason, if it is one, from 1.
    """

    reason: str = ""
    word: int = 0


class InfeasibleSentenceError(FileError, InfeasibleTreeError):
    """The same of a sentence of a file: the message names file, line and sentence."""


class WrongTypeError(ArboraError, TypeError):
    """Something of another type than is wanted; the message says what is, and what to do."""


class OptionError(ArboraError, ValueError):
    """A number of something, such as trees or threads, that makes no sense."""


class ColumnError(ArboraError, ValueError):
    """A column of a sentence that does not fit its words: of another length, or with impossible values."""


class TooLongError(ArboraError, ValueError):
    """A sentence, or what is asked of it, is too long for the memory that there is, or that is sensible."""


class TooLongSentenceError(FileError, TooLongError):
    """The same of a sentence of a file: the message names file, line and sentence."""
