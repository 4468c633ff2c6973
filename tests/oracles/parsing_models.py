"""Random parsing models as factor graphs: a tree with scores or limits beyond single arcs.

`MODELS` have one kind of tree each, and scores of any style; `VARIED` draw the kind of their tree, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf

import numpy as np

from arbora import FactorGraph, factors
from arbora.factors import VariableArray
from tests.oracles.scores import Draw

Beyond = Callable[[FactorGraph, VariableArray, Draw], None]
"""Adds to a tree's graph what its arcs alone do not say."""


def siblings(graph: FactorGraph, arcs: VariableArray, draw: Draw) -> None:
    graph.add(factors.ChildSequences(arcs, draw((2, *[len(arcs)] * 3))))


def tri_siblings(graph: FactorGraph, arcs: VariableArray, draw: Draw) -> None:
    graph.add(factors.ChildTrigrams(arcs, draw((2, *[len(arcs)] * 4))))


def grand_siblings(graph: FactorGraph, arcs: VariableArray, draw: Draw) -> None:
    graph.add(factors.GrandSiblings(arcs, draw((2, *[len(arcs)] * 4))))


def pairs(graph: FactorGraph, arcs: VariableArray, draw: Draw) -> None:
    for family in (factors.grandparents, factors.siblings):
        graph.add(family(arcs, draw((len(arcs),) * 3)))


def one_child(graph: FactorGraph, arcs: VariableArray, draw: Draw) -> None:
    """No word has more than one child: the best tree is a Hamiltonian path (McDonald & Satta 2007)."""
    graph.add(factors.AtMost(arcs, 1))


def tags(graph: FactorGraph, arcs: VariableArray, draw: Draw, is_shared: bool) -> None:
    """A chain of tags, and links of tags along arcs: one table for all places, or one for each."""
    words = len(arcs) - 1
    found = graph.categorical(draw((words, 2)), name="tags")
    graph.add(factors.TagChain(found, draw((2, 2) if is_shared else (words - 1, 2, 2))))
    h, m = np.nonzero(~np.eye(words, dtype=bool))
    if words > 1:
        scores = draw((2, 2) if is_shared else (len(h), 2, 2))
        graph.add(factors.TagLink(arcs[h + 1, m + 1], found[h], found[m], scores))


def model(
    tree: Callable[[VariableArray], factors.Factor], beyond: Beyond
) -> Callable[[Draw, int], FactorGraph]:
    def make(draw: Draw, words: int) -> FactorGraph:
        graph = FactorGraph()
        arcs = graph.binary(draw((words + 1, words + 1)))
        graph.add(tree(arcs))
        beyond(graph, arcs, draw)
        return graph

    return make


MODELS: dict[str, Callable[[Draw, int], FactorGraph]] = {
    "sibling": model(factors.Tree, siblings),
    "projective sibling": model(partial(factors.ProjectiveTree, single_root=False), siblings),
    "tri-sibling": model(factors.Tree, tri_siblings),
    "grand-sibling": model(factors.Tree, grand_siblings),
    "all pairs": model(partial(factors.Tree, single_root=False), pairs),
    "arity-limited": model(factors.Tree, one_child),
    "tagged": model(factors.Tree, partial(tags, is_shared=True)),
}
"""By name: a graph of so many words, with scores that ``draw(shape)`` gives."""


def varied_tree(rng: np.random.Generator, words: int, graph: FactorGraph) -> VariableArray:
    """Arcs with random scores, some of them tied or impossible, and a tree of some kind over them."""
    scores = rng.normal(size=(words + 1, words + 1)) * rng.choice([0.0, 1.0, 3.0])
    if rng.random() < 0.3:
        scores = np.round(scores)
    if rng.random() < 0.3:
        forbidden = rng.random(scores.shape) < 0.2
        forbidden[0] = False  # the root can govern every word
        scores = np.where(forbidden, -inf, scores)
    arcs = graph.binary(scores, name="arcs")
    tree = factors.ProjectiveTree if rng.random() < 0.2 else factors.Tree
    graph.add(tree(arcs, single_root=bool(rng.random() < 0.5)))
    return arcs


def varied(beyond: Beyond) -> Callable[[np.random.Generator, int], FactorGraph]:
    def make(rng: np.random.Generator, words: int) -> FactorGraph:
        graph = FactorGraph()
        arcs = varied_tree(rng, words, graph)
        beyond(graph, arcs, lambda shape: rng.normal(size=shape))
        return graph

    return make


def limited(rng: np.random.Generator, words: int) -> FactorGraph:
    """Every head has a limit of modifiers; the limits leave at least a chain."""
    graph = FactorGraph()
    arcs = varied_tree(rng, words, graph)
    rows = [arcs[h, [m for m in range(1, words + 1) if m != h]] for h in range(1, words + 1)]
    limits = rng.integers(1, max(words, 2), size=len(rows))
    if words > 1:
        graph.add(factors.AtMost(rows, limits))
    return graph


VARIED: dict[str, Callable[[np.random.Generator, int], FactorGraph]] = {
    "sibling": varied(siblings),
    "grandsibling": varied(grand_siblings),
    "pairs": varied(pairs),
    "arity": limited,
    "tagged": varied(partial(tags, is_shared=False)),
}
"""By name: a graph of so many words."""
