"""Soft factors on neighbouring modifiers of each head: bigrams and trigrams.

Where a kind takes dense scores, ``s`` is the modifier before ``m`` on the same side, going outwards from the
head ``h``, and ``r`` the one before ``s``; ``r = h`` or ``s = h`` stands for START and ``m = h`` for END, so
``[h, h, h]`` is the score of a side without modifiers. The first axis is the side, 0 for left, 1 for right.
An array without it serves both sides, and what is never looked at (such as a modifier on the other side) may
be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.factors import modifiers as layout
from arbora.factors.base import Factor
from arbora.factors.base import scores as checked
from arbora.factors.variables import Numbers, VariableArray


class OnModifiers(Factor):
    """What factors on modifiers have in common: inputs and scores of all of them in a row."""

    _numbers: Numbers
    _begins: layout.Cells
    _scores: layout.Scores
    _cells: layout.Cells | None
    """Where each part stands in the dense scores, if it comes from there."""


class OnNeighbours(OnModifiers):
    """Those whose parts are neighbouring modifiers, with scores in one array."""

    _shape: tuple[int, ...]

    def dense(self, parts: npt.ArrayLike) -> layout.Scores:
        """Values of the parts, such as probabilities, laid out like the dense scores; zeros elsewhere."""
        size = int(np.prod(self._shape))
        return layout.in_cells(parts, self._cells, size, self.name).reshape(self._shape)


class OnSides(OnNeighbours):
    """Those with a factor for each head and side: a sequence of modifiers."""

    _positions: ClassVar[Callable[[int], tuple[layout.Cells, ...]]]
    """Of the parts of a side with so many modifiers."""

    def __init__(self, arcs: VariableArray, scores: npt.ArrayLike, candidates: Any = None) -> None:
        """Arcs ``[h, m]`` of shape (n + 1, n + 1); scores by side, head and the words of the part.

        Where ``candidates[h, m]`` is false, m is no modifier of h: the arc is not seen at all.
        """
        heads = layout.square(arcs, self.name).shape[0]
        order = len(type(self)._positions(0))
        shape = (2, heads, *[heads] * order)
        values = checked(scores, shape, self.name)
        rows, cells = [], []
        for one in layout.sides_of(heads, candidates):
            rows.append(arcs.numbers[one.head, one.modifiers])
            within = layout.cells_of(one, type(self)._positions(len(one.modifiers)), heads)
            cells.append((one.side * heads + one.head) * heads**order + within)
        self.inputs = (arcs,)
        self._shape = shape
        self._numbers, self._begins = layout.joined(rows)
        self._scores, self._cells = layout.gathered(values, cells)

    @classmethod
    def part_count(cls, modifiers: int) -> int:
        """How many parts a side with so many modifiers has.

        >>> from arbora.factors import ChildTrigrams
        >>> ChildTrigrams.part_count(2)
        4
        """
        return len(cls._positions(modifiers)[0])

    @classmethod
    def of(cls, modifiers: Sequence[VariableArray], scores: Sequence[npt.ArrayLike]) -> Self:
        """A factor for each list of modifiers, from the head outwards, with scores of its parts in order.

        >>> import arbora
        >>> from arbora.factors import ChildSequences, ChildTrigrams
        >>> graph = arbora.FactorGraph()
        >>> x = graph.binary([0.0, 0.0])
        >>> start_first, start_second, first_second, start_end, first_end, second_end = 0, 0, 2.0, -1.0, 0, 0
        >>> order = [start_first, start_second, first_second, start_end, first_end, second_end]
        >>> graph.add(ChildSequences.of([x], [order]))
        >>> both_from_start, only_first, only_second, both_to_end = 0.5, 0, -1.0, 0
        >>> graph.add(ChildTrigrams.of([x], [[both_from_start, only_first, only_second, both_to_end]]))
        """
        self = cls.__new__(cls)
        self.inputs = layout.lists(modifiers, cls.name)
        self._numbers, self._begins = layout.joined([array.numbers for array in self.inputs])
        same_length(cls.name, modifiers, scores)
        values = [
            checked(one, (cls.part_count(array.size),), cls.name)
            for one, array in zip(scores, self.inputs, strict=True)
        ]
        self._shape, self._cells = (), None
        self._scores = np.concatenate([*values, np.empty(0)])
        return self


class ChildSequences(OnSides):
    """Scores of neighbouring modifiers: CHILDSEQ of Smith & Eisner (2008), or bigram head automata.

    A factor for each head and side, with scores ``[side, h, s, m]``; any set of modifiers is allowed. O(n^2)
    each. Parts are the bigrams, in the order of `bigrams`, of all sides: right of the root, left of 1, right
    of 1, ...

    >>> import numpy as np, arbora
    >>> from arbora.factors import ChildSequences
    >>> graph = arbora.FactorGraph()
    >>> arcs = graph.binary(np.zeros((4, 4)))
    >>> scores = np.zeros((2, 4, 4, 4))
    >>> scores[1, 1, 2, 3] = 1.5  # right of word 1, modifier 3 comes after 2
    >>> graph.add(ChildSequences(arcs, scores))
    """

    name = "ChildSequences"
    _positions = staticmethod(layout.bigrams)

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_child_sequences(self._numbers, self._begins, self._scores)


class ChildTrigrams(OnSides):
    """Scores of three neighbouring modifiers, START and END included: tri-siblings (Koo & Collins 2010).

    A factor for each head and side, with scores ``[side, h, r, s, m]``; any set of modifiers is allowed.
    O(n^3) each. There is a part for each modifier ``s`` that is taken, with the one before it and the one
    after it; a side without modifiers has none. They come in the order of `trigrams`, of all sides: right of
    the root, left of 1, right of 1, ...

    >>> import numpy as np, arbora
    >>> from arbora.factors import ChildTrigrams
    >>> graph = arbora.FactorGraph()
    >>> arcs = graph.binary(np.zeros((5, 5)))
    >>> scores = np.zeros((2, 5, 5, 5, 5))
    >>> scores[1, 1, 2, 3, 4] = 1.5  # right of word 1, its modifiers 2, 3 and 4 follow each other
    >>> scores[1, 2, 2, 3, 2] = -0.5  # 3 is the only modifier on the right of word 2
    >>> graph.add(ChildTrigrams(arcs, scores))
    """

    name = "ChildTrigrams"
    _positions = staticmethod(layout.trigrams)

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_child_trigrams(self._numbers, self._begins, self._scores)


def same_length(name: str, *arguments: Sequence[Any]) -> None:
    """Raises ArboraError unless there is one of each argument for every factor."""
    if len({len(one) for one in arguments}) > 1:
        raise ArboraError(f"{name} needs as many of one as of the other: one for each factor")
