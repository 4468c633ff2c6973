"""What is true of the one that is chosen: a hard factor, and scores for a choice with a reason."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.factors.base import Factor, binary, graph_of, scores
from arbora.factors.logic import Inputs, Logic, in_a_row, shape_of
from arbora.factors.variables import VariableArray


class Choice(Logic):
    """Exactly one choice is true, and the output is the value of that one; other values are free. O(n) each.

    Choices and values are arrays of one shape (..., k), or sequences of m arrays of the same lengths; outputs
    have the shape (...), or (m,). With ``or_none`` no choice may be true; the output is false then.

    The heads of a word as choices make paths: a word descends from h if and only if its head does.

    >>> import arbora
    >>> from arbora.factors import Choice
    >>> graph = arbora.FactorGraph()
    >>> choices, values = graph.binary([1.0, 1.1, 0.0]), graph.binary([0.5, -1.0, 0.5])
    >>> output = graph.binary(0.2)
    >>> graph.add(Choice(choices, values, output))
    >>> solution = graph.solve("enumerate")
    >>> print(solution.assignment_of(choices), solution.assignment_of(values), solution.assignment_of(output))
    [ True False False] [ True False  True] True
    """

    name = "Choice"

    def __init__(
        self, choices: Inputs, values: Inputs, output: VariableArray, *, or_none: bool = False
    ) -> None:
        """A factor for every row of an array, or for every array of a sequence."""
        chosen, begins, arrays = in_a_row(choices, self.name)
        valued, value_begins, value_arrays = in_a_row(values, self.name)
        outputs, shape = binary(output, self.name), shape_of(choices)
        if shape_of(values) != shape or not np.array_equal(begins, value_begins):
            raise ArboraError("Choice needs one value for each choice")
        if outputs.shape != shape:
            raise ArboraError(f"Choice needs outputs of shape {shape}, not {outputs.shape}")
        self.inputs = (*arrays, *value_arrays, outputs)
        graph_of(self.inputs)
        # By factor: choices, values, the output.
        factor = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
        order = np.argsort(
            np.concatenate([3 * factor, 3 * factor + 1, 3 * np.arange(outputs.size) + 2]), kind="stable"
        )
        everything = np.concatenate([chosen, valued, outputs.numbers.ravel()])
        self._numbers = np.ascontiguousarray(everything[order], np.int32)
        self._begins = 2 * begins + np.arange(len(begins))
        self._or_none = or_none

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_choices(self.name, self._numbers, self._begins, self._or_none)


class AndAny(Factor):
    """A score if a condition is true and at least one input is; -inf forbids that. O(n) each.

    Inputs are an array whose last axis runs over those of one factor, or a sequence of arrays of any lengths;
    there is one condition, and one score (or one for all), for each factor. Every factor has one part.

    >>> import arbora
    >>> from arbora.factors import AndAny
    >>> graph = arbora.FactorGraph()
    >>> holiday, weather = graph.binary(1.0, name="holiday"), graph.binary([-0.2, 0.3], name="rain, wind")
    >>> graph.add(AndAny(holiday, weather, -2.0))
    >>> solution = graph.solve("enumerate")
    >>> print(solution.assignment_of(holiday), solution.assignment_of(weather))
    True [False False]
    """

    name = "AndAny"

    def __init__(self, conditions: VariableArray, inputs: Inputs, factor_scores: npt.ArrayLike) -> None:
        """One factor for each condition."""
        given, begins, arrays = in_a_row(inputs, self.name)
        condition, shape = binary(conditions, self.name), shape_of(inputs)
        if condition.shape != shape:
            raise ArboraError(f"AndAny needs conditions of shape {shape}, not {condition.shape}")
        self.inputs = (condition, *arrays)
        graph_of(self.inputs)
        self._numbers = np.insert(given, begins[:-1], condition.numbers.ravel())
        self._begins = begins + np.arange(len(begins))
        self._scores = scores(factor_scores, shape, self.name).ravel()

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_and_any(self._numbers, self._begins, self._scores)
