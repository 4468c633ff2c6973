"""The papers' experiments at a small scale, and the constructions that show what is hard."""

from __future__ import annotations

import json
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest

from arbora.experiments import bethe_gap, figure, hardness, random_instances
from tests.command import run_here


def paths(n: int, edges: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    return [p for p in permutations(range(1, n + 1)) if all(e in edges for e in pairwise(p))]


@pytest.mark.parametrize("seed", range(12))
def test_hamiltonian_paths(seed: int) -> None:
    """Trees under an arity of one whose arcs are edges are the paths, one for one."""
    rng = np.random.default_rng(seed)
    n = 5
    edges = [(i, j) for i in range(1, n + 1) for j in range(1, n + 1) if i != j and rng.random() < 0.35]
    graph, arcs = hardness.hamiltonian_path(n, edges)
    solution = graph.solve("ilp")
    assert solution.is_certified
    assert solution.infeasible == (not paths(n, edges))
    every = graph.solve("enumerate", most=2.0**40)
    assert np.exp(every.log_partition) == pytest.approx(len(paths(n, edges)))
    if not solution.infeasible:
        assert solution.value == 0
        heads = solution.tree(arcs)
        assert max(np.bincount(heads[1:], minlength=n + 1)) <= 1


def matchings(m: int, triples: list[tuple[int, int, int]]) -> bool:
    return any(
        all((a, b[a], c[a]) in triples for a in range(m))
        for b in permutations(range(m))
        for c in permutations(range(m))
    )


@pytest.mark.parametrize("seed", range(12))
def test_three_dimensional_matchings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = 3
    triples = [tuple(rng.integers(0, m, 3).tolist()) for _ in range(6)]
    graph, labelled = hardness.three_dimensional_matching(m, triples)
    solution = graph.solve("ilp")
    assert solution.is_certified
    assert solution.infeasible != matchings(m, triples)
    if not solution.infeasible:
        chosen = [tuple(t) for t in np.argwhere(solution.assignment_of(labelled["middle"])).tolist()]
        assert len(chosen) == m
        assert all(t in triples for t in chosen)
        for place in range(3):
            assert {t[place] for t in chosen} == set(range(m))


@pytest.mark.parametrize("triples", [[], [(0, 0, 0)]])
def test_matchings_of_one_element(triples: list[tuple[int, int, int]]) -> None:
    graph, labelled = hardness.three_dimensional_matching(1, triples)
    solution = graph.solve("ilp")
    assert solution.infeasible == (not triples)
    if triples:
        assert solution.assignment_of(labelled["middle"]).all()


def test_relaxations_admit_that_they_did_not_solve_it() -> None:
    """A graph without a Hamiltonian path in which fractions of several paths look like one."""
    unsolved = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = 5
        edges = [(i, j) for i in range(1, n + 1) for j in range(1, n + 1) if i != j and rng.random() < 0.35]
        graph, _ = hardness.hamiltonian_path(n, edges)
        optimum = graph.solve("ilp").value
        for name in ("lp", "ad3", "dual-decomposition"):
            solution = graph.solve(name)
            assert solution.upper_bound >= optimum - 1e-7
            if solution.is_certified:
                assert solution.value == pytest.approx(optimum, abs=1e-7)
            else:
                unsolved += 1
    assert unsolved > 0


def test_random_instances() -> None:
    result = random_instances.run(length=4, count=3, seed=5)
    for rows in result["models"].values():
        assert rows["ILP"]["proved"] == 1.0
        assert rows["LP(S)"]["gap"] >= rows["LP(M)"]["gap"] - 1e-6 >= -2e-6
        assert all(row["gap"] >= -1e-6 for row in rows.values())
    assert random_instances.table(result).row_count == len(random_instances.SOLVERS)
    assert random_instances.figure(result).startswith("<svg")


def test_bethe_gap() -> None:
    result = bethe_gap.run(length=3, count=2, seed=5)
    for rows in result["schedules"].values():
        assert rows["0.1"]["marginals"] < rows["4.0"]["marginals"]
        assert rows["0.1"]["bethe"] < 0.1
    assert bethe_gap.figure(result).count("<polyline") == 3


def test_figures_survive_odd_values() -> None:
    assert figure.line_chart("t", ("x", "y"), {"a": [(0, 0), (1, 0)]}, log_x=True, log_y=True)
    assert figure.bar_chart("t", "y", [], {})
    assert "&lt;" in figure.bar_chart("<", "y", ["<"], {"<": [0.0]})


def test_command(tmp_path) -> None:
    data, picture = tmp_path / "r.json", tmp_path / "r.svg"
    done = run_here(
        "experiment",
        "bethe-gap",
        "--length",
        "2",
        "--count",
        "1",
        "--output",
        str(data),
        "--figure",
        str(picture),
    )
    assert done.returncode == 0
    assert "strength" in done.stdout
    assert json.loads(data.read_text())["length"] == 2
    assert picture.read_text().startswith("<svg")
    assert run_here("experiment").returncode == 0
    wrong = run_here("experiment", "nothing")
    assert wrong.returncode == 2
    assert "there is no experiment" in wrong.stderr
    assert run_here("experiment", "bethe-gap", "--figure", "no/where.svg").returncode == 2


def test_feed_forward_against_mean_field(tmp_path):
    treebank = str(Path(__file__).resolve().parents[2] / "examples" / "treebank" / "brackets.mrg")
    files = ("--train", treebank, "--dev", treebank)
    small = ("--epochs", "1", "--width", "3", "--count", "1")
    done = run_here(
        "experiment",
        "titov-henderson-1",
        *files,
        *("--epochs", "2", "--width", "5", "--count", "2", "--figure", str(tmp_path / "f.svg"), "--json"),
    )
    result = json.loads(done.stdout)
    assert {name: len(runs) for name, runs in result["runs"].items()} == {"feed-forward": 2, "mean-field": 2}
    assert all(len(run["curve"]) == 2 for runs in result["runs"].values() for run in runs)
    assert 0 < result["comparison"]["pooled"]["p_value"] <= 1
    assert (tmp_path / "f.svg").read_text().count("<polyline") == 2
    paper = run_here("experiment", "titov-henderson-1", *files, *small, "--inputs", "paper", "--json")
    assert len(json.loads(paper.stdout)["options"]["inputs"]) == 9
    assert "must be all" in run_here("experiment", "titov-henderson-1", *files, "--inputs", "x").stderr
    assert "needs --train and --dev" in run_here("experiment", "titov-henderson-1").stderr
    assert "takes no --width" in run_here("experiment", "bethe-gap", "--width", "3").stderr
