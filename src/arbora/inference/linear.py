"""The graph as a linear program, solved by HiGHS: relaxed (``lp``) or with whole numbers (``ilp``)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from math import inf, isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.inference.solution import INTEGRAL_TOLERANCE, Found
from arbora.inference.solver import Option, Solver

Floats = npt.NDArray[np.float64]
TREES = ("multi-commodity", "single-commodity", "cuts")
"""How trees are described: exactly by a flow to every word, loosely by one flow, exactly by cuts."""
PRECISION = 1e-9
MOST_ROUNDS = 1000
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"presolve": "off"},
    {"presolve": "off", "random_seed": 1, "simplex_strategy": 4},
    {"presolve": "off", "solver": "ipm"},
)
"""Options of HiGHS, one after the other: it has bugs, and what it fails at one way it may do in another."""
STOPPED = (
    "kTimeLimit",
    "kIterationLimit",
    "kMemoryLimit",
    "kSolutionLimit",
    "kObjectiveBound",
    "kObjectiveTarget",
    "kInterrupt",
    "kHighsInterrupt",
)
"""Statuses of HiGHS that say that it was at work, and that what it has so far is right."""


def _solve(graph: _core.FactorGraph, *, tree: str, seconds: float, whole: bool) -> Found:
    if tree not in TREES:
        raise ArboraError(f"tree must be one of {', '.join(TREES)}, not {tree!r}")
    if not seconds > 0:
        raise ArboraError("seconds must be a positive number")
    started = time.perf_counter()
    program = _Program(graph.linear_program(tree), graph.slots if whole else 0)
    found: Found = {"beliefs": np.zeros(graph.slots), "converged": False, "iterations": 0}
    bounds: list[float] = []
    for rounds in range(1, MOST_ROUNDS + 1):
        state = program.run(seconds - (time.perf_counter() - started))
        found["iterations"] = rounds
        if state == "infeasible":
            return {**found, "infeasible": True, "converged": True, "upper_bound": -inf}
        bounds.append(program.bound)
        if program.values is None:
            break
        values = np.clip(program.values[: graph.slots], 0.0, 1.0)
        found["beliefs"] = np.round(values) if whole else values
        cuts = graph.violated_rows(found["beliefs"]) if tree == "cuts" else None
        if cuts is None or not len(cuts["row_lows"]):
            found["converged"] = state == "optimal"
            break
        if state == "stopped":
            break
        program.add_rows(cuts)
    found["upper_bound"] = min(bounds)
    found["values"] = np.array(bounds)
    return found | _assignment(graph, found["beliefs"])


def _assignment(graph: _core.FactorGraph, beliefs: Floats) -> Found:
    """The assignment that the beliefs are, if they are one that satisfies all factors."""
    if (np.minimum(beliefs, 1 - beliefs) > INTEGRAL_TOLERANCE).any():
        return {}
    assignment = np.round(beliefs).astype(np.uint8)
    value = graph.value(assignment)
    return {"assignment": assignment, "value": value} if isfinite(value) else {}


class _Program:
    """A program in HiGHS that can grow by rows."""

    def __init__(self, arrays: dict[str, Any], whole: int) -> None:
        import highspy  # slow to import, and only needed here

        self._module: Any = highspy
        self._highs: Any = self._module.Highs()
        set_option: Callable[[str, Any], Any] = self._highs.setOptionValue
        set_option("output_flag", False)
        set_option("threads", 1)
        set_option("primal_feasibility_tolerance", PRECISION)
        set_option("dual_feasibility_tolerance", PRECISION)
        set_option("mip_feasibility_tolerance", PRECISION)
        set_option("mip_rel_gap", 0.0)
        set_option("mip_abs_gap", PRECISION)
        self._ways = iter(WAYS[1:])
        self._interrupted = interrupted = threading.Event()
        for callback in (
            self._highs.cbSimplexInterrupt,
            self._highs.cbIpmInterrupt,
            self._highs.cbMipInterrupt,
        ):
            callback.subscribe(lambda event: event.interrupt(interrupted.is_set() or _core.is_stopped()))
        self._whole = whole
        self._highs.passModel(self._model(arrays))
        self.values: Floats | None = None
        """The solution of the last run."""
        self.bound = inf
        """No solution has a higher value."""

    def _model(self, arrays: dict[str, Any]) -> Any:
        highs = self._module
        model = highs.HighsLp()
        model.sense_ = highs.ObjSense.kMaximize
        model.num_col_, model.num_row_ = len(arrays["costs"]), len(arrays["row_lows"])
        model.col_cost_, model.col_lower_, model.col_upper_ = arrays["costs"], arrays["lows"], arrays["highs"]
        model.row_lower_, model.row_upper_ = arrays["row_lows"], arrays["row_highs"]
        model.a_matrix_.format_ = highs.MatrixFormat.kRowwise
        model.a_matrix_.start_ = arrays["starts"]
        model.a_matrix_.index_ = arrays["columns"]
        model.a_matrix_.value_ = arrays["values"]
        if self._whole:
            kinds = [highs.HighsVarType.kInteger] * self._whole
            model.integrality_ = kinds + [highs.HighsVarType.kContinuous] * (model.num_col_ - self._whole)
        return model

    def add_rows(self, arrays: dict[str, Any]) -> None:
        """Add rows to the program as it is."""
        count = len(arrays["row_lows"])
        self._highs.addRows(
            count,
            arrays["row_lows"],
            arrays["row_highs"],
            len(arrays["values"]),
            arrays["starts"][:count],
            arrays["columns"],
            arrays["values"],
        )

    def run(self, seconds: float) -> str:
        """Solve it: optimal, infeasible, or stopped because time ran out."""
        end = time.perf_counter() + seconds
        while True:
            left = max(end - time.perf_counter(), 0.0)
            if isfinite(left):
                self._highs.setOptionValue("time_limit", self._highs.getRunTime() + left)
            self._run()
            state = self._state()
            if state is not None:
                return state
            self._try_another_way()

    def _run(self) -> None:
        """Run HiGHS so that signals of Python are heard, which come to the main thread only."""
        if threading.current_thread() is not threading.main_thread():
            self._highs.run()
            if _core.is_stopped():
                raise KeyboardInterrupt
            return
        done = threading.Event()

        def work() -> None:
            try:
                self._highs.run()
            finally:
                done.set()

        # It is no daemon, so that Python waits for it at its end: HiGHS aborts if it is at work then. And it
        # is not joined here: a thread whose join is interrupted counts as ended, and nobody would wait.
        worker = threading.Thread(target=work)
        try:
            worker.start()
            done.wait()
        except BaseException:
            self._interrupted.set()
            done.wait(0.1)  # it stops when it asks the next time, which need not be waited for
            raise

    def _state(self) -> str | None:
        """What came of the last run; None if nothing did."""
        status: str = self._highs.getModelStatus().name
        if status in ("kInfeasible", "kUnboundedOrInfeasible"):  # all that has a cost is bounded
            return "infeasible"
        if status == "kModelEmpty":
            self.values, self.bound = np.zeros(0), 0.0
            return "optimal"
        if status != "kOptimal" and status not in STOPPED:
            return None
        info, solution = self._highs.getInfo(), self._highs.getSolution()
        self.values = np.asarray(solution.col_value) if solution.value_valid else None
        if status == "kOptimal":
            # Both are right to the precision asked for; a bound must not be below what was found.
            value = info.objective_function_value
            self.bound = max(value, info.mip_dual_bound) if self._whole else value
            return "optimal"
        if self._whole and isfinite(info.mip_dual_bound):
            self.bound = info.mip_dual_bound
        return "stopped"

    def _try_another_way(self) -> None:
        options = next(self._ways, None)
        if options is None:
            status = self._highs.modelStatusToString(self._highs.getModelStatus())
            raise ArboraError(
                f"HiGHS cannot solve this program, in none of {len(WAYS)} ways; it says: {status}. Another "
                "description of the trees (tree=...) or another solver may"
            )
        self._highs.clearSolver()
        for name, value in options.items():
            self._highs.setOptionValue(name, value)


_SECONDS = Option("seconds", inf, "stop after so many")
LP = Solver(
    name="lp",
    summary="the linear program in which every factor is satisfied by itself, by HiGHS",
    function=partial(_solve, whole=False),
    gives=frozenset({"assignment", "upper_bound"}),
    options=(Option("tree", "multi-commodity", f"how trees are described: {', '.join(TREES)}"), _SECONDS),
)
ILP = Solver(
    name="ilp",
    summary="the same program in whole numbers: the best assignment, proved, by HiGHS",
    function=partial(_solve, whole=True),
    gives=frozenset({"assignment", "upper_bound"}),
    options=(Option("tree", "cuts", f"how trees are described: {', '.join(TREES)}"), _SECONDS),
    is_exact=True,
)
