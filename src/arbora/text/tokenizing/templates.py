"""What the tokenizer looks at: features of the gap between two characters, as text.

A line is a feature: the atoms that it joins. An atom looks to the left of the gap (``-``) or to its right
(``+``), past spaces:

```text
char-1 ... char-6      the characters, the nearest first; a run of spaces is one
class-1 ... class-6    their classes: upper, lower, digit, opening ...
run-1 run-2            rows of letters and digits: the nearest, and the one beyond
shape-1 shape-2        their classes, repeated ones once
length-1               of the nearest run, up to 8
between-1              what lies between the gap and that run
word-1 word-2          what spaces enclose: the piece at the gap, and the one beyond
wordshape-1            the classes of word-1
marks-1                which of @ / : . - _ ? = and digits are in word-1
gap                    the spaces in the gap: none, one, several, a line break, a blank line
```
"""

from __future__ import annotations

import re

from arbora.errors import ArboraError

Atom = tuple[int, bool, int]
"""A column of the core, whether it is to the right, and for windows the place from 0."""

WIDEST = 6
"""How far ``char`` and ``class`` reach."""

# The columns in the core's order, by the names of their atoms.
_COLUMNS = (
    ("char", None),
    ("class", None),
    ("gap", None),
    ("run", 1),
    ("run", 2),
    ("between", 1),
    ("length", 1),
    ("shape", 1),
    ("shape", 2),
    ("word", 1),
    ("word", 2),
    ("wordshape", 1),
    ("marks", 1),
)

TOKENS = """
char-1 char+1
char-2 char-1 char+1
char-1 char+1 char+2
char-2 char-1 char+1 char+2
char-3 char-2 char-1 char+1
char-1 char+1 char+2 char+3
char-4 char-3 char-2 char-1 char+1
char-1 char+1 char+2 char+3 char+4
char-1
char+1
class-1 char+1
char-1 class+1
class-1 class+1
class-2 class-1 class+1 class+2
class-3 class-2 class-1 class+1 class+2 class+3
class-2 class-1 char+1 class+2
class-2 char-1 class+1 class+2
class-3 class-2 char-1 class+1 class+2
class-2 class-1 char+1 class+2 class+3
class-4 class-3 class-2 class-1 char+1
char-1 class+1 class+2 class+3 class+4
word-1 char+1
word-1 class+1
word+1 char-1
word+1 class-1
word-1 word+1
wordshape-1 wordshape+1
wordshape-1 char+1
char-1 wordshape+1
run-1 char+1
run+1 char-1
run-1 between-1 run+1
marks-1 char-1 char+1
marks+1 char-1 char+1
marks-1 marks+1 char-1 char+1
marks-1 marks+1 class-1 class+1
marks-1 marks+1
gap
"""
"""Features by which tokens end, within words."""

SENTENCES = """
gap char-1 class+1
gap char-1 char+1
gap char-2 char-1
gap char+1 char+2
gap class-1 class+1 class+2
gap char-3 char-2 char-1
gap char+1 char+2 char+3
gap class-3 class-2 char-1 class+1 class+2
char-1 between-1 class+1
between-1 between+1 gap
between-1 shape+1 gap
between-1 shape-1 shape+1
between-1 run+1
between-1 run-1
between-1 run-1 shape+1
between-1 length-1 shape-1 shape+1
between-1 run-2 run-1
between-1 between+1 run+1
run-1 run+1
run-1
run+1
run-2 run-1
run+1 run+2
run-2
run+2
word-1
word+1
word-1 gap
word+1 gap
word-1 wordshape+1
wordshape-1 word+1
wordshape-1 wordshape+1
word-2 word-1
word+1 word+2
word-2
word+2
shape-2 shape-1 between-1 shape+1
shape-1 between-1 shape+1 shape+2
shape-2 shape-1 between-1 between+1 shape+1 shape+2
gap shape+1 shape+2
gap
"""
"""Features by which sentences end, after a token."""


def parse_templates(text: str) -> list[list[Atom]]:
    """The templates of a text as the core has them; ArboraError names an atom that there is not.

    >>> parse_templates("char-1 char+2")
    [[(0, False, 0), (0, True, 1)]]
    >>> parse_templates("char-9")
    Traceback (most recent call last):
    arbora.errors.ArboraError: there is no atom 'char-9'
    """
    return [[_atom(name) for name in line.split()] for line in text.splitlines() if line.strip()]


def _atom(name: str) -> Atom:
    match = re.fullmatch(r"([a-z]+)(?:([-+])([1-9]))?", name)
    if match is not None:
        kind, side, number = match[1], match[2], int(match[3] or 0)
        if kind == "gap" and side is None:
            return _COLUMNS.index(("gap", None)), False, 0
        if kind in ("char", "class") and 1 <= number <= WIDEST:
            return _COLUMNS.index((kind, None)), side == "+", number - 1
        if (kind, number) in _COLUMNS:
            return _COLUMNS.index((kind, number)), side == "+", 0
    raise ArboraError(f"there is no atom {name!r}")
