"""Processes of this machine. One that dies is replaced, and its shard is tried again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait

from arbora.bulk.executors import TRIES, OnStart
from arbora.bulk.shards import Shard
from arbora.bulk.work import Answer, Crashed, Job, work

SERVE = "import sys; from arbora.bulk.executors.local import serve; serve(int(sys.argv[1]))"
"""The program of a worker. It is a Python of its own: neither forked, since there may be threads, nor begun
with the script of the user, which might begin workers itself."""


def serve(handle: int) -> None:
    """What a worker does until nobody asks any more; by this handle it is told its job, and shards."""
    with Connection(handle) as pipe, suppress(EOFError, OSError):  # until who gave the work has ended
        job: Job = pipe.recv()
        while True:
            pipe.send(work(job, pipe.recv()))


@dataclass(slots=True)
class _Worker:
    name: str
    process: subprocess.Popen[bytes]
    pipe: Connection
    shard: Shard | None = None


class LocalExecutor:
    """Some processes, each of which maps the one file of the model."""

    def __init__(self, workers: int, address: str | None = None) -> None:
        self.workers = workers

    def run(self, job: Job, shards: Iterator[Shard], on_start: OnStart) -> Generator[Answer, None, None]:
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
                    answer = self._answer(worker, tries)
                    if answer is None:
                        assert worker.shard is not None
                        again.append(worker.shard)
                    if worker.process.returncode is not None:
                        place = workers.index(worker)
                        worker.pipe.close()
                        worker = workers[place] = self._start(worker.name, job)
                    give(worker)  # before its answer is looked at, so that it does not wait for that
                    if answer is not None:
                        yield answer
        finally:
            for worker in workers:
                self._end(worker, at_once=True)

    def _start(self, name: str, job: Job) -> _Worker:
        ours, theirs = Pipe()
        with theirs:
            command = [sys.executable, "-c", SERVE, str(theirs.fileno())]
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for whoever gave the work
            )
        with suppress(OSError):
            ours.send(job)
        return _Worker(name, process, ours)

    @staticmethod
    def _answer(worker: _Worker, tries: dict[int, int]) -> Answer | None:
        """What it says; if it has ended, `Crashed` after so many tries, or None: it is tried again."""
        assert worker.shard is not None
        with suppress(EOFError, OSError):
            answer: Answer = worker.pipe.recv()
            return answer
        worker.process.wait()
        number = worker.shard.number
        tries[number] = tries.get(number, 0) + 1
        if tries[number] < TRIES:
            return None
        code = worker.process.returncode
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        return Crashed(
            number, f"its worker ended {how}, {TRIES} times; it may need more memory than there is"
        )

    @staticmethod
    def _end(worker: _Worker, *, at_once: bool = False) -> None:
        worker.pipe.close()
        if at_once:
            worker.process.terminate()
        worker.process.wait()
