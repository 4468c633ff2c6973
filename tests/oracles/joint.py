"""The slow twin of joint tagging and parsing: every tree with every row of tags that its words may have.

TAG, LINK, TAGLINK and the chain of Smith & Eisner 2008. What a tree with its tags scores is a sum over places
in plain dictionaries.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from math import inf

import numpy as np

from tests.oracles.latent import log_sum
from tests.oracles.trees import is_tree

Place = tuple[str, int, int, tuple[int, ...]]
"""What is scored (arcs, tags, tag-links, tag-bigrams, tag-trigrams), of which arc or word, with its tags."""


def places_of(heads: list[int], tags: tuple[int, ...]) -> Iterator[Place]:
    """What scores a tree with its tags. The heads of words count from 1, after one that is none."""
    for word, head in enumerate(heads[1:], 1):
        yield "arcs", head, word, ()
        yield "tags", 0, word, (tags[word - 1],)
        if head:
            yield "tag-links", head, word, (tags[head - 1], tags[word - 1])
    for word, pair in enumerate(pairwise(tags), 2):
        yield "tag-bigrams", 0, word, pair
    for word, triple in enumerate(zip(tags, tags[1:], tags[2:], strict=False), 3):
        yield "tag-trigrams", 0, word, triple


class JointTrees:
    """All trees of some arcs with all tags out of lists; a place that ``scores`` lacks scores 0."""

    def __init__(
        self,
        lists: list[list[int]],
        arcs: list[tuple[int, int]],
        scores: dict[Place, float],
        *,
        single_root: bool,
    ) -> None:
        above = [[head for head, word in arcs if word == modifier] for modifier in range(1, len(lists) + 1)]
        every = ([-1, *heads] for heads in product(*above))
        self.trees = [heads for heads in every if is_tree(np.array(heads), single_root, False)]
        self.each = [(heads, tags) for heads in self.trees for tags in product(*lists)]
        self.scores = np.array([sum(scores.get(at, 0.0) for at in places_of(*one)) for one in self.each])

    def loss(
        self, heads: list[int], tags: tuple[int, ...], beta: float = 1.0, gamma: float = 0.0
    ) -> tuple[float, dict[Place, float]]:
        """Of a tree with its tags, all of which was observed: wrong heads cost gamma, wrong tags nothing."""
        costs = np.array([sum(a != b for a, b in zip(tree, heads, strict=True)) for tree, _ in self.each])
        gold = self.each.index((heads, tags))
        values = beta * (self.scores + gamma * costs)
        total = log_sum(values)
        gradient: dict[Place, float] = {}
        for one, value in zip(self.each, values, strict=True):
            for at in places_of(*one):
                gradient[at] = gradient.get(at, 0.0) + float(np.exp(value - total))
        for at in places_of(heads, tags):
            gradient[at] -= 1
        return total / beta - float(self.scores[gold]), gradient

    def log_sum_of(self, heads: list[int]) -> float:
        """Over all tags of one tree."""
        own = [score for (tree, _), score in zip(self.each, self.scores, strict=True) if tree == heads]
        return log_sum(np.array(own)) if own else -inf
