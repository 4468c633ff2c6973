"""Small random models of the kinds that parsers use, for tests that compare solvers with each other."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from arbora import FactorGraph, factors
from arbora.factors import VariableArray

Maker = Callable[[np.random.Generator, int], FactorGraph]


def arcs_and_tree(rng: np.random.Generator, n: int, graph: FactorGraph) -> VariableArray:
    """Arcs with random scores, some of them tied or impossible, and a tree of some kind over them."""
    scores = rng.normal(size=(n + 1, n + 1)) * rng.choice([0.0, 1.0, 3.0])
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


def sibling(rng: np.random.Generator, n: int) -> FactorGraph:
    graph = FactorGraph()
    arcs = arcs_and_tree(rng, n, graph)
    graph.add(factors.ChildSequences(arcs, rng.normal(size=(2, n + 1, n + 1, n + 1))))
    return graph


def grandsibling(rng: np.random.Generator, n: int) -> FactorGraph:
    graph = FactorGraph()
    arcs = arcs_and_tree(rng, n, graph)
    graph.add(factors.GrandSiblings(arcs, rng.normal(size=(2, n + 1, n + 1, n + 1, n + 1))))
    return graph


def pairs(rng: np.random.Generator, n: int) -> FactorGraph:
    graph = FactorGraph()
    arcs = arcs_and_tree(rng, n, graph)
    graph.add(factors.grandparents(arcs, rng.normal(size=(n + 1, n + 1, n + 1))))
    graph.add(factors.siblings(arcs, rng.normal(size=(n + 1, n + 1, n + 1))))
    return graph


def arity(rng: np.random.Generator, n: int) -> FactorGraph:
    """Every head has a limit of modifiers; the limits leave at least a chain."""
    graph = FactorGraph()
    arcs = arcs_and_tree(rng, n, graph)
    rows = [arcs[h, [m for m in range(1, n + 1) if m != h]] for h in range(1, n + 1)]
    limits = rng.integers(1, max(n, 2), size=len(rows))
    if n > 1:
        graph.add(factors.AtMost(rows, limits))
    return graph


def tagged(rng: np.random.Generator, n: int) -> FactorGraph:
    graph = FactorGraph()
    arcs = arcs_and_tree(rng, n, graph)
    tags = graph.categorical(rng.normal(size=(n, 2)), name="tags")
    graph.add(factors.TagChain(tags, rng.normal(size=(n - 1, 2, 2))))
    heads, modifiers = np.nonzero(~np.eye(n, dtype=bool))
    if n > 1:
        scores = rng.normal(size=(len(heads), 2, 2))
        graph.add(factors.TagLink(arcs[heads + 1, modifiers + 1], tags[heads], tags[modifiers], scores))
    return graph


MODELS: dict[str, Maker] = {
    "sibling": sibling,
    "grandsibling": grandsibling,
    "pairs": pairs,
    "arity": arity,
    "tagged": tagged,
}
