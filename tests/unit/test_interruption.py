"""Ctrl-C while a solver is at work."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from background import tool

import arbora
from arbora import factors
from arbora.treebank import Sentence

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
    assert interrupted(lambda: graph.solve(solver, **options)) < SOON


def test_ctrl_c_interrupts_k_best_trees() -> None:
    rng = random.Random(1)
    words = [Sentence([rng.choice("abcdefgh") for _ in range(40)])]
    parser = arbora.load().parser
    assert interrupted(lambda: list(parser.kbest(words, 1_000_000))) < SOON


def interrupted(run: Callable[[], Any]) -> float:
    """Seconds from Ctrl-C until what would take minutes ends."""
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
            run()
        return time.perf_counter() - sent[0]
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)


MODEL = Path(__file__).parents[1] / "golden" / "dependency-parser-with-all-parts.v2.arbora"


@pytest.mark.parametrize(("solver", "threads"), [("ad3", 1), ("ad3", 2), ("bp", 1)])
def test_ctrl_c_ends_the_command_within_a_batch(tmp_path: Path, solver: str, threads: int) -> None:
    """Its sentences would take minutes; nothing half-written is left."""
    random.seed(1)
    row = "{}\tw{}\t_\t{}\t_\t_\t_\t_\t_\t_\n"
    tags = ["NOUN", "VERB", "DET", "ADJ"]
    rows = [row.format(i, random.randint(1, 99), random.choice(tags)) for i in range(1, 121)]
    (tmp_path / "in.conllu").write_text(("".join(rows) + "\n") * 300, "utf-8")
    files = ["--input", str(tmp_path / "in.conllu"), "--output", str(tmp_path / "out.conllu")]
    command = [tool("arbora"), "parse", "--model", str(MODEL), *files, "--solver", solver]
    with subprocess.Popen([*command, "--threads", str(threads)], stderr=subprocess.PIPE) as process:
        while not list(tmp_path.glob(".*.part")):  # then it reads and parses
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(0.5)
        before = time.perf_counter()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        late = time.perf_counter() - before
    assert process.returncode == 130
    assert late < SOON
    assert [path.name for path in tmp_path.iterdir()] == ["in.conllu"]


def test_who_is_ahead_ends_too() -> None:
    """What a thread of Python does for another is ended when the other goes on no more."""
    started = threading.Event()

    def items() -> Any:
        yield 1
        started.set()
        yield tangled().solve("bp", iterations=10**8, tolerance=0.0)

    coming = arbora.treebank.batches.ahead(items())
    assert next(coming) == 1
    assert started.wait(SOON)
    before = time.perf_counter()
    coming.close()
    assert time.perf_counter() - before < SOON
