"""Ctrl-C while a solver is at work."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

import arbora
from arbora import factors

SOON = 5.0
"""Seconds, on a machine that others use too: alone it takes less than 0.2."""


def tangled() -> arbora.FactorGraph:
    """A tree, and pairs of arcs that disagree with it: no solver is done within a minute."""
    rng = np.random.default_rng(1)
    graph = arbora.FactorGraph()
    arcs = graph.binary(rng.normal(size=(60, 60)))
    graph.add(factors.Tree(arcs))
    pairs = np.array([pair for pair in rng.integers(0, arcs.size, (6000, 2)) if pair[0] != pair[1]])
    graph.add(factors.Pairs(arcs.ravel(), pairs, 3 * rng.normal(size=len(pairs))))
    return graph


def free() -> arbora.FactorGraph:
    graph = arbora.FactorGraph()
    graph.binary(np.zeros(50))
    return graph


def nested() -> arbora.FactorGraph:
    graph = arbora.FactorGraph()
    graph.add(factors.ProjectiveTree(graph.binary(np.random.default_rng(1).normal(size=(300, 300)))))
    return graph


ENDLESS: dict[str, tuple[Any, dict[str, Any]]] = {
    "bp": (tangled, {"iterations": 10**8, "tolerance": 0.0}),
    "max-product": (tangled, {"iterations": 10**8, "tolerance": 0.0}),
    "annealing": (tangled, {"steps": 10**6}),
    "dual-decomposition": (tangled, {"iterations": 10**8, "steps": "decreasing"}),
    "ad3": (tangled, {"iterations": 10**8, "exact": True, "nodes": 10**8}),
    "lp": (tangled, {}),
    "ilp": (tangled, {}),
    "projective-chart": (nested, {"k": 2}),
    "enumerate": (free, {"most": float("inf")}),
}


def test_all_solvers_are_here() -> None:
    assert set(ENDLESS) == set(arbora.inference.SOLVERS)


@pytest.mark.parametrize("solver", ENDLESS)
def test_ctrl_c_interrupts_a_solver(solver: str) -> None:
    make, options = ENDLESS[solver]
    graph = make()
    sent: list[float] = []

    def interrupt() -> None:
        time.sleep(0.3)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    try:
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            graph.solve(solver, **options)
        late = time.perf_counter() - sent[0]
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert late < SOON
