"""What all endpoints share: the models, the queue, limits and metrics."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from starlette.requests import Request

from arbora.server.limits import Bodies, Limits, RequestError
from arbora.server.metrics import Metrics
from arbora.server.models import ServedModel, ServedModels
from arbora.server.queue import Task, WorkQueue

Found = TypeVar("Found")
Given = ParamSpec("Given")

SMALL = 4096
"""Bytes of a body that is read sooner than a thread would begin to."""
MODEL = "arbora.model"
"""Where the scope of a request says which model answers it, for the metrics."""


class Service:
    """A server at work, without the addresses."""

    def __init__(self, models: ServedModels, limits: Limits, threads: int) -> None:
        """``threads`` is how many work on a batch."""
        self.models, self.limits, self.threads = models, limits, threads
        self.metrics = Metrics()
        self.queue = WorkQueue(limits, self.metrics)
        self.bodies = Bodies(limits)
        self._readers = ThreadPoolExecutor(1, "arbora-read")

    def model(self, request: Request, name: str | None) -> ServedModel:
        """The model of this name, which the metrics hear of; RequestError if there is none."""
        found = self.models.named(name)
        request.scope[MODEL] = found.name
        return found

    async def run(self, task: Task) -> list[Any]:
        """The work of a task, by the queue."""
        return await self.queue.run(task)

    async def read(
        self, size: int, function: Callable[Given, Found], *given: Given.args, **named: Given.kwargs
    ) -> Found:
        """What a function makes of a body of this size: here, or in a thread if others would wait for it."""
        if size <= SMALL:
            return function(*given, **named)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, lambda: function(*given, **named))

    def close(self) -> None:
        """End the threads, when they have done what they are at; a new request would begin others."""
        self.queue.close()
        self._readers.shutdown(wait=True)
        self._readers = ThreadPoolExecutor(1, "arbora-read")


def check_lengths(lengths: list[int], limits: Limits) -> None:
    """RequestError if a sentence has more words than the server takes."""
    for place, length in enumerate(lengths):
        if length > limits.sentence:
            raise RequestError(
                400,
                f"Sentence longer than {limits.sentence} words was found on input, aborting.",
                sentence=place,
            )
