"""Message passing: exact where the graph has no cycles, stationary where it rests, sound everywhere."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest

import arbora
from arbora import factors
from arbora.errors import ArboraError
from tests.oracles.factors import TWINS
from tests.oracles.random_graphs import around, has_cycle, loopy, variable
from tests.oracles.scores import seeded

SCHEDULES = ["flooding", "serial", "residual"]
STYLES = ["random", "tied", "extreme", "impossible"]


def precise(style: str) -> dict[str, float]:
    """Options for results to the last digits; scores of 1e4 leave fewer of them."""
    return {"tolerance": 1e-10 if style == "extreme" else 1e-13, "iterations": 200}


def acyclic(kind: str, style: str):
    """Graphs without cycles around a factor of this kind, small enough to go through all assignments."""
    found = 0
    for size in (1, 2, 3, 4):
        for seed in range(2):
            graph = around(kind, seeded(kind, style, size, seed), style, size)
            if not has_cycle(graph) and graph._core.variables <= 12:
                found += 1
                yield graph
    assert found, "no graph of this kind has no cycle"


def assignments(graph: arbora.FactorGraph):
    """All assignments, a number for each slot."""
    choices = [
        np.eye(size) if size else np.array([[0.0], [1.0]]) for size in graph._core.layout()[1].tolist()
    ]
    return (np.concatenate(rows) for rows in product(*choices))


def check_no_nan(solution: arbora.inference.Solution) -> None:
    arrays = [solution.beliefs, *solution.parts, *solution.history]
    if solution.solver == "bp":
        arrays += [solution.variable_entropies, *solution.factor_entropies, np.array(solution.log_partition)]
    assert not any(np.isnan(array).any() for array in arrays)
    assert ((solution.beliefs >= 0) & (solution.beliefs <= 1)).all()
    assert np.isfinite(solution.history.residuals).all()


def check_assignment(graph: arbora.FactorGraph, solution: arbora.inference.Solution) -> None:
    if solution.assignment is None:
        assert solution.value == -inf
    else:
        assert solution.value > -inf
        assert graph._core.value(solution.assignment) == solution.value


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", sorted(TWINS))
def test_bp_is_exact_without_cycles(kind: str, style: str) -> None:
    for graph in acyclic(kind, style):
        wanted = graph.solve("enumerate")
        for schedule in SCHEDULES:
            found = graph.solve("bp", schedule=schedule, entropies=True, **precise(style))
            check_no_nan(found)
            check_assignment(graph, found)
            assert found.infeasible == wanted.infeasible
            if wanted.infeasible:
                assert found.log_partition == -inf
                continue
            assert found.converged
            np.testing.assert_allclose(found.beliefs, wanted.beliefs, rtol=0, atol=1e-9)
            np.testing.assert_allclose(found.log_partition, wanted.log_partition, rtol=1e-9, atol=1e-9)
            for got, part in zip(found.parts, wanted.parts, strict=True):
                np.testing.assert_allclose(got, part, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", sorted(TWINS))
def test_max_product_is_exact_without_cycles(kind: str, style: str) -> None:
    for graph in acyclic(kind, style):
        wanted = graph.solve("enumerate")
        for schedule in SCHEDULES:
            found = graph.solve("max-product", schedule=schedule, **precise(style))
            check_no_nan(found)
            check_assignment(graph, found)
            assert found.infeasible == wanted.infeasible
            np.testing.assert_allclose(found.value, wanted.value, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("style", STYLES)
def test_cycles(style: str, schedule: str) -> None:
    """Whatever happens is reported; no assignment is found where there is none; bounds hold."""
    at_rest = 0
    for seed in range(60):
        rng = seeded(style, schedule, seed)
        graph = loopy(rng, style)
        wanted = graph.solve("enumerate")
        damping = float(rng.choice([0.0, 0.3, 0.6]))
        options = {"schedule": schedule, "damping": damping, "iterations": 50}
        solutions = [graph.solve("max-product", **options)]
        solutions += [graph.solve("bp", keep_values=True, entropies=True, **options)]
        for found in solutions:
            check_no_nan(found)
            check_assignment(graph, found)
            assert found.value <= wanted.value + 1e-9 * (1 + abs(wanted.value)) or wanted.infeasible
            assert not found.infeasible or wanted.infeasible
            assert found.iterations == len(found.history.residuals)
            assert found.converged or found.infeasible or found.iterations == 50
        at_rest += solutions[1].converged
    assert at_rest > 10


@pytest.mark.parametrize("style", ["random", "impossible"])
def test_schedules_and_damping_rest_at_the_same_point(style: str) -> None:
    compared = 0
    for seed in range(20):
        graph = loopy(seeded(style, seed), style)
        found = [
            graph.solve("bp", schedule=schedule, damping=damping, tolerance=1e-12, iterations=2000)
            for schedule in SCHEDULES
            for damping in (0.0, 0.4)
        ]
        if all(one.converged for one in found):
            compared += 1
            for one in found[1:]:
                np.testing.assert_allclose(one.beliefs, found[0].beliefs, atol=1e-8)
                assert one.log_partition == pytest.approx(found[0].log_partition, abs=1e-8)
    assert compared > 5


def test_annealing() -> None:
    hits = 0
    for seed in range(40):
        graph = loopy(seeded("annealing", seed), "random")
        found, wanted = graph.solve("annealing", steps=6, iterations=10), graph.solve("enumerate")
        check_no_nan(found)
        check_assignment(graph, found)
        hits += found.value == pytest.approx(wanted.value)
    assert hits >= 32


@pytest.mark.parametrize("kind", sorted(TWINS))
def test_every_kind_can_be_annealed(kind: str) -> None:
    """At half the temperature an assignment has the square of its weight."""
    for graph in acyclic(kind, "random"):
        wanted = graph.solve("enumerate")
        found = graph.solve("annealing", steps=2, lowest=0.5, iterations=100, tolerance=1e-13)
        check_assignment(graph, found)
        assert found.infeasible == wanted.infeasible
        if wanted.infeasible or graph._core.variables > 9:
            continue
        tables = np.array(list(assignments(graph)), np.uint8)
        values = np.array([graph._core.value(one) for one in tables])
        if np.logaddexp.reduce(values) == pytest.approx(wanted.log_partition):  # no automata with many ways
            weights = np.exp(2 * (values - values.max()))
            np.testing.assert_allclose(found.beliefs, weights @ tables / weights.sum(), atol=1e-9)


@pytest.mark.parametrize("seed", range(16))
def test_bethe_is_stationary(seed: int) -> None:
    """Where messages rest, the derivative of the Bethe value by a score is the belief, cycles or not.

    They rest on all of these graphs, of which ten have cycles.
    """
    rng = seeded("stationary", seed)
    graph = loopy(rng, "random")
    options = {"tolerance": 1e-14, "iterations": 3000, "damping": 0.3}
    found = graph.solve("bp", **options)
    assert found.converged
    core, step = graph._core, 1e-4
    scores = core.scores()[0]
    for slot in rng.permutation(core.slots)[:4].tolist():
        values = []
        for sign in (1, -1):
            core.set_score(slot, scores[slot] + sign * step)
            moved = graph.solve("bp", **options)
            assert moved.converged
            values.append(moved.log_partition)
        core.set_score(slot, scores[slot])
        assert (values[0] - values[1]) / (2 * step) == pytest.approx(found.beliefs[slot], abs=1e-6)


def test_entropies_make_up_the_bethe_value() -> None:
    """At rest: expected scores, the entropies of factors, and (1 - degree) times those of variables."""
    graph = loopy(seeded("entropies"), "random")
    found = graph.solve("bp", tolerance=1e-13, iterations=3000, damping=0.3, entropies=True)
    assert found.converged
    core = graph._core
    seen = np.zeros(core.slots)
    expected = float(found.beliefs @ core.scores()[0])
    for group in range(core.groups):
        np.add.at(seen, core.ports(group)[0], 1)
        expected += float(found.parts[group] @ core.part_scores(group)) if len(found.parts[group]) else 0.0
    degrees = seen[core.layout()[0]]
    entropy = sum(group.sum() for group in found.factor_entropies)
    entropy += ((1 - degrees) * found.variable_entropies).sum()
    assert expected + entropy == pytest.approx(found.log_partition, abs=1e-9)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("kind", [factors.Tree, factors.ProjectiveTree])
def test_a_tree_alone_is_what_trees_are(kind: type[factors.Factor], single_root: bool) -> None:
    projective = kind is factors.ProjectiveTree
    for n in (1, 2, 5, 9):
        for scale in (1.0, 300.0):
            scores = seeded(n, scale).normal(size=(n + 1, n + 1)) * scale
            graph = arbora.FactorGraph()
            arcs = graph.binary(scores)
            graph.add(kind(arcs, single_root=single_root))
            options = {"single_root": single_root, "projective": projective}
            found = graph.solve("bp")
            real = np.ones((n + 1, n + 1), bool)
            real[:, 0] = False
            np.fill_diagonal(real, False)
            marginals = arbora.trees.marginals(scores, **options)
            np.testing.assert_allclose(found[arcs][real], marginals[real], atol=1e-9)
            # Arcs that no tree has are not the tree's: they are variables on their own, if nothing is known.
            free = np.array([graph._core.evidence(int(number)) < 0 for number in arcs.numbers[~real]])
            others = np.logaddexp(0, scores[~real][free]).sum()
            wanted = arbora.trees.log_partition(scores, **options) + others
            assert found.log_partition == pytest.approx(wanted, rel=1e-9)
            assert found.tree(arcs, **options).tolist() == arbora.trees.mbr(scores, **options).heads.tolist()
            best = graph.solve("max-product")
            heads = arbora.trees.mst(scores, **options).heads
            assert best.assignment_of(arcs)[heads[1:], np.arange(1, n + 1)].all()


def all_pairs(
    rng: np.random.Generator, n: int, scale: float
) -> tuple[arbora.FactorGraph, factors.VariableArray]:
    """A tree with a score for every two arcs that are grandparent and grandchild, or siblings."""
    graph = arbora.FactorGraph()
    arcs = graph.binary(rng.normal(size=(n + 1, n + 1)))
    graph.add(factors.Tree(arcs))
    graph.add(factors.grandparents(arcs, scale * rng.normal(size=(n + 1,) * 3)))
    graph.add(factors.siblings(arcs, scale * rng.normal(size=(n + 1,) * 3)))
    return graph, arcs


def test_pairs_in_odds_rest_where_pairs_in_logarithms_do() -> None:
    """The residual schedule keeps logarithms, the others odds."""
    for seed in range(5):
        graph, arcs = all_pairs(seeded("odds", seed), 6, 0.5)
        found = [
            graph.solve("bp", schedule=schedule, tolerance=1e-13, iterations=1000, damping=damping)
            for schedule, damping in (("serial", 0.0), ("residual", 0.0), ("flooding", 0.5))
        ]
        assert all(one.converged for one in found)
        for one in found[1:]:
            np.testing.assert_allclose(one[arcs], found[0][arcs], atol=1e-9)
            assert one.log_partition == pytest.approx(found[0].log_partition, abs=1e-9)
            for got, part in zip(one.parts, found[0].parts, strict=True):
                np.testing.assert_allclose(got, part, atol=1e-9)


def test_read_out_is_a_tree() -> None:
    for seed in range(20):
        graph, arcs = all_pairs(seeded("read out", seed), 6, 2.0)
        for name in ("bp", "max-product", "annealing"):
            found = graph.solve(name, iterations=20)
            assert found.value > -inf
            check_assignment(graph, found)
            assert sorted(found.assignment_of(arcs)[:, 1:].sum(axis=0)) == [1] * 6
            assert found.tree(arcs)[0] == -1


def test_contradiction() -> None:
    graph = arbora.FactorGraph()
    x = graph.binary([1.0, 2.0])
    graph.add(factors.ExactlyOne(x), factors.Or(~x[:1]), factors.Or(~x[1:]))
    for name in ("bp", "max-product", "annealing"):
        for schedule in SCHEDULES:
            more = {"entropies": True} if name == "bp" else {}
            found = graph.solve(name, schedule=schedule, **more)
            assert found.infeasible
            assert not found.converged
            assert found.assignment is None
            check_no_nan(found)
            with pytest.raises(ArboraError, match="no assignment"):
                found.assignment_of(x)


def test_what_is_deduced_stays() -> None:
    """Two factors that both forbid the same value do not take turns in taking it back."""
    graph = arbora.FactorGraph()
    x = graph.binary([1.0, 2.0, 0.5])
    graph.clamp(x[1], True)
    graph.add(factors.AtMostOne(x[:2]), factors.AtMostOne([x[:2], x[1:]]))
    for schedule in SCHEDULES:
        found = graph.solve("bp", schedule=schedule)
        assert found.converged
        assert found[x].tolist() == [0, 1, 0]
        assert found.log_partition == pytest.approx(2.0)


def test_solution_says_what_can() -> None:
    graph = arbora.FactorGraph()
    x = graph.binary([1.0, 2.0])
    found = graph.solve("max-product")
    assert found.assignment_of(~x).tolist() == [False, False]
    with pytest.raises(
        ArboraError, match=r"max-product does not give a log-partition; these solvers do: .*bp"
    ):
        _ = found.log_partition
    with pytest.raises(ArboraError, match=r"bp does not give an upper bound; these solvers do: .*enumerate"):
        _ = graph.solve("bp").is_certified
    with pytest.raises(ArboraError, match="solve with entropies=True"):
        _ = graph.solve("bp").factor_entropies
    with pytest.raises(ArboraError, match="solve with assignment=True"):
        _ = graph.solve("bp", assignment=False).value
    with pytest.raises(ArboraError, match="there is no solver 'magic'; there are: bp"):
        graph.solve("magic")
    with pytest.raises(ArboraError, match="bp has no option 'steps'; it has: iterations"):
        graph.solve("bp", steps=3)
    with pytest.raises(ArboraError, match=r"damping must be in \[0, 1\)"):
        graph.solve("bp", damping=1.0)
    with pytest.raises(ArboraError, match="schedule must be"):
        graph.solve("bp", schedule="random")
    with pytest.raises(ArboraError, match="another graph"):
        _ = found[arbora.FactorGraph().binary([1.0])]
    later = graph.binary([0.0])
    with pytest.raises(ArboraError, match="after the graph was solved"):
        _ = found[later]


def test_indexing() -> None:
    graph = arbora.FactorGraph()
    tags = graph.categorical([[[0.0, np.log(3)], [0.0, 0.0]], [[np.log(4), -inf], [0.0, 0.0]]])
    x = graph.binary(np.zeros((2, 3)))
    found = graph.solve("bp")
    assert found[tags].shape == (2, 2, 2)
    np.testing.assert_allclose(found[tags][0, 0], [0.25, 0.75])
    np.testing.assert_allclose(found[tags[1, 0]], [1, 0])
    assert found.assignment_of(tags)[0, 0] == 1
    assert found[x.T].shape == (3, 2)
    assert found[variable(graph, int(x.numbers[1, 2]))].tolist() == [0.5]
    assert found.log_partition == pytest.approx(2 * np.log(4) + 8 * np.log(2))


@pytest.mark.parametrize("solver", ["bp", "max-product"])
@pytest.mark.parametrize("damping", [0.0, 0.5])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_messages_that_grow_without_end(schedule: str, damping: float, solver: str) -> None:
    """Every factor of NoCross demands one head a word, so that messages grow many times each iteration.

    They are cut before they are infinite: nothing is called impossible that is not, and the run says that it
    has not converged.
    """
    rng = seeded("growing")
    graph = arbora.FactorGraph()
    arcs = graph.binary(rng.normal(size=(11, 11)))
    graph.add(factors.Tree(arcs), factors.NoCross(arcs, rng.normal(size=(11, 11)) * 0.1))
    graph.add(factors.grandparents(arcs, rng.normal(size=(11, 11, 11)) * 0.1))
    options = {"entropies": True} if solver == "bp" else {}
    found = graph.solve(solver, schedule=schedule, damping=damping, iterations=400, **options)
    assert not found.converged
    assert found.iterations == 400
    assert not found.infeasible
    check_no_nan(found)
    check_assignment(graph, found)
    is_arc = ~np.eye(11, dtype=bool)[:, 1:]
    if solver == "bp" and schedule == "serial":  # the tree has the last word
        np.testing.assert_allclose((found[arcs][:, 1:] * is_arc).sum(0), 1, atol=1e-6)
    assert np.isfinite(found.value)


@pytest.mark.parametrize("size", [1e11, 1e13, 1e16, 1e30])
def test_messages_may_be_as_large_as_scores(size: float) -> None:
    """What is large because scores are is not cut: a tree alone is exact, whatever its scores."""
    for seed in range(10):
        graph = arbora.FactorGraph()
        arcs = graph.binary(seeded("large", seed).normal(size=(5, 5)) * size)
        graph.add(factors.Tree(arcs))
        found, wanted = graph.solve("bp"), graph.solve("enumerate")
        assert found.converged
        np.testing.assert_allclose(found.beliefs, wanted.beliefs, atol=1e-9)
        assert found.log_partition == pytest.approx(wanted.log_partition, rel=1e-9)
