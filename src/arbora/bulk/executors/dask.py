"""Dask: a cluster at an address, or one of this machine that is begun and ended with the run."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from typing import Any

from arbora.bulk.executors import TRIES, OnStart, needed
from arbora.bulk.shards import Shard
from arbora.bulk.work import Answer, Crashed, Job, work
from arbora.errors import ArboraError

AHEAD = 2
"""So many shards for each thread of a worker are handed out, so that none waits for the next one."""


class DaskExecutor:
    """Tasks of Dask; the bytes of the model are scattered once, and every worker opens them once."""

    def __init__(self, workers: int, address: str | None = None) -> None:
        self._dask = needed("distributed", "dask")
        self.workers, self.address = workers, address

    def run(self, job: Job, shards: Iterator[Shard], on_start: OnStart) -> Generator[Answer, None, None]:
        """The answers for all shards."""
        with ExitStack() as stack:
            client = self._connect(stack)
            try:
                yield from self._run(client, job, shards, on_start)
            except (
                OSError,
                TimeoutError,
                self._dask.CancelledError,
                self._dask.comm.CommClosedError,
            ) as error:
                raise ArboraError(
                    f"the Dask scheduler is gone ({type(error).__name__}); what is done is kept: run the "
                    "same command again"
                ) from None

    def _connect(self, stack: ExitStack) -> Any:
        address = self.address
        if address is None:
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
        self, client: Any, job: Job, shards: Iterator[Shard], on_start: OnStart
    ) -> Generator[Answer, None, None]:
        with open(job.model, "rb") as stream:
            model = client.scatter(stream.read(), broadcast=True, hash=False)
        waiting: dict[Any, Shard] = {}
        answers = self._dask.as_completed(loop=client.loop)

        def give() -> bool:
            shard = next(shards, None)
            if shard is None:
                return False
            task = client.submit(work, job, shard, model, pure=False, retries=0)
            on_start("dask", shard.number)
            waiting[task] = shard
            answers.add(task)
            return True

        room = AHEAD * max(1, sum(client.nthreads().values()))
        while len(waiting) < room and give():
            pass
        for task in answers:
            shard = waiting.pop(task)
            error = task.exception()
            if isinstance(error, self._dask.KilledWorker):
                yield Crashed(shard.number, f"its worker ended, {TRIES} times or more: {error}")
            elif error is not None:
                raise error
            else:
                yield task.result()
            task.release()
            give()
