"""Solvers that pass messages: belief propagation, max-product, and annealing from the one to the other."""

from __future__ import annotations

from typing import Any, cast

from arbora import _core
from arbora.inference.solution import Found
from arbora.inference.solver import Option, Solver

_SCHEDULE = Option(
    "schedule",
    "serial",
    "flooding, serial (small factors first), or residual (fewest updates, each of which costs more)",
)
_ITERATIONS = Option("iterations", 100, "the most iterations; fewer if messages come to rest")
_TOLERANCE = Option("tolerance", 1e-6, "messages that change by less are at rest")
_DAMPING = Option("damping", 0.0, "how much of the old message stays, in [0, 1)")


def _bp(graph: _core.FactorGraph, **options: Any) -> Found:
    return cast(Found, _core.belief_propagation(graph, **options))


def _max_product(graph: _core.FactorGraph, **options: Any) -> Found:
    return cast(Found, _core.max_product(graph, **options))


def _annealing(graph: _core.FactorGraph, **options: Any) -> Found:
    return cast(Found, _core.anneal(graph, **options))


BP = Solver(
    "bp",
    "sum-product belief propagation",
    _bp,
    frozenset({"marginals", "log_partition", "entropies", "assignment"}),
    (
        _ITERATIONS,
        _TOLERANCE,
        _SCHEDULE,
        _DAMPING,
        Option("keep_values", False, "keep the Bethe value of every iteration, which takes time"),
        Option("parts", True, "tell the beliefs of the factors' parts"),
        Option("entropies", False, "tell the entropies of variables and factors"),
        Option("assignment", True, "read out an assignment"),
    ),
)

MAX_PRODUCT = Solver(
    "max-product",
    "max-product, and an assignment read out from it",
    _max_product,
    frozenset({"assignment"}),
    (_ITERATIONS, _TOLERANCE, _SCHEDULE, _DAMPING),
)

ANNEALING = Solver(
    "annealing",
    "sum-product at temperatures that fall towards max-product",
    _annealing,
    frozenset({"assignment"}),
    (
        Option("steps", 10, "how many temperatures, the first of which is 1"),
        Option("lowest", 0.05, "the last temperature"),
        Option("iterations", 20, "the most iterations at each temperature"),
        _TOLERANCE,
        _SCHEDULE,
        _DAMPING,
    ),
)
