"""Declarations of trees and logic, and the families made of them: by enumeration of assignments."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest

import arbora
from arbora import factors
from arbora.errors import ArboraError
from tests.oracles.factors.trees import is_tree


def allowed(graph: arbora.FactorGraph) -> list[np.ndarray]:
    """All assignments that satisfy every factor and the evidence; tries every value of what is not known."""
    core = graph._core
    known = np.array([core.evidence(v) for v in range(core.variables)])
    free = np.flatnonzero(known < 0)
    assignment = np.where(known < 0, 0, known).astype(np.uint8)
    found = []
    for values in product([0, 1], repeat=len(free)):
        assignment[free] = values
        if core.value(assignment) > -inf:
            found.append(assignment.copy())
    return found


def tables(graph: arbora.FactorGraph, width: int) -> set[tuple[int, ...]]:
    """The allowed values of the first variables, which are a table of arcs."""
    return {tuple(assignment[: width * width].tolist()) for assignment in allowed(graph)}


def every_table(width: int, rule) -> set[tuple[int, ...]]:
    """All tables without non-arcs of which the rule says so, given the list of heads of each word."""
    cells = [(h, m) for h in range(width) for m in range(1, width) if h != m]
    found = set()
    for values in product([0, 1], repeat=len(cells)):
        arcs = {cell for cell, value in zip(cells, values, strict=True) if value}
        if rule(arcs):
            found.add(tuple(int((h, m) in arcs) for h in range(width) for m in range(width)))
    return found


def most_heads(arcs: set[tuple[int, int]], width: int) -> list[int]:
    return [sum((h, m) in arcs for h in range(width)) for m in range(1, width)]


RULES = {
    "exactly1": lambda arcs, width: all(count == 1 for count in most_heads(arcs, width)),
    "atmost1": lambda arcs, width: all(count <= 1 for count in most_heads(arcs, width)),
    "not2": lambda arcs, width: all(count <= 1 for count in most_heads(arcs, width)),
    "no2cycle": lambda arcs, width: not any((m, h) in arcs for h, m in arcs),
}


@pytest.mark.parametrize("family", sorted(RULES))
@pytest.mark.parametrize("width", [2, 3, 4])
def test_families_allow_what_they_say(family: str, width: int) -> None:
    graph = arbora.FactorGraph()
    arcs = graph.binary(np.zeros((width, width)))
    graph.clamp(factors.non_arcs(arcs), False)
    graph.add(getattr(factors, family)(arcs))
    assert tables(graph, width) == every_table(width, lambda arcs: RULES[family](arcs, width))


def is_tree_of(arcs: set[tuple[int, int]], words: int, single_root: bool) -> bool:
    heads = {m: h for h, m in arcs}
    return len(arcs) == len(heads) == words and is_tree(heads, single_root)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("kind", [factors.Tree, factors.ProjectiveTree])
@pytest.mark.parametrize("width", [2, 3, 4])
def test_trees_allow_trees_and_no_non_arcs(kind, width: int, single_root: bool) -> None:
    graph = arbora.FactorGraph()
    graph.add(kind(graph.binary(np.zeros((width, width))), single_root=single_root))
    wanted = every_table(width, lambda arcs: is_tree_of(arcs, width - 1, single_root))
    if kind is factors.ProjectiveTree and width == 4:
        # 0 -> 2 crosses 1 - 3; those are all crossings that three words can have
        crossing = [(0, 2, 1, 3), (0, 2, 3, 1)]
        wanted = {t for t in wanted if not any(t[h * 4 + m] and t[i * 4 + j] for h, m, i, j in crossing)}
    assert tables(graph, width) == wanted


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("words", [1, 2])
def test_paths_and_flows_are_trees(words: int, single_root: bool) -> None:
    """Every assignment of arcs, paths and flows: each tree once, nothing else."""
    graph = arbora.FactorGraph()
    arcs = graph.binary(np.zeros((words + 1, words + 1)))
    factors.paths_and_flows(graph, arcs, single_root=single_root)
    found = allowed(graph)
    wanted = every_table(words + 1, lambda arcs: is_tree_of(arcs, words, single_root))
    assert len(found) == len(wanted)
    assert tables(graph, words + 1) == wanted


def test_paths_and_flows_of_three_words() -> None:
    """For each choice of heads, every flow over its arcs; paths are where a flow arrives."""
    graph = arbora.FactorGraph()
    arcs = graph.binary(np.zeros((4, 4)))
    paths, flows = factors.paths_and_flows(graph, arcs, single_root=False)
    trees = 0
    for choice in product(range(4), repeat=3):
        heads = dict(enumerate(choice, 1))
        if any(h == m for m, h in heads.items()):
            continue
        fitting = 0
        carriers = [(h, m, k) for m, h in heads.items() for k in range(1, 4) if k != h]
        for values in product([0, 1], repeat=len(carriers)):
            assignment = np.zeros(graph._core.slots, np.uint8)
            for m, h in heads.items():
                assignment[arcs.numbers[h, m]] = 1
            assignment[paths.numbers[0, 1:]] = 1
            for (h, m, k), value in zip(carriers, values, strict=True):
                assignment[flows.numbers[h, m, k]] = value
                assignment[paths.numbers[m, k]] |= value
            fitting += graph._core.value(assignment) > -inf
        assert fitting == is_tree(heads, single_root=False)
        trees += fitting
    assert trees == 16


@pytest.mark.parametrize("share", [1.0, 0.6])
def test_descents_of_every_tree(share: float) -> None:
    """A tree has one assignment of paths, the right one."""
    rng, words = np.random.default_rng(int(10 * share)), 4
    heads, modifiers = (place.astype(int) for place in np.nonzero(~np.eye(words + 1, dtype=bool)))
    keep = (modifiers > 0) & ((heads < 2) | (rng.random(len(heads)) < share))
    heads, modifiers = heads[keep], modifiers[keep]
    graph = arbora.FactorGraph()
    arcs = graph.binary(np.zeros(len(heads)))
    tree = factors.Tree(arcs, heads=heads, modifiers=modifiers, single_root=False)
    graph.add(tree)
    paths = factors.descents(graph, tree, of=[1, 3, 0])
    assert paths.shape == (3, words + 1)
    found = 0
    for chosen in product(*(np.flatnonzero(modifiers == m) for m in range(1, words + 1))):
        above = [0, *heads[list(chosen)].tolist()]
        if not is_tree(above, single_root=False):
            continue
        found += 1
        given = [(arcs, np.isin(np.arange(len(heads)), chosen))]
        solution = graph.solve("enumerate", given=given)
        assert solution.log_partition == pytest.approx(0.0, abs=1e-12)
        for (row, h), k in product(enumerate([1, 3, 0]), range(words + 1)):
            assert solution.assignment_of(paths)[row, k] == (h in chain(above, k))
    assert found > 10


def chain(heads: list[int], word: int) -> list[int]:
    """A word, its head, its head's head, up to the root."""
    return [word, *chain(heads, heads[word])] if word else [0]


def test_a_tree_clamps_what_is_no_arc() -> None:
    graph = arbora.FactorGraph()
    arcs = graph.binary(np.zeros((3, 3)))
    graph.add(factors.Tree(~arcs))
    evidence = [graph._core.evidence(v) for v in range(9)]
    assert evidence == [1, -1, -1, 1, 1, -1, 1, -1, 1]  # negations of false


def test_a_tree_refuses_a_non_arc_that_is_true() -> None:
    graph = arbora.FactorGraph()
    arcs = graph.binary(np.zeros((3, 3)))
    graph.clamp(arcs[1, 1])
    with pytest.raises(ArboraError, match="no arcs"):
        graph.add(factors.Tree(arcs))


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda x: factors.Tree(x[0]), "heads and modifiers"),
        (lambda x: factors.Tree(x[:2]), r"\(n\+1, n\+1\)"),
        (lambda x: factors.Tree(x[:1, :1]), "at least 1"),
        (lambda x: factors.Tree(x[0], heads=[0, 0, 0]), "both"),
        (lambda x: factors.Tree(x[0], heads=[0, 1], modifiers=[1, 2]), "3 integers"),
        (lambda x: factors.Tree(x[0], heads=[0, -1, 0], modifiers=[1, 2, 3]), "numbers of words"),
        (lambda x: factors.Tree(x[0], heads=[0.0, 1.0, 0.0], modifiers=[1, 2, 3]), "3 integers"),
        (lambda x: factors.Tree(x[0], heads=[0, 1, 2], modifiers=[1, 2, 2]), "2 -> 2 is no arc"),
        (lambda x: factors.Tree(x[0], heads=[0, 1, 1], modifiers=[1, 2, 2]), "listed twice"),
        (lambda x: factors.Tree(x[0], heads=[0, 1, 1], modifiers=[1, 2, 0]), "no arc"),
        (lambda x: factors.Tree([1, 2]), "variables of a graph"),
        (lambda x: factors.ExactlyOne(x[0, 0]), "last axis"),
        (lambda x: factors.ExactlyOne(x[:, :0]), "at least one input"),
        (lambda x: factors.ExactlyOne([x]), "one-dimensional"),
        (lambda x: factors.ExactlyOne("x"), "variables of a graph"),
        (lambda x: factors.AtMost(x, -1), "at least 0"),
        (lambda x: factors.AtMost(x, 1.5), "integers"),
        (lambda x: factors.AtMost(x, [1, 2]), "shape"),
        (lambda x: factors.Imply(x, x[:2]), "shape"),
        (lambda x: factors.OrWithOutput(x, x[0, :2]), "outputs of shape"),
        (lambda x: factors.XorWithOutput(x[:, :0], x[0]), "at least one input"),
        (lambda x: factors.Choice(x, x[:, :2], x[0]), "one value for each choice"),
        (lambda x: factors.Choice(x, x[:2], x[0]), "one value for each choice"),
        (lambda x: factors.Choice(x, x, x[0, :2]), "outputs of shape"),
        (lambda x: factors.AndAny(x, x, 0.0), "conditions of shape"),
        (lambda x: factors.AndAny(x[0], x, [0.0, 1.0]), "scores of shape"),
        (lambda x: factors.exactly1(x[0]), r"\(n\+1, n\+1\)"),
    ],
)
def test_wrong_declarations_say_what_is_wrong(declare, message: str) -> None:
    graph = arbora.FactorGraph()
    x = graph.binary(np.zeros((3, 3)))
    with pytest.raises(ArboraError, match=message):
        graph.add(declare(x))
    assert graph._core.groups == 0


def test_categories_are_no_inputs_of_logic() -> None:
    graph = arbora.FactorGraph()
    with pytest.raises(ArboraError, match="binary"):
        factors.Or(graph.categorical(np.zeros((2, 3))))


def test_no_factors_at_all() -> None:
    graph = arbora.FactorGraph()
    x = graph.binary(np.zeros((0, 3)))
    graph.add(factors.ExactlyOne(x), factors.Nand([]), factors.no2cycle(graph.binary(np.zeros((2, 2)))))
    assert [graph._core.group(i)[1] for i in range(3)] == [0, 0, 0]


@pytest.mark.parametrize("words", [12, 30])
@pytest.mark.parametrize("single_root", [True, False])
def test_beliefs_of_large_trees(words: int, single_root: bool) -> None:
    """As `arbora.trees` has them: all arcs, and pruned ones in another order."""
    rng = np.random.default_rng(words)
    table = rng.normal(size=(words + 1, words + 1)) * 3
    heads, modifiers = (place.astype(int) for place in np.nonzero(~np.eye(words + 1, dtype=bool)))
    for share in (1.0, 0.4):
        keep = rng.permutation(np.flatnonzero((modifiers > 0) & (rng.random(len(heads)) < share)))
        pruned = np.full_like(table, -inf)
        pruned[heads[keep], modifiers[keep]] = table[heads[keep], modifiers[keep]]
        graph = arbora.FactorGraph()
        arcs = graph.binary(np.zeros(len(keep)))
        graph.add(factors.Tree(arcs, heads=heads[keep], modifiers=modifiers[keep], single_root=single_root))
        value, beliefs, _ = graph._core.sum(0, 0, pruned[heads[keep], modifiers[keep]])
        wanted = arbora.trees.marginals(pruned, single_root=single_root)
        np.testing.assert_allclose(value, arbora.trees.log_partition(pruned, single_root=single_root))
        found = 1 / (1 + np.exp(-beliefs))
        np.testing.assert_allclose(found, wanted[heads[keep], modifiers[keep]], rtol=1e-9, atol=1e-300)
