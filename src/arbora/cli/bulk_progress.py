"""Progress of a bulk run: bytes, words, an estimate, failures and what each worker does."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from arbora.bulk import Event

PLANNED = 1000
"""Where there is no bar, a line is printed for so many shards that are cut."""


class BulkProgress:
    """A bar on a terminal, and below it a line for each worker; elsewhere a line for each shard."""

    def __init__(self, console: Console, plan: bool = False) -> None:
        """With ``plan``, shards are cut and nothing else is done."""
        self._console, self._plan = console, plan
        self._bar: Progress | None = None
        if console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TimeRemainingColumn(),
                console=console,
                transient=True,
            )
            self._whole = self._bar.add_task("parsing", total=None)
        self._workers: dict[str, Any] = {}
        self._words = self._shards = self._failed = self._total = self._bytes = self._before = 0
        self._started = time.perf_counter()

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def on_start(self, worker: str, number: int) -> None:
        """A worker begins a shard."""
        if self._bar is None or not worker.startswith("worker"):
            return
        if worker not in self._workers:
            self._workers[worker] = self._bar.add_task(worker, total=None)
        self._bar.update(self._workers[worker], description=f"{worker}: shard {number}")

    def on_event(self, event: Event) -> None:
        """Something happened."""
        data = event.data
        if event.name == "begun":
            self._begin(data)
        elif event.name == "planned" and self._plan:
            self._take_planned(data)
        elif event.name == "damaged":
            self._console.print(f"{data['output']} is not what the manifest says: it is made anew")
        elif event.name == "crashed":
            self._console.print(f"shard {data['number']}: {data['reason']}")
        elif event.name == "done":
            self._take(data)

    def _begin(self, data: dict[str, Any]) -> None:
        """What was there before this run counts, but for its speed."""
        self._total = data["bytes"]
        if self._plan:
            self._shards, self._bytes = data["cut"], data["cut_bytes"]
            return
        self._shards, self._bytes, self._failed = data["done"], data["done_bytes"], data["failed"]
        self._words = self._before = data["words"]
        if self._shards:
            self._console.print(f"going on: {self._shards:,} shards are done")
            self._show("parsing")

    def _show(self, line: str) -> None:
        """A line, and how far all is; where that is not known, the bar only moves."""
        if self._bar is not None:
            self._bar.update(self._whole, description=line, completed=self._bytes, total=self._total or None)

    def _take_planned(self, data: dict[str, Any]) -> None:
        self._shards += 1
        self._bytes += data["size"]
        line = f"{self._shards:,} shards cut, {self._bytes / 1e6:,.1f} MB"
        if self._bar is not None:
            self._show(line)
        elif self._shards % PLANNED == 0:
            self._console.print(line)

    def _take(self, data: dict[str, Any]) -> None:
        self._shards += 1
        self._words += data["words"]
        self._failed += data["failed"]
        self._bytes += data["size"]
        speed = (self._words - self._before) / max(time.perf_counter() - self._started, 1e-9)
        failed = f", {self._failed:,} failed" if self._failed else ""
        line = f"{self._shards:,} shards, {self._words:,} words, {speed:,.0f} words/s{failed}"
        if self._bar is None:
            self._console.print(
                f"{data['output']}  {data['words']:,} words in {data['seconds']:.1f} s; {line}"
            )
        else:
            self._show(line)
