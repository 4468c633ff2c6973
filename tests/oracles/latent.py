"""The slow twin of losses with hidden variables: every tree with all choices of tags, or of roles.

-log P(observed) = log sum over all of exp(score) - log sum over those that agree with what was observed.
"""

from __future__ import annotations

from itertools import product
from math import fsum, inf, log

import numpy as np

from tests.oracles.losses import family
from tests.oracles.trees import all_trees


def log_sum(scores: np.ndarray) -> float:
    top = float(scores.max(initial=-inf))
    return top if top == -inf else top + log(fsum(np.exp(scores - top)))


class TaggedTrees:
    """All trees over n words with all tags: TAG, LINK and TAGLINK scores (Smith & Eisner 2008).

    ``tags`` (n, g), ``arcs`` (n+1, n+1), ``links`` (n, n, g, g): head's and modifier's tag, which count on
    arcs between words. Arrays may have -inf.
    """

    def __init__(
        self, tags: np.ndarray, arcs: np.ndarray, links: np.ndarray, *, single_root: bool = True
    ) -> None:
        self.arrays = {"tags": tags, "arcs": arcs, "links": links}
        n, g = tags.shape
        self.trees = all_trees(n, single_root)
        self.each = [
            (heads, chosen) for heads in self.trees.tolist() for chosen in product(range(g), repeat=n)
        ]
        self.scores = np.array([sum(self.arrays[k][i] for k, i in self.parts(*one)) for one in self.each])

    @staticmethod
    def parts(heads: list[int], chosen: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
        """What scores a tree with its tags, as places in the arrays."""
        found: list[tuple[str, tuple[int, ...]]] = [("tags", place) for place in enumerate(chosen)]
        for m, head in enumerate(heads[1:], 1):
            found.append(("arcs", (head, m)))
            if head:
                found.append(("links", (head - 1, m - 1, chosen[head - 1], chosen[m - 1])))
        return found

    def loss(self, heads: dict[int, int], tags: dict[int, int]) -> tuple[float, dict[str, np.ndarray]]:
        """If heads of some words (from 1) and tags of some (from 0) were observed; with gradients."""
        fits = np.array(
            [
                all(tree[m] == h for m, h in heads.items()) and all(t[i] == v for i, v in tags.items())
                for tree, t in self.each
            ]
        )
        free, given = log_sum(self.scores), log_sum(self.scores[fits])
        gradient = {name: np.zeros_like(array) for name, array in self.arrays.items()}
        for one, score, fit in zip(self.each, self.scores, fits, strict=True):
            weight = np.exp(score - free) - (np.exp(score - given) if fit else 0.0)
            for name, place in self.parts(*one):
                gradient[name][place] += weight
        return free - given, gradient


def role_loss(
    scores: np.ndarray, heads: np.ndarray, labels: np.ndarray, beta: float, gamma: float, **kind: bool
) -> float:
    """A member of the loss family where some labels (-1) are hidden: over trees, with every choice of labels.

    L = 1/beta log sum over y' of exp(beta (s(y') + gamma cost(y'))) - 1/beta log sum of exp(beta s(y')) over
    those that agree with what is observed; the cost counts words whose head or observed label is wrong.
    """
    n, count = len(scores) - 1, scores.shape[2]
    values, costs = [], []
    for tree in all_trees(n, **kind):
        for chosen in product(range(count), repeat=n):
            values.append(fsum(scores[tree[m], m, chosen[m - 1]] for m in range(1, n + 1)))
            costs.append(
                sum(tree[m] != heads[m] or labels[m] not in (-1, chosen[m - 1]) for m in range(1, n + 1))
            )
    all_values, all_costs = np.array(values), np.array(costs)
    possible = all_values > -inf
    gold = log_sum(beta * all_values[possible & (all_costs == 0)]) / beta
    return family(all_values[possible] - gold, all_costs[possible], beta, gamma)
