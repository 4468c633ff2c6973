"""N-gram models as text: the ARPA format, as SRILM and KenLM write it.

```text
\\data\\
ngram 1=4                 how many n-grams there are of each order
ngram 2=2

\\1-grams:
-99     <s>     -0.30     log10 of the probability, the words, log10 of the back-off weight, if it is not 0
...
\\2-grams:
-0.12   <s> a
...
\\end\\
```
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Generator
from contextlib import closing

from arbora.errors import FileError
from arbora.generative.ngrams import BEGIN, END, UNKNOWN, NgramModel, NgramTable
from arbora.treebank.files import chunks, display_name, open_input, open_output

_IMPOSSIBLE = -99.0
"""What the format has for the logarithm of 0."""
_COUNT = re.compile(r"ngram[ \t]+([0-9]{1,9})[ \t]*=[ \t]*([0-9]{1,18})")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|-inf(inity)?", re.IGNORECASE)
_GAP = re.compile(r"[ \t]+")  # other white space, such as that which does not break, may be in a word
_NOT_IN_WORDS = re.compile(r"[ \t\r\n\0]")


def read_arpa(path: str | os.PathLike[str]) -> NgramModel:
    """The model of an ARPA file, which may be compressed; FileError with the line if it is none.

    Logarithms of -99 and below are those of 0. ``<s>`` is never predicted, whatever the file says. A model
    without ``<unk>`` gets one of probability 0: sentences with words that it does not know are impossible.

    >>> import tempfile
    >>> from arbora.generative.kneser_ney import train_ngrams
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_arpa(train_ngrams([["dogs", "bark"]], 2), f"{folder}/dogs.arpa.gz")
    ...     read_arpa(f"{folder}/dogs.arpa.gz")
    NgramModel(order=2, counts=(5, 3))
    >>> read_arpa("nowhere.arpa")
    Traceback (most recent call last):
    arbora.errors.FileError: nowhere.arpa: there is no such file
    """
    name = os.fspath(path)
    with closing(_lines(name)) as lines:
        return _Reader(name, lines).model()


def write_arpa(model: NgramModel, path: str | os.PathLike[str]) -> None:
    """Write a model as an ARPA file, whole or not at all; it is compressed if its name ends so.

    All digits are written, so that the model that is read again differs by rounding alone. FileError if a
    word is empty or has white space in it, which the format cannot hold.

    >>> import tempfile
    >>> from arbora.generative.kneser_ney import train_ngrams
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_arpa(train_ngrams([["a", "a", "b"]], 1), f"{folder}/a.arpa")
    ...     print(open(f"{folder}/a.arpa").read()[:23])
    \\data\\
    ngram 1=5
    <BLANKLINE>
    \\1-gr
    """
    name = os.fspath(path)
    words = model.words
    for word in words:
        if not word or _NOT_IN_WORDS.search(word):
            reason = f"the word {word!r} is empty or has white space in it, which ARPA files cannot hold"
            raise FileError(reason, file=display_name(name, writing=True))
    with open_output(name) as stream:
        sizes = [f"ngram {order}={count}" for order, count in enumerate(model.counts, 1)]
        stream.write("\n".join(["\\data\\", *sizes, "", ""]).encode())
        for order, table in enumerate(model.tables, 1):
            rows = [f"\\{order}-grams:"]
            for gram, probability, backoff in zip(
                table.grams.tolist(), table.probabilities.tolist(), table.backoffs.tolist(), strict=True
            ):
                weight = f"\t{_decimal(backoff)}" if backoff != 0 and order < model.order else ""
                rows.append(f"{_decimal(probability)}\t{' '.join(words[number] for number in gram)}{weight}")
            stream.write("\n".join([*rows, "", ""]).encode())
        stream.write(b"\\end\\\n")


def _decimal(logarithm: float) -> str:
    """The decimal logarithm of the same number."""
    return f"{_IMPOSSIBLE if math.isinf(logarithm) else logarithm / math.log(10) + 0.0!r}"


def _shown(line: str) -> str:
    """A line for messages, quoted; the backslashes of the format stay single."""
    return repr(line[:80]).replace("\\\\", "\\")


def _lines(path: str) -> Generator[tuple[int, bytes], None, None]:
    """The lines of a file with their numbers, without white space around them."""
    number, rest = 0, b""
    with closing(chunks(open_input(path), path)) as pieces:
        for piece in pieces:
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                number += 1
                yield number, line.strip(b" \t\r")
    if rest:
        yield number + 1, rest.strip(b" \t\r")


class _Reader:
    """An ARPA file on the way to its model."""

    def __init__(self, path: str, lines: Generator[tuple[int, bytes], None, None]) -> None:
        self.file = display_name(path)
        self.lines = lines
        self.number: int | None = None
        self.words: dict[str, int] = {}
        self.tables: list[NgramTable] = []

    def model(self) -> NgramModel:
        while self.line("there is no line \\data\\: this is no ARPA file", strict=False) != "\\data\\":
            pass
        counts: list[int] = []
        while found := _COUNT.fullmatch(line := self.line()):
            if int(found[1]) != len(counts) + 1:
                raise self.error(f"the count of {len(counts) + 1}-grams is expected here, not {_shown(line)}")
            counts.append(int(found[2]))
        if not counts:
            raise self.error(
                f"a count of n-grams, such as 'ngram 1=100', is expected here, not {_shown(line)}"
            )
        for order, count in enumerate(counts, 1):
            if line != f"\\{order}-grams:":
                raise self.error(f"'\\{order}-grams:' is expected here, not {_shown(line)}")
            line = self.section(order, count, order == len(counts))
        if line != "\\end\\":
            raise self.error(f"'\\end\\' is expected here, not {_shown(line)}")
        for _ in self.lines:  # so that damage of compressed files is found, wherever it is
            pass
        return NgramModel(list(self.words), self.tables)

    def section(self, order: int, count: int, is_last: bool) -> str:
        """Read the n-grams of an order; what comes back is the line after them."""
        rows: dict[tuple[int, ...], tuple[float, float]] = {}
        while not (line := self.line()).startswith("\\"):
            probability, *fields = _GAP.split(line)
            if not order <= len(fields) <= order + 1:
                size = f"{order} word{'s' if order > 1 else ''}"
                raise self.error(f"a {order}-gram has {size} and at most a back-off weight: {_shown(line)}")
            value = self.logarithm(probability, "probability")
            backoff = self.logarithm(fields.pop(), "back-off weight") if len(fields) > order else 0.0
            if value > 0:
                raise self.error(f"the probability is above 1: its logarithm is {probability}")
            if is_last and backoff != 0:
                raise self.error(f"the longest n-grams have no back-off weight: {_shown(line)}")
            gram = self.gram(fields)
            if gram in rows:
                raise self.error(f"the {order}-gram {' '.join(fields)!r} comes twice")
            rows[gram] = (-math.inf if fields[-1] == BEGIN else value, backoff)
        if len(rows) != count:
            raise self.error(f"there are {len(rows)} {order}-grams, where the head of the file says {count}")
        if order == 1:
            for mark in (BEGIN, END):
                if mark not in self.words:
                    raise self.error(f"{mark} is not among the unigrams")
            if UNKNOWN not in self.words:
                rows[self.words.setdefault(UNKNOWN, len(self.words)),] = (-math.inf, 0.0)
        self.tables.append(NgramTable.of([(gram, *values) for gram, values in rows.items()], order))
        return line

    def gram(self, fields: list[str]) -> tuple[int, ...]:
        if not self.tables:
            return (self.words.setdefault(fields[0], len(self.words)),)
        for word in fields:
            if word not in self.words:
                raise self.error(f"the word {word!r} is not among the unigrams")
        return tuple(self.words[word] for word in fields)

    def logarithm(self, text: str, name: str) -> float:
        """The natural logarithm of a number, whose decimal one this is."""
        value = float(text) if _NUMBER.fullmatch(text) else math.nan
        if math.isnan(value) or value == math.inf:
            raise self.error(f"the logarithm of the {name} is not a number: {text!r}")
        return value * math.log(10) if value > _IMPOSSIBLE else -math.inf

    def line(self, missing: str = "the file ends without the line \\end\\", *, strict: bool = True) -> str:
        """The next line that is not empty; unless it is strict, of a text in any encoding."""
        for number, line in self.lines:
            self.number = number
            if line:
                try:
                    return line.decode(errors="strict" if strict else "replace")
                except UnicodeDecodeError:
                    raise self.error("this is not UTF-8") from None
        raise self.error(missing)

    def error(self, reason: str) -> FileError:
        return FileError(reason, file=self.file, line=self.number)
