"""HiGHS at the edges: when it fails, when there is nothing to solve, when somebody presses Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
from types import SimpleNamespace
from typing import Any

import highspy
import pytest

import arbora
from arbora.errors import ArboraError
from arbora.experiments.hardness import three_dimensional_matching
from arbora.inference import linear

TRIPLES = "000 002 010 020 021 110 112 201 202 210 220 221"


def matching() -> arbora.FactorGraph:
    """A graph whose program with cuts HiGHS 1.15 presolves to a solution that breaks a row."""
    triples = [tuple(map(int, text)) for text in TRIPLES.split()]
    return three_dimensional_matching(3, triples)[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("tree", linear.TREES)
def test_a_failure_is_tried_again_in_another_way(tree: str) -> None:
    solution = matching().solve("ilp", tree=tree)
    assert solution.is_certified
    assert solution.converged
    assert solution.value == 0


def test_an_error_if_no_way_works(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def fails(self: Any) -> None:
        tried.append(self._highs.getOptionValue("presolve")[1])

    monkeypatch.setattr(linear._Program, "_run", fails)
    with pytest.raises(ArboraError, match=r"HiGHS cannot solve this program.*Not Set"):
        matching().solve("ilp")
    assert len(tried) == len(linear.WAYS)
    assert tried[1] == "off"


@pytest.mark.parametrize("name", [name for name in dir(highspy.HighsModelStatus) if name.startswith("k")])
@pytest.mark.parametrize("whole", [0, 2])
def test_every_status_is_handled(name: str, whole: int) -> None:
    """Right, impossible, stopped with what there is, or another way: there is nothing else."""
    graph = arbora.FactorGraph()
    graph.binary([1.0, -1.0])
    program = linear._Program(graph._core.linear_program("cuts"), whole)
    program._run()
    real = program._highs
    program._highs = SimpleNamespace(
        getModelStatus=lambda: highspy.HighsModelStatus.__members__[name],
        getInfo=real.getInfo,
        getSolution=real.getSolution,
    )
    state = program._state()
    assert state in ("optimal", "infeasible", "stopped", None)
    fails = "Error" in name or name in ("kNotset", "kUnbounded", "kUnknown")
    assert (state is None) == fails
    assert (state == "stopped") == (name in linear.STOPPED)
    if state == "optimal" and name == "kOptimal":
        assert program.bound == 1.0


@pytest.mark.parametrize("solver", ["lp", "ilp"])
def test_bounds_of_graphs_without_factors(solver: str) -> None:
    graph = arbora.FactorGraph()
    solution = graph.solve(solver)
    assert (solution.value, solution.upper_bound, solution.converged) == (0, 0, True)
    graph.binary([1.0, -2.0, -float("inf")])
    assert graph.solve(solver).upper_bound == graph.solve(solver).value == 1


def test_python_waits_for_what_was_interrupted() -> None:
    """A thread that HiGHS works in must not be there when Python is gone: the program would abort."""
    graph = arbora.FactorGraph()
    graph.binary([1.0])
    program = linear._Program(graph._core.linear_program("cuts"), 0)
    working, goes_on = threading.Event(), threading.Event()
    found: list[threading.Thread] = []

    def run() -> None:
        found.append(threading.current_thread())
        working.set()
        goes_on.wait(10)

    def interrupt() -> None:
        working.wait(10)
        os.kill(os.getpid(), signal.SIGINT)

    program._highs = SimpleNamespace(run=run)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            program._run()
        assert program._interrupted.is_set()
        assert found[0].is_alive()
        assert not found[0].daemon
    finally:
        goes_on.set()
        signal.signal(signal.SIGINT, before)
    found[0].join(10)
    assert not found[0].is_alive()
