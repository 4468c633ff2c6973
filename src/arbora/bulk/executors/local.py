"""Processes of this machine. One that dies is replaced, and its shard is tried again."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from arbora.bulk.executors import TRIES, OnStart
from arbora.bulk.shards import Shard
from arbora.bulk.work import Answer, Crashed, Job, work


def serve(pipe: Connection, job: Job) -> None:
    """What a worker does until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever gave the work
    while True:
        try:
            pipe.send(work(job, pipe.recv()))
        except (EOFError, OSError):  # who gave the work has ended
            return


@dataclass(slots=True)
class _Worker:
    name: str
    process: BaseProcess
    pipe: Connection
    shard: Shard | None = None


class LocalExecutor:
    """Some processes, each of which maps the one file of the model."""

    def __init__(self, workers: int, address: str | None = None) -> None:
        self.workers = workers
        # Not forked: the core may have threads here.
        self._context: Any = get_context("spawn")

    def run(self, job: Job, shards: Iterator[Shard], on_start: OnStart) -> Iterator[Answer]:
        """The answers for all shards."""
        workers: list[_Worker] = []
        again: list[Shard] = []
        tries: dict[int, int] = {}

        def next_shard() -> Shard | None:
            return again.pop() if again else next(shards, None)

        def give(worker: _Worker) -> None:
            worker.shard = next_shard()
            if worker.shard is None:
                self._end(worker)
                workers.remove(worker)
                return
            on_start(worker.name, worker.shard.number)
            with suppress(OSError):  # if it has died, it will be found dead
                worker.pipe.send(worker.shard)

        try:
            for number in range(self.workers):
                shard = next_shard()
                if shard is None:
                    break
                again.append(shard)
                workers.append(self._start(f"worker {number + 1}", job))
                give(workers[-1])
            while workers:
                ready = wait([worker.pipe for worker in workers])
                for worker in [own for own in workers if own.pipe in ready]:
                    try:
                        answer: Answer = worker.pipe.recv()
                    except (EOFError, OSError):
                        worker.process.join()
                        crashed = self._crashed(worker, tries)
                        if crashed is None:
                            assert worker.shard is not None
                            again.append(worker.shard)
                        else:
                            yield crashed
                        place = workers.index(worker)
                        worker.pipe.close()
                        worker = workers[place] = self._start(worker.name, job)
                    else:
                        yield answer
                    give(worker)
        finally:
            for worker in workers:
                self._end(worker, at_once=True)

    def _start(self, name: str, job: Job) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=serve, args=(theirs, job), name=name, daemon=True)
        process.start()
        theirs.close()
        return _Worker(name, process, ours)

    @staticmethod
    def _crashed(worker: _Worker, tries: dict[int, int]) -> Crashed | None:
        """The answer for a shard that has ended workers too often; None if it is tried again."""
        assert worker.shard is not None
        number = worker.shard.number
        tries[number] = tries.get(number, 0) + 1
        if tries[number] < TRIES:
            return None
        code = worker.process.exitcode
        how = f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"
        return Crashed(
            number, f"its worker ended {how}, {TRIES} times; it may need more memory than there is"
        )

    @staticmethod
    def _end(worker: _Worker, *, at_once: bool = False) -> None:
        worker.pipe.close()
        if at_once:
            worker.process.terminate()
        worker.process.join()
