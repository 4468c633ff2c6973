"""Dual decomposition, AD3 and branch and bound: bounds that hold, certificates that are true."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np
import pytest

import arbora
from arbora.errors import ArboraError
from arbora.inference import Solution
from tests.oracles.factors import TWINS
from tests.oracles.parsing_models import MODELS
from tests.oracles.random_graphs import around, loopy
from tests.oracles.scores import drawer, seeded

STYLES = ["random", "tied", "extreme", "impossible"]
DECOMPOSITIONS = [
    ("dual-decomposition", {"iterations": 300}),
    ("dual-decomposition", {"iterations": 300, "steps": "decreasing", "beta": 0.5}),
    ("ad3", {"iterations": 500}),
]


def check(graph: arbora.FactorGraph, found: Solution, best: float) -> None:
    """What must hold of every solution, if the best assignment has this value."""
    slack = 1e-9 * (1 + abs(best)) if best > -inf else 1e-9
    assert found.upper_bound >= best - slack
    assert found.value <= best + slack
    assert not found.infeasible or best == -inf
    assert found.gap >= 0
    for array in (found.beliefs, *found.parts, *found.history):
        assert not np.isnan(array).any()
    assert ((found.beliefs >= -1e-9) & (found.beliefs <= 1 + 1e-9)).all()
    if found.assignment is None:
        assert found.value == -inf
    else:
        assert graph._core.value(found.assignment) == found.value
    if found.is_certified:
        assert found.value >= best - slack
        assert found.converged
    if found.is_certified and not found.infeasible:
        assert found.is_integral


def check_all(graph: arbora.FactorGraph, best: float) -> int:
    """All solvers on one graph; how many of the inexact ones have a certificate."""
    certified = 0
    for name, options in DECOMPOSITIONS:
        found = graph.solve(name, **options)
        check(graph, found, best)
        certified += found.is_certified
        if name == "dual-decomposition":
            assert len(found.history.values) <= found.iterations
            lowest = found.history.values.min(initial=inf)
            assert found.infeasible or found.upper_bound == lowest
        else:
            assert (np.diff(found.history.values) <= 0).all()
    exact = graph.solve("ad3", exact=True, iterations=200)
    check(graph, exact, best)
    assert exact.is_certified
    assert exact.infeasible == (best == -inf)
    return certified


def small(kind: str, style: str) -> Iterator[arbora.FactorGraph]:
    for size in (1, 2, 3, 4):
        for seed in range(2):
            graph = around(kind, seeded(kind, style, size, seed), style, size)
            if graph._core.variables <= 12:
                yield graph


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", sorted(TWINS))
def test_every_kind(kind: str, style: str) -> None:
    for graph in small(kind, style):
        check_all(graph, graph.solve("enumerate").value)


@pytest.mark.parametrize("style", STYLES)
def test_cycles(style: str) -> None:
    for seed in range(60):
        graph = loopy(seeded("decomposition", style, seed), style)
        check_all(graph, graph.solve("enumerate").value)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("model", sorted(MODELS))
def test_parsing_models(model: str, style: str) -> None:
    certified = 0
    for seed in range(12):
        rng = seeded(model, style, seed)
        graph = MODELS[model](drawer(rng, style), int(rng.integers(1, 4)))
        certified += check_all(graph, graph.solve("enumerate", most=1e7).value)
    assert certified > 0


@pytest.mark.parametrize("model", sorted(MODELS))
def test_longer_sentences(model: str) -> None:
    for seed in range(8):
        rng = seeded(model, seed)
        graph = MODELS[model](drawer(rng, "random"), int(rng.integers(4, 6)))
        check_all(graph, graph.solve("ilp").value)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_ad3_solves_the_relaxation(model: str) -> None:
    for seed in range(15):
        rng = seeded("lp", model, seed)
        graph = MODELS[model](drawer(rng, str(rng.choice(["random", "tied"]))), int(rng.integers(2, 6)))
        wanted, found = graph.solve("lp"), graph.solve("ad3")
        assert found.converged
        assert found.upper_bound == pytest.approx(wanted.upper_bound, abs=1e-6)


def test_ad3_solves_the_relaxation_of_cycles() -> None:
    for seed in range(200):
        graph = loopy(seeded("lp", seed), "random")
        wanted, found = graph.solve("lp"), graph.solve("ad3")
        if wanted.infeasible:
            assert found.value == -inf
            assert graph.solve("ad3", exact=True).infeasible
        else:
            assert found.converged
            assert found.upper_bound == pytest.approx(wanted.upper_bound, abs=1e-6)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_lazy_decoding_changes_nothing_but_the_work(model: str) -> None:
    skipped = 0
    for seed in range(5):
        graph = MODELS[model](drawer(seeded(model, seed), "random"), 4)
        lazy, eager, again = (
            graph.solve("dual-decomposition", iterations=100, lazy=lazy) for lazy in (True, False, True)
        )
        for other in (eager, again):
            np.testing.assert_array_equal(lazy.history.values, other.history.values)
            np.testing.assert_array_equal(lazy.beliefs, other.beliefs)
            assert (lazy.value, lazy.upper_bound) == (other.value, other.upper_bound)
        for group, calls in eager.calls.items():
            assert lazy.calls[group] + lazy.skipped[group] == calls
            assert eager.skipped[group] == 0
        skipped += sum(lazy.skipped.values())
    assert skipped > 0 or model == "grand-sibling"  # every word's head is the business of all its factors


@pytest.mark.parametrize("model", sorted(MODELS))
def test_evidence(model: str) -> None:
    """Clamped variables are what they must be, and what no tree can have is found infeasible."""
    for seed in range(4):
        rng = seeded("evidence", model, seed)
        graph = MODELS[model](drawer(rng, "random"), 3)
        numbers = rng.choice(graph._core.variables, 3, replace=False)
        for number in numbers:
            if graph._core.evidence(number) < 0:
                graph._core.clamp(number, int(rng.integers(2)))
        check_all(graph, graph.solve("enumerate", most=1e7).value)


def test_few_nodes_are_not_enough() -> None:
    """Branch and bound that had to stop says so, and its bound holds."""
    stopped = 0
    for seed in range(20):
        words = 4 if seed % 5 else 5  # integer programs of pairs take five times as long for each word more
        graph = MODELS["all pairs"](drawer(seeded("nodes", seed), "random"), words)
        found = graph.solve("ad3", exact=True, nodes=2)
        check(graph, found, graph.solve("ilp").value)
        stopped += not found.is_certified
    assert stopped > 10


def test_scores_beyond_all_measure() -> None:
    """Sums that overflow are no exception and no nan."""
    graph = arbora.FactorGraph()
    x = graph.binary([1e308, 1e308, 1e308, -1e308])
    graph.add(arbora.factors.Pairs(x, [[0, 1], [1, 2], [2, 3]], [-1e308, -1e308, 1e308]))
    graph.add(arbora.factors.AtMost(x, 2))
    for name, options in (*DECOMPOSITIONS, ("ad3", {"exact": True})):
        found = graph.solve(name, **options)
        assert not np.isnan([found.value, found.upper_bound, *found.beliefs]).any()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("dual-decomposition", {"beta": 1.5}),
        ("dual-decomposition", {"steps": "large"}),
        ("dual-decomposition", {"iterations": 0}),
        ("ad3", {"tolerance": 0.0}),
        ("ad3", {"penalty": -1.0}),
        ("ad3", {"exact": True, "nodes": 0}),
    ],
)
def test_options_are_checked(name: str, options: dict) -> None:
    graph = arbora.FactorGraph()
    graph.binary([1.0])
    with pytest.raises(ArboraError):
        graph.solve(name, **options)
