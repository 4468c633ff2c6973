"""Tables of characters for sub-words, as arrays that go into a model: so it means the same for ever.

`characters.txt` has the characters that the `tokenizers` library takes for letters, marks and so on. What
they become in decomposition and in lower case does not change from one version of Unicode to the next, and
is Python's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from unicodedata import combining, decomposition, normalize

import numpy as np
from numpy.typing import NDArray

Table = dict[str, NDArray[np.int32]]
Range = tuple[int, int]

ITSELF = -1
"""In the values of a map: the character that is mapped."""
IDEOGRAPHS = [
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F),
]  # fmt: skip
"""What BERT puts spaces around."""
WHITE = [0x9, 0xA, 0xD, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
"""What BERT makes a space."""
NEW_CAPITALS = {
    0x1C89: 0x1C8A, 0xA7CB: 0x264, 0xA7CC: 0xA7CD, 0xA7CE: 0xA7CF, 0xA7D2: 0xA7D3, 0xA7D4: 0xA7D5,
    0xA7DA: 0xA7DB, 0xA7DC: 0x19B, **{0x10D50 + k: 0x10D70 + k for k in range(22)},
    **{0x16EA0 + k: 0x16EBB + k for k in range(25)},
}  # fmt: skip
"""Capital letters since Unicode 15, which not every Python knows, and their lower case."""


@cache
def characters(name: str) -> tuple[Range, ...]:
    """The ranges of characters of this name, first and last of each.

    >>> characters("numbers")[:2]
    ((48, 57), (178, 179))
    """
    text = files("arbora.neural").joinpath("characters.txt").read_text("utf-8")
    own = text.replace("\n  ", " ").split(f"\n{name}: ")[1].split("\n")[0]
    ends = (part.split("-") for part in own.split())
    return tuple((int(end[0], 16), int(end[-1], 16)) for end in ends)


def each(name: str) -> list[int]:
    """All characters of this name."""
    return [c for first, last in characters(name) for c in range(first, last + 1)]


def map_of(values: Mapping[Range, Iterable[int]]) -> Table:
    """A map of characters: ``ranges`` (first and last, in rising order), ``ends``, and ``values``.

    >>> map_of({(65, 66): [97]})["ranges"].tolist()
    [65, 66]
    """
    rows = sorted((own, [*found]) for own, found in values.items())
    return {
        "ranges": np.array([end for own, _ in rows for end in own], np.int32),
        "ends": np.cumsum([len(found) for _, found in rows], dtype=np.int32),
        "values": np.array([c for _, found in rows for c in found], np.int32),
    }


def classes_of(numbers: Mapping[Range, int]) -> NDArray[np.int32]:
    """Classes of characters: first, last and class of each range, one after the other.

    >>> classes_of({(65, 66): 1, (67, 67): 1, (68, 70): 2}).tolist()
    [65, 67, 1, 68, 70, 2]
    """
    found: list[list[int]] = []
    for (first, last), number in sorted(numbers.items()):
        if found and found[-1][1:] == [first - 1, number]:
            found[-1][1] = last
        else:
            found.append([first, last, number])
    return np.array(found, np.int32).reshape(-1)


def clean_map() -> Table:
    """Control characters become nothing, and white space a space (BERT)."""
    return map_of({own: [] for own in characters("dropped")} | {(c, c): [ord(" ")] for c in WHITE})


def ideograph_map() -> Table:
    """Spaces around ideographs (BERT)."""
    return map_of({own: [ord(" "), ITSELF, ord(" ")] for own in IDEOGRAPHS})


def drop_map(name: str) -> Table:
    """The characters of this name become nothing."""
    return map_of({own: [] for own in characters(name)})


def lower_map() -> Table:
    """Lower case, one character after the other: no final sigma. Beyond U+1FFFF nothing has case."""
    capitals = [c for c in range(0x20000) if chr(c).lower() != chr(c)]
    lower = {(c, c): [ord(other) for other in chr(c).lower()] for c in capitals}
    return map_of(lower | {(c, c): [other] for c, other in NEW_CAPITALS.items()})


def decomposition_map(name: str) -> Table:
    """What characters are made of, ``canonical`` or ``compatible`` ones; Hangul is the core's."""
    form = "NFD" if name == "canonical" else "NFKD"
    return map_of({(c, c): [ord(part) for part in normalize(form, chr(c))] for c in each(name)})  # type: ignore[arg-type]


def combining_classes() -> NDArray[np.int32]:
    """The classes of marks, by which they are put into order."""
    return classes_of({(c, c): combining(chr(c)) for c in each("ordered")})


def compositions() -> NDArray[np.int32]:
    """Pairs of characters and what they are together: three numbers each, in rising order."""
    rows = []
    for c in each("canonical"):
        parts = decomposition(chr(c)).split()
        if len(parts) == 2 and normalize("NFC", chr(c)) == chr(c):
            rows.append((*(int(part, 16) for part in parts), c))
    return np.array(sorted(rows), np.int32).reshape(-1)


def punctuation() -> NDArray[np.int32]:
    """What is a word of its own (BERT): class 1."""
    return classes_of(dict.fromkeys(characters("punctuation"), 1))


def letters() -> NDArray[np.int32]:
    """Letters, class 1, and numbers, class 2."""
    return classes_of(dict.fromkeys(characters("letters"), 1) | dict.fromkeys(characters("numbers"), 2))


def clusters() -> NDArray[np.int32]:
    """What characters are to the boundaries of clusters, as the core's ``ClusterClass`` has them."""
    numbers = dict.fromkeys(each("joined"), 3) | dict.fromkeys(each("conjunct"), 2)
    by_name = {"control": 1, "prefix": 4, "picture": 5, "consonant": 6, "linker": 7}
    for name, number in by_name.items():
        numbers |= dict.fromkeys(each(name), number)
    return classes_of({(c, c): number for c, number in (numbers | {0x200D: 8}).items()})
