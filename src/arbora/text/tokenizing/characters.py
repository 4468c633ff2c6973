"""What characters are: a table of classes, kept with the model that learned from them.

Unicode grows, and every Python has its own version of it; a model shall not read a text differently for that.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core

Pages: TypeAlias = npt.NDArray[np.uint16]
Blocks: TypeAlias = npt.NDArray[np.uint8]

CLASSES = tuple(_core.char_class_names())
"""The classes, by the numbers that the core has for them, and models too: they never change."""

LINE_BREAKS = frozenset("\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029")
"""What `str.splitlines` ends lines at."""

BYTE_ORDER_MARK = "\ufeff"
"""Not seen and not read: a space, though one without width."""

_CATEGORIES = {
    "upper": ("Lu", "Lt"),
    "lower": ("Ll",),
    "letter": ("Lo", "Lm"),
    "mark": ("Mn", "Mc", "Me"),
    "digit": ("Nd",),
    "number": ("Nl", "No"),
    "opening": ("Ps", "Pi"),
    "closing": ("Pe", "Pf"),
    "dash": ("Pd", "Pc"),
    "punctuation": ("Po",),
    "symbol": ("Sm", "Sc", "Sk"),
    "picture": ("So",),
    "control": ("Cc", "Cf"),
}
_CLASS_OF = {category: name for name, categories in _CATEGORIES.items() for category in categories}


def class_of(character: str) -> str:
    r"""The class of a character, after the Unicode of this Python.

    >>> [class_of(c) for c in ("A", "ß", "\n", "\xa0", "7", "「", "🙂")]
    ['upper', 'lower', 'line break', 'space', 'digit', 'opening', 'picture']
    """
    if character in LINE_BREAKS:
        return "line break"
    if character.isspace() or character == BYTE_ORDER_MARK:
        return "space"
    return _CLASS_OF.get(unicodedata.category(character), "other")


def classes_around_spaces(form: str) -> set[tuple[int, int]]:
    """The classes, by their numbers, of the characters on both sides of each space in a token.

    >>> [[CLASSES[side] for side in pair] for pair in classes_around_spaces("10 000")]
    [['digit', 'digit']]
    """
    return {
        (CLASSES.index(class_of(left)), CLASSES.index(class_of(right)))
        for left, space, right in zip(form, form[1:], form[2:], strict=False)
        if space == " "
    }


@cache
def class_table() -> tuple[Pages, Blocks]:
    """The classes of all characters in two stages: that of ``c`` is
    ``blocks[256 * pages[c // 256] + c % 256]``.

    >>> pages, blocks = class_table()
    >>> CLASSES[blocks[256 * pages[0] + ord("a")]]
    'lower'
    """
    numbers = {name: number for number, name in enumerate(CLASSES)}
    found: dict[bytes, int] = {}
    pages = []
    for start in range(0, 0x110000, 256):
        block = bytes(numbers[class_of(chr(code))] for code in range(start, start + 256))
        pages.append(found.setdefault(block, len(found)))
    return np.array(pages, np.uint16), np.frombuffer(b"".join(found), np.uint8)
