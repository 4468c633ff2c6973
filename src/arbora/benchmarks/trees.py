"""Spanning trees against peers, in one run on one thread: best tree, log-partition, marginals.

Peers: ``ufal.chu_liu_edmonds`` (the best tree, multi-root, in C++) and numpy's LAPACK (the single-root
Laplacian of Koo et al. 2007). All operations of one length are timed in turns, round after round, and the
fastest round counts, so whatever slows the machine down slows all of them down. Beside the times stand two
limits: reading the scores once, and the arithmetic of one LU factorization and one inverse at the speed of
numpy's matrix product.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.metadata import version
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from rich.table import Table

from arbora import trees
from arbora.errors import ArboraError

__all__ = ["measure", "numpy_log_partition", "numpy_marginals", "table"]

Floats: TypeAlias = npt.NDArray[np.float64]

LENGTHS = (10, 25, 50, 100, 200)
BATCHES = (1, 256)
ROUNDS = 5
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "BLIS")}
UFAL = "ufal.chu_liu_edmonds"


def measure(
    *,
    lengths: Sequence[int] = LENGTHS,
    batches: Sequence[int] = BATCHES,
    budget: float = 0.3,
    quick: bool = False,
) -> dict[str, Any]:
    """Times, ratios, growth exponents and limits as plain data; ``budget``: seconds per operation and length.

    It runs in a process of its own, because the number of BLAS threads is fixed when numpy is first imported.
    ``quick`` is a tiny run that shows the shape of the answer; its times mean nothing.
    """
    if quick:
        lengths, batches, budget = (4, 8), (1, 3), 0.002
    options = {"lengths": list(lengths), "batches": list(batches), "budget": budget}
    command = [sys.executable, "-m", "arbora.benchmarks.trees", json.dumps(options)]
    done = subprocess.run(command, env=os.environ | ONE_THREAD, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise ArboraError(f"the measuring process ended with code {done.returncode}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@dataclass
class Case:
    """Sentences of one length, in the layouts that the programs take; made before the clock starts."""

    sentences: list[Floats]

    @cached_property
    def stack(self) -> Floats:
        """All in one array, for programs that work on stacks of matrices."""
        return np.stack(self.sentences)

    @cached_property
    def transposed(self) -> list[Floats]:
        """scores[modifier, head]."""
        return [np.ascontiguousarray(scores.T) for scores in self.sentences]


@dataclass(frozen=True)
class Operation:
    """Something to time: on the sentences one call each, and on the whole batch at once."""

    name: str
    who: str
    one_by_one: Callable[[Case], object]
    together: Callable[[Case], object]


def operations() -> Iterator[Operation]:
    """Ours and the installed peers'; a peer's carries the name of the operation that it competes with."""
    for projective in (False, True):
        suffix = ", projective" if projective else ""
        for single_root in (True, False):
            roots = "single root" if single_root else "multi-root"
            yield _ours(f"best tree, {roots}{suffix}", trees.mst, single_root, projective)
        yield _ours(f"log-partition{suffix}", trees.log_partition, True, projective)
        yield _ours(f"marginals{suffix}", trees.marginals, True, projective)
    if ufal := _ufal():
        loop = partial(_loop, ufal.chu_liu_edmonds, layout="transposed")
        yield Operation("best tree, multi-root", UFAL, loop, loop)
    for name, function in (("log-partition", numpy_log_partition), ("marginals", numpy_marginals)):
        yield Operation(name, "numpy", partial(_loop, function), partial(_stacked, function))


def _ours(name: str, function: Callable[..., Any], single_root: bool, projective: bool) -> Operation:
    call = partial(function, single_root=single_root, projective=projective)
    return Operation(name, "arbora", partial(_loop, call), lambda case: call(case.sentences))


def _loop(function: Callable[[Floats], object], case: Case, layout: str = "sentences") -> None:
    for scores in getattr(case, layout):
        function(scores)


def _stacked(function: Callable[[Floats], object], case: Case) -> None:
    """In stacks of 1 MB, numpy's best: a whole batch at once leaves the caches and takes up to 3 times."""
    step = max(1, 2**17 // case.sentences[0].size)
    for start in range(0, len(case.sentences), step):
        function(case.stack[start : start + step])


def _ufal() -> Any:
    try:
        return importlib.import_module(UFAL)
    except ImportError:
        return None


def _laplacian(scores: Floats) -> tuple[Floats, Floats, Floats]:
    """Koo et al. 2007: the arcs' weights, the Laplacian with the roots as its first row, the shifts."""
    tokens = np.arange(scores.shape[-1] - 1)
    shift = scores[..., 1:].max(axis=-2)  # the best score of a column becomes exp(0): nothing overflows
    weights = np.exp(scores[..., 1:] - shift[..., None, :])
    weights[..., tokens + 1, tokens] = 0.0
    laplacian = -weights[..., 1:, :]
    laplacian[..., tokens, tokens] = weights[..., 1:, :].sum(axis=-2)
    laplacian[..., 0, :] = weights[..., 0, :]
    return weights, laplacian, shift


def numpy_log_partition(scores: Floats) -> Floats:
    """Log Z of single-root trees by LAPACK's LU, of one sentence or a stack; for benign scores only."""
    _, laplacian, shift = _laplacian(scores)
    result: Floats = np.linalg.slogdet(laplacian)[1] + shift.sum(axis=-1)
    return result


def numpy_marginals(scores: Floats) -> Floats:
    """Arc marginals of single-root trees by LAPACK's inverse; one sentence or a stack of them."""
    weights, laplacian, _ = _laplacian(scores)
    inverse = np.swapaxes(np.linalg.inv(laplacian), -1, -2)  # inverse[h, m] is now the entry (m, h)
    result = np.zeros_like(scores)
    result[..., 0, 1:] = weights[..., 0, :] * inverse[..., 0, :]
    diagonal = np.diagonal(inverse, axis1=-2, axis2=-1).copy()
    diagonal[..., 0] = 0.0
    inverse[..., 0, :] = 0.0
    result[..., 1:, 1:] = weights[..., 1:, :] * (diagonal[..., None, :] - inverse)
    return result


def _measure(lengths: Sequence[int], batches: Sequence[int], budget: float) -> dict[str, Any]:
    """The whole run, in this process."""
    peak = _peak_flops(budget)
    times, limits = [], []
    known: dict[tuple[str, str, int], float] = {}
    for batch in batches:
        for n in lengths:
            case = _draw(n, max(8, 1600 // n) if batch == 1 else batch)
            # Nobody waits for seconds to see one call's time: what took long alone is not tried 256 times.
            chosen = [o for o in operations() if known.get((o.name, o.who, n), 0.0) * batch < 1.5]
            seconds = _time(chosen, case, together=batch > 1, budget=budget)
            for operation, each in zip(chosen, seconds, strict=True):
                known.setdefault((operation.name, operation.who, n), each)
                row = {"operation": operation.name, "who": operation.who, "batch": batch, "n": n}
                times.append(row | {"microseconds": each * 1e6})
            work = (2 + 2 / 3) * n**3 / peak
            read = _time_reading(case, batch, budget)
            limits.append(
                {
                    "batch": batch,
                    "n": n,
                    "read_microseconds": read * 1e6,
                    "lu_inverse_microseconds": work * 1e6,
                }
            )
    return {
        "benchmark": "trees",
        "machine": {"processor": platform.machine(), "python": platform.python_version(), "threads": 1},
        "peers": {"numpy": np.__version__, UFAL: version(UFAL) if _ufal() else None},
        "peak_gflops": peak / 1e9,
        "times": times,
        "ratios": _ratios(times),
        "growth": _growth(times),
        "limits": limits,
        "agreement": _agreement(max(lengths)),
    }


def _draw(n: int, count: int) -> Case:
    case = Case(list(np.random.default_rng(n).normal(size=(count, n + 1, n + 1))))
    _ = case.stack, case.transposed
    return case


def _time(chosen: Sequence[Operation], case: Case, *, together: bool, budget: float) -> list[float]:
    """Seconds per sentence of every operation: in turns, the fastest of several rounds."""
    calls = [operation.together if together else operation.one_by_one for operation in chosen]
    repeats = [max(1, int(budget / ROUNDS / _clock(call, case, 1))) for call in calls]
    best, spent = [float("inf")] * len(calls), [0.0] * len(calls)
    for _ in range(ROUNDS if budget > 0.01 else 1):
        for index, (call, repeat) in enumerate(zip(calls, repeats, strict=True)):
            if spent[index] < 2 * budget:  # what takes long also varies less
                seconds = _clock(call, case, repeat)
                best[index] = min(best[index], seconds)
                spent[index] += seconds * repeat
    return [seconds / len(case.sentences) for seconds in best]


def _clock(call: Callable[[Case], object], case: Case, repeat: int) -> float:
    start = perf_counter()
    for _ in range(repeat):
        call(case)
    return (perf_counter() - start) / repeat


def _time_reading(case: Case, batch: int, budget: float) -> float:
    """Seconds per sentence for one copy of its scores."""
    target = np.empty_like(case.stack)

    def copy(case: Case) -> None:
        if batch > 1:
            np.copyto(target, case.stack)
        else:
            for scores, place in zip(case.sentences, target, strict=True):
                np.copyto(place, scores)

    repeat = max(1, int(budget / ROUNDS / _clock(copy, case, 1)))
    return min(_clock(copy, case, repeat) for _ in range(ROUNDS)) / len(case.sentences)


def _peak_flops(budget: float) -> float:
    """Floating-point operations a second of a large matrix product, on one thread."""
    size = 1024 if budget > 0.01 else 128
    matrix = np.random.default_rng(0).normal(size=(size, size))
    case = Case([])
    return float(2 * size**3 / min(_clock(lambda _: matrix @ matrix, case, 1) for _ in range(ROUNDS + 1)))


def _ratios(times: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How many times longer each peer takes than we do."""
    ours = {(t["operation"], t["batch"], t["n"]): t["microseconds"] for t in times if t["who"] == "arbora"}
    rows = []
    for time in times:
        key = time["operation"], time["batch"], time["n"]
        if time["who"] != "arbora" and key in ours:
            rows.append({**time, "arbora_microseconds": ours[key], "ratio": time["microseconds"] / ours[key]})
    return rows


def _growth(times: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The exponent b of time = a * n^b by least squares on the logarithms: of all lengths, and from 25 on."""
    series: dict[tuple[str, str, int], list[tuple[int, float]]] = {}
    for time in times:
        key = time["operation"], time["who"], time["batch"]
        series.setdefault(key, []).append((time["n"], time["microseconds"]))
    return [
        {"operation": operation, "who": who, "batch": batch}
        | {"exponent": _slope(points), "exponent_from_25": _slope([p for p in points if p[0] >= 25])}
        for (operation, who, batch), points in series.items()
    ]


def _slope(points: list[tuple[int, float]]) -> float | None:
    if len(points) < 2:
        return None
    lengths, times = np.log(np.array(points)).T
    return float(np.polyfit(lengths, times, 1)[0])


def _agreement(n: int) -> dict[str, float | None]:
    """The largest differences between our answers and the peers' on the benchmark's own scores."""
    case, ufal = _draw(n, 8), _ufal()
    best = [tree.score for tree in trees.mst(case.sentences, single_root=False)]
    marginals = np.stack(trees.marginals(case.sentences))
    logs = np.array(trees.log_partition(case.sentences))
    peers = [ufal.chu_liu_edmonds(scores)[1] for scores in case.transposed] if ufal else None
    return {
        "best tree, multi-root": None if peers is None else float(np.abs(np.subtract(best, peers)).max()),
        "log-partition": float(np.abs(logs - numpy_log_partition(case.stack)).max()),
        "marginals": float(np.abs(marginals - numpy_marginals(case.stack)).max()),
    }


def table(result: dict[str, Any]) -> list[Table]:
    """One table a batch size: microseconds per sentence by length, in brackets the peers' ratios to ours."""
    return [_table(result, batch) for batch in sorted({row["batch"] for row in result["times"]})]


def _table(result: dict[str, Any], batch: int) -> Table:
    lengths = sorted({row["n"] for row in result["times"]})
    title = f"Microseconds per sentence, {'one call each' if batch == 1 else f'batches of {batch}'}"
    shown = Table(title=title, caption=_caption(result), caption_justify="left")
    for heading in ("operation", "by"):
        shown.add_column(heading)
    for heading in (*(f"n = {n}" for n in lengths), "grows as"):
        shown.add_column(heading, justify="right")
    times = {
        (t["operation"], t["who"], t["n"]): t["microseconds"] for t in result["times"] if t["batch"] == batch
    }
    for growth in sorted(result["growth"], key=lambda row: (row["operation"], row["who"] != "arbora")):
        if growth["batch"] == batch:
            name, who = growth["operation"], growth["who"]
            cells = [_cell(times.get((name, who, n)), times.get((name, "arbora", n)), who) for n in lengths]
            exponent = growth["exponent_from_25"] or growth["exponent"]
            shown.add_row(name, who, *cells, "" if exponent is None else f"n^{exponent:.2f}")
    shown.add_section()
    for label, key in (("copy the scores", "read"), ("LU + inverse at peak", "lu_inverse")):
        cells = [f"{row[f'{key}_microseconds']:.2f}" for row in result["limits"] if row["batch"] == batch]
        shown.add_row(label, "limit", *cells, "")
    return shown


def _cell(microseconds: float | None, ours: float | None, who: str) -> str:
    if microseconds is None:
        return "too long"
    ratio = "" if who == "arbora" or ours is None else f" ({microseconds / ours:.2f}x)"
    return f"{microseconds:.3g}{ratio}" if microseconds < 100 else f"{microseconds:.0f}{ratio}"


def _caption(result: dict[str, Any]) -> str:
    speed = result["peak_gflops"]
    peak = f"One thread; the matrix product reaches {speed:.1f} Gflop/s. (2x): takes twice our time."
    if result["peers"][UFAL]:
        return peak
    return f'{peak} {UFAL} is not installed: pip install "arbora\\[bench]"'


if __name__ == "__main__":
    json.dump(_measure(**json.loads(sys.argv[1])), sys.stdout)
