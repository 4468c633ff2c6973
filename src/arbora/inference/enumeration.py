"""The slow twin of all solvers: every assignment in turn."""

from __future__ import annotations

from typing import cast

from arbora import _core
from arbora.inference.solution import Found
from arbora.inference.solver import Option, Solver


def _enumerate(graph: _core.FactorGraph, *, most: float) -> Found:
    return cast(Found, _core.enumerate(graph, float(most)))


ENUMERATE = Solver(
    "enumerate",
    "every assignment in turn, for small graphs",
    _enumerate,
    frozenset({"marginals", "log_partition", "assignment", "upper_bound"}),
    (Option("most", 1e6, "the most assignments to go through"),),
    is_exact=True,
)
