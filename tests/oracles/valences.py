"""The slow twin of the valence model: every projective tree, scored by telling how it came about."""

from __future__ import annotations

from functools import cache, cached_property
from math import fsum, log1p

import numpy as np

from tests.oracles.trees import NoTreeError, all_trees

LEFT, RIGHT = 0, 1
GO_ON, STOP = 0, 1


def story(
    heads: np.ndarray, single_root: bool
) -> tuple[list[tuple[int, int]], list[tuple[int, int, int, int]]]:
    """The arcs and the decisions of one tree, head by head, side by side, from the nearest child outwards."""
    n = len(heads) - 1
    arcs, decisions = [], []
    for head in range(n + 1):
        for side in (LEFT, RIGHT):
            outwards = range(head + 1, n + 1) if side == RIGHT else range(head - 1, 0, -1)
            has_child = 0
            decides = head > 0 or (side == RIGHT and not single_root)
            for word in outwards:
                if heads[word] == head:
                    if decides:
                        decisions.append((head, side, has_child, GO_ON))
                    arcs.append((head, word))
                    has_child = 1
            if decides:
                decisions.append((head, side, has_child, STOP))
    return arcs, decisions


@cache
def _cells(n: int, single_root: bool) -> np.ndarray:
    """All trees (rows) as indices into their arcs and then decisions, laid out flat one after the other.

    Every tree has n arcs, 2n stops, and as many decisions to go on as a head that decides has children.
    """
    shape, first = (n + 1, 2, 2, 2), (n + 1) ** 2
    rows = []
    for heads in all_trees(n, single_root, projective=True):
        arcs, decisions = story(heads, single_root)
        flat = [h * (n + 1) + m for h, m in arcs]
        rows.append(flat + [first + int(np.ravel_multi_index(one, shape)) for one in decisions])
    return np.array(rows)


class Forest:
    """All trees of a sentence that are possible, and their exact differences from the best."""

    def __init__(self, arcs: np.ndarray, valences: np.ndarray, single_root: bool) -> None:
        self.n = len(arcs) - 1
        flat = np.concatenate([arcs.ravel(), valences.ravel()])
        cells = _cells(self.n, single_root)
        possible = (flat[cells] > -np.inf).all(axis=1)
        if not possible.any():
            raise NoTreeError
        self.heads = all_trees(self.n, single_root, projective=True)[possible]
        self.cells = cells[possible]
        rows = flat[self.cells]
        self.scores = np.array([fsum(row) for row in rows.tolist()])
        top = rows[self.scores.argmax()]
        pairs = np.hstack([rows, np.broadcast_to(-top, rows.shape)])
        self.best = float(self.scores.max())
        self.differences = np.array([fsum(pair) for pair in pairs.tolist()])

    @cached_property
    def log_partition(self) -> float:
        others = np.delete(np.exp(self.differences), self.scores.argmax())
        return self.best + log1p(fsum(others))

    @cached_property
    def probabilities(self) -> np.ndarray:
        weights = np.exp(self.differences)
        return weights / fsum(weights)

    def expectations(self, probabilities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How often arcs and decisions are used if trees have those probabilities."""
        counts = np.zeros((self.n + 1) ** 2 + 8 * (self.n + 1))
        np.add.at(counts, self.cells, np.broadcast_to(probabilities[:, None], self.cells.shape))
        first = (self.n + 1) ** 2
        return counts[:first].reshape(self.n + 1, -1), counts[first:].reshape(-1, 2, 2, 2)
