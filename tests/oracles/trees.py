"""The slow twin of ``arbora.trees``: every tree written out, every answer a sum over the list.

The functions take the arguments of their namesakes in ``arbora.trees`` (one sentence, no constraints). They
stay right at any scale of the scores, because trees are compared by exact differences: ``math.fsum`` rounds
once, so ``fsum(arcs of a tree, minus the arcs of the best)`` is the difference of two sums of 1e6 to the last
bit, and log Z = best + log(sum of exp(difference)) has nothing to cancel. Sums of probabilities add positive
numbers only.

Below them, for sentences too long to write out: Chu-Liu-Edmonds and Eisner in their textbook forms.
"""

from __future__ import annotations

from functools import cache, cached_property, lru_cache
from itertools import product
from math import fsum, log1p

import numpy as np

KINDS = [(single_root, projective) for single_root in (True, False) for projective in (False, True)]


class NoTreeError(ValueError):
    """All trees have an arc of score -inf."""


@cache
def all_trees(n: int, single_root: bool = True, projective: bool = False) -> np.ndarray:
    """Heads of all trees over ``n`` tokens, shape (trees, n+1), -1 at the root."""
    choices = [[head for head in range(n + 1) if head != token] for token in range(1, n + 1)]
    heads = np.array(list(product([-1], *choices)), dtype=np.int32)
    keep = _reach_root(heads)
    if single_root and n:
        keep &= (heads == 0).sum(axis=1) == 1
    if projective:
        keep &= _no_crossing(heads)
    trees = heads[keep]
    trees.flags.writeable = False
    return trees


def is_tree(heads: np.ndarray, single_root: bool, projective: bool) -> bool:
    """Whether one vector of heads, or every row of several, is a tree of that kind; any length."""
    heads = np.atleast_2d(heads)
    if (heads[:, 0] != -1).any() or (heads[:, 1:] < 0).any() or not _reach_root(heads).all():
        return False
    if single_root and heads.shape[1] > 1 and ((heads == 0).sum(axis=1) != 1).any():
        return False
    return not projective or bool(_no_crossing(heads).all())


def _reach_root(heads: np.ndarray) -> np.ndarray:
    """Rows in which n steps upwards end at 0 from everywhere."""
    parents = heads.copy()
    parents[:, 0] = 0
    place = parents
    for _ in range(heads.shape[1]):
        place = np.take_along_axis(parents, place, axis=1)
    return (place == 0).all(axis=1)


def _no_crossing(heads: np.ndarray) -> np.ndarray:
    """Rows in which no arc, those from 0 among them, begins inside another and ends outside it."""
    tokens = np.arange(1, heads.shape[1])
    left, right = np.minimum(heads[:, 1:], tokens), np.maximum(heads[:, 1:], tokens)
    keep = np.ones(len(heads), dtype=bool)
    for begin, end in zip(left.T[:, :, None], right.T[:, :, None], strict=True):
        keep &= ~((begin < left) & (left < end) & (end < right)).any(axis=1)
    return keep


@cache
def _all_cells(n: int, labels: int, single_root: bool, projective: bool) -> np.ndarray:
    """All (labelled) trees as flat indices into scores of shape (n+1, n+1, labels), shape (trees, n)."""
    heads = all_trees(n, single_root, projective)[:, 1:]
    arcs = heads * (n + 1) + np.arange(1, n + 1)
    choices = np.array(list(product(range(labels), repeat=n)), dtype=np.int64)
    choices = choices.reshape(labels**n, n)
    return (arcs[:, None, :] * labels + choices).reshape(len(arcs) * len(choices), n)


class Forest:
    """All trees of one score array that have no arc of -inf, and their differences from the best."""

    def __init__(self, scores: np.ndarray, single_root: bool, projective: bool) -> None:
        self.shape = scores.shape
        self.labels = scores.shape[2] if scores.ndim == 3 else 1
        n = scores.shape[0] - 1
        flat = np.asarray(scores, dtype=np.float64).ravel()
        cells = _all_cells(n, self.labels, single_root, projective)
        self.cells = cells[(flat[cells] > -np.inf).all(axis=1)]
        if not len(self.cells):
            raise NoTreeError
        rows = flat[self.cells]
        best = int(rows.sum(axis=1).argmax())
        differences = _differences(rows, best)
        while differences.max() > 0:  # plain sums named a neighbour of the best
            best = int(differences.argmax())
            differences = _differences(rows, best)
        self.differences = differences
        self.best = fsum(rows[best])
        self.magnitude = float(np.abs(rows[best]).sum())

    @cached_property
    def weights(self) -> np.ndarray:
        """exp(score - best) of every tree; the best has 1."""
        return np.exp(self.differences)

    @cached_property
    def log_partition(self) -> float:
        return self.best + self._log_total

    @property
    def _log_total(self) -> float:
        others = np.delete(self.weights, self.differences.argmax())
        return log1p(fsum(others))

    @cached_property
    def probabilities(self) -> np.ndarray:
        return self.weights / fsum(self.weights)

    @cached_property
    def marginals(self) -> np.ndarray:
        size = int(np.prod(self.shape))
        repeated = np.repeat(self.probabilities, self.cells.shape[1])
        return np.bincount(self.cells.ravel(), weights=repeated, minlength=size).reshape(self.shape)

    @cached_property
    def complements(self) -> np.ndarray:
        """One minus the marginals, summed from the trees that have another arc instead.

        Column 0 and the diagonal are no arcs, so no tree has them: 1.
        """
        n = self.shape[0] - 1
        by_column = np.moveaxis(self.marginals.reshape(n + 1, n + 1, -1), 1, 0).reshape(n + 1, -1)
        others = 1.0 - np.eye(by_column.shape[1])
        result = by_column @ others
        result[0] = 1.0
        result = np.moveaxis(result.reshape(n + 1, n + 1, -1), 0, 1)
        result[np.arange(n + 1), np.arange(n + 1)] = 1.0
        return np.ascontiguousarray(result).reshape(self.shape)

    @cached_property
    def entropy(self) -> float:
        """log(sum of weights) - sum of p * difference: two terms of one sign."""
        present = self.weights > 0
        return self._log_total - fsum(self.probabilities[present] * self.differences[present])

    @cached_property
    def order(self) -> np.ndarray:
        return np.argsort(-self.differences, kind="stable")

    def heads(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        arcs = self.cells[rows] // self.labels
        return np.insert(arcs // self.shape[0], 0, -1, axis=1).astype(np.int32)

    def label_choice(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray | None:
        if len(self.shape) == 2:
            return None
        return np.insert(self.cells[rows] % self.labels, 0, -1, axis=1).astype(np.int32)

    def best_trees(self) -> set[tuple[int, ...]]:
        """The heads of every tree that is exactly as good as the best."""
        return set(map(tuple, self.heads(self.differences == 0).tolist()))

    def top_scores(self, k: int) -> np.ndarray:
        return self.best + self.differences[self.order[:k]]

    def most_right_arcs(self, labelled: bool = True) -> float:
        """The highest expected number of right arcs that any tree has."""
        marginals = self.marginals
        if not labelled and marginals.ndim == 3:
            marginals = np.repeat(marginals.sum(axis=2, keepdims=True), self.labels, axis=2)
        return float(marginals.ravel()[self.cells].sum(axis=1).max())


def _differences(rows: np.ndarray, best: int) -> np.ndarray:
    pairs = np.hstack([rows, np.broadcast_to(-rows[best], rows.shape)])
    return np.array([fsum(pair) for pair in pairs.tolist()])


@lru_cache(maxsize=4096)
def _forest(data: bytes, shape: tuple[int, ...], single_root: bool, projective: bool) -> Forest:
    return Forest(np.frombuffer(data).reshape(shape), single_root, projective)


def forest(scores: np.ndarray, single_root: bool = True, projective: bool = False) -> Forest:
    """All trees of the scores; remembered, since every operation asks for the same ones."""
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    return _forest(scores.tobytes(), scores.shape, single_root, projective)


def log_partition(scores: np.ndarray, **kind: bool) -> float:
    return forest(scores, **kind).log_partition


def marginals(scores: np.ndarray, *, complement: bool = False, **kind: bool) -> np.ndarray:
    trees = forest(scores, **kind)
    return trees.complements if complement else trees.marginals


def entropy(scores: np.ndarray, **kind: bool) -> float:
    return forest(scores, **kind).entropy


def mst(scores: np.ndarray, **kind: bool) -> tuple[np.ndarray, np.ndarray | None, float]:
    heads, labels, values = kbest(scores, 1, **kind)
    return heads[0], None if labels is None else labels[0], float(values[0])


def kbest(scores: np.ndarray, k: int, **kind: bool) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    trees = forest(scores, **kind)
    rows = trees.order[:k]
    return trees.heads(rows), trees.label_choice(rows), trees.top_scores(k)


def mbr(scores: np.ndarray, *, labelled: bool = True, **kind: bool) -> float:
    """The value only: which tree reaches it may be a matter of rounding."""
    return forest(scores, **kind).most_right_arcs(labelled)


def score_of(scores: np.ndarray, heads: np.ndarray, labels: np.ndarray | None = None) -> float:
    tokens = np.arange(1, len(heads))
    arcs = scores[np.asarray(heads)[1:], tokens]
    return fsum(arcs if labels is None else arcs[np.arange(len(tokens)), np.asarray(labels)[1:]])


def chu_liu_edmonds(scores: np.ndarray, single_root: bool = True) -> float:
    """The best tree's score: contract one cycle at a time; for a single root, try every token as the root."""
    scores = np.array(scores, dtype=np.float64)
    np.fill_diagonal(scores, -np.inf)
    if not single_root or len(scores) == 1:
        return _contract(scores)
    values = []
    for root in range(1, len(scores)):
        tried = scores.copy()
        tried[0, np.arange(len(scores)) != root] = -np.inf
        values.append(_contract(tried))
    return max(values)


def _contract(scores: np.ndarray) -> float:
    """Best arborescence from node 0 of a dense graph, -inf if there is none."""
    if len(scores) == 1:
        return 0.0
    heads = scores.argmax(axis=0)
    best = scores[heads, np.arange(len(scores))]
    if (best[1:] == -np.inf).any():
        return -np.inf
    cycle = _find_cycle(heads)
    if not cycle:
        return float(best[1:].sum())
    rest = np.setdiff1d(np.arange(len(scores)), cycle)
    smaller = np.full((len(rest) + 1, len(rest) + 1), -np.inf)
    smaller[:-1, :-1] = scores[np.ix_(rest, rest)]
    # Entering the cycle at v costs the arc it had; leaving it takes the best of its nodes.
    smaller[:-1, -1] = (scores[np.ix_(rest, cycle)] - best[cycle]).max(axis=1)
    smaller[-1, :-1] = scores[np.ix_(cycle, rest)].max(axis=0)
    return float(best[cycle].sum()) + _contract(smaller)


def _find_cycle(heads: np.ndarray) -> list[int]:
    done = {0}
    for start in range(1, len(heads)):
        path, node = [], start
        while node not in done and node not in path:
            path.append(node)
            node = int(heads[node])
        if node in path:
            return path[path.index(node) :]
        done.update(path)
    return []


def eisner(scores: np.ndarray, single_root: bool = True) -> float:
    """The best projective tree's score, O(n^3); for a single root, try every token as the root."""
    if not single_root or len(scores) == 1:
        return _eisner(scores)
    values = []
    for root in range(1, len(scores)):
        tried = np.array(scores, dtype=np.float64)
        tried[0, np.arange(len(scores)) != root] = -np.inf
        values.append(_eisner(tried))
    return max(values)


def _eisner(scores: np.ndarray) -> float:
    """complete[d, i, j]: i..j hangs from i (d = 1) or j (d = 0); open_[d, i, j]: an arc joins i and j too."""
    size = len(scores)
    complete, open_ = np.full((2, 2, size, size), -np.inf)
    complete[:, np.arange(size), np.arange(size)] = 0.0
    for width in range(1, size):
        for i in range(size - width):
            j = i + width
            halves = (complete[1, i, i:j] + complete[0, i + 1 : j + 1, j]).max()
            open_[1, i, j] = halves + scores[i, j]
            open_[0, i, j] = halves + scores[j, i] if i else -np.inf
            complete[1, i, j] = (open_[1, i, i + 1 : j + 1] + complete[1, i + 1 : j + 1, j]).max()
            complete[0, i, j] = (complete[0, i, i:j] + open_[0, i:j, j]).max()
    return float(complete[1, 0, size - 1])
