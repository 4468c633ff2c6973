"""The queue: requests that wait are worked on as one batch; nobody waits for a timer.

A request brings a `Task`: sentences in the core, and what to do with them. It is cut into pieces of about
`PIECE` words. Whenever the worker is free, it takes pieces of all tasks of the same kind in turns, up to the
words of a batch, and hands them through the components as one; so a long text does not keep short ones
waiting, and many short ones cost little more than a long one.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from arbora import _core
from arbora.server.limits import Limits, RequestError
from arbora.server.metrics import Metrics
from arbora.treebank.batches import Step

PIECE = 256
"""Words of a piece of a task, or a few more: sentences stay whole."""

SMOOTHING = 0.2
"""How much the last batch counts for what is said of the speed."""

LONGEST_RETRY = 60
"""Seconds; nobody is told to stay away for longer."""


@dataclass(frozen=True, slots=True)
class Task:
    """Sentences, and what to do with them; tasks with equal ``kind`` have the same steps.

    ``finish`` makes of a part of the sentences, when all steps are done, what the request is answered with;
    an exception of it fails this task alone.
    """

    batch: _core.Batch
    kind: Hashable
    steps: Sequence[Step]
    finish: Callable[[_core.Batch], Any]

    def done(self) -> list[Any]:
        """The work of the task without a queue."""
        batch = self.batch
        for step in self.steps:
            batch = step(batch)
        return [self.finish(batch)]


class Piece(NamedTuple):
    """A part of an entry's sentences; a sentence without words counts as a word."""

    entry: Entry
    batch: _core.Batch
    sentences: int
    words: int


@dataclass(eq=False, slots=True)
class Entry:
    """A task in the queue, what is left of it, what is being worked on, and what was found."""

    task: Task
    future: asyncio.Future[list[Any]]
    left: deque[Piece] = field(default_factory=deque)
    at_work: int = 0
    found: list[Any] = field(default_factory=list)

    def take(self) -> Piece:
        """The next piece, for the worker."""
        self.at_work += 1
        return self.left.popleft()

    def take_over(self, found: Any) -> None:
        """What the worker found for the piece that was taken first; an exception fails the whole task."""
        self.at_work -= 1
        if self.future.done():
            return
        if isinstance(found, Exception):
            self.left.clear()
            self.future.set_exception(found)
            return
        self.found.append(found)
        if not self.left and not self.at_work:
            self.future.set_result(self.found)


class WorkQueue:
    """Tasks that wait, and the worker. Everything but the work itself happens in the event loop."""

    def __init__(self, limits: Limits, metrics: Metrics) -> None:
        self._limits, self._metrics = limits, metrics
        self._waiting: deque[Entry] = deque()
        self._at_work = False
        self._executor = ThreadPoolExecutor(1, "arbora-work")
        self._words_a_second = 10_000.0
        metrics.watch_queue(self.__len__)

    def __len__(self) -> int:
        """How many tasks wait, at least for a part of their work."""
        return len(self._waiting)

    def check_room(self, words: int = 0) -> None:
        """RequestError with 503 if there is no room for so many words, or for any; then nothing need be read.

        There is none if the queue is full, or if others have so much to be done that these would be too late.
        """
        before = sum(piece.words for entry in self._waiting for piece in entry.left)
        is_too_late = before > 0 and before + words > self._words_a_second * self._limits.seconds
        if is_too_late or len(self._waiting) >= self._limits.waiting:
            seconds = math.ceil(before / self._words_a_second)
            raise RequestError(
                503,
                "The server is busy; try again later.",
                retry_after=min(max(seconds, 1), LONGEST_RETRY),
            )

    async def run(self, task: Task) -> list[Any]:
        """What `Task.finish` gave for each part of the task, in order; RequestError if it takes too long."""
        self.check_room(task.batch.words())
        entry = Entry(task, asyncio.get_running_loop().create_future())
        entry.left = _pieces(entry, task.batch)
        self._waiting.append(entry)
        self._work()
        try:
            async with asyncio.timeout(self._limits.seconds):
                return await entry.future
        except TimeoutError:
            raise RequestError(
                503, f"This took longer than {self._limits.seconds:g} seconds.", retry_after=1
            ) from None
        finally:
            entry.left.clear()
            if entry in self._waiting:
                self._waiting.remove(entry)

    def close(self) -> None:
        """End the worker, when it has done what it is at; a new task would begin another."""
        self._executor.shutdown(wait=True)
        self._executor = ThreadPoolExecutor(1, "arbora-work")

    def _work(self) -> None:
        """Give the worker something to do, if it is free."""
        if self._at_work or not (group := self._take()):
            return
        started = time.perf_counter()
        work = asyncio.get_running_loop().run_in_executor(self._executor, _worked_on, group)
        self._at_work = True
        work.add_done_callback(lambda done: self._hand_out(group, done, started))

    def _take(self) -> list[Piece]:
        """Pieces of tasks of one kind, that of the first; tasks with something left go to the end."""
        if not self._waiting:
            return []
        kind = self._waiting[0].task.kind
        same = [entry for entry in self._waiting if entry.task.kind == kind]
        group: list[Piece] = []
        words = 0
        while same and words < self._limits.batch:
            for entry in same:
                group.append(entry.take())
                words += group[-1].words
                if words >= self._limits.batch:
                    break
            same = [entry for entry in same if entry.left]
        taken = {id(piece.entry) for piece in group}
        rest = [entry for entry in self._waiting if entry.left]
        self._waiting = deque(sorted(rest, key=lambda entry: id(entry) in taken))
        return group

    def _hand_out(self, group: list[Piece], work: asyncio.Future[list[Any]], started: float) -> None:
        """What the worker found goes to those who wait for it, and the worker to what waits now."""
        self._at_work = False
        seconds = time.perf_counter() - started
        words = sum(piece.words for piece in group)
        self._words_a_second += SMOOTHING * (words / max(seconds, 1e-6) - self._words_a_second)
        self._metrics.words.inc(words)
        self._metrics.sentences.observe(sum(piece.sentences for piece in group))
        for piece, found in zip(group, work.result(), strict=True):
            piece.entry.take_over(found)
        self._work()


def _pieces(entry: Entry, batch: _core.Batch) -> deque[Piece]:
    """The sentences in pieces of some words each; a batch without sentences is one piece."""
    counts, sizes = [0], [0]
    for length in batch.lengths:
        if sizes[-1] >= PIECE:
            counts.append(0)
            sizes.append(0)
        counts[-1] += 1
        sizes[-1] += max(length, 1)
    parts = batch.split(counts)
    return deque(Piece(entry, *own) for own in zip(parts, counts, sizes, strict=True))


def _worked_on(group: list[Piece]) -> list[Any]:
    """What is found for each piece, by all steps at once; an exception in its place fails its task.

    If the steps fail for all together, each piece is worked on alone, so that only those fail that have to.
    """
    task, batch = group[0].entry.task, _core.Batch()
    for piece in group:
        batch.append(piece.batch)
    counts = [piece.sentences for piece in group]
    try:
        for step in task.steps:
            batch = step(batch)
        parts = batch.split(counts)
    except Exception as error:
        if len(group) == 1:
            return [error]
        parts = batch.split(counts)
        return [_worked_on([piece._replace(batch=part)])[0] for piece, part in zip(group, parts, strict=True)]
    return [_finished(piece.entry.task, part) for piece, part in zip(group, parts, strict=True)]


def _finished(task: Task, part: _core.Batch) -> Any:
    try:
        return task.finish(part)
    except Exception as error:
        return error
