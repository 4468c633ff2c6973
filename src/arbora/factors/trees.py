"""Trees: one hard factor over all arcs of a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.factors.base import Factor, binary
from arbora.factors.variables import Numbers, VariableArray

Adder: TypeAlias = Callable[[Numbers, int, Numbers, Numbers, bool], None]


class AnyTree(Factor):
    """What trees of all kinds have in common: the arcs that they choose from.

    ``arcs`` is an array of shape (n+1, n+1), a row for each head (0 is the root), a column for each modifier;
    or a row of arcs with their ``heads`` and ``modifiers``: those not listed are impossible, and words are
    numbered from 1 to the highest number that occurs. The diagonal and column 0 of a full array are no arcs:
    the factor does not see them, and adding it clamps them to false.
    """

    def __init__(
        self,
        arcs: VariableArray,
        *,
        heads: npt.ArrayLike | None = None,
        modifiers: npt.ArrayLike | None = None,
        single_root: bool = True,
    ) -> None:
        """A tree over these arcs; with ``single_root`` the root has exactly one child."""
        binary(arcs, self.name)
        if (heads is None) != (modifiers is None):
            raise ArboraError(f"{self.name} needs both the heads and the modifiers of its arcs, or neither")
        if heads is None:
            if len(arcs.shape) != 2 or arcs.shape[0] != arcs.shape[1] or arcs.shape[0] < 2:
                raise ArboraError(
                    f"{self.name} needs arcs of shape (n+1, n+1) with n at least 1, not {arcs.shape}; "
                    "a list of arcs needs heads and modifiers"
                )
            are_arcs = arc_mask(len(arcs))
            places = np.nonzero(are_arcs)
            self._heads, self._modifiers = (place.astype(np.int32) for place in places)
            self._none = arcs.numbers[~are_arcs]
        else:
            if len(arcs.shape) != 1 or arcs.size == 0:
                raise ArboraError(f"{self.name} needs a row of arcs for its heads, not {arcs.shape}")
            self._heads = _words(heads, arcs.size, f"{self.name}: the heads")
            self._modifiers = _words(modifiers, arcs.size, f"{self.name}: the modifiers")
            places = (np.arange(arcs.size),)
            self._none = arcs.numbers[:0]
        self.inputs = (arcs,)
        self.single_root = bool(single_root)
        self.words = int(max(self._heads.max(), self._modifiers.max()))
        """How many words there are."""
        self._arcs: Numbers = np.ascontiguousarray(arcs.numbers[places], np.int32)

    def candidates(self) -> tuple[VariableArray, Numbers, Numbers]:
        """All arcs that a tree could have in a row, their heads and their modifiers."""
        return VariableArray(self.inputs[0].graph, self._arcs), self._heads, self._modifiers

    def _add_by(self, graph: _core.FactorGraph, add: Adder) -> None:
        """Add the factor, and make what is no arc false."""
        evidence = [(number if number >= 0 else ~number, int(number < 0)) for number in self._none.tolist()]
        if any(graph.evidence(variable) == 1 - value for variable, value in evidence):
            raise ArboraError(
                f"{self.name}: the diagonal and column 0 are no arcs, but one is clamped to true"
            )
        add(self._arcs, self.words, self._heads, self._modifiers, self.single_root)
        for variable, value in evidence:
            graph.clamp(variable, value)


class Tree(AnyTree):
    """The true arcs form a spanning tree from the root. O(n^3), by the matrix-tree theorem.

    >>> import numpy as np
    >>> import arbora
    >>> from arbora.factors import Tree
    >>> graph = arbora.FactorGraph()
    >>> arcs = graph.binary(np.zeros((4, 4)))
    >>> graph.add(Tree(arcs))

    Over some arcs only:

    >>> few = graph.binary([1.0, 0.5, 2.0])
    >>> graph.add(Tree(few, heads=[0, 0, 1], modifiers=[1, 2, 2]))
    """

    name = "Tree"

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factor to the native graph."""
        self._add_by(graph, graph.add_tree)


class ProjectiveTree(AnyTree):
    """The true arcs form a tree without crossing arcs, the root before the first word. O(n^3), by a chart.

    >>> import numpy as np
    >>> import arbora
    >>> from arbora.factors import ProjectiveTree
    >>> graph = arbora.FactorGraph()
    >>> graph.add(ProjectiveTree(graph.binary(np.zeros((4, 4))), single_root=False))
    """

    name = "ProjectiveTree"

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factor to the native graph."""
        self._add_by(graph, graph.add_projective_tree)


def arc_mask(width: int) -> npt.NDArray[np.bool_]:
    """Which cells of a table of heads and modifiers are arcs: not the diagonal, and not column 0."""
    mask = ~np.eye(width, dtype=bool)
    mask[:, 0] = False
    return mask


def _words(numbers: Any, count: int, what: str) -> Numbers:
    array = np.asarray(numbers)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise ArboraError(f"{what} must be {count} integers, one for each arc")
    if (array < 0).any() or (array > np.iinfo(np.int32).max // 2).any():
        raise ArboraError(f"{what} must be numbers of words, or 0 for the root")
    return np.ascontiguousarray(array, np.int32)
