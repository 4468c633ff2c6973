"""Scores for arcs that cross."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.factors.base import Factor, binary, numbers, scores
from arbora.factors.variables import VariableArray


class NoCross(Factor):
    """A factor for every two words j < l: ``cross_scores[j, l]`` counts if the arcs into them cross.

    Each word must have exactly one arc into it. ``arcs[h, m]`` is the arc from h to m of a sentence of n
    words, the root being word 0: its shape is (n + 1, n + 1), as that of the scores, of which only what is
    above the diagonal counts. A pruned graph has its arcs in a row, with ``heads`` and ``modifiers``. -inf
    forbids crossing. Each factor has one part, and takes O(n) (Smith & Eisner 2008, sections 3.4 and 5.3).

    >>> import arbora, numpy
    >>> graph = arbora.FactorGraph()
    >>> arcs = graph.binary([0.0, 2.0, 0.0, 0.0, 0.0])
    >>> heads, modifiers = [0, 3, 0, 1, 0], [1, 1, 2, 2, 3]
    >>> graph.add(arbora.factors.NoCross(arcs, numpy.full((4, 4), -1.0), heads=heads, modifiers=modifiers))
    >>> print(graph.solve("enumerate").assignment_of(arcs))
    [False  True False  True  True]
    """

    name = "NoCross"

    def __init__(
        self,
        arcs: VariableArray,
        cross_scores: npt.ArrayLike,
        *,
        heads: npt.ArrayLike | None = None,
        modifiers: npt.ArrayLike | None = None,
    ) -> None:
        """One factor for every two words."""
        binary(arcs, self.name)
        if heads is None or modifiers is None:
            if heads is not None or modifiers is not None:
                raise ArboraError("NoCross needs both heads and modifiers, or a square array of arcs")
            if len(arcs.shape) != 2 or arcs.shape[0] != arcs.shape[1]:
                raise ArboraError(f"NoCross needs arcs of shape (n + 1, n + 1), these have {arcs.shape}")
            self.words = len(arcs) - 1
            heads, modifiers = np.indices(arcs.shape, np.int32)
            candidates = (modifiers > 0) & (heads != modifiers)
            self.heads, self.modifiers = heads[candidates], modifiers[candidates]
            arcs = arcs[self.heads, self.modifiers]
        else:
            self.heads, self.modifiers = _ends(heads, arcs), _ends(modifiers, arcs)
            self.words = np.asarray(cross_scores).shape[0] - 1 if np.ndim(cross_scores) == 2 else -1
            if self.words < 0:
                raise ArboraError("NoCross needs scores of shape (n + 1, n + 1)")
        self.inputs = (arcs,)
        width = self.words + 1
        self.scores = scores(cross_scores, (width, width), self.name)

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_no_cross(
            numbers(self.inputs[0]), self.heads, self.modifiers, self.words, self.scores.ravel()
        )


def _ends(words: npt.ArrayLike, arcs: VariableArray) -> npt.NDArray[np.int32]:
    array = np.asarray(words)
    if array.shape != arcs.shape or array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise ArboraError("NoCross needs a head and a modifier for each of its arcs, which are in a row")
    return array.astype(np.int32)
