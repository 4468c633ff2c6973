"""How far belief propagation is from the truth: by the strength of pair scores, and by schedule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table

from arbora import FactorGraph, factors
from arbora.experiments.figure import line_chart
from arbora.factors import VariableArray

STRENGTHS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
SCHEDULES = ("flooding", "serial", "residual")


def model(n: int, strength: float, rng: np.random.Generator) -> tuple[FactorGraph, VariableArray]:
    """A tree with random scores of arcs, grandparents and siblings, the pairs' multiplied by the strength."""
    graph = FactorGraph()
    arcs = graph.binary(rng.normal(size=(n + 1, n + 1)), name="arcs")
    graph.add(factors.Tree(arcs))
    graph.add(factors.grandparents(arcs, strength * rng.normal(size=(n + 1,) * 3)))
    graph.add(factors.siblings(arcs, strength * rng.normal(size=(n + 1,) * 3)))
    return graph, arcs


def run(
    *,
    length: int = 4,
    count: int = 20,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Mean errors of marginals and of the Bethe value against enumeration, and how often it converges.

    >>> rows = run(length=2, count=1)["schedules"]["serial"]
    >>> rows["0.1"]["marginals"] < rows["1.0"]["marginals"]
    True
    """
    found: dict[str, dict[str, list[tuple[float, float, float, float]]]] = {
        schedule: {str(strength): [] for strength in STRENGTHS} for schedule in SCHEDULES
    }
    done = 0
    for strength in STRENGTHS:
        for instance in range(count):
            graph, arcs = model(length, strength, np.random.default_rng([seed, instance, length]))
            exact = graph.solve("enumerate", most=2.0**26)
            for schedule in SCHEDULES:
                bp = graph.solve("bp", schedule=schedule, iterations=200)
                off = float(np.abs(bp[arcs] - exact[arcs])[:, 1:].mean())
                value = abs(bp.log_partition - exact.log_partition)
                found[schedule][str(strength)].append((off, value, bp.converged, bp.iterations))
            done += 1
            if progress is not None:
                progress(done, count * len(STRENGTHS))
    names = ("marginals", "bethe", "converged", "iterations")
    schedules = {
        schedule: {
            strength: dict(zip(names, np.mean(rows, axis=0).tolist(), strict=True))
            for strength, rows in by_strength.items()
        }
        for schedule, by_strength in found.items()
    }
    return {"length": length, "count": count, "seed": seed, "schedules": schedules}


def table(result: dict[str, Any]) -> Table:
    """A row for each strength and schedule."""
    shown = Table(
        title=f"Belief propagation on {result['count']} trees of {result['length']} words, with pairs"
    )
    for name in ("strength", "schedule", "error of marginals", "error of log Z", "converged", "iterations"):
        shown.add_column(name, justify="left" if name == "schedule" else "right")
    for strength in map(str, STRENGTHS):
        for schedule, rows in result["schedules"].items():
            row = rows[strength]
            shown.add_row(
                strength,
                schedule,
                f"{row['marginals']:.5f}",
                f"{row['bethe']:.5f}",
                f"{100 * row['converged']:.0f} %",
                f"{row['iterations']:.0f}",
            )
    return shown


def figure(result: dict[str, Any]) -> str:
    """Lines: the error of marginals over the strength, one for each schedule."""
    series = {
        schedule: [(float(strength), row["marginals"]) for strength, row in rows.items()]
        for schedule, rows in result["schedules"].items()
    }
    return line_chart(
        "Error of BP marginals", ("strength of pair scores", "mean error"), series, log_x=True, log_y=True
    )
