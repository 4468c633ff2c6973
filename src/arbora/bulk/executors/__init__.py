"""Executors: who does the work. Each takes shards as it has room for them, and gives answers as they come."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from importlib import import_module
from pkgutil import resolve_name
from typing import Any, Protocol, TypeAlias

from arbora.bulk.shards import Shard
from arbora.bulk.work import Answer, Job
from arbora.errors import ArboraError

__all__ = ["EXECUTORS", "TRIES", "Executor", "OnStart", "make_executor", "needed"]

TRIES = 3
"""So often a shard may end its worker before it is given up."""

OnStart: TypeAlias = Callable[[str, int], None]
"""Told when a worker begins a shard: its name, and the number of the shard."""


class Executor(Protocol):
    """Has work done by others; nothing depends on the order in which answers come."""

    def run(self, job: Job, shards: Iterator[Shard], on_start: OnStart) -> Generator[Answer, None, None]:
        """The answers for all shards. Closing the iterator ends the workers."""


EXECUTORS = {
    "local": "arbora.bulk.executors.local:LocalExecutor",
    "dask": "arbora.bulk.executors.dask:DaskExecutor",
    "ray": "arbora.bulk.executors.ray:RayExecutor",
}
"""By name, where each is; it is imported when it is asked for, with what it needs."""


def make_executor(name: str, workers: int, address: str | None = None) -> Executor:
    """The executor of this name, with so many workers, or those of a cluster that runs at an address.

    >>> make_executor("abacus", 2)
    Traceback (most recent call last):
    arbora.errors.ArboraError: there is no executor 'abacus'; there are local, dask, ray
    """
    if name not in EXECUTORS:
        raise ArboraError(f"there is no executor {name!r}; there are {', '.join(EXECUTORS)}")
    if address is not None and name == "local":
        raise ArboraError("an --address is that of a cluster: say --executor dask or ray")
    if workers < 1:
        raise ArboraError("workers must be at least 1")
    found: Executor = resolve_name(EXECUTORS[name])(workers, address)
    return found


def needed(module: str, extra: str) -> Any:
    """A module of an extra; ArboraError if that is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise ArboraError(
            f'the executor {extra} needs more packages: pip install "arbora[{extra}]"'
        ) from None
