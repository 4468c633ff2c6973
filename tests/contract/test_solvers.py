"""Solvers against each other: what is certified is the optimum, what bounds it is never below it."""

from __future__ import annotations

import itertools
from functools import cache
from math import isfinite, isnan

import numpy as np
import pytest

from arbora import FactorGraph
from arbora.inference import SOLVERS, Solution
from tests.oracles.parsing_models import VARIED as MODELS

CERTIFYING = [name for name, solver in SOLVERS.items() if "upper_bound" in solver.gives]


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
        for name, options in (("dual-decomposition", {"iterations": 200}), ("ad3", {}), ("lp", {})):
            found = graph.solve(name, **options)
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


@pytest.mark.parametrize(
    "name",
    [name for name, one in SOLVERS.items() if name not in ("enumerate", "lp", "ilp") and not one.takes],
)
def test_extreme_scores(name: str) -> None:
    """Graphs with scores from 1e-3 to 1e6 and -inf; the core's own tests run many more under sanitizers."""
    options = {"iterations": 30} if "iterations" in [o.name for o in SOLVERS[name].options] else {}
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
