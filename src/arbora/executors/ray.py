"""Ray: a cluster at an address, or one of this machine that is begun and ended with the run."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
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

AHEAD = 2
"""So many tasks for each CPU are handed out, so that none waits for the next one."""


class RayExecutor(Executor):
    """Tasks of Ray Core; the bytes of files are put into the object store once."""

    def __init__(self, workers: int, address: str | None = None) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
        super().__init__(workers, address)
        self._ray = needed("ray", "ray")

    def _open(self) -> None:
        self._began = not self._ray.is_initialized()
        if not self._began:
            return
        # Without "local" Ray would take any cluster that it finds on this machine.
        own = {"num_cpus": self.workers, "include_dashboard": False} if self.address is None else {}
        try:
            if self.address is not None:
                _knock(self.address)
            self._ray.init(self.address or "local", log_to_driver=False, logging_level="error", **own)
        except (OSError, RuntimeError, ValueError) as error:
            raise ArboraError(f"there is no Ray cluster at {self.address}: {error}") from None

    def _close(self) -> None:
        if self._began:
            self._ray.shutdown()

    def _run(
        self, function: Callable[..., Any], tasks: Iterator[Any], on_start: OnStart, files: Sequence[str]
    ) -> Generator[Any, None, None]:
        ray = self._ray

        def call(task: Any, *contents: Any) -> Any:
            return function(task, *contents)  # Ray takes functions, and no partial ones

        remote = ray.remote(max_retries=TRIES - 1)(call)
        data = list(read_files(files))
        with self._asking():
            contents = [ray.put(one) for one in data]
            room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting: dict[Any, Any] = {}

        def give() -> bool:
            task = next(tasks, None)
            if task is None:
                return False
            with self._asking():
                waiting[remote.remote(task, *contents)] = task
            on_start("ray", task.number)
            return True

        while len(waiting) < room and give():
            pass
        while waiting:
            with self._asking():
                (ready, *_), _ = ray.wait(list(waiting), num_returns=1)
                answer = self._answer(waiting.pop(ready), ready)
            yield answer
            give()

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Around what Ray is asked, and nothing else: a full disk of ours is no cluster that is gone."""
        try:
            yield
        except (self._ray.exceptions.RayError, OSError, RuntimeError) as error:
            raise LostClusterError(f"the Ray cluster is gone or broken ({type(error).__name__})") from None

    def _answer(self, task: Any, ready: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(ready)
        except (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.NodeDiedError) as error:
            said = (str(error).splitlines() or [""])[0]
            return Crashed(task.number, f"its worker ended, {TRIES} times: {said}")
        except errors.RayTaskError as error:  # such as of a worker that cannot import the function
            return Raised.by(f"task {task.number}", error.cause)


def _knock(address: str) -> None:
    """OSError if nobody listens there: Ray itself would try for two minutes, and then end the process."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isascii() and port.isdigit():
        knock(host.strip("[]"), int(port))
