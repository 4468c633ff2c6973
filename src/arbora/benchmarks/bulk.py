"""Bulk runs against `arbora parse`: words a second by one and two workers and by Dask, and memory."""

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
from arbora.errors import ArboraError
from arbora.text.tokenizing.running_text import paragraphs_of, running_text
from arbora.treebank import Sentence, read

MEGABYTES = 6
"""Of text in all; shards are so large that each worker gets eight of them."""
SHARDS = 16
ROUNDS = 3
PARSE = "from arbora.cli import main; main()"


def measure(dev: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """Parse the raw text of a treebank, many times over, in turns by each way: plain data.

    Words a second are by the clock, from the start of a command to its end, of the fastest of some rounds;
    so models are opened within that time, as often as each way does. Memory is the largest of one process.
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
        ways: dict[str, Callable[[Path], None]] = {
            "two arbora parse": lambda target: _parse(place, target, 2),
            "one arbora parse": lambda target: _parse(place, target, 1),
            "local, 1 worker": lambda target: _bulk(place, target, 1, "local"),
            "local, 2 workers": lambda target: _bulk(place, target, 2, "local"),
        }
        if find_spec("distributed") is not None:
            ways["dask, 2 workers"] = lambda target: _bulk(place, target, 2, "dask")
        seconds = dict.fromkeys(ways, float("inf"))
        for turn in range(ROUNDS):
            for number, (name, run) in enumerate(ways.items()):
                started = time.perf_counter()
                run(place / f"{turn}-{number}")
                seconds[name] = min(seconds[name], time.perf_counter() - started)
        words = sum(map(len, gold)) * times * 2
        memory = {
            "one arbora parse": _memory("parse", "-i", place / "half.txt", "-o", place / "memory.conllu"),
            "a worker": _memory(
                "bulk", place / "half.txt", "-o", place / "memory", "--workers", "1", children=True
            ),
        }
    speed = {name: words / own for name, own in seconds.items()}
    speed["one arbora parse"] /= 2  # it parsed one half
    return {"text": Path(dev).name, "words": words, "words_per_second": speed, "megabytes": memory}


def _parse(place: Path, target: Path, processes: int) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PARSE, "parse", "-i", place / "half.txt", "-o", f"{target}-{n}.conllu"]
        )
        for n in range(processes)
    ]
    for process in started:
        process.wait()


def _bulk(place: Path, target: Path, workers: int, executor: str) -> None:
    size = (place / "whole.txt").stat().st_size // SHARDS
    run_bulk(
        [str(place / "whole.txt")],
        target,
        options=BulkOptions(shard_bytes=size),
        workers=workers,
        executor=executor,
    )


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
    sizes = Table(title="Memory")
    sizes.add_column("")
    sizes.add_column("MB", justify="right")
    for name, size in memory.items():
        sizes.add_row(name, f"{size:,.0f}")
    sizes.add_row("ratio", f"{memory['a worker'] / memory['one arbora parse']:.2f}")
    return [found, sizes]
