"""Processes of this machine. One that dies is replaced, and its task is tried again."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from arbora.executors.executor import TRIES, Crashed, Executor, OnStart


def serve(pipe: Connection) -> None:
    """What a worker does until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever gave the work
    while True:
        try:
            function, task, files = pipe.recv()
        except (EOFError, OSError):  # who gave the work has ended
            return
        answer = function(task, *[None] * files)
        with suppress(OSError):
            pipe.send(answer)


@dataclass(slots=True)
class _Worker:
    name: str
    process: BaseProcess
    pipe: Connection
    task: Any = None


class LocalExecutor(Executor):
    """Some processes, each of which opens the files that its tasks need by their names."""

    def __init__(self, workers: int, address: str | None = None) -> None:
        super().__init__(workers, address)
        # Not forked: the core may have threads here.
        self._context: Any = get_context("spawn")
        self._idle: list[_Worker] = []

    def _open(self) -> None:
        pass  # a worker is begun when there is a task for it

    def _close(self) -> None:
        for worker in self._idle:
            self._end(worker)
        self._idle.clear()

    def _run(
        self, function: Callable[..., Any], tasks: Iterator[Any], on_start: OnStart, files: Sequence[str]
    ) -> Iterator[Any]:
        busy: list[_Worker] = []
        again: list[Any] = []
        tries: dict[int, int] = {}

        def next_task() -> Any:
            return again.pop() if again else next(tasks, None)

        def give(worker: _Worker, task: Any) -> None:
            worker.task = task
            on_start(worker.name, task.number)
            with suppress(OSError):  # if it has died, it will be found dead
                worker.pipe.send((function, task, len(files)))

        try:
            for number in range(self.workers):
                task = next_task()
                if task is None:
                    break
                busy.append(self._idle.pop(0) if self._idle else self._start(f"worker {number + 1}"))
                give(busy[-1], task)
            while busy:
                ready = wait([worker.pipe for worker in busy])
                for worker in [own for own in busy if own.pipe in ready]:
                    try:
                        answer = worker.pipe.recv()
                    except (EOFError, OSError):
                        place = busy.index(worker)
                        worker.process.join()
                        answer = self._crashed(worker, tries)
                        if answer is None:
                            again.append(worker.task)
                        else:
                            yield answer
                        worker.pipe.close()
                        worker = busy[place] = self._start(worker.name)
                    else:
                        yield answer
                    task = next_task()
                    if task is None:
                        busy.remove(worker)
                        self._idle.append(worker)
                    else:
                        give(worker, task)
        finally:
            for worker in busy:
                self._end(worker, at_once=True)

    def _start(self, name: str) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=serve, args=(theirs,), name=name, daemon=True)
        process.start()
        theirs.close()
        return _Worker(name, process, ours)

    @staticmethod
    def _crashed(worker: _Worker, tries: dict[int, int]) -> Crashed | None:
        """The answer for a task that has ended workers too often; None if it is tried again."""
        number = worker.task.number
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
