"""Soft factors on how many variables are true."""

from __future__ import annotations

import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.factors.base import Factor, as_array, scores
from arbora.factors.logic import Inputs, in_a_row, shape_of


class Counts(Factor):
    """A score for how many inputs are true: for none, one, ... and one for K or more; -inf forbids a count.

    Inputs are an array whose last axis runs over those of one factor, or a sequence of arrays of any lengths,
    one for each factor; they can be negated. The K + 1 scores of the last axis serve for all factors, or
    there is a row of them for each. O(n K) each. Every count is a part.

    >>> import arbora
    >>> from arbora.factors import Counts
    >>> graph = arbora.FactorGraph()
    >>> x = graph.binary([1.0, 2.0, -0.1, 3.0])
    >>> graph.add(Counts(x, [0.0, 0.5, 0.0, -4.0]))  # three are as bad as four
    >>> graph.add(Counts([x[:2], x[1:]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5]]))
    >>> print(graph.solve("enumerate").assignment_of(x))
    [False  True False  True]
    """

    name = "Counts"

    def __init__(self, inputs: Inputs, count_scores: npt.ArrayLike) -> None:
        """One factor for each row of inputs; scores of shape (K + 1,), or those of the factors and K + 1."""
        self._numbers, self._begins, self.inputs = in_a_row(inputs, self.name, least=0)
        shape = as_array(count_scores).shape
        self._width = shape[-1] if shape else 0
        if not self._width:
            raise ArboraError("Counts needs scores for none, one, ... on the last axis")
        self._scores = scores(count_scores, (*shape_of(inputs), self._width), self.name)

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_counts(self._numbers, self._begins, self._width, self._scores.ravel())
