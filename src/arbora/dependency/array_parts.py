"""Parts of several arcs as other programs list them: rows of words, and what their kinds ask of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.errors import InvalidScoresError

Integers: TypeAlias = npt.NDArray[np.int32]
Mask: TypeAlias = npt.NDArray[np.bool_]

MOST_COUNTED = 5
"""So many modifiers, and more, are one valency."""


class PartScores(NamedTuple):
    """Parts of one kind in one sentence, and their scores; parts that are not listed score 0.

    ``words`` has a row for each part, with the columns of `PART_COLUMNS`. ``codes`` tells apart what words
    do not: of valencies the number of modifiers (5 is 5 or more); of siblings, where a side of a head has no
    modifier at all (all words are the head), which side that is: 0 is the left, 1 the right.
    """

    words: npt.NDArray[Any]
    scores: npt.NDArray[Any]
    codes: npt.NDArray[Any] | None = None


PART_COLUMNS: dict[str, tuple[str, ...]] = {
    "consecutive-siblings": ("head", "modifier", "sibling"),
    "all-siblings": ("head", "modifier", "sibling"),
    "grandparents": ("head", "modifier", "grandparent"),
    "grand-siblings": ("head", "modifier", "sibling", "grandparent"),
    "head-bigrams": ("head", "modifier", "other-head"),
    "crossings": ("head", "modifier", "other", "other's head"),
    "tri-siblings": ("head", "modifier", "sibling", "earlier-sibling"),
    "valencies": ("head",),
    "nonprojective-arcs": ("head", "modifier"),
}
"""The words of every kind of part. Of consecutive siblings, and the two kinds with more words, the sibling is
nearer to the head than the modifier, and the earlier sibling is nearer still; the head itself stands for
none: before the first modifier of a side and after its last."""


def checked_parts(kind: str, parts: PartScores, n: int) -> tuple[Integers, Integers]:
    """Words, four of each part as the core has them, and codes; InvalidScoresError if a part cannot be."""
    words = np.asarray(parts.words)
    columns = PART_COLUMNS[kind]
    if words.size == 0:
        return np.empty((0, 4), np.int32), np.empty(0, np.int32)
    if words.ndim != 2 or words.shape[1] != len(columns):
        raise InvalidScoresError(
            f"{kind} have {len(columns)} words ({', '.join(columns)}), so that their shape is "
            f"(parts, {len(columns)}), not {words.shape}"
        )
    codes = np.zeros(len(words), np.int32) if parts.codes is None else np.asarray(parts.codes)
    if codes.shape != (len(words),):
        raise InvalidScoresError(f"{kind}: {len(words)} parts need as many codes, not {codes.shape}")
    for numbers in (words, codes):
        if not np.issubdtype(numbers.dtype, np.integer):
            raise InvalidScoresError(f"{kind}: words and codes are integers, not {numbers.dtype}")
    _refuse(kind, words, np.asarray(((words < 0) | (words > n)).any(axis=1)))
    filled = np.zeros((len(words), 4), np.int32)
    filled[:, : len(columns)] = words
    filled, sound = _CHECKS[kind](filled, codes)
    _refuse(kind, words, ~sound)
    return np.ascontiguousarray(filled, np.int32), np.ascontiguousarray(codes, np.int32)


def _refuse(kind: str, words: npt.NDArray[Any], wrong: Mask) -> None:
    if wrong.any():
        first = words[np.flatnonzero(wrong)[0]].tolist()
        named = ", ".join(f"{name} {word}" for name, word in zip(PART_COLUMNS[kind], first, strict=True))
        raise InvalidScoresError(f"{kind}: there is no such part of this sentence: {named}")


Checked: TypeAlias = tuple[Integers, Mask]


def _is_arc(head: Integers, modifier: Integers) -> Mask:
    return np.asarray((modifier > 0) & (head != modifier))


def _outwards(head: Integers, near: Integers, far: Integers) -> Mask:
    """Whether words are on one side of the head, the first nearer; the head stands for one that is none."""
    none = (near == head) | (far == head)
    left, right = (far < near) & (near < head), (head < near) & (near < far)
    words = ((near == head) | (near > 0)) & ((far == head) | (far > 0))
    return np.asarray((none | left | right) & words)


def _siblings(words: Integers, codes: Integers) -> Checked:
    head, modifier, sibling, _ = words.T
    empty = (modifier == head) & (sibling == head)
    return words, _outwards(head, sibling, modifier) & _is_side(empty, head, codes, least=1)


def _is_side(empty: Mask, head: Integers, codes: Integers, *, least: int) -> Mask:
    """Whether codes tell a side where there is one to tell; the root has the sides from ``least`` on."""
    sides: Mask = (codes >= np.where(head == 0, least, 0)) & (codes <= 1)
    return np.where(empty, sides, codes == 0)


def _grand_siblings(words: Integers, codes: Integers) -> Checked:
    head, modifier, sibling, grandparent = words.T
    empty = (modifier == head) & (sibling == head)
    above = np.where(head == 0, grandparent == 0, grandparent != head)
    return words, _outwards(head, sibling, modifier) & _is_side(empty, head, codes, least=0) & above


def _tri_siblings(words: Integers, codes: Integers) -> Checked:
    head, modifier, middle, earlier = words.T
    known = (middle != head) & _outwards(head, middle, modifier) & _outwards(head, earlier, middle)
    return words, known & (codes == 0)


def _all_siblings(words: Integers, codes: Integers) -> Checked:
    """Either modifier may come first: the core wants the farther one, or of two sides the right one."""
    head, modifier, sibling, _ = words.T.copy()
    swapped = np.where((modifier < head) & (sibling < head), sibling < modifier, sibling > modifier)
    result = words.copy()
    result[:, 1], result[:, 2] = np.where(swapped, sibling, modifier), np.where(swapped, modifier, sibling)
    sound = _is_arc(head, modifier) & _is_arc(head, sibling) & (modifier != sibling)
    return result, sound & (codes == 0)


def _grandparents(words: Integers, codes: Integers) -> Checked:
    head, modifier, grandparent, _ = words.T
    circle = grandparent == modifier
    return words, _is_arc(head, modifier) & _is_arc(grandparent, head) & ~circle & (codes == 0)


def _head_bigrams(words: Integers, codes: Integers) -> Checked:
    head, modifier, other, _ = words.T
    circle = (other == modifier) & (head == modifier - 1)
    return words, _is_arc(head, modifier) & _is_arc(other, modifier - 1) & ~circle & (codes == 0)


def _crossings(words: Integers, codes: Integers) -> Checked:
    """Either arc may come first: the core wants that with the later modifier."""
    swapped = words[:, 2] > words[:, 1]
    result = np.where(swapped[:, None], words[:, [3, 2, 1, 0]], words)
    head, modifier, other, other_head = result.T
    low, high = np.minimum(head, modifier), np.maximum(head, modifier)
    first, last = np.minimum(other_head, other), np.maximum(other_head, other)
    cross = ((low < first) & (first < high) & (high < last)) | ((first < low) & (low < last) & (last < high))
    return result, cross & _is_arc(head, modifier) & _is_arc(other_head, other) & (codes == 0)


def _valencies(words: Integers, codes: Integers) -> Checked:
    result = words.copy()
    result[:, 1] = result[:, 2] = result[:, 0]
    return result, (codes >= 0) & (codes <= MOST_COUNTED)


def _nonprojective_arcs(words: Integers, codes: Integers) -> Checked:
    head, modifier = words[:, 0], words[:, 1]
    result = words.copy()
    result[:, 2] = head
    spans = (head > 0) & (np.abs(head - modifier) > 1)
    return result, spans & _is_arc(head, modifier) & (codes == 0)


_CHECKS: dict[str, Callable[[Integers, Integers], Checked]] = {
    "consecutive-siblings": _siblings,
    "all-siblings": _all_siblings,
    "grandparents": _grandparents,
    "grand-siblings": _grand_siblings,
    "head-bigrams": _head_bigrams,
    "crossings": _crossings,
    "tri-siblings": _tri_siblings,
    "valencies": _valencies,
    "nonprojective-arcs": _nonprojective_arcs,
}
