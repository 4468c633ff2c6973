"""How the modifiers of heads are laid out: sides, bigrams, trigrams, and where their scores stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arbora.errors import ArboraError
from arbora.factors.base import binary, graph_of
from arbora.factors.variables import Numbers, VariableArray

Cells = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


class Side(NamedTuple):
    """One side of a head: 0 is left, 1 is right; its candidate modifiers from the head outwards."""

    head: int
    side: int
    modifiers: Cells


@lru_cache(maxsize=64)
def bigrams(modifiers: int) -> tuple[Cells, Cells]:
    """The bigrams of one side with so many modifiers: the positions that each goes from and to, in order.

    Position 0 is START, 1 is the modifier next to the head, and so on; the last is END.

    >>> bigrams(1)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    to, start = np.tril_indices(modifiers + 1)
    to += 1
    for shared in (start, to):
        shared.flags.writeable = False
    return start, to


@lru_cache(maxsize=64)
def trigrams(modifiers: int) -> tuple[Cells, Cells, Cells]:
    """The trigrams of one side with so many modifiers: three positions of each, in order.

    Positions are those of `bigrams`. The one in the middle is a modifier; START may come before it, and END
    after it.

    >>> trigrams(2)
    (array([0, 0, 0, 1]), array([1, 1, 2, 2]), array([2, 3, 3, 3]))
    """
    positions = range(modifiers + 2)
    found = [(i, j, k) for k in positions for j in range(1, k) for i in range(j)]
    table = np.array(found, np.int64).reshape(-1, 3)
    table.flags.writeable = False
    return table[:, 0], table[:, 1], table[:, 2]


def sides_of(heads: int, candidates: Any = None) -> Iterator[Side]:
    """The sides of all heads: right of the root (0), left of 1, right of 1, left of 2, ..."""
    allowed = None if candidates is None else np.asarray(candidates, bool)
    if allowed is not None and allowed.shape != (heads, heads):
        raise ArboraError(f"candidates must have the shape of the arcs, ({heads}, {heads})")
    for head in range(heads):
        for side in range(2):
            if head == 0 and side == 0:
                continue
            away = np.arange(head + 1, heads) if side else np.arange(head - 1, 0, -1)
            yield Side(head, side, away if allowed is None else away[allowed[head, away]])


def cells_of(side: Side, positions: tuple[Cells, ...], width: int) -> Cells:
    """Where bigrams or trigrams of a side, given by their positions, stand in the last axes of dense scores.

    There is an axis for each of their words, all of the same width.
    """
    words = np.concatenate(([side.head], side.modifiers, [side.head]))
    result = np.zeros_like(positions[0])
    for own in positions:
        result = result * width + words[own]
    return result


def square(arcs: VariableArray, name: str) -> VariableArray:
    """The same array, if it has a binary variable for every head and modifier, the root included."""
    if len(binary(arcs, name).shape) != 2 or arcs.shape[0] != arcs.shape[1] or not arcs.size:
        raise ArboraError(f"{name} needs arcs of shape (n + 1, n + 1), not {arcs.shape}")
    return arcs


def lists(arrays: Sequence[VariableArray], name: str) -> tuple[VariableArray, ...]:
    """The same arrays, if they are lists of binary variables of one graph."""
    result = tuple(binary(array, name) for array in arrays)
    if any(len(array.shape) != 1 for array in result):
        raise ArboraError(f"{name} needs one-dimensional arrays of variables")
    graph_of(result)
    return result


def joined(rows: Sequence[Numbers]) -> tuple[Numbers, Cells]:
    """The numbers of all factors' inputs in a row, and where each factor begins."""
    numbers = np.ascontiguousarray(np.concatenate([*rows, []]), np.int32)
    return numbers, np.cumsum([0, *map(len, rows)], dtype=np.int64)


def gathered(values: Scores, cells: Sequence[Cells]) -> tuple[Scores, Cells]:
    """The scores in these cells, and all cells, both in a row."""
    every = np.concatenate([*cells, np.empty(0, np.int64)]).astype(np.int64, copy=False)
    return np.ascontiguousarray(values.ravel()[every]), every


def in_cells(values: npt.ArrayLike, cells: Cells | None, size: int, name: str) -> Scores:
    """An array of this size with a value for each part in its cell, and zeros elsewhere."""
    if cells is None:
        raise ArboraError(f"{name}: these factors were not made of dense scores")
    parts = np.asarray(values, np.float64)
    if parts.shape != cells.shape:
        raise ArboraError(f"{name} has {cells.size} parts, not {parts.size}")
    result = np.zeros(size)
    result[cells] = parts
    return result
