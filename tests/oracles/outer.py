"""The slow twin of learning from head automata alone: the set Z of Koo et al. 2010, written out.

Every head has some of its candidate modifiers, each with a label, and, if automata see grandparents, one of
its own candidate heads, which is none of those modifiers. Whether what one head says fits what another says
does not matter: most of these structures are no trees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from math import fsum
from typing import NamedTuple

from oracles.parts import Piece, grandparent, heads_of, outwards, sibling, with_grandparent

Part = tuple[str, Piece]
Labelled = frozenset[tuple[int, int, int]]
"""Arcs as head, modifier and label."""


class Choice(NamedTuple):
    """What one head's automaton takes; ``above`` is the head that it sees, None if it sees none."""

    head: int
    above: int | None
    labels: Mapping[int, int]
    """By modifiers."""

    def parts(self, sections: Sequence[str]) -> Iterator[Part]:
        """The parts of these sections."""
        arcs = [(self.head, modifier) for modifier in self.labels]
        for side in (0, 1):
            for bigram in pairwise([None, *outwards(arcs, self.head, side), None]):
                piece = sibling(self.head, side, *bigram)
                if "consecutive-siblings" in sections and (self.head or side):
                    yield "consecutive-siblings", piece
                if "grand-siblings" in sections:
                    assert self.above is not None
                    yield "grand-siblings", with_grandparent(piece, self.above, side)
        if "grandparents" in sections and self.head:
            assert self.above is not None
            for modifier in self.labels:
                yield "grandparents", grandparent(self.above, self.head, modifier)


class Structure(NamedTuple):
    """A choice of every head."""

    score: float
    arcs: Labelled
    choices: tuple[Choice, ...]

    def part_counts(self, sections: Sequence[str]) -> Counter[Part]:
        """How often it has each part."""
        return Counter(part for choice in self.choices for part in choice.parts(sections))


def choices_of(head: int, scores: Mapping[tuple[int, int, int], float], sees_above: bool) -> Iterator[Choice]:
    """All that an automaton can do; ``scores`` are of the arcs that there are."""
    modifiers = sorted({modifier for own, modifier, _ in scores if own == head})
    every = [[None, *(k for own, m, k in scores if (own, m) == (head, word))] for word in modifiers]
    arcs = [(own, modifier) for own, modifier, _ in scores]
    aboves: list[int | None] = (
        [None] if not sees_above else sorted(set(heads_of(arcs, head))) if head else [0]
    )
    for above, labels in product(aboves, product(*every)):
        taken = {word: label for word, label in zip(modifiers, labels, strict=True) if label is not None}
        if above is None or above not in taken:
            yield Choice(head, above, taken)


def structures(
    n: int,
    arcs: Mapping[tuple[int, int, int], float],
    parts: Mapping[Part, float],
    sections: Sequence[str],
) -> Iterator[Structure]:
    """All of Z, with their scores; parts that are not listed score 0."""
    sees_above = sections != ["consecutive-siblings"]
    scored = [
        [
            (
                choice,
                fsum(
                    [arcs[head, m, label] for m, label in choice.labels.items()]
                    + [parts.get(part, 0.0) for part in choice.parts(sections)]
                ),
            )
            for choice in choices_of(head, arcs, sees_above)
        ]
        for head in range(n + 1)
    ]
    for each in product(*scored):
        taken = frozenset((c.head, m, label) for c, _ in each for m, label in c.labels.items())
        yield Structure(fsum(score for _, score in each), taken, tuple(choice for choice, _ in each))


def of_tree(
    heads: Sequence[int],
    labels: Sequence[int],
    arcs: Mapping[tuple[int, int, int], float],
    parts: Mapping[Part, float],
    sections: Sequence[str],
) -> Structure:
    """The one that is a tree; the root's head is -1."""
    choices = tuple(
        Choice(head, max(heads[head], 0), {m: labels[m] for m in range(1, len(heads)) if heads[m] == head})
        for head in range(len(heads))
    )
    taken = frozenset((heads[m], m, labels[m]) for m in range(1, len(heads)))
    values = [arcs[arc] for arc in taken] + [
        parts.get(part, 0.0) for choice in choices for part in choice.parts(sections)
    ]
    return Structure(fsum(values), taken, choices)


def cost(taken: Labelled, right: Labelled) -> float:
    """Half for each arc that is taken and wrong, half for each that is right and missing."""
    return len(taken ^ right) / 2
