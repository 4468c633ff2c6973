"""How much room characters take on a terminal and in a picture, and how to print them safely."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

_JOINER = "\u200d"
_EMOJI_STYLE = "\ufe0f"  # asks for the two-cell emoji form of the character before it
_LEFT_TO_RIGHT_MARK = "\u200e"
_RIGHT_TO_LEFT = {"R", "AL"}

# Widths are those of DejaVu Sans, the widest of the usual sans-serif fonts, so that words touch in none.
_THIN = frozenset("iljI.,:;'|!()[]’‘·ıf/\\")
_BROAD = frozenset("mwMWGQOD@%&—…#+=<>~^")


def _clusters(text: str) -> Iterator[tuple[str, int]]:
    """Yield each base character with its terminal width; what only modifies a base is part of that base."""
    base, width = "", 0
    joined = flag = False
    for char in text:
        if base and _modifies(char, base, joined, flag):
            flag = flag and not _is_flag_letter(char)
            joined = char == _JOINER
            if char == _EMOJI_STYLE or _is_flag_letter(char):
                width = 2
            continue
        if base:
            yield base, width
        base, width = char, _base_width(char)
        joined, flag = False, _is_flag_letter(char)
    if base:
        yield base, width


def _modifies(char: str, base: str, joined: bool, flag: bool) -> bool:
    if joined and unicodedata.east_asian_width(base) == "W":
        return True  # the next part of an emoji such as woman + joiner + sheaf of rice
    if flag and _is_flag_letter(char):
        return True  # two regional letters are one flag
    if "\U0001f3fb" <= char <= "\U0001f3ff":
        return unicodedata.east_asian_width(base) == "W"  # a skin tone
    return _base_width(char) == 0


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _base_width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    if "\u1160" <= char <= "\u11ff":
        return 0  # Hangul vowels and finals, which join the consonant before them
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def display_width(text: str) -> int:
    """Return the number of terminal cells that a text takes.

    East Asian wide characters and emoji take two cells, combining characters none:

    >>> display_width("tree"), display_width("木構造"), display_width("cafe\\u0301"), display_width("👩‍🌾")
    (4, 6, 4, 2)
    """
    return len(text) if text.isascii() else sum(width for _, width in _clusters(text))


def padded(text: str, width: int) -> str:
    """Return the text with spaces after it, up to a width in terminal cells.

    >>> padded("木", 4) + "|"
    '木  |'
    """
    return text + " " * (width - display_width(text))


def em_width(text: str) -> float:
    """Estimate how wide a text is in a sans-serif font, in em; rather too wide than too narrow.

    >>> em_width("ill") < em_width("mow") < em_width("木構造")
    True
    """
    return sum(_em(char, cells) for char, cells in _clusters(text))


def _em(char: str, cells: int) -> float:
    if cells != 1:
        return cells * 0.55 if char.isalnum() else cells * 0.7  # emoji are drawn broader than ideographs
    if char in _THIN:
        return 0.4
    if char in _BROAD or char > "\u2fff":
        return 1.0
    return 0.74 if char.isupper() else 0.64


def visible(text: str) -> str:
    """Return the text with every control character replaced by its picture.

    So it can do nothing to a terminal, and it is legal in XML.

    >>> visible("a\\tb\\x1b[31m")
    'a␉b␛[31m'
    """
    return text if text.isprintable() else "".join(map(_visible_character, text))


def _visible_character(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if unicodedata.category(char) in {"Cc", "Cs"} or code & 0xFFFE == 0xFFFE:
        return "\ufffd"
    return " " if char in "\u2028\u2029" else char


def is_right_to_left(text: str) -> bool:
    """Tell whether most of the letters that have a direction run from right to left.

    >>> is_right_to_left("שלום"), is_right_to_left("peace")
    (True, False)
    """
    if text.isascii():
        return False
    kinds = [unicodedata.bidirectional(char) for char in text]
    return sum(kind in _RIGHT_TO_LEFT for kind in kinds) > sum(kind == "L" for kind in kinds)


def direction_mark(text: str) -> str:
    """Return what a terminal line must begin with to keep its columns in order around a text: mostly nothing.

    Terminals that know about directions turn a whole line around when its first letter is Arabic or Hebrew;
    an invisible mark before it prevents that.

    >>> direction_mark("peace"), direction_mark("שלום")
    ('', '\\u200e')
    """
    if text.isascii() or not any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in text):
        return ""
    return _LEFT_TO_RIGHT_MARK
