"""Your own factor, written in Python: slow, but with all five oracles, so that every solver runs on it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from itertools import accumulate, product
from math import inf

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.factors.base import Factor, numbers
from arbora.factors.variables import VariableArray

Floats = npt.NDArray[np.float64]
MOST_CONFIGURATIONS = 1 << 16


class CustomFactor(Factor):
    """A factor over the variables that you give, by the `score` that you write.

    The oracles `sum`, `max` and `best` have an implementation here that goes through all values of all
    variables; write your own where that is too slow. What they are given is one number for each port (a
    binary variable has one, a category one for each value): what the rest of the graph says about it, as
    log-odds or log-scores; -inf is never, +inf (of a binary variable) always.

    >>> import arbora
    >>> class Even(arbora.factors.CustomFactor):
    ...     "An even number of variables is true."
    ...     def score(self, values):
    ...         return 0.0 if sum(values) % 2 == 0 else -float("inf")
    >>> graph = arbora.FactorGraph()
    >>> x = graph.binary([1.0, 0.5, -2.0])
    >>> graph.add(Even(x))
    >>> graph.solve("enumerate").assignment_of(x)
    array([ True,  True, False])
    """

    name = "CustomFactor"

    def __init__(self, *variables: VariableArray) -> None:
        """One factor over all these variables, in this order."""
        if not variables or not all(isinstance(array, VariableArray) for array in variables):
            raise ArboraError(f"{self.name} needs variables of a graph")
        self.inputs = variables
        self._values = [array.values for array in variables for _ in range(array.size)]

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls.name = cls.__name__

    @abstractmethod
    def score(self, values: tuple[int, ...]) -> float:
        """The score of values for all variables: 0 or 1 of binary ones, a number from 0 of categories."""

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add it to the native graph."""
        graph.add_custom(np.concatenate([numbers(array) for array in self.inputs]), self)

    def sum(self, given: Floats) -> tuple[float, list[float], float]:
        """Log-partition, the belief of every port, and the expected score."""
        totals = self._totals(given)
        value, beliefs = self._oracle(totals, _log_sum)
        possible = np.isfinite(totals)
        probabilities = np.exp(totals[possible] - value)
        return value, beliefs, float(probabilities @ self._scores[possible])

    def max(self, given: Floats) -> tuple[float, list[float]]:
        """The best score, and the max-marginal of every port."""
        return self._oracle(self._totals(given), lambda totals: float(totals.max(initial=-inf)))

    def best(self, given: Floats) -> tuple[float, list[int]]:
        """The best score, and the ports that are true in it."""
        totals = self._totals(given)
        place = int(totals.argmax())
        return float(totals[place]), np.flatnonzero(self._active[place]).tolist()

    def configurations(self) -> list[tuple[list[int], float]]:
        """All values that are allowed: the ports that are true, and the score."""
        return [
            (np.flatnonzero(active).tolist(), float(score))
            for active, score in zip(self._active, self._scores, strict=True)
            if score > -inf
        ]

    def configuration_score(self, active: list[int]) -> float:
        """The score of the values in which these ports are true."""
        ports = set(active)
        values = []
        for first, count in zip(self._firsts, self._values, strict=True):
            if count:
                chosen = [port - first for port in range(first, first + count) if port in ports]
                if len(chosen) != 1:
                    return -inf
                values.append(chosen[0])
            else:
                values.append(int(first in ports))
        return float(self.score(tuple(values)))

    def scaled(self, multiplier: float) -> CustomFactor:
        """The same factor with all scores multiplied, which annealing needs."""
        if any(
            getattr(type(self), name) is not getattr(CustomFactor, name) for name in ("sum", "max", "best")
        ):
            raise ArboraError(f"{self.name} has oracles of its own: write its scaled, too")
        return _Scaled(self, multiplier)

    @property
    def _firsts(self) -> list[int]:
        return list(accumulate((count or 1 for count in self._values), initial=0))[:-1]

    @cached_property
    def _table(self) -> list[tuple[int, ...]]:
        count = int(np.prod([float(values or 2) for values in self._values]))
        if count > MOST_CONFIGURATIONS:
            raise ArboraError(
                f"{self.name} has {count:,} configurations, too many to go through: "
                "write its own sum, max and best, and for lp and ilp its own configurations"
            )
        return list(product(*(range(values or 2) for values in self._values)))

    @cached_property
    def _scores(self) -> Floats:
        scores = np.array([self.score(values) for values in self._table], np.float64)
        if np.isnan(scores).any() or (scores == inf).any():
            raise ArboraError(f"{self.name}: a score is nan or +inf")
        return scores

    @cached_property
    def _active(self) -> npt.NDArray[np.bool_]:
        active = np.zeros((len(self._table), sum(count or 1 for count in self._values)), bool)
        for row, values in enumerate(self._table):
            for first, count, value in zip(self._firsts, self._values, values, strict=True):
                active[row, first + (value if count else 0)] = bool(count) or bool(value)
        return active

    def _totals(self, given: Floats) -> Floats:
        always = given == inf
        fits = self._active[:, always].all(axis=1)
        outside = np.where(self._active & ~always, given, 0.0).sum(axis=1)
        return np.where(fits, self._scores + outside, -inf)

    def _oracle(self, totals: Floats, combine: Callable[[Floats], float]) -> tuple[float, list[float]]:
        value = combine(totals)
        beliefs = [0.0] * self._active.shape[1]
        if value == -inf:
            return value, beliefs
        for first, count in zip(self._firsts, self._values, strict=True):
            for port in range(first, first + (count or 1)):
                true = self._active[:, port]
                beliefs[port] = combine(totals[true]) - (value if count else combine(totals[~true]))
        return value, beliefs


class _Scaled(CustomFactor):
    def __init__(self, factor: CustomFactor, multiplier: float) -> None:
        super().__init__(*factor.inputs)
        self.name = factor.name  # type: ignore[misc]  # each instance has its own
        self._factor, self._multiplier = factor, multiplier

    def score(self, values: tuple[int, ...]) -> float:
        return self._multiplier * self._factor.score(values)


def _log_sum(totals: Floats) -> float:
    highest = float(totals.max(initial=-inf))
    return highest if highest == -inf else highest + float(np.log(np.exp(totals - highest).sum()))
