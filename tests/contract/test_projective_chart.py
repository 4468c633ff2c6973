"""Charts of projective trees with siblings and grandparents, against every tree written out."""

from __future__ import annotations

import zlib
from math import inf

import numpy as np
import pytest

import arbora
from arbora import factors
from arbora.errors import ArboraError
from arbora.inference import Solution
from tests.oracles.siblings import SiblingForest, shape_of
from tests.oracles.trees import is_tree

STYLES = ["random", "tied", "shifted", "negative", "impossible", "extreme"]
MODELS = {
    "tree": (),
    "sibling": ("sequences",),
    "grandparent": ("pairs",),
    "grand-sibling": ("grand",),
    "sibling and grandparent": ("sequences", "pairs"),
    "all": ("grand", "pairs", "sequences"),
}


def draw(rng: np.random.Generator, shape: tuple[int, ...], style: str) -> np.ndarray:
    scores = rng.normal(size=shape) * 1.5
    if style == "tied":
        return np.round(scores / 2)
    if style == "shifted":
        return scores + rng.choice([-1000.0, 1000.0])
    if style == "negative":
        return -np.abs(scores) * 20
    if style == "extreme":
        return scores * 10 ** rng.uniform(0, 4, size=shape)
    if style == "impossible":
        return np.where(rng.random(shape) < 0.04, -inf, scores)
    return scores


class Case:
    """A graph and its twin."""

    def __init__(self, model: str, style: str, n: int, single_root: bool, seed: int) -> None:
        rng = np.random.default_rng([zlib.crc32(f"{model} {style}".encode()), n, single_root, seed])
        kinds = ("arcs", *MODELS[model])
        self.single_root = single_root
        self.scores = {kind: draw(rng, shape_of(kind, n), style) for kind in kinds}
        self.allowed = np.ones((n + 1, n + 1), bool)
        if seed % 2:
            self.allowed = rng.random((n + 1, n + 1)) < 0.7
            self.allowed[np.arange(n), np.arange(1, n + 1)] = True  # every word can follow the one before
        self.allowed[:, 0] = False
        np.fill_diagonal(self.allowed, False)
        self.graph = arbora.FactorGraph()
        self.arcs = self.graph.binary(self.scores["arcs"])
        heads, modifiers = np.nonzero(self.allowed)
        tree = factors.ProjectiveTree(
            self.arcs[heads, modifiers], heads=heads, modifiers=modifiers, single_root=single_root
        )
        self.graph.clamp(self.arcs[~self.allowed], False)
        makers = {
            "sequences": factors.ChildSequences,
            "grand": factors.GrandSiblings,
            "pairs": factors.grandparents,
        }
        self.factors = {
            kind: makers[kind](self.arcs, self.scores[kind], self.allowed) for kind in MODELS[model]
        }
        self.graph.add(*self.factors.values(), tree)

    def check(self, k: int = 12) -> bool:
        """Everything that the solver tells; whether there was a tree."""
        forest = SiblingForest(self.scores, self.single_root, self.allowed)
        found = self.graph.solve("projective-chart", k=k)
        wanted = forest.ranked(k)
        assert found.infeasible == (len(wanted) == 0)
        assert found.is_certified
        if found.infeasible:
            return False
        np.testing.assert_allclose(found.ranked_values, wanted, rtol=1e-9, atol=1e-9)
        assert found.value == found.upper_bound == found.ranked_values[0]
        self.check_trees(found)
        assert found.log_partition == pytest.approx(forest.log_partition, rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(found[self.arcs], forest.probabilities("arcs"), rtol=0, atol=1e-9)
        for parts, (kind, factor) in zip(found.parts, self.factors.items(), strict=False):
            probabilities = forest.probabilities(kind)
            if isinstance(factor, factors.Pairs):
                (g, h), m = np.divmod(factor.pairs[:, 0], len(self.arcs)), factor.pairs[:, 1] % len(self.arcs)
                np.testing.assert_allclose(parts, probabilities[g, h, m], rtol=0, atol=1e-9)
            else:
                np.testing.assert_allclose(factor.dense(parts), probabilities, rtol=0, atol=1e-9)
        assert len(found.parts[-1]) == 0  # those of the tree
        return True

    def check_trees(self, found: Solution) -> None:
        """What is ranked are trees, none twice, with the values that they have."""
        seen = set()
        for rank, value in enumerate(found.ranked_values):
            chosen = found.assignment_of(self.arcs, rank)
            heads = np.append(-1, chosen.argmax(axis=0)[1:])
            assert (chosen.sum(axis=0)[1:] == 1).all()
            assert is_tree(heads, self.single_root, projective=True)
            assert self.graph._core.value(chosen.ravel().astype(np.uint8)) == value
            seen.add(tuple(heads))
        assert len(seen) == len(found.ranked_values)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("model", MODELS)
def test_every_tree(model: str, style: str) -> None:
    possible = 0
    for n in range(1, 6):
        for single_root in (True, False):
            possible += sum(Case(model, style, n, single_root, seed).check() for seed in range(2))
    assert possible > 8


@pytest.mark.parametrize("model", MODELS)
def test_six_words(model: str) -> None:
    for single_root in (True, False):
        assert Case(model, "random", 6, single_root, seed=int(single_root)).check(k=2000)


@pytest.mark.parametrize("model", MODELS)
def test_evidence(model: str) -> None:
    """As by enumeration, whatever is known of arcs, and of variables that no factor sees."""
    infeasible = 0
    for seed in range(30):
        rng = np.random.default_rng([seed, 7])
        case = Case(model, "random", int(rng.integers(1, 4)), bool(seed % 2), seed)
        graph = case.graph
        graph.binary(rng.normal(size=3))
        graph.categorical(rng.normal(size=(1, 3)))
        for number in rng.choice(graph._core.variables, 3):
            if graph._core.evidence(number) < 0:
                graph._core.clamp(number, int(rng.integers(2)))
        wanted, found = graph.solve("enumerate"), graph.solve("projective-chart")
        infeasible += wanted.infeasible
        assert found.infeasible == wanted.infeasible
        assert found.is_certified
        np.testing.assert_allclose(found.beliefs, wanted.beliefs, atol=1e-9)
        if wanted.infeasible:
            continue
        assert found.value == pytest.approx(wanted.value, abs=1e-9)
        assert found.log_partition == pytest.approx(wanted.log_partition, abs=1e-9)
        for parts, twins in zip(found.parts, wanted.parts, strict=True):
            np.testing.assert_allclose(parts, twins, atol=1e-9)
    assert infeasible > 0


def test_evidence_that_cannot_be() -> None:
    """Two heads of a word, or an arc that is known and impossible."""
    for scores, known in ((np.zeros((3, 3)), [0, 1]), (np.full((3, 3), -inf), [0])):
        graph = arbora.FactorGraph()
        arcs = graph.binary(scores)
        graph.add(factors.ProjectiveTree(arcs))
        graph.clamp(arcs[known, 2])
        found = graph.solve("projective-chart")
        assert found.infeasible
        assert found.value == found.upper_bound == found.log_partition == -inf


@pytest.mark.parametrize("model", MODELS)
def test_longer_sentences(model: str) -> None:
    """As by an integer program; and sums are consistent."""
    case = Case(model, "random", 7, single_root=True, seed=1)
    found = case.graph.solve("projective-chart", k=3)
    assert found.value == pytest.approx(case.graph.solve("ilp").value, abs=1e-6)
    np.testing.assert_allclose(found[case.arcs].sum(axis=0)[1:], 1, atol=1e-9)
    assert found[case.arcs][0].sum() == pytest.approx(1, abs=1e-9)
    assert found.log_partition > found.value


def test_the_best_tree_alone() -> None:
    case = Case("grand-sibling", "random", 5, single_root=True, seed=0)
    found = case.graph.solve("projective-chart", log_partition=False)
    assert found.is_certified
    assert found.is_integral
    np.testing.assert_array_equal(found[case.arcs], found.assignment_of(case.arcs))
    assert "log-partition" not in repr(found)
    with pytest.raises(ArboraError, match="log_partition=True"):
        _ = found.log_partition
    with pytest.raises(ArboraError, match="ranked 1 assignments; there is none of rank 1"):
        found.assignment_of(case.arcs, rank=1)
    with pytest.raises(ArboraError, match="at least 1"):
        case.graph.solve("projective-chart", k=0)
    with pytest.raises(ArboraError, match="ranking of the best assignments; these solvers do: projective"):
        _ = case.graph.solve("ilp").ranked_values


def test_sides_that_are_given_one_by_one() -> None:
    """Factors of some heads only; arcs that are impossible need not be seen, and may be."""
    rng = np.random.default_rng(3)
    graph = arbora.FactorGraph()
    arcs = graph.binary(rng.normal(size=(4, 4)))
    graph.clamp(arcs[1, 3], False)
    graph.add(factors.ProjectiveTree(arcs))
    graph.add(factors.ChildSequences.of([arcs[1, [2]], arcs[3, [2, 1]]], [rng.normal(size=3), np.ones(6)]))
    graph.add(factors.ChildSequences.of([arcs[1, [2, 3]], arcs[0, :0]], [rng.normal(size=6), [2.5]]))
    wanted, found = graph.solve("enumerate"), graph.solve("projective-chart")
    assert found.value == pytest.approx(wanted.value, abs=1e-9)
    assert found.log_partition == pytest.approx(wanted.log_partition, abs=1e-9)
    for parts, twins in zip(found.parts, wanted.parts, strict=True):
        np.testing.assert_allclose(parts, twins, atol=1e-9)


def other_graphs() -> dict[str, tuple[str, arbora.FactorGraph]]:
    """Graphs that are not for this solver, and what of it they are refused for."""
    result = {}

    def make(name: str, why: str, *kinds) -> None:
        graph = arbora.FactorGraph()
        arcs = graph.binary(np.zeros((4, 4)))
        graph.add(*(kind(arcs) for kind in kinds))
        result[name] = why, graph

    some = np.ones((4, 4), bool)
    some[1, 3] = some[3, 1] = False
    tree, bigrams = factors.ProjectiveTree, np.zeros((2, 4, 4, 4))
    make("no tree", "there is no tree", lambda arcs: factors.ChildSequences(arcs, bigrams))
    make("a tree with crossings", "there is no tree", factors.Tree)
    make("two trees", "several trees", tree, tree)
    make("logic", "there is AtMostOne", tree, lambda arcs: factors.AtMostOne(arcs[1, 2:]))
    make("siblings", "no grandparents", tree, lambda arcs: factors.siblings(arcs, np.zeros((4, 4, 4))))
    make("itself", "with itself", tree, lambda arcs: factors.Pairs(arcs, [[1, 1]]))
    make("no arc", "no arc of the tree", tree, lambda arcs: factors.Pairs(arcs, [[0, 1]]))
    make("negated", "negated", tree, lambda arcs: factors.Pairs(~arcs, [[1, 2]]))
    make("negated tree", "negated", lambda arcs: tree(~arcs))
    make("few", "all arcs of a side", tree, lambda arcs: factors.ChildSequences(arcs, bigrams, some))
    for name, places in {"inwards": ([1, 1], [3, 2]), "two heads": ([1, 2], [2, 3])}.items():
        make(
            name,
            "arcs that do not go outwards",
            tree,
            lambda arcs, places=places: factors.ChildSequences.of([arcs[places]], [np.zeros(6)]),
        )
    for name, why, above in (
        ("few heads", "all heads of a word", ([0, 1], [3, 3])),
        ("heads of two words", "heads of several words", ([0, 0], [3, 2])),
    ):
        make(
            name,
            why,
            tree,
            lambda arcs, above=above: factors.GrandSiblings.of(
                [arcs[above]], [arcs[3, [2, 1]]], [arcs[3, []]], [np.zeros((2, 7))]
            ),
        )
    return result


@pytest.mark.parametrize("name", list(other_graphs()))
def test_other_graphs_are_refused(name: str) -> None:
    why, graph = other_graphs()[name]
    with pytest.raises(ArboraError, match=f"projective-chart: it solves one ProjectiveTree .* but .*{why}"):
        graph.solve("projective-chart")
