"""Processes of this machine. One that dies is replaced, and its task is tried again."""

from __future__ import annotations

import os
import pickle
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

from arbora.executors.executor import TRIES, Crashed, Executor, OnStart, Raised

SERVE = "import sys; from arbora.executors.local import serve; serve(int(sys.argv[1]))"
"""The program of a worker. It is a Python of its own: neither forked, since there may be threads, nor begun
with the script of the user, which might begin workers itself."""


def serve(handle: int) -> None:
    """What a worker does until nobody asks any more, which it is told by this handle."""
    with Connection(handle) as pipe, suppress(EOFError, OSError):  # until who gave the work has ended
        threading.Thread(target=_end_with, args=(handle,), daemon=True).start()
        while True:
            pipe.send_bytes(_answer_to(pipe.recv_bytes()))


def _end_with(handle: int) -> None:
    """End this process when the other end of the pipe is closed: whoever gave the work may be killed."""
    closed = select.poll()
    closed.register(handle, 0)  # that it hangs up is always told, and nothing else is asked for
    closed.poll()
    os._exit(1)


def _answer_to(data: bytes) -> bytes:
    """What a function gives, pickled; what cannot be pickled is an exception like any other."""
    try:
        function, task, files = pickle.loads(data)
        return pickle.dumps(function(task, *[None] * files))
    except Exception as error:
        return pickle.dumps(Raised.by("a worker", error))


@dataclass(slots=True)
class _Worker:
    name: str
    process: subprocess.Popen[bytes]
    pipe: Connection
    task: Any = None


class LocalExecutor(Executor):
    """Some processes, each of which opens the files that its tasks need by their names."""

    def __init__(self, workers: int, address: str | None = None) -> None:
        super().__init__(workers, address)
        self._idle: list[_Worker] = []

    def _open(self) -> None:
        pass  # a worker is begun when there is a task for it

    def _close(self) -> None:
        for worker in self._idle:
            self._end(worker)
        self._idle.clear()

    def _run(
        self, function: Callable[..., Any], tasks: Iterator[Any], on_start: OnStart, files: Sequence[str]
    ) -> Generator[Any, None, None]:
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
                    answers = list(self._answer(worker, tries))
                    if not answers:
                        again.append(worker.task)
                    if worker.process.returncode is not None:
                        place = busy.index(worker)
                        worker.pipe.close()
                        worker = busy[place] = self._start(worker.name)
                    task = next_task()
                    if task is None:
                        busy.remove(worker)
                        self._idle.append(worker)
                    else:
                        give(worker, task)  # before its answer is looked at, so that it does not wait
                    yield from answers
        finally:
            for worker in busy:
                self._end(worker, at_once=True)

    def _start(self, name: str) -> _Worker:
        ours, theirs = Pipe()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-c", SERVE, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for whoever gave the work
            )
        return _Worker(name, process, ours)

    @staticmethod
    def _answer(worker: _Worker, tries: dict[int, int]) -> Iterator[Any]:
        """What it says; if it has ended, nothing, so that its task is tried again; `Crashed` in the end."""
        try:
            yield worker.pipe.recv()
            return
        except (EOFError, OSError):
            code = worker.process.wait()
        number = worker.task.number
        tries[number] = tries.get(number, 0) + 1
        if tries[number] == TRIES:
            how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
            yield Crashed(
                number, f"its worker ended {how}, {TRIES} times; it may need more memory than there is"
            )

    @staticmethod
    def _end(worker: _Worker, *, at_once: bool = False) -> None:
        worker.pipe.close()
        if at_once:
            worker.process.terminate()
        worker.process.wait()
