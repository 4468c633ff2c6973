"""Inference in factor graphs, in one run: how time grows with n, what a message costs, ratios against peers.

Peers: PGMax (belief propagation and a smoothed dual of the linear program, in JAX) and a straightforward
version in numpy. Growth is the slope of time over n, both as logarithms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from rich.table import Table

from arbora import FactorGraph, _core, factors
from arbora.benchmarks import inference_peers as peers
from arbora.factors import VariableArray

Floats: TypeAlias = npt.NDArray[np.float64]

LENGTHS = (10, 20, 40, 80, 160)
TAGS = 10
CANDIDATES = 8

# The propagators of Smith & Eisner's table 1: what is added to the arcs, and the exponent of n there.
FAMILIES: dict[str, tuple[Callable[[FactorGraph, VariableArray, np.random.Generator], None], int]] = {}


def _family(name: str, exponent: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def register(add: Callable[..., None]) -> Callable[..., None]:
        FAMILIES[name] = (add, exponent)
        return add

    return register


@_family("TREE", 3)
def _tree(graph: FactorGraph, arcs: VariableArray, rng: np.random.Generator) -> None:
    graph.add(factors.Tree(arcs))


@_family("PTREE", 3)
def _projective_tree(graph: FactorGraph, arcs: VariableArray, rng: np.random.Generator) -> None:
    graph.add(factors.ProjectiveTree(arcs))


@_family("EXACTLY1", 2)
def _exactly1(graph: FactorGraph, arcs: VariableArray, rng: np.random.Generator) -> None:
    graph.add(factors.exactly1(arcs))


@_family("ATMOST1", 2)
def _atmost1(graph: FactorGraph, arcs: VariableArray, rng: np.random.Generator) -> None:
    graph.add(factors.atmost1(arcs))


@_family("NOT2", 3)
def _not2(graph: FactorGraph, arcs: VariableArray, rng: np.random.Generator) -> None:
    graph.add(factors.not2(arcs))


@_family("NO2CYCLE", 2)
def _no2cycle(graph: FactorGraph, arcs: VariableArray, rng: np.random.Generator) -> None:
    graph.add(factors.no2cycle(arcs))


@_family("GRAND", 3)
def _grand(graph: FactorGraph, arcs: VariableArray, rng: np.random.Generator) -> None:
    graph.add(factors.grandparents(arcs, _small(rng, len(arcs), 3)))


@_family("SIB", 3)
def _sib(graph: FactorGraph, arcs: VariableArray, rng: np.random.Generator) -> None:
    graph.add(factors.siblings(arcs, _small(rng, len(arcs), 3)))


@_family("CHILDSEQ", 3)
def _childseq(graph: FactorGraph, arcs: VariableArray, rng: np.random.Generator) -> None:
    graph.add(factors.ChildSequences(arcs, _small(rng, len(arcs), 3, first=2)))


@_family("NOCROSS", 3)
def _nocross(graph: FactorGraph, arcs: VariableArray, rng: np.random.Generator) -> None:
    graph.add(factors.NoCross(arcs, _small(rng, len(arcs), 2)))


@_family("TAGLINK", 2)
def _taglink(graph: FactorGraph, arcs: VariableArray, rng: np.random.Generator) -> None:
    _link(graph, arcs, _tags(graph, len(arcs), rng), rng)


@_family("TRIGRAM", 1)
def _trigram(graph: FactorGraph, arcs: VariableArray, rng: np.random.Generator) -> None:
    _chain(graph, _tags(graph, len(arcs), rng), rng)


@_family("TAGLINK + TRIGRAM", 2)
def _joint(graph: FactorGraph, arcs: VariableArray, rng: np.random.Generator) -> None:
    tags = _tags(graph, len(arcs), rng)
    _link(graph, arcs, tags, rng)
    _chain(graph, tags, rng)


def _tags(graph: FactorGraph, n: int, rng: np.random.Generator) -> VariableArray:
    return graph.categorical(rng.normal(size=(n, TAGS)))


def _link(graph: FactorGraph, arcs: VariableArray, tags: VariableArray, rng: np.random.Generator) -> None:
    heads, modifiers = np.nonzero(~np.eye(len(arcs), dtype=bool))
    scores = rng.normal(size=(len(heads), TAGS, TAGS)) * 0.1
    graph.add(factors.TagLink(arcs[heads, modifiers], tags[heads], tags[modifiers], scores))


def _chain(graph: FactorGraph, tags: VariableArray, rng: np.random.Generator) -> None:
    trigrams = rng.normal(size=(max(len(tags) - 2, 0), TAGS, TAGS, TAGS))
    graph.add(factors.TagChain(tags, trigrams=trigrams))


def _small(rng: np.random.Generator, size: int, axes: int, first: int = 0) -> Floats:
    return rng.normal(size=((first,) if first else ()) + (size,) * axes) * 0.1


def measure(*, lengths: Sequence[int] = LENGTHS, quick: bool = False) -> dict[str, Any]:
    """All figures as plain data. ``quick`` is a tiny run that shows the shape of the answer."""
    if quick:
        lengths = (5, 10)
    n = 10 if quick else 25
    return {
        "growth": {name: _growth(name, lengths, least=0.0 if quick else 0.5) for name in FAMILIES},
        "additive": _additive(n, turns=2 if quick else 300),
        "messages": _messages(n, rounds=2 if quick else 40),
        "dual_decomposition": _dual_decomposition(n, count=5 if quick else 200),
        "peers": peers.measure(side=5 if quick else 30, iterations=5 if quick else 50),
    }


def _graph(n: int, names: Sequence[str], seed: int = 0) -> FactorGraph:
    rng = np.random.default_rng([seed, n])
    graph = FactorGraph()
    arcs = graph.binary(rng.normal(size=(n + 1, n + 1)))
    for name in names:
        FAMILIES[name][0](graph, arcs, rng)
    return graph


def _seconds(graph: FactorGraph, iterations: int) -> Floats:
    """Seconds of an iteration of belief propagation in the propagators, by group: one run."""
    solution = graph.solve(
        "bp", iterations=iterations, tolerance=0.0, schedule="serial", parts=False, assignment=False
    )
    return np.array(list(solution.seconds.values())) / max(solution.iterations, 1)


def _iteration(graph: FactorGraph, rounds: int = 5, iterations: int = 2) -> float:
    """Seconds of an iteration of belief propagation in the propagators: the fastest of several runs."""
    return min(float(_seconds(graph, iterations).sum()) for _ in range(rounds))


def _growth(name: str, lengths: Sequence[int], least: float) -> dict[str, Any]:
    """The fastest of nine rounds and more, for at least so many seconds: other work comes and goes."""
    times = {}
    for n in lengths:
        graph, end = _graph(n, [name]), perf_counter() + least
        times[n] = _iteration(graph, rounds=9)
        while perf_counter() < end:
            times[n] = min(times[n], _iteration(graph, rounds=1))
    slope = float(np.polyfit(np.log(lengths), np.log([times[n] for n in lengths]), 1)[0])
    return {"seconds": {str(n): times[n] for n in lengths}, "exponent": slope, "paper": FAMILIES[name][1]}


def _additive(n: int, turns: int = 300, iterations: int = 5) -> dict[str, Any]:
    """Families one at a time, and all together, in turns: time must add up, no more.

    ``ratio``: what the families take in a run together to what each takes alone for the same propagations,
    that is with the messages that it met in that run. ``ratio_of_runs``: the same for runs of each family
    alone. There its messages are milder, and sums over trees are dearer where messages are sharp: each factor
    of NOCROSS demands one head a word, so that sums soon leave the range of doubles, even by logarithms.
    Of each family the fastest turn counts, in both, since other work disturbs one family at a time.
    """
    names, tags = ["TREE", "GRAND", "SIB", "CHILDSEQ"], "TAGLINK + TRIGRAM"
    together = {"together": names, "with_nocross": [*names, "NOCROSS"], "with_tags": [*names, tags]}
    graphs = {name: _graph(n, [name]) for name in [*names, "NOCROSS", tags]}
    graphs |= {key: _graph(n, families) for key, families in together.items()}
    fastest = {key: _seconds(graph, iterations) for key, graph in graphs.items()}
    for _ in range(turns):
        for key, graph in graphs.items():
            fastest[key] = np.minimum(fastest[key], _seconds(graph, iterations))
    best = {key: float(seconds.sum()) for key, seconds in fastest.items()}
    replayed = {
        key: [
            (times / iterations).tolist()
            for times in _core.replay_propagation(graphs[key]._core, iterations, turns)
        ]
        for key in together
    }
    return {
        "n": n,
        "iterations": iterations,
        "seconds": best,
        "replayed_seconds": {
            key: dict(zip(("together", "alone"), both, strict=True)) for key, both in replayed.items()
        },
        "ratio": {key: sum(within) / sum(alone) for key, (within, alone) in replayed.items()},
        "ratio_of_runs": {key: best[key] / sum(map(best.__getitem__, own)) for key, own in together.items()},
    }


def _messages(n: int, rounds: int) -> dict[str, Any]:
    """One iteration of a tree with all GRAND and SIB pairs, against the matrix-tree call alone."""
    with_pairs, tree = _graph(n, ["TREE", "GRAND", "SIB"]), _graph(n, ["TREE"])
    messages = 2 * sum(with_pairs._core.group(group)[1] for group in (1, 2))
    best_pairs = best_tree = float("inf")
    for _ in range(rounds):
        best_tree = min(best_tree, _iteration(tree, rounds=1, iterations=5))
        best_pairs = min(best_pairs, _whole_iteration(with_pairs))
    allowed = 3 * best_tree + 3e-9 * messages
    return {
        "n": n,
        "pair_messages": messages,
        "tree_seconds": best_tree,
        "iteration_seconds": best_pairs,
        "nanoseconds_a_message": (best_pairs - best_tree) / messages * 1e9,
        "allowed_seconds": allowed,
    }


def _whole_iteration(graph: FactorGraph, iterations: int = 21) -> float:
    """Seconds of one iteration, everything counted: the difference of many and one."""
    times = []
    for count in (1, iterations):
        start = perf_counter()
        graph.solve("bp", iterations=count, tolerance=0.0, schedule="serial", parts=False, assignment=False)
        times.append(perf_counter() - start)
    return (times[1] - times[0]) / (iterations - 1)


def sibling_instance(n: int, seed: int, candidates: int = CANDIDATES) -> FactorGraph:
    """A sibling model as a parser would make it: few heads a word, one of which is clearly better."""
    rng = np.random.default_rng([seed, n, candidates])
    gold = np.array([-1, 0, *(rng.integers(1, m) for m in range(2, n + 1))])
    scores = np.full((n + 1, n + 1), -np.inf)
    for m in range(1, n + 1):
        others = [h for h in range(n + 1) if h not in (m, gold[m])]
        near = sorted(others, key=lambda h: abs(h - m) + rng.exponential(4.0))[: candidates - 1]
        scores[near, m] = rng.normal(-1.0, 1.5, len(near))
        scores[gold[m], m] = rng.normal(3.0, 1.5)
    left = np.isfinite(scores)
    heads, modifiers = np.nonzero(left)
    graph = FactorGraph()
    arcs = graph.binary(scores, name="arcs")
    graph.add(factors.Tree(arcs[heads, modifiers], heads=heads, modifiers=modifiers))
    graph.add(factors.ChildSequences(arcs, rng.normal(size=(2, n + 1, n + 1, n + 1)), candidates=left))
    return graph


def _dual_decomposition(n: int, count: int) -> dict[str, Any]:
    graphs = [sibling_instance(n, seed) for seed in range(count)]
    times, certified, iterations = [], 0, []
    for graph in graphs:
        best = float("inf")
        for _ in range(3):
            start = perf_counter()
            solution = graph.solve("dual-decomposition")
            best = min(best, perf_counter() - start)
        times.append(best)
        iterations.append(solution.iterations)
        certified += solution.is_certified
    return {
        "n": n,
        "candidates": CANDIDATES,
        "median_seconds": median(times),
        "mean_seconds": sum(times) / count,
        "median_iterations": median(iterations),
        "certified": certified / count,
    }


def table(result: dict[str, Any]) -> list[Table]:
    """The figures as tables."""
    growth = Table(title="Growth of one propagation with n")
    lengths = list(next(iter(result["growth"].values()))["seconds"])
    for name in ("family", *(f"n = {n}" for n in lengths), "exponent", "paper"):
        growth.add_column(name, justify="left" if name == "family" else "right")
    for name, row in result["growth"].items():
        times = [f"{1e6 * seconds:,.0f} us" for seconds in row["seconds"].values()]
        growth.add_row(name, *times, f"{row['exponent']:.2f}", str(row["paper"]))
    others = Table(title="What a message costs, what adds up, what is certified")
    others.add_column("what")
    others.add_column("measured", justify="right")
    additive, messages = result["additive"], result["messages"]
    for key, what in (
        ("together", "TREE, GRAND, SIB, CHILDSEQ"),
        ("with_nocross", "the same and NOCROSS"),
        ("with_tags", "the former and TAGLINK, TRIGRAM"),
    ):
        others.add_row(
            f"{what}: together / the sum of each alone, n = {additive['n']}",
            f"{additive['ratio'][key]:.2f} ({additive['ratio_of_runs'][key]:.2f} on milder messages)",
        )
    others.add_row(
        f"an iteration of Tree + {messages['pair_messages']:,} pair messages, n = {messages['n']}",
        f"{1e6 * messages['iteration_seconds']:.0f} us (allowed {1e6 * messages['allowed_seconds']:.0f})",
    )
    others.add_row("the tree alone", f"{1e6 * messages['tree_seconds']:.0f} us")
    others.add_row("a pair message", f"{messages['nanoseconds_a_message']:.2f} ns")
    dual = result["dual_decomposition"]
    others.add_row(
        f"dual decomposition, siblings, n = {dual['n']}, {dual['candidates']} heads a word: median",
        f"{1e3 * dual['median_seconds']:.3f} ms, {100 * dual['certified']:.0f} % certified",
    )
    return [growth, others, peers.table(result["peers"])]
