"""Arrays of variables, indexed like numpy arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.errors import ArboraError

Numbers: TypeAlias = npt.NDArray[np.int32]


class VariableArray:
    """Variables of a graph in an array of any shape; indexing, ``T`` and ``reshape`` give views.

    ``numbers`` holds each variable's number in its graph; ``~number`` stands for its negation. ``values`` is
    0 for binary variables, and how many values each has for categories. ``graph`` tells whose they are: it
    is the graph's ``identity``. Graphs make these arrays.

    >>> import arbora
    >>> graph = arbora.FactorGraph()
    >>> x = graph.binary([[0.5, -1.0], [2.0, 0.0]])
    >>> x.shape, x[:, 1], ~x[0, 0]
    ((2, 2), <2 binary variables>, <1 binary variable, negated>)
    """

    __slots__ = ("graph", "numbers", "values")

    def __init__(self, graph: object, numbers: Numbers, values: int = 0) -> None:
        """An array over a graph's variables; `FactorGraph.binary` and ``categorical`` are the usual ways."""
        self.graph = graph
        self.numbers = numbers
        self.values = values

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape; categories count as one entry each."""
        return self.numbers.shape

    @property
    def size(self) -> int:
        """How many variables it has."""
        return self.numbers.size

    @property
    def T(self) -> VariableArray:  # noqa: N802  # numpy's name for it
        """Rows and columns exchanged."""
        return VariableArray(self.graph, self.numbers.T, self.values)

    def reshape(self, *shape: int) -> VariableArray:
        """The same variables in another shape."""
        return VariableArray(self.graph, self.numbers.reshape(*shape), self.values)

    def ravel(self) -> VariableArray:
        """The same variables in a row."""
        return VariableArray(self.graph, self.numbers.ravel(), self.values)

    def __getitem__(self, index: Any) -> VariableArray:
        """Whatever numpy would select."""
        return VariableArray(self.graph, np.asarray(self.numbers[index], np.int32), self.values)

    def __invert__(self) -> VariableArray:
        """The negations of binary variables."""
        if self.values:
            raise ArboraError("only binary variables can be negated")
        return VariableArray(self.graph, ~self.numbers, 0)

    def __len__(self) -> int:
        """The extent of its first axis."""
        return len(self.numbers)

    def __iter__(self) -> Iterator[VariableArray]:
        """Along its first axis."""
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        """How many variables of which kind."""
        kind = f"categorical variable of {self.values} values" if self.values else "binary variable"
        many = "" if self.size == 1 else "s"
        negated = self.size > 0 and not self.values and bool((self.numbers < 0).all())
        text = kind.replace("variable", "variable" + many)
        return f"<{self.size} {text}{', negated' if negated else ''}>"


def join(*arrays: VariableArray) -> VariableArray:
    """All variables of several arrays in a row; they must be of one graph and one kind."""
    if not arrays:
        raise ArboraError("there must be at least one array of variables")
    for array in arrays:
        if not isinstance(array, VariableArray):
            raise ArboraError(f"variables of a graph are wanted here, not {type(array).__name__}")
    first = arrays[0]
    if any(array.graph is not first.graph for array in arrays):
        raise ArboraError("the variables belong to different graphs")
    if any(array.values != first.values for array in arrays):
        raise ArboraError("the variables are of different kinds")
    return VariableArray(first.graph, np.concatenate([a.numbers.ravel() for a in arrays]), first.values)
