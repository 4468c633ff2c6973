"""Dynamic programs: exact on the graphs that they are made for, and on no others."""

from __future__ import annotations

from typing import cast

from arbora import _core
from arbora.errors import ArboraError
from arbora.inference.solution import Found
from arbora.inference.solver import Option, Solver


def _projective_chart(graph: _core.FactorGraph, *, log_partition: bool, k: int) -> Found:
    if int(k) != k or not 1 <= k < 2**31:
        raise ArboraError(f"projective-chart: k must be a count of trees, at least 1, not {k}")
    return cast(Found, _core.projective_chart(graph, bool(log_partition), int(k)))


PROJECTIVE_CHART = Solver(
    "projective-chart",
    "projective trees with scores of siblings and grandparents, by a chart",
    _projective_chart,
    frozenset({"marginals", "log_partition", "assignment", "upper_bound", "ranking"}),
    (
        Option("log_partition", True, "sum over all trees: probabilities, of parts too, and log-partition"),
        Option("k", 1, "how many trees to rank, the best first"),
    ),
    is_exact=True,
    takes="one ProjectiveTree, with ChildSequences, GrandSiblings or grandparents over the same arcs",
)
