"""Ray: a cluster at an address, or one of this machine that is begun and ended with the run."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from typing import Any

from arbora.bulk.executors import TRIES, OnStart, needed
from arbora.bulk.shards import Shard
from arbora.bulk.work import Answer, Crashed, Job, work
from arbora.errors import ArboraError

AHEAD = 2
"""So many shards for each CPU are handed out, so that none waits for the next one."""


class RayExecutor:
    """Tasks of Ray Core; the bytes of the model are put into the object store once."""

    def __init__(self, workers: int, address: str | None = None) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
        self._ray = needed("ray", "ray")
        self.workers, self.address = workers, address

    def run(self, job: Job, shards: Iterator[Shard], on_start: OnStart) -> Generator[Answer, None, None]:
        """The answers for all shards."""
        began = not self._ray.is_initialized()
        if began:
            own = {"num_cpus": self.workers, "include_dashboard": False} if self.address is None else {}
            try:
                self._ray.init(self.address, log_to_driver=False, logging_level="error", **own)
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise ArboraError(f"there is no Ray cluster at {self.address}: {error}") from None
        try:
            yield from self._run(job, shards, on_start)
        finally:
            if began:
                self._ray.shutdown()

    def _run(self, job: Job, shards: Iterator[Shard], on_start: OnStart) -> Generator[Answer, None, None]:
        ray, errors = self._ray, self._ray.exceptions
        task = ray.remote(max_retries=TRIES - 1)(work)
        with open(job.model, "rb") as stream:
            model = ray.put(stream.read())
        waiting: dict[Any, Shard] = {}

        def give() -> bool:
            shard = next(shards, None)
            if shard is None:
                return False
            waiting[task.remote(job, shard, model)] = shard
            on_start("ray", shard.number)
            return True

        room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        while len(waiting) < room and give():
            pass
        while waiting:
            (ready, *_), _ = ray.wait(list(waiting), num_returns=1)
            shard = waiting.pop(ready)
            try:
                yield ray.get(ready)
            except (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.NodeDiedError) as error:
                said = (str(error).splitlines() or [""])[0]
                yield Crashed(shard.number, f"its worker ended, {TRIES} times: {said}")
            except errors.RaySystemError as error:
                raise ArboraError(
                    f"the Ray cluster is gone ({type(error).__name__}); what is done is kept: run the same "
                    "command again"
                ) from None
            give()
