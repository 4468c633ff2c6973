"""What all declarations of factors have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.factors.variables import Numbers, VariableArray


class Factor(ABC):
    """A group of factors of one kind, declared over arrays of variables and added to a graph in one go.

    A kind is a subclass with a `name`. It keeps the arrays that it was made of in ``inputs``, so that the
    graph can check that they are its own, and calls one function of the core in `add_to`.
    """

    name: ClassVar[str]
    """What the kind is called in tables and messages."""

    inputs: tuple[VariableArray, ...]
    """All variables that the factors see."""

    @abstractmethod
    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""


def binary(variables: VariableArray, name: str) -> VariableArray:
    """The same array, if its variables are binary."""
    if not isinstance(variables, VariableArray):
        raise ArboraError(f"{name} needs variables of a graph, not {type(variables).__name__}")
    if variables.values:
        raise ArboraError(f"{name} needs binary variables, these have {variables.values} values")
    return variables


def categorical(variables: VariableArray, name: str) -> VariableArray:
    """The same array, if its variables are categories."""
    if not isinstance(variables, VariableArray):
        raise ArboraError(f"{name} needs variables of a graph, not {type(variables).__name__}")
    if not variables.values:
        raise ArboraError(f"{name} needs categorical variables, these are binary")
    return variables


def numbers(variables: VariableArray) -> Numbers:
    """The variables' numbers in a row, as the core takes them."""
    return np.ascontiguousarray(variables.numbers.ravel(), np.int32)


def scores(values: Any, shape: tuple[int, ...], name: str) -> npt.NDArray[np.float64]:
    """An array of scores of this shape (one number serves for all), without nan and +inf."""
    try:
        array = np.asarray(values, np.float64)
        array = np.ascontiguousarray(np.broadcast_to(array, shape))
    except (TypeError, ValueError):
        raise ArboraError(f"{name} needs scores of shape {shape}") from None
    if np.isnan(array).any() or (array == np.inf).any():
        raise ArboraError(f"{name}: a score is nan or +inf")
    return array


def as_array(values: Any) -> npt.NDArray[Any]:
    """An array of any kind; rows of several lengths are one thing that is no number."""
    try:
        return np.asarray(values)
    except ValueError:
        return np.asarray(None)


def graph_of(arrays: Iterable[VariableArray]) -> object:
    """The graph that all these variables belong to."""
    graphs = {id(array.graph): array.graph for array in arrays}
    if len(graphs) > 1:
        raise ArboraError("the variables belong to different graphs")
    return next(iter(graphs.values()), None)
