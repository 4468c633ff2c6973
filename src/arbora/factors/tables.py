"""Factors that are written out: a score for every assignment to a few variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.factors.base import Factor, scores
from arbora.factors.variables import VariableArray


class Table(Factor):
    """A score for every assignment to a few variables, binary or categorical; -inf forbids it.

    The arrays of variables are broadcast to a common shape, and there is a factor for every place in it, over
    one variable of each array. The scores have that shape and then an axis for each array: of two for a
    binary one (false, true), of as many as there are values for a categorical one. One table serves for all
    factors. Every cell is a part.

    >>> import arbora
    >>> graph = arbora.FactorGraph()
    >>> x, tags = graph.binary([0.0, 0.0]), graph.categorical([[0.0, 0.0, 0.1], [0.0, 0.0, 0.1]])
    >>> graph.add(arbora.factors.Table([x, tags], [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]))
    >>> print(graph.solve("enumerate").assignment_of(tags))
    [0 0]
    """

    name = "Table"

    def __init__(self, variables: Sequence[VariableArray], cell_scores: npt.ArrayLike) -> None:
        """One factor for each place of the arrays, with its table."""
        is_list = isinstance(variables, Iterable) and not isinstance(variables, VariableArray)
        if not is_list or not all(isinstance(array, VariableArray) for array in variables):
            raise ArboraError("Table needs a list of arrays of variables, one for each axis of its scores")
        self.inputs = tuple(variables)
        if not self.inputs:
            raise ArboraError("Table needs at least one array of variables")
        try:
            self._shape = np.broadcast_shapes(*(array.shape for array in self.inputs))
        except ValueError:
            raise ArboraError("Table: the arrays of variables have shapes that do not fit together") from None
        cells = tuple(array.values or 2 for array in self.inputs)
        if prod(cells) >= 1 << 31:
            raise ArboraError("Table has too many cells")
        self.scores = scores(cell_scores, self._shape + cells, self.name)

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        columns = [np.broadcast_to(array.numbers, self._shape).ravel() for array in self.inputs]
        inputs = np.ascontiguousarray(np.stack(columns, axis=1), np.int32)
        graph.add_tables(inputs.ravel(), len(columns), self.scores.ravel())
