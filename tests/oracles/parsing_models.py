"""Random parsing models as factor graphs: a tree with scores beyond single arcs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import arbora
from arbora import factors

Draw = Callable[[tuple[int, ...]], np.ndarray]


def arcs_of(graph: arbora.FactorGraph, draw: Draw, words: int) -> factors.VariableArray:
    return graph.binary(draw((words + 1, words + 1)))


def sibling(draw: Draw, words: int) -> arbora.FactorGraph:
    graph = arbora.FactorGraph()
    arcs = arcs_of(graph, draw, words)
    graph.add(factors.Tree(arcs), factors.ChildSequences(arcs, draw((2, *[words + 1] * 3))))
    return graph


def projective_sibling(draw: Draw, words: int) -> arbora.FactorGraph:
    graph = arbora.FactorGraph()
    arcs = arcs_of(graph, draw, words)
    tree = factors.ProjectiveTree(arcs, single_root=False)
    graph.add(tree, factors.ChildSequences(arcs, draw((2, *[words + 1] * 3))))
    return graph


def grand_sibling(draw: Draw, words: int) -> arbora.FactorGraph:
    graph = arbora.FactorGraph()
    arcs = arcs_of(graph, draw, words)
    graph.add(factors.Tree(arcs), factors.GrandSiblings(arcs, draw((2, *[words + 1] * 4))))
    return graph


def all_pairs(draw: Draw, words: int) -> arbora.FactorGraph:
    graph = arbora.FactorGraph()
    arcs = arcs_of(graph, draw, words)
    graph.add(factors.Tree(arcs, single_root=False))
    for family in (factors.grandparents, factors.siblings):
        graph.add(family(arcs, draw((words + 1, words + 1, words + 1))))
    return graph


def arity_limited(draw: Draw, words: int) -> arbora.FactorGraph:
    """No word has more than one child: the best tree is a Hamiltonian path (McDonald & Satta 2007)."""
    graph = arbora.FactorGraph()
    arcs = arcs_of(graph, draw, words)
    graph.add(factors.Tree(arcs), factors.AtMost(arcs, 1))
    return graph


def tagged(draw: Draw, words: int) -> arbora.FactorGraph:
    graph = arbora.FactorGraph()
    arcs, tags = arcs_of(graph, draw, words), graph.categorical(draw((words, 2)))
    graph.add(factors.Tree(arcs), factors.TagChain(tags, draw((2, 2))))
    inner = arcs[1:, 1:]
    h, m = np.nonzero(~np.eye(words, dtype=bool))
    if words > 1:
        graph.add(factors.TagLink(inner[h, m], tags[h], tags[m], draw((2, 2))))
    return graph


MODELS: dict[str, Callable[[Draw, int], arbora.FactorGraph]] = {
    "sibling": sibling,
    "projective sibling": projective_sibling,
    "grand-sibling": grand_sibling,
    "all pairs": all_pairs,
    "arity-limited": arity_limited,
    "tagged": tagged,
}
"""By name: a graph of so many words, with scores that ``draw(shape)`` gives."""
