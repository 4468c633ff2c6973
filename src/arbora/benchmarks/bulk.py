"""Bulk runs against `arbora parse`: words a second by workers of all kinds, what shards cost, memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.table import Table

from arbora.bulk import BulkOptions, run_bulk
from arbora.bulk.inputs import find_inputs
from arbora.bulk.lines import NAME
from arbora.bulk.manifest import Manifest, digest_of, read_lines, read_state
from arbora.bulk.shards import cut, read_shard
from arbora.errors import ArboraError
from arbora.executors import make_executor
from arbora.text.tokenizing.running_text import paragraphs_of, running_text
from arbora.treebank import Sentence, read
from arbora.treebank.files import open_output

MEGABYTES = 8
"""Of text in all; shards are so large that each of two workers gets eight of them."""
SHARDS = 16
ROUNDS = 3
PARSE = "from arbora.cli import main; main()"


def measure(dev: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """Parse the raw text of a treebank, many times over, in turns by each way: plain data.

    Words a second are by the clock, from the start of a command to its end, of the fastest of some rounds;
    so models are opened within that time, as often as each way does. Until the cluster of Dask stands is told
    apart (``start``); its workers import Arbora and open the model within the run. ``cost`` are the seconds
    of what bulk does beside parsing, and the share that they are of the shards' seconds. Memory is the
    largest of one process.
    """
    if dev is None:
        raise ArboraError("the benchmark bulk needs --dev, a CoNLL-U file")
    gold: list[Sentence] = list(read(dev, single_root=False))
    text = running_text(paragraphs_of(gold)).text.rstrip() + "\n\n"
    times = max(1, (MEGABYTES << 20) // len(text.encode()) // 2)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "half.txt").write_text(text * times, "utf-8")
        (place / "whole.txt").write_text(text * times * 2, "utf-8")
        ways: dict[str, Callable[[Path], float]] = {
            "two arbora parse": lambda target: _parse(place, target, 2),
            "one arbora parse": lambda target: _parse(place, target, 1),
            "local, 1 worker": lambda target: _bulk(place, target, 1, "local"),
            "local, 2 workers": lambda target: _bulk(place, target, 2, "local"),
        }
        if find_spec("distributed") is not None:
            ways["dask, 2 workers"] = lambda target: _bulk(place, target, 2, "dask")
        seconds = dict.fromkeys(ways, float("inf"))
        start = float("inf")
        for turn in range(ROUNDS):
            for number, (name, run) in enumerate(ways.items()):
                started = time.perf_counter()
                before = run(place / f"{turn}-{number}")
                seconds[name] = min(seconds[name], time.perf_counter() - started - before)
                start = min(start, before) if name.startswith("dask") else start
        cost = _cost(place / f"0-{list(ways).index('local, 1 worker')}", place / "replay")
        words = sum(map(len, gold)) * times * 2
        memory = {
            "one arbora parse": _memory("parse", "-i", place / "half.txt", "-o", place / "memory.conllu"),
            "a worker": _memory(
                "bulk", place / "half.txt", "-o", place / "memory", "--workers", "1", children=True
            ),
        }
    speed = {name: words / own for name, own in seconds.items()}
    speed["one arbora parse"] /= 2  # it parsed one half
    return {
        "text": Path(dev).name,
        "words": words,
        "words_per_second": speed,
        "start": start if "dask, 2 workers" in ways else None,
        "cost": cost,
        "megabytes": memory,
    }


def _parse(place: Path, target: Path, processes: int) -> float:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PARSE, "parse", "-i", place / "half.txt", "-o", f"{target}-{n}.conllu"]
        )
        for n in range(processes)
    ]
    for process in started:
        process.wait()
    return 0.0


def _bulk(place: Path, target: Path, workers: int, executor: str) -> float:
    """A run; the seconds that went by before and after it, until its workers were there and had ended."""
    size = (place / "whole.txt").stat().st_size // SHARDS
    started = time.perf_counter()
    with make_executor(executor, workers) as own:
        begun = time.perf_counter()
        run_bulk([str(place / "whole.txt")], target, options=BulkOptions(shard_bytes=size), executor=own)
        ended = time.perf_counter()
    if executor == "local":  # its workers begin within the run
        return 0.0
    return time.perf_counter() - started - (ended - begun)


def _cost(run: Path, replay: Path) -> dict[str, float]:
    """Seconds of what a run has done beside parsing, done again with its own files."""
    state = read_state(run)
    size = state.settings["options"]["shard_bytes"]
    _, inputs = find_inputs([one["path"] for one in state.settings["inputs"]], "text")
    lines = list(read_lines(str(run / NAME)))
    replay.mkdir()

    def write_manifest() -> None:
        with Manifest(str(replay)) as manifest:
            for line in lines:
                manifest.add(**line)

    def write_outputs() -> None:
        for line in state.done.values():
            with open_output(str(replay / "output"), on_disk=True) as stream:
                stream.write((run / line["output"]).read_bytes())

    seconds = {
        "cutting": _seconds(lambda: list(cut(inputs, "text", size))),
        "the manifest": _seconds(write_manifest),
        "reading shards": _seconds(lambda: [read_shard(shard) for shard in state.shards]),
        "outputs to the disk": _seconds(write_outputs),
        "digests of outputs": _seconds(
            lambda: [digest_of(str(run / line["output"])) for line in state.done.values()]
        ),
    }
    share = sum(seconds.values()) / sum(line["seconds"] for line in state.done.values())
    return {**seconds, "share": share}


def _seconds(function: Callable[[], Any]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def _memory(*arguments: Any, children: bool = False) -> float:
    """Megabytes that a command took at the most, or the processes that it began."""
    whose = "RUSAGE_CHILDREN" if children else "RUSAGE_SELF"
    code = (
        "import resource, sys, contextlib\nfrom arbora.cli import main\n"
        "with contextlib.suppress(SystemExit):\n    main()\n"
        f"print(resource.getrusage(resource.{whose}).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    return int(done.stdout.split()[-1]) / 1024


def table(data: dict[str, Any]) -> list[Table]:
    """The figures, and what they are to each other."""
    speed, memory = data["words_per_second"], data["megabytes"]
    found = Table(title=f"{data['words']:,} words of the text of {data['text']}")
    for column in ("", "words/s", "ratio", "to"):
        found.add_column(column, justify="right" if column in ("words/s", "ratio") else "left")
    against = {
        "local, 1 worker": "one arbora parse",
        "local, 2 workers": "local, 1 worker",
        "dask, 2 workers": "local, 2 workers",
    }
    for name, own in speed.items():
        other = against.get(name)
        ratio = f"{own / speed[other]:.2f}" if other else ""
        found.add_row(name, f"{own:,.0f}", ratio, other or "")
        if name == "local, 2 workers":
            found.add_row("", "", f"{own / speed['two arbora parse']:.2f}", "two arbora parse")
    if data["start"] is not None:
        found.caption = f"{data['start']:.1f} s more to begin and end the cluster of Dask"
    cost = Table(title="Manifest and shards, of one worker")
    cost.add_column("")
    cost.add_column("s", justify="right")
    for name, own in data["cost"].items():
        cost.add_row(name, f"{own:.2f}" if name != "share" else f"{100 * own:.2f} %")
    sizes = Table(title="Memory")
    sizes.add_column("")
    sizes.add_column("MB", justify="right")
    for name, size in memory.items():
        sizes.add_row(name, f"{size:,.0f}")
    sizes.add_row("ratio", f"{memory['a worker'] / memory['one arbora parse']:.2f}")
    return [found, cost, sizes]
