"""Tree factors, written out: every choice of a head for each word that is a tree of the kind."""

from __future__ import annotations

from itertools import product

import numpy as np

import arbora
from arbora import factors
from tests.oracles.factors.base import Case, Configuration
from tests.oracles.scores import Draw


def is_tree(heads: dict[int, int], single_root: bool) -> bool:
    """Whether every word's chain of heads ends at the root, which has one child if so wanted."""
    for word in heads:
        seen = set()
        while word:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word]
    return not single_root or list(heads.values()).count(0) == 1


def is_projective(heads: dict[int, int]) -> bool:
    """Whether no arc has exactly one end strictly between the ends of another."""
    arcs = [(min(arc), max(arc)) for arc in heads.items()]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def arc_lists(draw: Draw, size: int) -> tuple[int, list[tuple[int, int]], bool]:
    """How many words, the arcs (head, modifier), and whether they are some in any order: else all."""
    words = size if size < 5 else size - 1
    arcs = [(h, m) for h in range(words + 1) for m in range(1, words + 1) if h != m]
    if size < 5:
        return words, arcs, False
    order = np.argsort(draw((len(arcs),)), kind="stable")
    return words, [arcs[i] for i in order[: 3 * words - 1]], True


def all_trees(draw: Draw, size: int, kind: type[factors.Factor], projective: bool) -> Case:
    words, arcs, listed = arc_lists(draw, size)
    first, second = draw((2,))
    single_root = bool(first < second)
    graph = arbora.FactorGraph()
    if listed:
        heads, modifiers = zip(*arcs, strict=True)
        variables = ~graph.binary(np.zeros(len(arcs)))
        words = max(heads + modifiers)
        graph.add(kind(variables, heads=heads, modifiers=modifiers, single_root=single_root))
    else:
        graph.add(kind(graph.binary(np.zeros((words + 1, words + 1))), single_root=single_root))
    port = {arc: index for index, arc in enumerate(arcs)}
    candidates = [[h for h in range(words + 1) if (h, m) in port] for m in range(1, words + 1)]
    configurations = []
    for choice in product(*candidates):
        heads = dict(enumerate(choice, 1))
        if is_tree(heads, single_root) and not (projective and not is_projective(heads)):
            active = tuple(sorted(port[h, m] for m, h in heads.items()))
            configurations.append(Configuration(active, 0.0))
    return Case(graph, configurations)


def tree(draw: Draw, size: int) -> Case:
    return all_trees(draw, size, factors.Tree, projective=False)


def projective_tree(draw: Draw, size: int) -> Case:
    return all_trees(draw, size, factors.ProjectiveTree, projective=True)
