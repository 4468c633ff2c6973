"""Scores for two binary variables that are both true, and the families of them that parsers use."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.factors.base import Factor, as_array, binary, numbers, scores
from arbora.factors.variables import VariableArray


class Pairs(Factor):
    """Many factors, each with a score that counts if two binary variables are both true; -inf forbids that.

    ``pairs`` has a row of two indices into the flattened array ``variables`` for each factor. Every pair is a
    part. All oracles are closed forms; unless a score is beyond +-50, sum-product messages are odds, and take
    one division each.

    >>> import arbora
    >>> graph = arbora.FactorGraph()
    >>> x = graph.binary([0.5, -1.0, 2.0])
    >>> graph.add(arbora.factors.Pairs(x, [[0, 1], [1, 2]], [1.5, -float("inf")]))
    >>> print(graph.solve("enumerate").assignment_of(x))
    [ True False  True]
    """

    name = "Pairs"

    def __init__(
        self, variables: VariableArray, pairs: npt.ArrayLike, pair_scores: npt.ArrayLike = 0.0
    ) -> None:
        """One factor for each row of `pairs`, with its score."""
        self.inputs = (binary(variables, self.name),)
        self.pairs = _index_pairs(pairs, variables.size)
        self.scores = scores(pair_scores, (len(self.pairs),), self.name)

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_pairs(numbers(self.inputs[0])[self.pairs.ravel()], self.scores)


def grandparents(
    arcs: VariableArray, pair_scores: npt.ArrayLike, candidates: npt.ArrayLike | None = None
) -> Pairs:
    """All pairs of an arc g -> h and an arc h -> m, scored by ``pair_scores[g, h, m]``: the GRAND family.

    ``arcs[h, m]`` is the arc from h to m of a sentence of n words, the root being word 0: its shape is
    (n + 1, n + 1), that of the scores (n + 1, n + 1, n + 1). Of a pruned graph, ``candidates[h, m]`` tells
    which arcs are left, and only those have pairs; else all have that a tree could have.

    >>> import arbora, numpy
    >>> graph = arbora.FactorGraph()
    >>> arcs = graph.binary(numpy.zeros((4, 4)))
    >>> pairs = arbora.factors.grandparents(arcs, numpy.zeros((4, 4, 4)))
    >>> graph.add(pairs)
    >>> len(pairs.pairs)
    12
    """
    possible = _possible_arcs(arcs, candidates, "grandparents")
    n = len(arcs)
    table = scores(pair_scores, (n, n, n), "grandparents")
    # By h: what an arc hears of all its pairs lies within a block of n x n, which stays in the cache.
    h, g, m = np.nonzero(possible.T[:, :, None] & possible[:, None, :])
    keep = g != m
    g, h, m = g[keep], h[keep], m[keep]
    return Pairs(arcs, np.stack([g * n + h, h * n + m], axis=1), table[g, h, m])


def siblings(
    arcs: VariableArray, pair_scores: npt.ArrayLike, candidates: npt.ArrayLike | None = None
) -> Pairs:
    """All pairs of arcs h -> m and h -> s with m < s, scored by ``pair_scores[h, m, s]``: the SIB family.

    The children need not be adjacent. All arrays are as those of `grandparents`.

    >>> import arbora, numpy
    >>> graph = arbora.FactorGraph()
    >>> arcs = graph.binary(numpy.zeros((4, 4)))
    >>> len(arbora.factors.siblings(arcs, numpy.zeros((4, 4, 4))).pairs)
    6
    """
    possible = _possible_arcs(arcs, candidates, "siblings")
    n = len(arcs)
    table = scores(pair_scores, (n, n, n), "siblings")
    h, m, s = np.nonzero(possible[:, :, None] & possible[:, None, :])
    keep = m < s
    h, m, s = h[keep], m[keep], s[keep]
    return Pairs(arcs, np.stack([h * n + m, h * n + s], axis=1), table[h, m, s])


def _possible_arcs(arcs: VariableArray, candidates: npt.ArrayLike | None, name: str) -> npt.NDArray[np.bool_]:
    """Which arcs a tree could have: none into the root, none from a word to itself."""
    binary(arcs, name)
    if len(arcs.shape) != 2 or arcs.shape[0] != arcs.shape[1]:
        raise ArboraError(f"{name} needs arcs of shape (n + 1, n + 1), these have {arcs.shape}")
    possible = np.ones(arcs.shape, np.bool_) if candidates is None else np.array(candidates, np.bool_)
    if possible.shape != arcs.shape:
        raise ArboraError(f"{name} needs candidates of shape {arcs.shape}, these have {possible.shape}")
    possible[:, :1] = False
    np.fill_diagonal(possible, False)
    return possible


def _index_pairs(pairs: npt.ArrayLike, size: int) -> npt.NDArray[np.int64]:
    array = as_array(pairs)
    if array.size == 0:
        array = np.zeros((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or not np.issubdtype(array.dtype, np.integer):
        raise ArboraError("Pairs needs pairs of indices, an array of integers of shape (m, 2)")
    if array.size and (array.min() < 0 or array.max() >= size):
        raise ArboraError(f"Pairs: an index is not between 0 and {size - 1}")
    return array.astype(np.int64)
