"""The same graphs in other programs: a grid of binary variables with a score for every two neighbours."""

from __future__ import annotations

import importlib
import importlib.util
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from rich.table import Table

from arbora import FactorGraph, factors

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]


def grid(side: int, seed: int = 0, strength: float = 1.0) -> tuple[Floats, Integers, Floats]:
    """Scores of side x side variables, the pairs of neighbours, and the pairs' scores."""
    rng = np.random.default_rng(seed)
    place = np.arange(side * side).reshape(side, side)
    pairs = np.concatenate(
        [
            np.stack([place[:, :-1].ravel(), place[:, 1:].ravel()], axis=1),
            np.stack([place[:-1].ravel(), place[1:].ravel()], axis=1),
        ]
    )
    return rng.normal(size=side * side), pairs, strength * rng.normal(size=len(pairs))


def numpy_bp(unary: Floats, pairs: Integers, scores: Floats, iterations: int) -> Floats:
    """Sum-product in numpy, all messages at once: what one would write in ten lines."""
    messages = np.zeros((len(pairs), 2))
    for _ in range(iterations):
        totals = unary + np.bincount(pairs.ravel(), weights=messages.ravel(), minlength=len(unary))
        incoming = totals[pairs] - messages
        other = incoming[:, ::-1]
        messages = np.logaddexp(0.0, other + scores[:, None]) - np.logaddexp(0.0, other)
    totals = unary + np.bincount(pairs.ravel(), weights=messages.ravel(), minlength=len(unary))
    return 1 / (1 + np.exp(-totals))


def measure(*, side: int, iterations: int) -> dict[str, Any]:
    """Seconds of each program on one grid, after it has warmed up, and how far their answers are apart."""
    unary, pairs, scores = grid(side)
    graph = FactorGraph()
    x = graph.binary(unary)
    graph.add(factors.Pairs(x, pairs, scores))

    def ours() -> Floats:
        solution = graph.solve(
            "bp", iterations=iterations, tolerance=0.0, schedule="flooding", parts=False, assignment=False
        )
        return solution[x]

    runs: dict[str, Any] = {"arbora": ours, "numpy": lambda: numpy_bp(unary, pairs, scores, iterations)}
    if importlib.util.find_spec("pgmax") is not None:
        runs["PGMax"] = _pgmax_bp(unary, pairs, scores, iterations)
    answers = {name: np.asarray(run()) for name, run in runs.items()}
    seconds = {name: _fastest(run) for name, run in runs.items()}
    result: dict[str, Any] = {
        "side": side,
        "iterations": iterations,
        "bp": {
            name: {
                "seconds": seconds[name],
                "ratio": seconds[name] / seconds["arbora"],
                "difference": float(np.abs(answers[name] - answers["arbora"]).max()),
            }
            for name in runs
        },
    }
    result["map"] = _relaxations(graph, unary, pairs, scores)
    return result


def _relaxations(graph: FactorGraph, unary: Floats, pairs: Integers, scores: Floats) -> dict[str, Any]:
    """The linear relaxation: its bound by each program, and the time it takes."""
    start = perf_counter()
    solution = graph.solve("ad3")
    ours = {"seconds": perf_counter() - start, "bound": solution.upper_bound, "ratio": 1.0}
    start = perf_counter()
    highs = graph.solve("lp")
    result = {"arbora ad3": ours, "arbora lp (HiGHS)": _row(perf_counter() - start, highs.upper_bound, ours)}
    if importlib.util.find_spec("pgmax") is not None:
        seconds, bound = _pgmax_dual(unary, pairs, scores)
        result["PGMax smooth dual"] = _row(seconds, bound, ours)
    return result


def _row(seconds: float, bound: float, ours: dict[str, float]) -> dict[str, float]:
    return {"seconds": seconds, "bound": bound, "ratio": seconds / ours["seconds"]}


def _fastest(run: Any, rounds: int = 5) -> float:
    times = []
    for _ in range(rounds):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)


def _pgmax_graph(unary: Floats, pairs: Integers, scores: Floats) -> tuple[Any, Any, Any]:
    groups, variables = importlib.import_module("pgmax.fgroup"), importlib.import_module("pgmax.vgroup")
    array = variables.NDVarArray(num_states=2, shape=(len(unary),))
    graph = importlib.import_module("pgmax.fgraph").FactorGraph(variable_groups=array)
    potentials = np.zeros((len(pairs), 2, 2))
    potentials[:, 1, 1] = scores
    graph.add_factors(
        groups.PairwiseFactorGroup(
            variables_for_factors=[[array[int(a)], array[int(b)]] for a, b in pairs],
            log_potential_matrix=potentials,
        )
    )
    evidence = np.stack([np.zeros(len(unary)), unary], axis=1)
    return graph, array, evidence


def _pgmax_bp(unary: Floats, pairs: Integers, scores: Floats, iterations: int) -> Any:
    infer = importlib.import_module("pgmax.infer")
    jax = importlib.import_module("jax")
    graph, array, evidence = _pgmax_graph(unary, pairs, scores)
    inferer = infer.build_inferer(graph.bp_state, backend="bp")
    start = inferer.init(evidence_updates={array: evidence})

    @jax.jit  # type: ignore[untyped-decorator]  # JAX is no dependency
    def run(arrays: Any) -> Any:
        arrays = inferer.run(arrays, num_iters=iterations, damping=0.0, temperature=1.0)
        return infer.get_marginals(inferer.get_beliefs(arrays))[array][:, 1]

    return lambda: run(start).block_until_ready()


def _pgmax_dual(unary: Floats, pairs: Integers, scores: Floats) -> tuple[float, float]:
    infer = importlib.import_module("pgmax.infer")
    graph, array, evidence = _pgmax_graph(unary, pairs, scores)
    inferer = infer.build_inferer(graph.bp_state, backend="sdlp")
    start = inferer.init(evidence_updates={array: evidence})

    def run() -> float:
        _arrays, objectives = inferer.run_with_objvals(start, logsumexp_temp=1e-3, num_iters=1000, lr=None)
        return float(np.asarray(objectives)[-1])

    bound = run()
    return _fastest(run, rounds=2), bound


def table(result: dict[str, Any]) -> Table:
    """Both comparisons as one table."""
    side = result["side"]
    shown = Table(title=f"A grid of {side} x {side} variables")
    for name in ("what", "program", "time", "ratio", "answer"):
        shown.add_column(name, justify="left" if name in ("what", "program") else "right")
    for name, row in result["bp"].items():
        answer = f"differs by {row['difference']:.0e}" if name != "arbora" else ""
        what = f"bp, {result['iterations']} iterations"
        shown.add_row(what, name, f"{1e3 * row['seconds']:.2f} ms", f"{row['ratio']:.1f}", answer)
    for name, row in result["map"].items():
        shown.add_row(
            "relaxation", name, f"{1e3 * row['seconds']:.2f} ms", f"{row['ratio']:.1f}", f"{row['bound']:.6f}"
        )
    return shown
