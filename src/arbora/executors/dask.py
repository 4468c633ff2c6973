"""Dask: a cluster at an address, or one of this machine that is begun and ended with the run."""

from __future__ import annotations

import logging
import math
import signal
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from multiprocessing import resource_tracker
from queue import Empty, SimpleQueue
from typing import Any

from arbora.errors import ArboraError
from arbora.executors.executor import (
    TRIES,
    Crashed,
    Executor,
    LostClusterError,
    OnStart,
    Raised,
    knock,
    needed,
    read_files,
)

OWN_CLUSTER = {
    # Dask's own has MALLOC_TRIM_THRESHOLD_ too, by which every large piece of memory is given back to the
    # system at once, and asked for again: 3.6 times the page faults, and some per cent of the seconds.
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1},
    # Nobody looks at where the seconds of these workers go, a hundred times a second.
    "distributed.worker.profile.enabled": False,
    # A task may end two workers beside others, and then as many alone: not fewer than TRIES in all.
    "distributed.scheduler.allowed-failures": 1,
}
"""Settings of a cluster that is begun here."""
AHEAD = 2
"""So many tasks for each thread of a worker are handed out, so that none waits for the next one."""
GRAPHS = {"distributed.admin.large-graph-warning-threshold": "1 TB"}
"""Dask warns of tasks that are large, as those that bring a file are."""
LOST = "scheduler-connection-lost"
"""Dask's reason for work that it cancels since the scheduler does not answer any more."""
CONNECTING = 30
"""So many seconds the scheduler has to answer."""
COUNTING = 5
"""After so many seconds the workers are counted again: others may have come, or all have gone."""
LONELY = 30
"""So many seconds without any worker are waited for one."""


class DaskExecutor(Executor):
    """Tasks of Dask; the bytes of files are brought to the scheduler once, and by it to the workers."""

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
        try:
            if self.address is None:
                address = stack.enter_context(self._own_cluster())
            else:
                address = self.address
                if address.partition("://")[0] in (address, "tcp", "tls"):
                    # A client tries for long, and one that was told nonsense waits for itself when it ends.
                    knock(*self._dask.comm.get_address_host_port(address))
            return stack.enter_context(self._dask.Client(address, timeout=CONNECTING, set_as_default=False))
        except (OSError, ValueError) as error:
            raise ArboraError(f"there is no Dask scheduler at {self.address}: {error}") from None

    def _own_cluster(self) -> Any:
        # What is begun meanwhile, threads and processes, hears no Ctrl-C, which is for whoever gave the work.
        # Python's tracker of resources must be there already: whoever begins it hears Ctrl-C again.
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with import_module("dask.config").set(OWN_CLUSTER):
                return self._dask.LocalCluster(
                    n_workers=self.workers,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,  # workers that are ended at work complain, with tracebacks
                )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _run(
        self, function: Callable[..., Any], tasks: Iterator[Any], on_start: OnStart, files: Sequence[str]
    ) -> Generator[Any, None, None]:
        suspects = []
        for task, answer in self._answers(function, tasks, on_start, files):
            if isinstance(answer, Crashed):
                suspects.append(task)
            else:
                yield answer
        # Dask counts the end of a worker against all tasks that it had, also those that waited there: which
        # of them it was is seen when each is alone.
        for suspect in suspects:
            for _, answer in self._answers(function, iter([suspect]), on_start, files):
                yield answer

    def _answers(
        self, function: Callable[..., Any], tasks: Iterator[Any], on_start: OnStart, files: Sequence[str]
    ) -> Generator[tuple[Any, Any], None, None]:
        client = self._client
        # Results of tasks, and nothing that is scattered: they are made again if their workers are lost.
        data = list(read_files(files))
        with self._asking(), import_module("dask.config").set(GRAPHS):
            contents = [client.submit(bytes, one, pure=False) for one in data]
        del data
        waiting: dict[Any, Any] = {}
        ended: SimpleQueue[Any] = SimpleQueue()

        def give() -> bool:
            task = next(tasks, None)
            if task is None:
                return False
            with self._asking():
                future = client.submit(function, task, *contents, pure=False, retries=0)
                waiting[future] = task
                future.add_done_callback(ended.put)
            on_start("dask", task.number)
            return True

        room = 0
        counted = -math.inf
        with_workers = time.monotonic()
        try:
            while True:
                now = time.monotonic()
                if now >= counted + COUNTING:
                    threads, counted = self._threads(), now
                    if threads:
                        with_workers = now
                    elif now > with_workers + LONELY:
                        raise LostClusterError(f"there are no workers at {self._scheduler}")
                    room = AHEAD * max(1, threads)
                while len(waiting) < room and give():
                    pass
                if not waiting:
                    return
                try:
                    future = ended.get(timeout=COUNTING)
                except Empty:
                    continue
                task = waiting.pop(future)
                with self._asking():
                    answer = self._answer(task, future)
                    future.release()
                yield task, answer
        finally:
            for future in waiting:
                future.release()

    def _threads(self) -> int:
        """Of all workers that there are now."""
        with self._asking():
            return sum(self._client.nthreads().values())

    @property
    def _scheduler(self) -> str:
        return f"the Dask scheduler {self._client.scheduler.address}"

    def _answer(self, task: Any, future: Any) -> Any:
        error = future.exception()
        if isinstance(error, self._dask.CancelledError):
            if getattr(error, "reason", LOST) == LOST:
                raise error
            raise LostClusterError(f"{self._scheduler} has cancelled the work ({error.reason})")
        if isinstance(error, self._dask.KilledWorker):
            return Crashed(
                task.number,
                f"its worker ended, {TRIES} times or more, at last {error.last_worker.address}; it may need "
                "more memory than there is",
            )
        if error is not None:  # such as of a worker that cannot import the function
            return Raised.by(f"task {task.number}", error)
        return future.result()

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Around what the scheduler is asked, and nothing else: our full disk is no lost scheduler."""
        try:
            yield
        except Exception as error:
            lost = isinstance(error, (OSError, self._dask.CancelledError)) or self._client.status != "running"
            if isinstance(error, ArboraError) or not lost:
                raise
            raise LostClusterError(f"{self._scheduler} is gone ({type(error).__name__})") from None
