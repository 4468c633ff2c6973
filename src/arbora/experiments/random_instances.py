"""How often a solver proves its answer on random models: Koo et al. (2010), the last column of table 2."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from rich.table import Table

from arbora import FactorGraph, factors
from arbora.experiments.figure import bar_chart
from arbora.inference import Solution

# DD with the paper's step sizes, and with those that are the default here.
SOLVERS: dict[str, Callable[[FactorGraph], Solution]] = {
    "LP(S)": lambda graph: graph.solve("lp", tree="single-commodity"),
    "LP(M)": lambda graph: graph.solve("lp", tree="multi-commodity"),
    "ILP": lambda graph: graph.solve("ilp"),
    "DD-250": lambda graph: graph.solve("dual-decomposition", iterations=250, steps="decreasing"),
    "DD-5000": lambda graph: graph.solve("dual-decomposition", iterations=5000, steps="decreasing"),
    "DD level": lambda graph: graph.solve("dual-decomposition"),
    "AD3": lambda graph: graph.solve("ad3"),
}


def sibling_model(n: int, rng: np.random.Generator) -> FactorGraph:
    """A tree, and automata on the modifiers of each word with normally distributed scores of transitions."""
    graph = FactorGraph()
    arcs = graph.binary(np.zeros((n + 1, n + 1)), name="arcs")
    graph.add(factors.Tree(arcs))
    graph.add(factors.ChildSequences(arcs, rng.normal(size=(2, n + 1, n + 1, n + 1))))
    return graph


def grandsibling_model(n: int, rng: np.random.Generator) -> FactorGraph:
    """The same with transitions that depend on the word's own head."""
    graph = FactorGraph()
    arcs = graph.binary(np.zeros((n + 1, n + 1)), name="arcs")
    graph.add(factors.Tree(arcs))
    graph.add(factors.GrandSiblings(arcs, rng.normal(size=(2, n + 1, n + 1, n + 1, n + 1))))
    return graph


MODELS = {"sibling": sibling_model, "grandsibling": grandsibling_model}


def run(
    *,
    length: int = 10,
    count: int = 100,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """For each model and solver: the share of proved answers, mean time, mean distance of bound and optimum.

    >>> result = run(length=3, count=2)
    >>> result["models"]["sibling"]["ILP"]["proved"]
    1.0
    """
    models: dict[str, dict[str, dict[str, float]]] = {}
    done = 0
    for name, make in MODELS.items():
        rows: dict[str, list[tuple[bool, float, float]]] = {solver: [] for solver in SOLVERS}
        for instance in range(count):
            graph = make(length, np.random.default_rng([seed, instance, length]))
            values = {}
            for solver, solve in SOLVERS.items():
                start = perf_counter()
                solution = solve(graph)
                seconds = perf_counter() - start
                values[solver] = solution
                rows[solver].append((_is_proved(solution), seconds, solution.upper_bound))
            optimum = values["ILP"].value
            for solver in SOLVERS:
                proved, seconds, bound = rows[solver][-1]
                rows[solver][-1] = (proved, seconds, bound - optimum)
            done += 1
            if progress is not None:
                progress(done, count * len(MODELS))
        models[name] = {
            solver: dict(zip(("proved", "seconds", "gap"), np.mean(row, axis=0).tolist(), strict=True))
            for solver, row in rows.items()
        }
    return {"length": length, "count": count, "seed": seed, "models": models}


def _is_proved(solution: Solution) -> bool:
    """Whether the bound proves the answer; an integral point of the linear program is proved by being one."""
    return solution.is_certified or (solution.solver == "lp" and solution.is_integral)


def table(result: dict[str, Any]) -> Table:
    """A row for each solver, three columns for each model."""
    shown = Table(title=f"{result['count']} random models of {result['length']} words, seed {result['seed']}")
    shown.add_column("solver")
    for model in result["models"]:
        for column in ("proved", "seconds", "bound - optimum"):
            shown.add_column(f"{model}\n{column}", justify="right")
    for solver in SOLVERS:
        cells = []
        for rows in result["models"].values():
            row = rows[solver]
            cells += [f"{100 * row['proved']:.1f} %", f"{row['seconds']:.4f}", f"{row['gap']:.3f}"]
        shown.add_row(solver, *cells)
    return shown


def figure(result: dict[str, Any]) -> str:
    """Bars: the share of proved answers."""
    series = {
        model: [100 * rows[solver]["proved"] for solver in SOLVERS]
        for model, rows in result["models"].items()
    }
    return bar_chart(f"Proved answers, {result['length']} words", "%", list(SOLVERS), series)
