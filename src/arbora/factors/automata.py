"""Soft factors on all modifiers of each head: neighbours together with the grandparent, and automata.

How dense scores are laid out is said in `arbora.factors.sequences`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.factors import modifiers as layout
from arbora.factors.base import scores as checked
from arbora.factors.sequences import OnModifiers, OnNeighbours, same_length
from arbora.factors.variables import VariableArray


class GrandSiblings(OnNeighbours):
    """Scores of neighbouring modifiers that see the head's own head too (Koo et al. 2010, section 5).

    A factor for each head ``h``. Exactly one arc ``g -> h`` must be true, except that the root has none.
    O(n^3) each. Parts are, for each head and each ``g``, the bigrams on the left and those on the right.

    >>> import numpy as np, arbora
    >>> from arbora.factors import GrandSiblings
    >>> graph = arbora.FactorGraph()
    >>> arcs = graph.binary(np.zeros((4, 4)))
    >>> scores = np.zeros((2, 4, 4, 4, 4))
    >>> scores[1, 0, 1, 2, 3] = 1.5  # 1 under the root, right of it modifier 3 comes after 2
    >>> graph.add(GrandSiblings(arcs, scores))
    """

    name = "GrandSiblings"

    def __init__(self, arcs: VariableArray, scores: npt.ArrayLike, candidates: Any = None) -> None:
        """Arcs ``[h, m]`` of shape (n + 1, n + 1); scores ``[side, g, h, s, m]``, with g = 0 for the root.

        Where ``candidates[h, m]`` is false, the arc is not seen at all, neither below h nor above m.
        """
        heads = layout.square(arcs, self.name).shape[0]
        shape = (2, heads, heads, heads, heads)
        values = checked(scores, shape, self.name)
        sides = {(one.head, one.side): one for one in layout.sides_of(heads, candidates)}
        allowed = np.ones((heads, heads), bool) if candidates is None else np.asarray(candidates, bool)
        rows, cells, grandparents, left_counts = [], [], [], []
        for head in range(heads):
            above = [g for g in range(heads) if head and g != head and allowed[g, head]]
            if head and not above:
                raise ArboraError(f"GrandSiblings: word {head} has no candidate for its head")
            left = sides.get((head, 0), layout.Side(head, 0, np.empty(0, np.int64)))
            right = sides[head, 1]
            table = [
                side.side * heads**4 + layout.cells_of(side, layout.bigrams(len(side.modifiers)), heads)
                for side in (left, right)
            ]
            offsets = (np.array(above or [0]) * heads + head) * heads**2
            cells.append((offsets[:, None] + np.concatenate(table)).ravel())
            rows.append(
                np.concatenate(
                    [
                        arcs.numbers[above, head],
                        arcs.numbers[head, left.modifiers],
                        arcs.numbers[head, right.modifiers],
                    ]
                )
            )
            grandparents.append(len(above))
            left_counts.append(len(left.modifiers))
        self.inputs = (arcs,)
        self._shape = shape
        self._grandparents, self._left = np.array(grandparents, np.int32), np.array(left_counts, np.int32)
        self._numbers, self._begins = layout.joined(rows)
        self._scores, self._cells = layout.gathered(values, cells)

    @classmethod
    def of(
        cls,
        grandparents: Sequence[VariableArray],
        left: Sequence[VariableArray],
        right: Sequence[VariableArray],
        scores: Sequence[npt.ArrayLike],
    ) -> GrandSiblings:
        """A factor for each head, of lists of arcs: to itself, to modifiers on the left, and on the right.

        Modifiers go outwards. Scores have a row for each grandparent, or one if there are none (as for the
        root): the bigrams on the left, then those on the right, in the order of `bigrams`.

        >>> import arbora
        >>> from arbora.factors import GrandSiblings
        >>> graph = arbora.FactorGraph()
        >>> x = graph.binary([0.0, 0.0, 0.0])
        >>> graph.add(GrandSiblings.of([x[:2]], [x[:0]], [x[2:]], [[[0, 1.0, 0, 0], [0, 0, -1.0, 0]]]))
        """
        self = cls.__new__(cls)
        arrays = [layout.lists(one, cls.name) for one in (grandparents, left, right)]
        same_length(cls.name, *arrays, scores)
        self.inputs = layout.lists([array for one in arrays for array in one], cls.name)
        rows = [np.concatenate([array.numbers for array in one]) for one in zip(*arrays, strict=True)]
        self._numbers, self._begins = layout.joined(rows)
        self._grandparents = np.array([array.size for array in arrays[0]], np.int32)
        self._left = np.array([array.size for array in arrays[1]], np.int32)
        values = []
        for one, above, on_left, on_right in zip(scores, *arrays, strict=True):
            counts = [(array.size + 1) * (array.size + 2) // 2 for array in (on_left, on_right)]
            values.append(checked(one, (max(above.size, 1), sum(counts)), cls.name).ravel())
        self._shape, self._cells = (), None
        self._scores = np.concatenate([*values, np.empty(0)])
        return self

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_grand_siblings(self._numbers, self._begins, self._grandparents, self._left, self._scores)


class HeadAutomata(OnModifiers):
    """Automata with any set of states that read each head's modifiers outwards (Koo et al. 2010, section 3).

    A factor for each head and side. The automaton begins in some state, takes a modifier by a transition or
    passes it by in the state it is in, and ends in some state. Sums are over all paths of states; the score
    of a set of modifiers is that of its best path. O(n S^2) each. Parts are, for each side (right of the
    root, left of 1, right of 1, ...), the states to begin with, those to end with, and the transitions.

    >>> import numpy as np, arbora
    >>> from arbora.factors import HeadAutomata
    >>> graph = arbora.FactorGraph()
    >>> arcs = graph.binary(np.zeros((4, 4)))
    >>> none, one = 0, 1  # at most one modifier a side: no transition leaves `one`
    >>> transitions = np.full((4, 4, 2, 2), -np.inf)
    >>> transitions[:, :, none, one] = 0
    >>> graph.add(HeadAutomata(arcs, [0, -np.inf], [0, 0], transitions))
    """

    name = "HeadAutomata"

    def __init__(
        self,
        arcs: VariableArray,
        initial: npt.ArrayLike,
        final: npt.ArrayLike,
        transitions: npt.ArrayLike,
        candidates: Any = None,
    ) -> None:
        """Arcs ``[h, m]``; ``initial[side, h, s]``, ``final[side, h, s]``, ``transitions[h, m, s, t]``.

        Axes may be missing from the front where the scores are all the same: ``initial[s]`` serves all sides.
        Where ``candidates[h, m]`` is false, m is no modifier of h: the arc is not seen at all.
        """
        heads = layout.square(arcs, self.name).shape[0]
        states = np.shape(transitions)[-1] if np.ndim(transitions) > 1 else 0
        if states == 0:
            raise ArboraError("HeadAutomata needs transitions whose last two axes run over states")
        self._shapes: list[tuple[int, ...]] = [(2, heads, states)] * 2 + [(heads, heads, states, states)]
        dense = [
            checked(one, shape, self.name).ravel()
            for one, shape in zip((initial, final, transitions), self._shapes, strict=True)
        ]
        rows, cells = [], []
        for one in layout.sides_of(heads, candidates):
            rows.append(arcs.numbers[one.head, one.modifiers])
            begin = (one.side * heads + one.head) * states + np.arange(states)
            moves = (one.head * heads + one.modifiers)[:, None] * states**2 + np.arange(states**2)
            cells += [begin, begin + dense[0].size, moves.ravel() + 2 * dense[0].size]
        self.inputs = (arcs,)
        self._numbers, self._begins = layout.joined(rows)
        self._states = np.full(len(rows), states, np.int32)
        self._scores, self._cells = layout.gathered(np.concatenate(dense), cells)

    @classmethod
    def of(
        cls,
        modifiers: Sequence[VariableArray],
        initial: Sequence[npt.ArrayLike],
        final: Sequence[npt.ArrayLike],
        transitions: Sequence[npt.ArrayLike],
    ) -> HeadAutomata:
        """A factor for each list of p modifiers, from the head outwards, with any number S of states.

        Its scores are ``initial[s]``, ``final[s]`` and ``transitions[modifier, s, t]``, of shape (p, S, S).

        >>> import numpy as np, arbora
        >>> from arbora.factors import HeadAutomata
        >>> graph = arbora.FactorGraph()
        >>> x = graph.binary([0.0, 0.0, 0.0])
        >>> graph.add(HeadAutomata.of([x], [[0.0, 0.0]], [[0.0, 1.0]], [np.zeros((3, 2, 2))]))
        """
        self = cls.__new__(cls)
        self.inputs = layout.lists(modifiers, cls.name)
        same_length(cls.name, modifiers, initial, final, transitions)
        self._numbers, self._begins = layout.joined([array.numbers for array in self.inputs])
        self._states = np.array([np.size(one) for one in initial], np.int32)
        values = []
        for array, begin, end, moves in zip(self.inputs, initial, final, transitions, strict=True):
            states = np.size(begin)
            shapes = (states,), (states,), (array.size, states, states)
            values += [
                checked(one, shape, cls.name).ravel()
                for one, shape in zip((begin, end, moves), shapes, strict=True)
            ]
        self._shapes, self._cells = [], None
        self._scores = np.concatenate([*values, np.empty(0)])
        return self

    def dense(self, parts: npt.ArrayLike) -> tuple[layout.Scores, layout.Scores, layout.Scores]:
        """Values of the parts, such as probabilities, laid out like the three arrays of dense scores."""
        sizes = [int(np.prod(shape)) for shape in self._shapes]
        together = layout.in_cells(parts, self._cells, sum(sizes), self.name)
        pieces = np.split(together, np.cumsum(sizes)[:-1])
        begin, end, moves = (piece.reshape(shape) for piece, shape in zip(pieces, self._shapes, strict=True))
        return begin, end, moves

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        graph.add_head_automata(self._numbers, self._begins, self._states, self._scores)
