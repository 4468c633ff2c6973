"""Solvers that take a graph apart: factors are solved on copies of their variables, made to agree."""

from __future__ import annotations

from math import inf
from typing import cast

from arbora import _core
from arbora.errors import ArboraError
from arbora.inference.solution import Found
from arbora.inference.solver import Option, Solver

STEPS = ("level", "decreasing")
"""Step sizes: by the distance to a level that may be reached; or as in appendix A of Koo et al. (2010)."""


def _dual_decomposition(
    graph: _core.FactorGraph, *, iterations: int, beta: float, lazy: bool, steps: str
) -> Found:
    if not 0 <= beta <= 1:
        raise ArboraError("dual-decomposition: beta must be between 0 and 1")
    if steps not in STEPS:
        raise ArboraError(f"dual-decomposition: steps must be one of {', '.join(STEPS)}, not {steps!r}")
    return cast(Found, _core.dual_decomposition(graph, _count(iterations), float(beta), bool(lazy), steps))


DUAL_DECOMPOSITION = Solver(
    "dual-decomposition",
    "the subgradient method, with a certificate where the parts agree",
    _dual_decomposition,
    frozenset({"assignment", "upper_bound"}),
    (
        Option("iterations", 5000, "the most iterations"),
        Option("beta", 0.001, "how much of the scores of their arcs trees get where other factors see them"),
        Option("lazy", True, "solve a factor again only if its multipliers have changed"),
        Option("steps", "level", "step sizes: level, or decreasing as in the paper"),
    ),
)


def _ad3(
    graph: _core.FactorGraph, *, iterations: int, tolerance: float, penalty: float, exact: bool, nodes: int
) -> Found:
    if not 0 < tolerance < inf:
        raise ArboraError("ad3: tolerance must be a positive number")
    if not 0 <= penalty < inf:
        raise ArboraError("ad3: penalty must be a positive number, or 0 to choose one")
    return cast(
        Found,
        _core.ad3(graph, _count(iterations), float(tolerance), float(penalty), _count(nodes) if exact else 0),
    )


AD3 = Solver(
    "ad3",
    "alternating directions: the linear relaxation, or with exact=True the best assignment",
    _ad3,
    frozenset({"assignment", "upper_bound"}),
    (
        Option("iterations", 5000, "the most iterations"),
        Option("tolerance", 1e-9, "how near copies must be to agreement"),
        Option("penalty", 0.0, "the penalty of disagreement to begin with; 0 chooses one"),
        Option("exact", False, "go on by branch and bound until the assignment is proved the best"),
        Option("nodes", 10000, "the most nodes of branch and bound"),
    ),
)


def _count(number: int) -> int:
    if not 1 <= number < 2**31 or int(number) != number:
        raise ArboraError(f"{number} is no count: iterations and nodes are at least 1")
    return int(number)
