"""Dask: a cluster at an address, or one of this machine that is begun and ended with the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import Any

from arbora.errors import ArboraError
from arbora.executors.executor import (
    TRIES,
    Crashed,
    Executor,
    LostClusterError,
    OnStart,
    needed,
    read_files,
)

OWN_CLUSTER = {
    # Dask's own has MALLOC_TRIM_THRESHOLD_ too, by which every large piece of memory is given back to the
    # system at once, and asked for again: 3.6 times the page faults, and some per cent of the seconds.
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1},
    # Nobody looks at where the seconds of these workers go, a hundred times a second.
    "distributed.worker.profile.enabled": False,
}
"""Settings of a cluster that is begun here."""
AHEAD = 2
"""So many tasks for each thread of a worker are handed out, so that none waits for the next one."""


class DaskExecutor(Executor):
    """Tasks of Dask; the bytes of files are scattered once."""

    def __init__(self, workers: int, address: str | None = None) -> None:
        super().__init__(workers, address)
        self._dask = needed("distributed", "dask")

    def _open(self) -> None:
        self._stack = ExitStack()
        with ExitStack() as stack:
            self._client = self._connect(stack)
            self._stack = stack.pop_all()

    def _close(self) -> None:
        self._stack.close()

    def _connect(self, stack: ExitStack) -> Any:
        address = self.address
        if address is None:
            with import_module("dask.config").set(OWN_CLUSTER):
                address = stack.enter_context(
                    self._dask.LocalCluster(
                        n_workers=self.workers, threads_per_worker=1, processes=True, dashboard_address=None
                    )
                )
        try:
            return stack.enter_context(self._dask.Client(address, timeout=30, set_as_default=False))
        except (OSError, TimeoutError, ValueError) as error:
            raise ArboraError(f"there is no Dask scheduler at {self.address}: {error}") from None

    def _run(
        self, function: Callable[..., Any], tasks: Iterator[Any], on_start: OnStart, files: Sequence[str]
    ) -> Iterator[Any]:
        try:
            yield from self._answers(function, tasks, on_start, files)
        except (
            OSError,
            TimeoutError,
            self._dask.CancelledError,
            self._dask.comm.CommClosedError,
        ) as error:
            raise LostClusterError(f"the Dask scheduler is gone ({type(error).__name__})") from None

    def _answers(
        self, function: Callable[..., Any], tasks: Iterator[Any], on_start: OnStart, files: Sequence[str]
    ) -> Iterator[Any]:
        client = self._client
        contents = [client.scatter(data, broadcast=True, hash=False) for data in read_files(files)]
        waiting: dict[Any, Any] = {}
        answers = self._dask.as_completed(loop=client.loop)

        def give() -> bool:
            task = next(tasks, None)
            if task is None:
                return False
            future = client.submit(function, task, *contents, pure=False, retries=0)
            on_start("dask", task.number)
            waiting[future] = task
            answers.add(future)
            return True

        room = AHEAD * max(1, sum(client.nthreads().values()))
        while len(waiting) < room and give():
            pass
        for future in answers:
            task = waiting.pop(future)
            error = future.exception()
            if isinstance(error, self._dask.KilledWorker):
                yield Crashed(task.number, f"its worker ended, {TRIES} times or more: {error}")
            elif error is not None:
                raise error
            else:
                yield future.result()
            future.release()
            give()
