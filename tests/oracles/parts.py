"""The slow twin of parts of several arcs: those of a set of arcs, those of a tree, and what is known of each.

Every kind has two functions: one lists all parts that some arcs could make, in the order of the core; one
finds those of a tree from its heads alone. A part is named by its words and its direction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

Arcs = Sequence[tuple[int, int]]


class Piece(NamedTuple):
    """A part: its words (0 where it has none), and the codes of what stands where."""

    head: int
    modifier: int
    third: int
    fourth: int
    direction: int
    distance: int

    @property
    def name(self) -> tuple[int, ...]:
        """What no other part of its kind has."""
        return self[:5]


def reach(a: int, b: int) -> int:
    """Six bins of how far words are apart: 1, 2, 3, up to 6, up to 12, more."""
    far = abs(a - b)
    return [far <= 1, far <= 2, far <= 3, far <= 6, far <= 12, True].index(True)


def heads_of(arcs: Arcs, modifier: int) -> list[int]:
    return sorted(head for head, own in arcs if own == modifier)


def outwards(arcs: Arcs, head: int, side: int) -> list[int]:
    """The modifiers on one side (0: left, 1: right), from the head."""
    found = [modifier for own, modifier in arcs if own == head and (modifier > head) == bool(side)]
    return sorted(found, key=lambda modifier: abs(modifier - head))


def as_arcs(heads: Sequence[int]) -> Arcs:
    """Those of a tree, whose heads of words 1..n follow a -1."""
    return [(head, modifier) for modifier, head in enumerate(heads) if modifier]


# ---- siblings ----


def sibling(head: int, side: int, previous: int | None, following: int | None) -> Piece:
    """Neighbours below a head; None is before the first and after the last, where the head stands for it."""
    third = head if previous is None else previous
    modifier = head if following is None else following
    if following is None:
        stage, far = 2, 9
    elif previous is None:
        stage, far = 0, 6 + min(reach(head, following), 2)
    else:
        stage, far = 1, reach(previous, following)
    return Piece(head, modifier, third, 0, 1 + 2 * stage + side, 7 + 2 * far + side)


def _bigrams(arcs: Arcs, head: int, side: int) -> Iterator[Piece]:
    path = [None, *outwards(arcs, head, side), None]
    for stop in range(1, len(path)):
        for start in range(stop):
            yield sibling(head, side, path[start], path[stop])


def _neighbours(heads: Sequence[int], head: int, side: int) -> Iterator[Piece]:
    for previous, following in pairwise([None, *outwards(as_arcs(heads), head, side), None]):
        yield sibling(head, side, previous, following)


def list_consecutive_siblings(n: int, arcs: Arcs) -> Iterator[Piece]:
    for head in range(n + 1):
        for side in (0, 1) if head else (1,):
            yield from _bigrams(arcs, head, side)


def find_consecutive_siblings(heads: Sequence[int]) -> Iterator[Piece]:
    for head in range(len(heads)):
        for side in (0, 1) if head else (1,):
            yield from _neighbours(heads, head, side)


def with_grandparent(piece: Piece, grandparent: int, side: int) -> Piece:
    where = 0 if grandparent == 0 else 2 if (grandparent > piece.head) == bool(side) else 1
    codes = 1 + 3 * (piece.direction - 1) + where, 19 + (piece.distance - 7) // 2
    return Piece(*piece[:3], grandparent, *codes)


def list_grand_siblings(n: int, arcs: Arcs) -> Iterator[Piece]:
    for head in range(n + 1):
        for grandparent in heads_of(arcs, head) if head else [0]:
            for side in (0, 1):
                for piece in _bigrams(arcs, head, side):
                    yield with_grandparent(piece, grandparent, side)


def find_grand_siblings(heads: Sequence[int]) -> Iterator[Piece]:
    for head in range(len(heads)):
        for side in (0, 1):
            for piece in _neighbours(heads, head, side):
                yield with_grandparent(piece, max(heads[head], 0), side)


def trigram(head: int, side: int, words: Sequence[int | None]) -> Piece:
    """A modifier between the one before it and the one after it; the head stands for one that is missing."""
    before, middle, after = words
    assert middle is not None
    back, onward = (3 if other is None else min(reach(middle, other), 2) for other in (before, after))
    code = 1 + 4 * (before is None) + 2 * (after is None) + side
    missing = [head if other is None else other for other in (after, before)]
    return Piece(head, missing[0], middle, missing[1], code, 9 + 4 * back + onward)


def list_tri_siblings(n: int, arcs: Arcs) -> Iterator[Piece]:
    for head in range(n + 1):
        for side in (0, 1) if head else (1,):
            path = [None, *outwards(arcs, head, side), None]
            places = combinations(range(len(path)), 3)
            for triple in sorted(places, key=lambda triple: triple[::-1]):
                yield trigram(head, side, [path[at] for at in triple])


def find_tri_siblings(heads: Sequence[int]) -> Iterator[Piece]:
    for head in range(len(heads)):
        for side in (0, 1) if head else (1,):
            path = [None, *outwards(as_arcs(heads), head, side), None]
            for before, middle, after in zip(path, path[1:], path[2:], strict=False):
                yield trigram(head, side, (before, middle, after))


def any_siblings(head: int, left: int, right: int) -> Piece:
    """The farther of two on one side is the modifier; of two on different sides the right one."""
    on_right = (left > head) + (right > head)
    modifier, other = (left, right) if on_right == 0 else (right, left)
    return Piece(head, modifier, other, 0, 1 + on_right, 4 + 3 * reach(left, right) + on_right)


def list_all_siblings(n: int, arcs: Arcs) -> Iterator[Piece]:
    for head in range(n + 1):
        modifiers = sorted(modifier for own, modifier in arcs if own == head)
        for left, right in combinations(modifiers, 2):
            yield any_siblings(head, left, right)


def find_all_siblings(heads: Sequence[int]) -> Iterator[Piece]:
    for left, right in combinations(range(1, len(heads)), 2):
        if heads[left] == heads[right]:
            yield any_siblings(heads[left], left, right)


# ---- grandparents ----


def grandparent(above: int, head: int, modifier: int) -> Piece:
    to_right = modifier > head
    if above == 0:
        place = int(to_right)
    else:
        first, last = sorted((above, head))
        away = (above > head) != to_right
        between = first < modifier < last
        place = 2 + 2 * (0 if away else 1 if between else 2) + (above > head)
    far = 9 + 4 * min(reach(head, modifier), 4) + 2 * (above > head) + to_right
    return Piece(head, modifier, above, 0, 1 + place, far)


def list_grandparents(n: int, arcs: Arcs) -> Iterator[Piece]:
    for modifier in range(1, n + 1):
        for head in heads_of(arcs, modifier):
            for above in heads_of(arcs, head):
                if above != modifier:
                    yield grandparent(above, head, modifier)


def find_grandparents(heads: Sequence[int]) -> Iterator[Piece]:
    for modifier in range(1, len(heads)):
        if heads[modifier]:
            yield grandparent(heads[heads[modifier]], heads[modifier], modifier)


# ---- neighbouring words ----


def head_bigram(before: int, head: int, word: int) -> Piece:
    """The heads of a word and of the one before: the root, a word on the left or right, the neighbour."""

    def place(other: int) -> int:
        if other == 0:
            return 0
        return 3 if other in (word - 1, word) else 1 if other < word else 2

    order = 0 if before == head else 1 if before < head else 2
    far = 17 + 3 * (0 if head == word - 1 else 1 + place(before)) + order
    return Piece(head, word, before, 0, 1 + 4 * place(before) + place(head), far)


def list_head_bigrams(n: int, arcs: Arcs) -> Iterator[Piece]:
    for word in range(2, n + 1):
        for before in heads_of(arcs, word - 1):
            for head in heads_of(arcs, word):
                if (before, head) != (word, word - 1):
                    yield head_bigram(before, head, word)


def find_head_bigrams(heads: Sequence[int]) -> Iterator[Piece]:
    for word in range(2, len(heads)):
        yield head_bigram(heads[word - 1], heads[word], word)


# ---- arcs that cross ----


def cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (a, b), (c, d) = sorted((sorted(one), sorted(other)))
    return a < c < b < d


def crossing(first: tuple[int, int], second: tuple[int, int]) -> Piece:
    """The modifier that comes later stands for the part; the other words are the earlier one and its head."""
    (other_head, other), (head, modifier) = first, second
    directions = 2 * (other > other_head) + (modifier > head)
    far = 5 + 4 * min(reach(other, modifier), 2) + directions
    return Piece(head, modifier, other, other_head, 1 + directions, far)


def list_crossings(n: int, arcs: Arcs) -> Iterator[Piece]:
    ordered = sorted(arcs, key=lambda arc: (arc[1], arc[0]))
    for first, second in combinations(ordered, 2):
        if first[1] != second[1] and cross(first, second):
            yield crossing(first, second)


def find_crossings(heads: Sequence[int]) -> Iterator[Piece]:
    yield from list_crossings(len(heads) - 1, as_arcs(heads))


# ---- how many there are ----


def valency(head: int, count: int) -> Piece:
    """So many modifiers; five stand for more, too."""
    return Piece(head, head, head, 0, 1 + min(count, 5), 7 + min(count, 2))


def list_valencies(n: int, arcs: Arcs) -> Iterator[Piece]:
    """All counts, whether there are so many candidates or not."""
    for head in range(n + 1):
        for count in range(6):
            yield valency(head, count)


def find_valencies(heads: Sequence[int]) -> Iterator[Piece]:
    for head in range(len(heads)):
        yield valency(head, list(heads[1:]).count(head))


# ---- arcs that are not projective ----


def spanning(head: int, modifier: int) -> Piece:
    """The head stands for the third word, which there is not."""
    right = int(modifier > head)
    return Piece(head, modifier, head, 0, 1 + right, 1 + 2 * reach(head, modifier) + right)


def words_between(head: int, modifier: int) -> range:
    return range(min(head, modifier) + 1, max(head, modifier))


def descends(heads: Sequence[int], word: int, above: int) -> bool:
    while word > 0 and word != above:
        word = heads[word]
    return word == above


def list_nonprojective_arcs(n: int, arcs: Arcs) -> Iterator[Piece]:
    """Those that could be: what is below the root is everything."""
    for head, modifier in sorted(arcs, key=lambda arc: (arc[1], arc[0])):
        if head and words_between(head, modifier):
            yield spanning(head, modifier)


def find_nonprojective_arcs(heads: Sequence[int]) -> Iterator[Piece]:
    for head, modifier in as_arcs(heads):
        if not all(descends(heads, word, head) for word in words_between(head, modifier)):
            yield spanning(head, modifier)


class Kind(NamedTuple):
    """Both functions of a kind."""

    list: Callable[[int, Arcs], Iterator[Piece]]
    find: Callable[[Sequence[int]], Iterator[Piece]]


KINDS = {
    "consecutive-siblings": Kind(list_consecutive_siblings, find_consecutive_siblings),
    "all-siblings": Kind(list_all_siblings, find_all_siblings),
    "grandparents": Kind(list_grandparents, find_grandparents),
    "grand-siblings": Kind(list_grand_siblings, find_grand_siblings),
    "head-bigrams": Kind(list_head_bigrams, find_head_bigrams),
    "crossings": Kind(list_crossings, find_crossings),
    "tri-siblings": Kind(list_tri_siblings, find_tri_siblings),
    "valencies": Kind(list_valencies, find_valencies),
    "nonprojective-arcs": Kind(list_nonprojective_arcs, find_nonprojective_arcs),
}
"""By the names of their sections, in the order of the core."""
