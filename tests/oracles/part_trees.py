"""The slow twin of parsers with parts of several arcs: every tree of a short sentence with its score.

Scores of arcs and parts come from the core, whose twins are ``oracles.features`` and ``oracles.parts``; which
of them a tree has is read off its heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import numpy as np

from arbora.dependency import DependencyParser
from arbora.dependency.graphs import Parts, SentenceGraph, make_graph, parts_of
from arbora.dependency.linear_model import encode
from arbora.features import PARTS
from arbora.treebank import Sentence
from oracles.parts import KINDS, Arcs, descends
from oracles.trees import all_trees

Heads = tuple[int, ...]


class PartTrees:
    """All trees of some candidate arcs, by the heads of words 1..n; ``sums``: arcs sum over their labels."""

    def __init__(
        self,
        parser: DependencyParser,
        sentence: Sentence,
        arcs: Arcs,
        *,
        single_root: bool,
        projective: bool = False,
        sums: bool = False,
    ) -> None:
        self.n, self.arcs, self.single_root, self.projective = (
            len(sentence),
            list(arcs),
            single_root,
            projective,
        )
        core, encoded = parser._core, encode([sentence])
        self.totals = parser._scorer([sentence]).arc_totals(0, self.arcs, sums).tolist()
        self.of_arc = dict(zip(self.arcs, self.totals, strict=True))
        scale, found = parser.header["tree_scale"], core.part_scores(parser._weights, encoded, 0, self.arcs)
        self.parts: dict[str, Parts] = parts_of(found, scale)
        self.of_part = {
            section: {
                (*words, direction): scale * score
                for words, (direction, _), score in zip(
                    own_words.tolist(), codes.tolist(), scores.tolist(), strict=True
                )
            }
            for section, (own_words, codes, scores) in zip(PARTS, found, strict=True)
        }
        every = all_trees(self.n, single_root, projective)[:, 1:].tolist()
        self.values = {tuple(heads): self.value(heads) for heads in every if self.has(heads)}

    def has(self, heads: Sequence[int]) -> bool:
        return all((head, modifier) in self.of_arc for modifier, head in enumerate(heads, 1))

    def value(self, heads: Sequence[int]) -> float:
        """The score of a tree of candidate arcs."""
        scores = [self.of_arc[head, modifier] for modifier, head in enumerate(heads, 1)]
        for section, own in self.of_part.items():
            if own:
                scores += [own[piece.name] for piece in KINDS[section].find([-1, *heads])]
        return fsum(scores)

    @property
    def best(self) -> float:
        return max(self.values.values())

    def graph(self, joined: bool) -> SentenceGraph:
        return make_graph(
            self.n, self.arcs, self.totals, self.parts,
            single_root=self.single_root, projective=self.projective, joined=joined,
        )  # fmt: skip

    def assignment(self, heads: Sequence[int], made: SentenceGraph) -> np.ndarray:
        """A tree as an assignment of the variables of a graph: arcs, then what descends from what."""
        arcs = [heads[modifier - 1] == head for head, modifier in self.arcs]
        paths = [descends([-1, *heads], word, above) for above in made.above for word in range(self.n + 1)]
        return np.array([*arcs, *paths], np.uint8)

    def changes(self, heads: Sequence[int]) -> list[Heads]:
        """The trees that differ in one head; with one root also those in which it changes places.

        A word that becomes the root has the old root below it.
        """
        found = []
        for modifier in range(1, self.n + 1):
            for head in range(self.n + 1):
                other = list(heads)
                other[modifier - 1] = head
                if self.single_root and head == 0:
                    other[heads.index(0)] = modifier
                    other[modifier - 1] = 0
                found.append(tuple(other))
        return [other for other in found if other != tuple(heads) and other in self.values]
