"""Solvers against each other: what is certified is the optimum, what bounds it is never below it."""

from __future__ import annotations

import itertools
import math
from functools import cache
from math import isfinite, isnan

import numpy as np
import pytest

from arbora import FactorGraph
from arbora.errors import ArboraError
from arbora.inference import SOLVERS, Solution
from tests.oracles.factors import TWINS
from tests.oracles.parsing_models import VARIED as MODELS
from tests.oracles.random_graphs import around, scored
from tests.oracles.scores import drawer

MOST = 2e5
"""Assignments that are gone through."""
CERTIFYING = [
    name
    for name, solver in SOLVERS.items()
    if "upper_bound" in solver.gives and not solver.is_exact and not solver.takes
]


def close(found: float, wanted: float, tolerance: float = 1e-6) -> bool:
    return found == wanted or abs(found - wanted) <= tolerance * (1 + abs(wanted))


def instance(model: str, seed: int) -> FactorGraph:
    return MODELS[model](np.random.default_rng([seed, 2]), 2 + seed % 3)


@cache
def best(model: str, seed: int) -> tuple[float, bool]:
    """The value of an instance, and whether it has one: by integer programming, of few words by enumeration.

    Several tests ask for it.
    """
    found = instance(model, seed).solve("ilp" if seed % 3 == 2 else "enumerate")
    assert found.is_certified
    return found.value, not found.infeasible


def is_sound(solution: Solution) -> bool:
    """No nan anywhere, and numbers in their ranges."""
    beliefs = solution.beliefs
    gives = SOLVERS[solution.solver].gives
    numbers = [solution.value, solution.upper_bound] if "upper_bound" in gives else [solution.value]
    if "log_partition" in gives and not solution.infeasible:
        numbers.append(solution.log_partition)
    return (
        not np.isnan(beliefs).any()
        and bool((beliefs >= -1e-9).all() and (beliefs <= 1 + 1e-9).all())
        and not any(map(isnan, numbers))
        and not any(np.isnan(parts).any() for parts in solution.parts)
    )


def limited(name: str) -> dict[str, int]:
    """Options that keep a solver from going on for long."""
    return {"iterations": 60} if "iterations" in [option.name for option in SOLVERS[name].options] else {}


def factor_graph(kind: str, seed: int) -> FactorGraph:
    """A group of factors of a kind, few enough to enumerate: alone, or with others hung on it."""
    for size in range(1 + seed % 3, 0, -1):
        rng = np.random.default_rng([seed, 7])
        if seed % 2:
            graph = around(kind, rng, "plain", size)
        else:
            graph = TWINS[kind](drawer(rng, "plain"), size).graph
            scored(graph, rng, "plain", evidence=0)
        if math.prod(max(2, values) for values in graph._core.layout()[1].tolist()) <= MOST:
            break
    return graph


@cache
def enumerated(kind: str, seed: int) -> Solution:
    """The truth about such a graph; every solver asks for it."""
    return factor_graph(kind, seed).solve("enumerate", most=MOST)


@pytest.mark.parametrize("kind", TWINS)
@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_on_every_kind_of_factor(name: str, kind: str) -> None:
    """It is in the list, so it is held to what it says of itself."""
    solver = SOLVERS[name]
    for seed in range(6):
        graph = factor_graph(kind, seed)
        exact = enumerated(kind, seed)
        try:
            found = graph.solve(name, **limited(name))
        except ArboraError:
            assert solver.takes, "it refuses a graph, and does not say which it takes"
            continue
        check_laws(graph, found, exact)


def check_laws(graph: FactorGraph, found: Solution, exact: Solution) -> None:
    solver, slack = SOLVERS[found.solver], 1e-6 * (1 + abs(exact.value))
    assert is_sound(found)
    assert not found.infeasible or exact.infeasible
    if found.assignment is not None:
        assert graph._core.value(found.assignment) == pytest.approx(found.value, rel=1e-9, abs=1e-9)
        assert found.value <= exact.value + slack
    if "upper_bound" in solver.gives:
        assert found.upper_bound >= exact.value - slack
        if found.is_certified:
            assert found.value >= exact.value - slack
    if solver.is_exact:
        assert found.infeasible == exact.infeasible
        if not exact.infeasible:
            assert close(found.value, exact.value, 1e-9)
    if solver.is_exact and not exact.infeasible and "log_partition" in solver.gives:
        assert close(found.log_partition, exact.log_partition, 1e-9)
        np.testing.assert_allclose(found.beliefs, exact.beliefs, atol=1e-9)


@pytest.mark.parametrize("name", [name for name, solver in SOLVERS.items() if solver.takes])
def test_a_solver_that_refuses_graphs_takes_some(name: str) -> None:
    taken = 0
    for kind in TWINS:
        try:
            factor_graph(kind, 2).solve(name)
            taken += 1
        except ArboraError:
            continue
    assert taken


@pytest.mark.parametrize("model", MODELS)
def test_integer_programs_find_the_optimum(model: str) -> None:
    for seed in range(25):
        rng = np.random.default_rng([seed, 1])
        graph = MODELS[model](rng, 1 + seed % 3)
        exact, found = graph.solve("enumerate"), graph.solve("ilp")
        assert found.infeasible == exact.infeasible
        if not exact.infeasible:
            assert found.is_certified
            assert close(found.value, exact.value, 1e-9)
        for tree in ("multi-commodity", "single-commodity"):
            other = graph.solve("ilp", tree=tree)
            assert other.infeasible == exact.infeasible
            assert close(other.value, exact.value, 1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_certificates_hold(model: str) -> None:
    """400 instances of each model, 2,000 in all; not one exception."""
    certified = 0
    for seed in range(400):
        graph = instance(model, seed)
        optimum, feasible = best(model, seed)
        for name in CERTIFYING:
            found = graph.solve(name, **({"iterations": 200} if limited(name) else {}))
            if not feasible:
                assert found.assignment is None
                continue
            assert found.upper_bound >= optimum - 1e-6 * (1 + abs(optimum)), (seed, name)
            assert found.value <= optimum + 1e-9 * (1 + abs(optimum)), (seed, name)
            if found.is_certified:
                certified += 1
                assert close(found.value, optimum, 1e-8), (seed, name)
    assert certified > 400


@pytest.mark.parametrize("model", MODELS)
def test_relaxations_are_ordered(model: str) -> None:
    """200 graphs of each kind: ILP <= LP(M) = LP with cuts <= LP(S), and AD3 finds LP(M)."""
    for seed in range(200):
        graph = instance(model, seed)
        whole, feasible = best(model, seed)
        if not feasible:
            continue
        flows, cuts, loose = (
            graph.solve("lp", tree=tree).upper_bound
            for tree in ("multi-commodity", "cuts", "single-commodity")
        )
        assert whole <= flows + 1e-6 * (1 + abs(flows))
        assert close(flows, cuts), seed
        assert flows <= loose + 1e-6 * (1 + abs(flows))
        ad3 = graph.solve("ad3", tolerance=1e-9, iterations=20000)
        assert close(ad3.upper_bound, flows), (seed, ad3)


@pytest.mark.parametrize("model", MODELS)
def test_branch_and_bound(model: str) -> None:
    for seed in range(60):
        found = instance(model, seed).solve("ad3", exact=True)
        assert found.is_certified
        assert close(found.value, best(model, seed)[0], 1e-8)


@pytest.mark.parametrize("model", MODELS)
def test_bounds_of_dual_decomposition_never_rise(model: str) -> None:
    for seed in range(2, 120, 3):  # four words
        graph, (optimum, _) = instance(model, seed), best(model, seed)
        bounds = [graph.solve("dual-decomposition", iterations=k).upper_bound for k in (1, 3, 10, 30, 100)]
        assert all(later <= earlier + 1e-12 for earlier, later in itertools.pairwise(bounds))
        assert all(bound >= optimum - 1e-9 * (1 + abs(optimum)) for bound in bounds)


@pytest.mark.parametrize(
    "name",
    [name for name, one in SOLVERS.items() if name not in ("enumerate", "lp", "ilp") and not one.takes],
)
def test_extreme_scores(name: str) -> None:
    """Graphs with scores from 1e-3 to 1e6 and -inf; the core's own tests run many more under sanitizers."""
    options = {"iterations": 30} if limited(name) else {}
    for seed in range(150):
        rng = np.random.default_rng([seed, 6])
        make = list(MODELS.values())[seed % len(MODELS)]
        graph = make(rng, 1 + seed % 4)
        scores, _ = graph._core.scores()
        for slot in range(graph._core.slots):
            if isfinite(scores[slot]):
                extreme = -np.inf if rng.random() < 0.1 else rng.normal() * 10 ** rng.uniform(-3, 6)
                graph._core.set_score(slot, extreme)
        assert is_sound(graph.solve(name, **options)), seed
