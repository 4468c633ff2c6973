"""The factor graph: variables with scores, evidence, and factors on them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError, WrongTypeError, shown
from arbora.factors import Factor, VariableArray
from arbora.graphs import picture
from arbora.inference import Solution, find_solver


class FactorGraph:
    """A model: variables with scores of their own, and factors that score or forbid what they do together.

    >>> import arbora
    >>> graph = arbora.FactorGraph()
    >>> x = graph.binary([1.0, 2.0, -0.5], name="x")
    >>> tags = graph.categorical([[0.0, 1.0], [0.5, 0.0]], name="tags")
    >>> graph.add(arbora.factors.AtMostOne(x))
    >>> graph.clamp(x[0], False)
    >>> print(graph)
    variables
      x      3 binary, 1 known
      tags   2 of 2 values
    factors
      AtMostOne   1 on 3 variables
    """

    def __init__(self) -> None:
        """A graph without variables."""
        self._core = _core.FactorGraph()
        # Variables know their graph by this, not by a reference: a factor written in Python, which the native
        # graph holds, would close a circle that nobody can free.
        self.identity = object()
        self._factors: list[Factor] = []
        self._names: dict[str, VariableArray] = {}

    def binary(self, scores: npt.ArrayLike, name: str | None = None) -> VariableArray:
        """Binary variables; a score counts where its variable is true, and -inf forbids that."""
        array = _checked(scores, "binary variables")
        first = self._core.add_binary(array.ravel())
        return self._array(first, array.shape, 0, name)

    def categorical(self, scores: npt.ArrayLike, name: str | None = None) -> VariableArray:
        """Categorical variables; the last axis of the scores runs over their values."""
        array = _checked(scores, "categorical variables")
        if array.ndim == 0 or array.shape[-1] == 0:
            raise ArboraError(
                "categorical variables need scores whose last axis runs over at least one value"
            )
        values = array.shape[-1]
        first = self._core.add_categories(array.reshape(-1, values))
        return self._array(first, array.shape[:-1], values, name)

    def _array(self, first: int, shape: tuple[int, ...], values: int, name: str | None) -> VariableArray:
        if name is None:
            name = f"v{len(self._names) + 1}"
        elif not isinstance(name, str):
            raise WrongTypeError(f"the name of variables is a text, not {shown(name)}")
        elif name in self._names:
            raise ArboraError(f"there are variables with the name {name!r} already")
        count = int(np.prod(shape, dtype=np.int64))
        numbers = np.arange(first, first + count, dtype=np.int32).reshape(shape)
        self._names[name] = VariableArray(self.identity, numbers, values)
        return self._names[name]

    @property
    def variables(self) -> dict[str, VariableArray]:
        """All arrays of variables by name, in the order of adding."""
        return dict(self._names)

    def add(self, *factors: Factor) -> None:
        """Add factors; each argument is a group of one kind."""
        for factor in factors:
            if not isinstance(factor, Factor):
                raise ArboraError(f"this is no factor but {type(factor).__name__}; see arbora.factors")
            if any(array.graph is not self.identity for array in factor.inputs):
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
        for number, known in self._evidence(variables, value):
            _clamp(self._core, number, known)

    def release(self, variables: VariableArray) -> None:
        """Forget what is known of some variables."""
        self._own(variables)
        for number in variables.numbers.ravel().tolist():
            self._core.release(number if number >= 0 else ~number)

    def solve(
        self, solver: str, *, given: Iterable[tuple[VariableArray, Any]] = (), **options: Any
    ) -> Solution:
        """Run a solver by its name; `arbora.inference.SOLVERS` has them all, with their options.

        ``given`` has variables and their values, known for this time only: `clamp` makes it last.

        >>> import arbora
        >>> graph = arbora.FactorGraph()
        >>> x = graph.binary([1.0, 0.0, 0.0])
        >>> graph.add(arbora.factors.ExactlyOne(x))
        >>> graph.solve("bp", given=[(x[0], False)])[x].round(6)
        array([0. , 0.5, 0.5])
        """
        core = self._core
        for variables, value in _pairs(given):
            if core is self._core:
                core = core.copy()
            for number, known in self._evidence(variables, value):
                if core.evidence(number) not in (-1, known):
                    before = core.evidence(number)
                    raise ArboraError(
                        f"{self._label(number)} is known to be {before}: it cannot be given as {known}"
                    )
                _clamp(core, number, known)
        return find_solver(solver).solve(core, self.identity, **options)

    def draw(self) -> str:
        """A small graph as SVG: circles are variables (grey: known), squares factors, dashes negations."""
        nodes = []
        for number in range(self._core.variables):
            known = self._core.evidence(number)
            nodes.append(picture.VariableNode(self._label(number), None if known < 0 else str(known)))
        return picture.draw(nodes, self._factor_nodes())

    def _factor_nodes(self) -> list[picture.FactorNode]:
        nodes = []
        for group in range(self._core.groups):
            kind = self._core.group(group)[0]
            _, negated, begins, _ = self._core.ports(group)
            owners = self._owners(group)
            for begin, end in pairwise(begins.tolist()):
                seen = dict(zip(owners[begin:end].tolist(), negated[begin:end].tolist(), strict=True))
                nodes.append(picture.FactorNode(kind, group, tuple(seen), tuple(map(bool, seen.values()))))
        return nodes

    def _owners(self, group: int) -> npt.NDArray[np.int64]:
        """The variable behind each port of a group."""
        first, slots = self._core.layout()[0], self._core.ports(group)[0]
        return np.asarray(np.searchsorted(first, slots, side="right") - 1, np.int64)

    def __str__(self) -> str:
        """The arrays of variables and the groups of factors, one a line."""
        lines = ["variables"]
        wide = max(map(len, self._names), default=0) + 2
        for name, array in self._names.items():
            known = sum(self._core.evidence(number) >= 0 for number in array.numbers.ravel().tolist())
            kind = f"of {array.values} values" if array.values else "binary"
            lines.append(f"  {name:<{wide}} {array.size} {kind}" + (f", {known} known" if known else ""))
        lines.append("factors")
        groups = [self._core.group(group) for group in range(self._core.groups)]
        wide = max((len(group[0]) for group in groups), default=0) + 2
        for index, (kind, count, _, parts) in enumerate(groups):
            inputs = len(np.unique(self._owners(index)))
            text = f"  {kind:<{wide}} {count} on {inputs} variable{'' if inputs == 1 else 's'}"
            lines.append(text + (f", {parts} part{'' if parts == 1 else 's'}" if parts else ""))
        return "\n".join(lines)

    def __repr__(self) -> str:
        """How many variables and factors there are."""
        factors = sum(self._core.group(group)[1] for group in range(self._core.groups))
        return f"<FactorGraph: {self._core.variables} variables, {factors} factors>"

    def _evidence(self, variables: VariableArray, value: Any) -> list[tuple[int, int]]:
        """The numbers of some variables, and what they are if they have this value."""
        self._own(variables)
        try:
            array = np.asarray(value)
        except (TypeError, ValueError):  # rows of several lengths
            array = np.asarray("?")
        if array.dtype.kind not in "biuf" or (array.dtype.kind == "f" and (array % 1 != 0).any()):
            raise ArboraError("values of variables are true or false, or whole numbers of categories")
        try:
            wanted = np.broadcast_to(array, variables.shape).ravel().tolist()
        except ValueError:
            raise ArboraError(
                f"values of shape {array.shape} do not fit variables of shape {variables.shape}"
            ) from None
        return [
            (
                number if number >= 0 else ~number,
                int(one) if variables.values else int(bool(one) != (number < 0)),
            )
            for number, one in zip(variables.numbers.ravel().tolist(), wanted, strict=True)
        ]

    def _label(self, number: int) -> str:
        """A variable by the name of its array and its place there."""
        name, array = next((n, a) for n, a in self._names.items() if a.size and number <= a.numbers.max())
        index = np.argwhere(array.numbers == number)[0].tolist()
        return name + (f"[{','.join(map(str, index))}]" if index else "")

    def _own(self, variables: VariableArray) -> None:
        if not isinstance(variables, VariableArray):
            raise ArboraError(f"variables of this graph are wanted here, not {type(variables).__name__}")
        if variables.graph is not self.identity:
            raise ArboraError("the variables belong to another graph")


def _pairs(given: Any) -> list[tuple[VariableArray, Any]]:
    try:
        return [(variables, value) for variables, value in given]
    except (TypeError, ValueError):
        raise ArboraError("what is given are pairs of variables and their values") from None


def _clamp(core: _core.FactorGraph, number: int, known: int) -> None:
    try:
        core.clamp(number, known)
    except ValueError as error:
        raise ArboraError(str(error)) from None


def _checked(scores: npt.ArrayLike, what: str) -> npt.NDArray[np.float64]:
    try:
        array = np.require(scores, np.float64, "C")
    except (TypeError, ValueError):
        raise ArboraError(f"the scores of {what} must be an array of numbers") from None
    if np.isnan(array).any() or (array == np.inf).any():
        raise ArboraError(f"the scores of {what} have nan or +inf; clamp makes a variable certain")
    return array
