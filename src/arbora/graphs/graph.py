"""The factor graph: variables with scores, evidence, and factors on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.factors import Factor, VariableArray


class FactorGraph:
    """A model: variables with scores of their own, and factors that score or forbid what they do together.

    >>> import arbora
    >>> graph = arbora.FactorGraph()
    >>> x = graph.binary([1.0, 2.0, -0.5])
    >>> tags = graph.categorical([[0.0, 1.0], [0.5, 0.0]])
    >>> graph.clamp(x[0], True)
    """

    def __init__(self) -> None:
        """A graph without variables."""
        self._core = _core.FactorGraph()
        self._factors: list[Factor] = []

    def binary(self, scores: npt.ArrayLike) -> VariableArray:
        """Binary variables; a score counts where its variable is true, and -inf forbids that."""
        array = _checked(scores, "binary variables")
        first = self._core.add_binary(array.ravel())
        return self._array(first, array.shape, 0)

    def categorical(self, scores: npt.ArrayLike) -> VariableArray:
        """Categorical variables; the last axis of the scores runs over their values."""
        array = _checked(scores, "categorical variables")
        if array.ndim == 0 or array.shape[-1] == 0:
            raise ArboraError(
                "categorical variables need scores whose last axis runs over at least one value"
            )
        values = array.shape[-1]
        first = self._core.add_categories(array.reshape(-1, values))
        return self._array(first, array.shape[:-1], values)

    def _array(self, first: int, shape: tuple[int, ...], values: int) -> VariableArray:
        count = int(np.prod(shape, dtype=np.int64))
        numbers = np.arange(first, first + count, dtype=np.int32).reshape(shape)
        return VariableArray(self, numbers, values)

    def add(self, *factors: Factor) -> None:
        """Add factors; each argument is a group of one kind."""
        for factor in factors:
            if not isinstance(factor, Factor):
                raise ArboraError(f"this is no factor but {type(factor).__name__}; see arbora.factors")
            if any(array.graph is not self for array in factor.inputs):
                raise ArboraError(f"{factor.name}: the variables belong to another graph")
        for factor in factors:
            try:
                factor.add_to(self._core)
            except ValueError as error:
                raise ArboraError(f"{factor.name}: {error}") from None
            self._factors.append(factor)

    def clamp(self, variables: VariableArray, value: Any = True) -> None:
        """Make it known what some variables are: true or false, or the number of a category's value.

        A negated variable gets the opposite. `release` forgets it.
        """
        self._own(variables)
        wanted = np.broadcast_to(np.asarray(value), variables.shape)
        for number, one in zip(variables.numbers.ravel().tolist(), wanted.ravel().tolist(), strict=True):
            known = int(one) if variables.values else int(bool(one) != (number < 0))
            try:
                self._core.clamp(number if number >= 0 else ~number, known)
            except ValueError as error:
                raise ArboraError(str(error)) from None

    def release(self, variables: VariableArray) -> None:
        """Forget what is known of some variables."""
        self._own(variables)
        for number in variables.numbers.ravel().tolist():
            self._core.release(number if number >= 0 else ~number)

    def _own(self, variables: VariableArray) -> None:
        if variables.graph is not self:
            raise ArboraError("the variables belong to another graph")


def _checked(scores: npt.ArrayLike, what: str) -> npt.NDArray[np.float64]:
    try:
        array = np.ascontiguousarray(np.asarray(scores, np.float64))
    except (TypeError, ValueError):
        raise ArboraError(f"the scores of {what} must be an array of numbers") from None
    if np.isnan(array).any() or (array == np.inf).any():
        raise ArboraError(f"the scores of {what} have nan or +inf; clamp makes a variable certain")
    return array
