"""Why higher orders need more than spanning trees: the reductions of McDonald & Satta (2007), section 5.

Beyond single arcs, the best non-projective tree is as hard to find as a Hamiltonian path (if words have a
limit of modifiers) or a three-dimensional matching (if an arc's score depends on the one above it). Each
function builds the model in which such a problem is hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import inf
from operator import index
from typing import Any

import numpy as np

from arbora import FactorGraph, factors
from arbora.errors import ArboraError, WrongTypeError
from arbora.factors import VariableArray
from arbora.factors.variables import join
from arbora.models.options import a_count


def hamiltonian_path(n: int, edges: Iterable[tuple[int, int]]) -> tuple[FactorGraph, VariableArray]:
    """Trees over words 1 to n in which each word, and the root, has at most one modifier.

    An arc that is an edge of the given directed graph (or from the root) scores 0, others are forbidden:
    every tree is a Hamiltonian path, from the root down, and the log-partition is the logarithm of how many
    there are.

    >>> graph, arcs = hamiltonian_path(3, [(1, 3), (3, 2)])
    >>> solution = graph.solve("ilp")
    >>> solution.value, solution.tree(arcs).tolist()
    (0.0, [-1, 0, 3, 1])
    >>> round(np.exp(graph.solve("enumerate").log_partition))
    1
    """
    scores = np.full((a_count(n, "n") + 1, n + 1), -inf)
    scores[0, :] = 0.0
    for start, end in _rows(edges, 2, 1, n):
        scores[start, end] = 0.0
    graph = FactorGraph()
    arcs = graph.binary(scores, name="arcs")
    graph.add(factors.Tree(arcs))
    below = [[m for m in range(1, n + 1) if m != h] for h in range(1, n + 1)]
    graph.add(factors.AtMostOne([arcs[h, modifiers] for h, modifiers in enumerate(below, 1) if modifiers]))
    return graph, arcs


def three_dimensional_matching(
    m: int, triples: Sequence[tuple[int, int, int]]
) -> tuple[FactorGraph, dict[str, VariableArray]]:
    """Labelled trees over a_1..a_m, b_1..b_m, c_1..c_m in which an arc restricts the arcs below it.

    The label of root -> a names a b, the only word that a may govern; the label of a -> b names a c, which
    must be the only word that b governs, and (a, b, c) must be one of the triples (counted from 0). There is
    a tree if and only if m of the triples share no element. Returns the graph and its labelled arcs:
    ``root[a, b]``, ``middle[a, b, c]``, ``last[b, c]``.

    >>> graph, labelled = three_dimensional_matching(2, [(0, 1, 0), (1, 0, 1), (0, 0, 0)])
    >>> solution = graph.solve("ilp")
    >>> np.argwhere(solution.assignment_of(labelled["middle"])).tolist()
    [[0, 1, 0], [1, 0, 1]]
    """
    known = set(_rows(triples, 3, 0, a_count(m, "m") - 1))
    graph = FactorGraph()
    labelled = {
        "root": graph.binary(np.zeros((m, m)), name="root"),
        "middle": graph.binary(np.zeros((m, m, m)), name="middle"),
        "last": graph.binary(np.zeros((m, m)), name="last"),
    }
    # Words 1..m are the a, m+1..2m the b, 2m+1..3m the c.
    a, b, c = (np.arange(m) + 1 + m * k for k in range(3))
    heads = np.concatenate([np.zeros(m, int), np.repeat(a, m), np.repeat(b, m)])
    modifiers = np.concatenate([a, np.tile(b, m), np.tile(c, m)])
    arcs = graph.binary(np.zeros(len(heads)), name="arcs")
    graph.add(factors.Tree(arcs, heads=heads, modifiers=modifiers, single_root=False))
    graph.add(factors.XorWithOutput(labelled["root"], arcs[:m]))
    graph.add(factors.XorWithOutput(labelled["middle"].reshape(m * m, m), arcs[m : m + m * m]))
    graph.add(factors.Imply(labelled["last"].ravel(), arcs[m + m * m :]))
    graph.add(factors.Imply(arcs[m + m * m :], labelled["last"].ravel()))
    graph.add(*_vertical_pairs(m, labelled, known))
    return graph, labelled


def _rows(given: Any, length: int, least: int, most: int) -> list[tuple[int, ...]]:
    """Rows of so many whole numbers within a range; ArboraError if these are none."""
    try:
        rows = [tuple(map(index, row)) for row in given]
    except TypeError:
        raise WrongTypeError(f"a list of rows of {length} whole numbers is needed") from None
    for row in rows:
        if len(row) != length or not all(least <= number <= most for number in row):
            raise ArboraError(f"{row} is no row of {length} whole numbers from {least} to {most}")
    return rows


def _vertical_pairs(
    m: int, labelled: dict[str, VariableArray], triples: set[tuple[int, ...]]
) -> list[factors.Pairs]:
    """Pairs of an arc and one below it that must not be together."""
    root, middle, last = labelled["root"], labelled["middle"], labelled["last"]
    apart = [
        (root[a, b], middle[a, other, c]) for a, b, other, c in product(range(m), repeat=4) if other != b
    ] + [
        (middle[a, b, c], last[b, other])
        for a, b, c, other in product(range(m), repeat=4)
        if other != c or (a, b, c) not in triples
    ]
    if not apart:  # one element of each, and their triple
        return []
    above, below = (join(*side) for side in zip(*apart, strict=True))
    indices = np.stack([np.arange(len(apart)), np.arange(len(apart)) + len(apart)], axis=1)
    return [factors.Pairs(join(above, below), indices, np.full(len(apart), -inf))]
