"""Families of factors over arcs (Smith & Eisner 2008, section 3.3; Martins et al. 2010, section 4.2).

All take an array of shape (n+1, n+1), a row for each head (0 is the root), a column for each modifier. The
diagonal and column 0 are no arcs. Families do not see them; `non_arcs` selects them, to be clamped to
false where no `Tree` does it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from arbora.errors import ArboraError
from arbora.factors.base import Factor, binary
from arbora.factors.choices import Choice
from arbora.factors.logic import AtMostOne, ExactlyOne, Imply, Nand, XorWithOutput
from arbora.factors.trees import AnyTree, arc_mask
from arbora.factors.variables import VariableArray


class Graph(Protocol):
    """What a function that makes variables needs of a graph; `arbora.FactorGraph` is one."""

    def binary(self, scores: Any) -> VariableArray:
        """New binary variables."""

    def add(self, *factors: Factor) -> None:
        """Add factors."""

    def clamp(self, variables: VariableArray, value: Any = True) -> None:
        """Make it known what some variables are."""


def exactly1(arcs: VariableArray) -> ExactlyOne:
    """EXACTLY1: every word has exactly one head.

    >>> import numpy as np
    >>> import arbora
    >>> from arbora.factors import exactly1, no2cycle, non_arcs
    >>> graph = arbora.FactorGraph()
    >>> arcs = graph.binary(np.zeros((4, 4)))
    >>> graph.clamp(non_arcs(arcs), False)
    >>> graph.add(exactly1(arcs), no2cycle(arcs))
    """
    return ExactlyOne(_heads(arcs))


def atmost1(arcs: VariableArray) -> AtMostOne:
    """ATMOST1: every word has one head or none."""
    return AtMostOne(_heads(arcs))


def not2(arcs: VariableArray) -> Nand:
    """NOT2: no word has these two heads, for any two. Weaker in belief propagation than `atmost1`."""
    heads = _heads(arcs)
    first, second = np.triu_indices(heads.shape[1], 1)
    pairs = np.stack([heads.numbers[:, first], heads.numbers[:, second]], axis=-1)
    return Nand(VariableArray(arcs.graph, pairs))


def no2cycle(arcs: VariableArray) -> Nand:
    """NO2CYCLE: no two words are each other's heads."""
    words = _checked(arcs).numbers[1:, 1:]
    first, second = np.triu_indices(len(words), 1)
    return Nand(VariableArray(arcs.graph, np.stack([words[first, second], words[second, first]], axis=-1)))


def non_arcs(arcs: VariableArray) -> VariableArray:
    """The entries of the array that are no arcs: the diagonal and column 0."""
    return _checked(arcs)[~arc_mask(len(arcs))]


def paths_and_flows(
    graph: Graph, arcs: VariableArray, *, single_root: bool = True
) -> tuple[VariableArray, VariableArray]:
    """The tree as logic over paths and flows: the multi-commodity model, O(n^3) small factors.

    Returns new variables: ``paths[i, k]``, whether word k descends from i, of shape (n+1, n+1), and
    ``flows[h, m, k]``, whether the arc from h to m lies on the path from the root to k, of shape
    (n+1, n+1, n+1). What is known of them is clamped, as is what is no arc. The assignments that satisfy
    all factors are the trees, each with its own paths and flows.

    >>> import numpy as np
    >>> import arbora
    >>> from arbora.factors import paths_and_flows
    >>> graph = arbora.FactorGraph()
    >>> paths, flows = paths_and_flows(graph, graph.binary(np.zeros((4, 4))))
    >>> paths.shape, flows.shape
    ((4, 4), (4, 4, 4))
    """
    width = len(_checked(arcs))
    are_arcs = arc_mask(width)
    paths, flows = graph.binary(np.zeros((width,) * 2)), graph.binary(np.zeros((width,) * 3))
    # An arc that leaves a word carries no flow to that word, and nothing flows to the root.
    can_flow = np.repeat(are_arcs[:, :, None], width, axis=2)
    can_flow[:, :, 0] = False
    can_flow[np.arange(width), :, np.arange(width)] = False
    graph.clamp(non_arcs(arcs), False)
    graph.clamp(flows[~can_flow], False)
    # Every word descends from the root and from itself; what descends to the root is nothing.
    graph.clamp(paths[0, 1:], True)
    graph.clamp(paths[np.arange(1, width), np.arange(1, width)], True)
    graph.clamp(paths[:, 0], False)

    head, modifier, word = np.nonzero(can_flow)
    graph.add(exactly1(arcs), Imply(flows[head, modifier, word], arcs[head, modifier]))
    # One of the arcs into m carries flow to k if and only if k descends from m.
    into = [(m, k) for m in range(1, width) for k in range(1, width)]
    inputs = [flows[can_flow[:, m, k], m, k] for m, k in into]
    graph.add(XorWithOutput(inputs, paths[[m for m, _ in into], [k for _, k in into]]))
    # One of the arcs from h carries flow to k if and only if k descends from h, and is not h itself.
    out_of = [(h, k) for h in range(width) for k in range(1, width) if h != k]
    inputs = [flows[h, can_flow[h, :, k], k] for h, k in out_of]
    graph.add(XorWithOutput(inputs, paths[[h for h, _ in out_of], [k for _, k in out_of]]))
    if single_root:
        graph.add(ExactlyOne(arcs[0, 1:]))
    return paths, flows


def descents(graph: Graph, tree: AnyTree, of: Iterable[int] | None = None) -> VariableArray:
    """What descends from what in a tree that the graph has: O(n^2) small factors, no flows.

    Returns new variables ``paths`` of shape (n+1, n+1): ``paths[h, k]`` is true if and only if word k is h
    or descends from it, which is so if and only if that holds of the head of k (`Choice`). ``of``: rows for
    these h only.

    >>> import numpy as np
    >>> import arbora
    >>> from arbora.factors import Tree, descents
    >>> graph = arbora.FactorGraph()
    >>> tree = Tree(graph.binary(np.array([[0, 0, 9, 0], [0, 0, 0, 9], [0, 9, 0, 0], [0, 0, 0, 0]], float)))
    >>> graph.add(tree)
    >>> paths = descents(graph, tree)
    >>> graph.solve("ilp").assignment_of(paths)[2].tolist()  # 0 -> 2 -> 1 -> 3
    [False, True, True, True]
    """
    arcs, heads, modifiers = tree.candidates()
    width = tree.words + 1
    above = list(range(width) if of is None else of)
    paths = graph.binary(np.zeros((len(above), width)))
    graph.clamp(paths[np.arange(len(above)), above], True)
    graph.clamp(paths[[row for row, h in enumerate(above) if h], 0], False)
    into = {k: np.flatnonzero(modifiers == k) for k in range(1, width)}
    pairs = [(row, k) for row, h in enumerate(above) for k in into if h != k and into[k].size]
    graph.add(
        Choice(
            [arcs[into[k]] for _, k in pairs],
            [paths[row, heads[into[k]]] for row, k in pairs],
            paths[[row for row, _ in pairs], [k for _, k in pairs]],
        )
    )
    return paths


def _checked(arcs: VariableArray) -> VariableArray:
    binary(arcs, "a family of factors over arcs")
    if len(arcs.shape) != 2 or arcs.shape[0] != arcs.shape[1] or arcs.shape[0] < 2:
        raise ArboraError(f"arcs must have the shape (n+1, n+1) with n at least 1, not {arcs.shape}")
    return arcs


def _heads(arcs: VariableArray) -> VariableArray:
    """The arcs into each word, a row for each: shape (n, n)."""
    by_modifier = _checked(arcs).numbers.T
    rows = by_modifier[arc_mask(len(arcs)).T].reshape(len(arcs) - 1, len(arcs) - 1)
    return VariableArray(arcs.graph, rows)
