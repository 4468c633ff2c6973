"""The slow twin of charts with siblings and grandparents: every projective tree, with all that is scored."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import inf

import numpy as np

from tests.oracles.factors.base import log_sum
from tests.oracles.trees import all_trees

KINDS = {"arcs": 2, "sequences": 4, "grand": 5, "pairs": 3}
"""What may have scores, by its axes: [h, m], [side, h, s, m], [side, g, h, s, m], [g, h, m]."""


def shape_of(kind: str, n: int) -> tuple[int, ...]:
    """The shape of the scores; those of two sides have an axis of length 2 for them."""
    axes = KINDS[kind]
    return (2, *(n + 1,) * (axes - 1)) if kind in ("sequences", "grand") else (n + 1,) * axes


def parts_of(heads: np.ndarray) -> dict[str, list[tuple[int, ...]]]:
    """Indices of all that one tree has."""
    n = len(heads) - 1
    found: dict[str, list[tuple[int, ...]]] = {kind: [] for kind in KINDS}
    for m in range(1, n + 1):
        h = int(heads[m])
        found["arcs"].append((h, m))
        if h:
            found["pairs"].append((int(heads[h]), h, m))
    for h in range(n + 1):
        g = max(int(heads[h]), 0)
        for side in range(2):
            outwards = range(h + 1, n + 1) if side else range(h - 1, 0, -1)
            path = [h, *(m for m in outwards if heads[m] == h), h]
            for s, m in pairwise(path):
                found["grand"].append((side, g, h, s, m))
                if h or side:
                    found["sequences"].append((side, h, s, m))
    return found


@cache
def _counts(n: int, single_root: bool, kind: str) -> np.ndarray:
    """How often each tree (rows) has each part (columns), 0 or 1."""
    trees, shape = all_trees(n, single_root, projective=True), shape_of(kind, n)
    counts = np.zeros((len(trees), int(np.prod(shape))), np.bool_)
    for row, heads in zip(counts, trees, strict=True):
        indices = parts_of(heads)[kind]
        if indices:
            row[np.ravel_multi_index(np.array(indices).T, shape)] = True
    return counts


class SiblingForest:
    """All projective trees under scores of some kinds; `allowed[h, m]` says which arcs there may be."""

    def __init__(
        self, scores: dict[str, np.ndarray], single_root: bool, allowed: np.ndarray | None = None
    ) -> None:
        self._n, self._single_root = len(scores["arcs"]) - 1, single_root
        self.totals = np.zeros(len(all_trees(self._n, single_root, projective=True)))
        for kind, values in scores.items():
            self.totals += self._total(kind, values)
        if allowed is not None:
            self.totals += self._total("arcs", np.where(allowed, 0.0, -inf))

    def _total(self, kind: str, values: np.ndarray) -> np.ndarray:
        counts, flat = _counts(self._n, self._single_root, kind), values.ravel()
        finite = np.where(np.isinf(flat), 0.0, flat)
        return np.where((counts & np.isinf(flat)).any(axis=1), -inf, counts @ finite)

    @property
    def log_partition(self) -> float:
        return log_sum(self.totals)

    def ranked(self, k: int) -> np.ndarray:
        """The scores of the k best trees, as far as they are possible."""
        ordered = np.sort(self.totals[self.totals > -inf])[::-1]
        return ordered[:k]

    def probabilities(self, kind: str) -> np.ndarray:
        """Of all arcs or parts, in the shape of their scores."""
        weights = np.exp(self.totals - self.log_partition)
        return (weights @ _counts(self._n, self._single_root, kind)).reshape(shape_of(kind, self._n))
