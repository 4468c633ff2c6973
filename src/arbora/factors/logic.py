"""Logic over binary variables: hard constraints, many at once.

Every kind takes an array whose last axis runs over the inputs of one factor, or a sequence of arrays of
different lengths, one for each factor. Any input can be negated (``~x``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.factors.base import Factor, as_array, binary, graph_of
from arbora.factors.variables import Numbers, VariableArray

Inputs: TypeAlias = VariableArray | Sequence[VariableArray]
Begins: TypeAlias = npt.NDArray[np.int64]


class Logic(Factor):
    """What all logic factors are made of: the inputs of each factor, one factor after the other."""

    def __init__(self, inputs: Inputs) -> None:
        """A factor for every row of an array, or for every array of a sequence."""
        self._numbers, self._begins, self.inputs = in_a_row(inputs, self.name)

    def __len__(self) -> int:
        """How many factors it declares."""
        return len(self._begins) - 1

    def _negated_last(self) -> Numbers:
        """The inputs with the last one of every factor negated."""
        negated = self._numbers.copy()
        negated[self._begins[1:] - 1] = ~negated[self._begins[1:] - 1]
        return negated


class ExactlyOne(Logic):
    """Exactly one input is true ("one-hot"). O(n) each.

    >>> import arbora
    >>> from arbora.factors import ExactlyOne
    >>> graph = arbora.FactorGraph()
    >>> x = graph.binary([[1.0, 2.0, 0.0], [0.5, 0.5, 0.5]])
    >>> graph.add(ExactlyOne(x), ExactlyOne([x[:, 0], x[0, 1:]]))
    """

    name = "ExactlyOne"

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_one_of(self.name, self._numbers, self._begins, False)


Xor = ExactlyOne
"""The name in the papers: exactly one, however many inputs there are."""


class AtMostOne(Logic):
    """One input is true, or none. O(n) each.

    >>> import arbora
    >>> from arbora.factors import AtMostOne
    >>> graph = arbora.FactorGraph()
    >>> graph.add(AtMostOne(graph.binary([1.0, 2.0, 0.0])))
    """

    name = "AtMostOne"

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_one_of(self.name, self._numbers, self._begins, True)


class AtMost(Logic):
    """At most ``limit`` inputs are true; a limit for all factors, or one for each. O(n limit) each.

    Negate the inputs for "at least": at most n - k are false if at least k are true.

    >>> import arbora
    >>> from arbora.factors import AtMost
    >>> graph = arbora.FactorGraph()
    >>> x = graph.binary([1.0, 2.0, 0.0, 3.0])
    >>> graph.add(AtMost(x, 2), AtMost(~x, 3))
    """

    name = "AtMost"

    def __init__(self, inputs: Inputs, limit: npt.ArrayLike) -> None:
        """The limit must be broadcastable to one number for each factor."""
        super().__init__(inputs)
        limits = as_array(limit)
        if limits.dtype.kind not in "iu" or (limits < 0).any():
            raise ArboraError("AtMost needs limits that are integers, at least 0")
        shape = shape_of(inputs)
        try:
            spread = np.broadcast_to(limits, shape)
        except ValueError:
            raise ArboraError(
                f"AtMost has factors of shape {shape}, limits of shape {limits.shape}"
            ) from None
        highest = np.iinfo(np.int32).max
        self._limits = np.ascontiguousarray(np.minimum(spread, highest).ravel(), np.int32)

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_at_most(self.name, self._numbers, self._begins, self._limits)


class Or(Logic):
    """At least one input is true. O(n) each.

    >>> import arbora
    >>> from arbora.factors import Or
    >>> graph = arbora.FactorGraph()
    >>> x = graph.binary([-1.0, -2.0, 0.0])
    >>> graph.add(Or(x), Or([~x[:2]]))
    """

    name = "Or"

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_or(self.name, self._numbers, self._begins)


class Nand(Logic):
    """Not all inputs are true: `Or` of their negations. O(n) each.

    >>> import arbora
    >>> from arbora.factors import Nand
    >>> graph = arbora.FactorGraph()
    >>> graph.add(Nand(graph.binary([1.0, 2.0])))
    """

    name = "Nand"

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_or(self.name, ~self._numbers, self._begins)


class Imply(Logic):
    """If the premise is true, so is the conclusion, element by element: `Or` with the premise negated.

    >>> import arbora
    >>> from arbora.factors import Imply
    >>> graph = arbora.FactorGraph()
    >>> x = graph.binary([[1.0, 2.0], [0.0, 0.5]])
    >>> graph.add(Imply(x, x.T), Imply(x, x[0, 0]))
    """

    name = "Imply"

    def __init__(self, premise: VariableArray, conclusion: VariableArray) -> None:
        """The shapes must be broadcastable to each other."""
        first, second = binary(premise, self.name), binary(conclusion, self.name)
        try:
            left, right = np.broadcast_arrays(first.numbers, second.numbers)
        except ValueError:
            raise ArboraError(
                f"Imply has a premise of shape {first.shape}, a conclusion of shape {second.shape}"
            ) from None
        graph = graph_of([first, second])
        super().__init__(VariableArray(graph, np.stack([left, right], axis=-1)))

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        negated = self._numbers.copy()
        negated[::2] = ~negated[::2]
        graph.add_or(self.name, negated, self._begins)


class WithOutput(Logic):
    """What logic factors with an output have in common: it is the last of each factor's inputs."""

    def __init__(self, inputs: Inputs, output: VariableArray) -> None:
        """One output for every factor: shape (...) for inputs of shape (..., k), (m,) for m arrays."""
        numbers, begins, arrays = in_a_row(inputs, self.name)
        outputs = binary(output, self.name)
        shape = shape_of(inputs)
        if outputs.shape != shape:
            raise ArboraError(f"{self.name} needs outputs of shape {shape}, not {outputs.shape}")
        graph_of([*arrays, outputs])
        self.inputs = (*arrays, outputs)
        self._numbers = np.insert(numbers, begins[1:], outputs.numbers.ravel())
        self._begins = begins + np.arange(len(begins))


class OrWithOutput(WithOutput):
    """The output is true if and only if an input is. O(n) each.

    >>> import arbora
    >>> from arbora.factors import OrWithOutput
    >>> graph = arbora.FactorGraph()
    >>> x, y = graph.binary([[1.0, 2.0], [0.0, 0.5]]), graph.binary([0.0, 0.0])
    >>> graph.add(OrWithOutput(x, y))
    """

    name = "OrWithOutput"

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_or_with_output(self.name, self._numbers, self._begins)


class XorWithOutput(WithOutput):
    """The output is true and exactly one input is, or all are false: `ExactlyOne` with the output negated.

    >>> import arbora
    >>> from arbora.factors import XorWithOutput
    >>> graph = arbora.FactorGraph()
    >>> x, y = graph.binary([[1.0, 2.0], [0.0, 0.5]]), graph.binary([0.0, 0.0])
    >>> graph.add(XorWithOutput(x, y))
    """

    name = "XorWithOutput"

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_one_of(self.name, self._negated_last(), self._begins, False)


def shape_of(inputs: Inputs) -> tuple[int, ...]:
    """The shape of the factors: that of an array without its last axis, or how many arrays there are."""
    return inputs.shape[:-1] if isinstance(inputs, VariableArray) else (len(inputs),)


def in_a_row(
    inputs: Inputs, name: str, *, least: int = 1
) -> tuple[Numbers, Begins, tuple[VariableArray, ...]]:
    """The inputs of one factor after the other, where each factor begins, and the arrays they come from.

    Each factor must have at least so many.
    """
    if isinstance(inputs, VariableArray):
        shape = binary(inputs, name).shape
        if not shape:
            raise ArboraError(f"{name} needs an array whose last axis runs over a factor's inputs")
        arrays: tuple[VariableArray, ...] = (inputs,)
        lengths = np.full(int(np.prod(shape[:-1], dtype=np.int64)), shape[-1])
    elif isinstance(inputs, Sequence) and not isinstance(inputs, str):
        arrays = tuple(binary(array, name) for array in inputs)
        graph_of(arrays)
        if any(len(array.shape) != 1 for array in arrays):
            raise ArboraError(f"{name} needs one-dimensional arrays where there are several")
        lengths = np.array([array.size for array in arrays], np.int64)
    else:
        raise ArboraError(f"{name} needs variables of a graph, not {type(inputs).__name__}")
    if (lengths < least).any():
        raise ArboraError(f"{name} needs at least one input for each factor")
    nothing = np.empty(0, np.int32)
    numbers = np.concatenate([nothing, *(array.numbers.ravel() for array in arrays)])
    return np.ascontiguousarray(numbers, np.int32), np.cumsum([0, *lengths], dtype=np.int64), arrays
