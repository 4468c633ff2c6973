"""What an executor is, and those that there are."""

from __future__ import annotations

import socket
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pkgutil import resolve_name
from typing import Any, Protocol, Self, TypeAlias

from arbora.errors import ArboraError

TRIES = 3
"""So often a task may end its worker before it is given up."""

KNOCKING = 10
"""So many seconds somebody has to answer at an address."""

OnStart: TypeAlias = Callable[[str, int], None]
"""Told when a worker begins a task: its name, and the number of the task."""


class Task(Protocol):
    """What is to be done, which can be pickled: all that the function must know of it."""

    @property
    def number(self) -> int:
        """By which it is named."""


@dataclass(frozen=True, slots=True)
class Crashed:
    """A task that ended its worker, as often as it was tried."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a worker cannot do its work at all: the run ends with it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Raised:
    """What a function raised instead of an answer, as plain data: not all exceptions can be pickled."""

    reason: str
    trace: str

    @classmethod
    def by(cls, place: str, error: BaseException) -> Raised:
        """What is to be known of an exception, in one line and in full."""
        said = str(error) if isinstance(error, ArboraError) else f"{type(error).__name__}: {error}"
        return cls(f"{place}: {' '.join(said.split())}", "".join(traceback.format_exception(error)))


class TaskError(ArboraError):
    """The function raised an exception in a worker, whose traceback is a note of this one.

    It would do so again: unlike a worker's end it is not tried again, and ends the run.
    """

    def __init__(self, raised: Raised) -> None:
        super().__init__(raised.reason)
        self.add_note(raised.trace)


class LostClusterError(ArboraError):
    """The cluster is gone, with what was being worked on; ``reason`` says how it went."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"{reason}; what is done is kept: run the same command again")


def answered(function: Callable[..., Any], *arguments: Any, place: str = "a worker") -> Any:
    """What a function gives, or a `Refused` with the reason: an error of the user's ends no worker.

    >>> answered(int, "3")
    3
    """
    try:
        return function(*arguments)
    except ArboraError as error:
        return Refused(str(error))
    except OSError as error:
        return Refused(f"{error.filename or place}: {error.strerror or error}")


def guarded(function: Callable[..., Any], task: Any, *contents: Any) -> Any:
    """What a worker does with a task: the answer, or what was raised instead."""
    try:
        return function(task, *contents)
    except (Exception, SystemExit) as error:
        return Raised.by(f"task {task.number}", error)


class Executor(ABC):
    """Has work done by others; nothing depends on the order in which answers come.

    In a ``with`` statement its workers stay from one `run` to the next, and end with it.
    """

    def __init__(self, workers: int, address: str | None = None) -> None:
        """So many workers of this machine, or those of a cluster that runs at an address."""
        self.workers, self.address = workers, address
        self._opened = 0

    def run(
        self,
        function: Callable[..., Any],
        tasks: Iterator[Any],
        on_start: OnStart = lambda worker, number: None,
        files: Sequence[str] = (),
    ) -> Generator[Any, None, None]:
        """The answers for all tasks: what ``function(task, *contents)`` gives, or a `Crashed`.

        ``contents`` are the bytes of ``files``, brought to a cluster once; they are None for workers of this
        machine, which can open the files. Function, tasks and answers must be such as can be pickled.
        Closing the iterator ends the work. TaskError if the function raises an exception.
        """
        with self, closing(self._run(partial(guarded, function), tasks, on_start, files)) as answers:
            for answer in answers:
                if isinstance(answer, Raised):
                    raise TaskError(answer)
                yield answer

    def __enter__(self) -> Self:
        if not self._opened:
            self._open()
        self._opened += 1
        return self

    def __exit__(self, *error: object) -> None:
        self._opened -= 1
        if not self._opened:
            self._close()

    @abstractmethod
    def _open(self) -> None:
        """Find the workers."""

    @abstractmethod
    def _close(self) -> None:
        """Let go of the workers; those that were begun here end."""

    @abstractmethod
    def _run(
        self, function: Callable[..., Any], tasks: Iterator[Any], on_start: OnStart, files: Sequence[str]
    ) -> Generator[Any, None, None]:
        """As `run`, with workers at hand; what was raised is an answer, too."""


EXECUTORS = {
    "local": "arbora.executors.local:LocalExecutor",
    "dask": "arbora.executors.dask:DaskExecutor",
    "ray": "arbora.executors.ray:RayExecutor",
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


def executor_at(place: str) -> Executor:
    """The executor that one word names: a number of processes of this machine, or a cluster's address.

    >>> executor_at("2").workers
    2
    >>> executor_at("two")
    Traceback (most recent call last):
    arbora.errors.ArboraError: 'two' names no workers: say a number, dask://HOST:PORT or ray://HOST:PORT
    """
    if place.isascii() and place.isdigit():
        return make_executor("local", int(place))
    kind, slashes, host = place.partition("://")
    if not (slashes and host and kind in ("dask", "ray")):
        raise ArboraError(f"{place!r} names no workers: say a number, dask://HOST:PORT or ray://HOST:PORT")
    # Ray's own clients know ray://, a scheduler of Dask is spoken to by TCP.
    return make_executor(kind, 1, f"tcp://{host}" if kind == "dask" else place)


def needed(module: str, extra: str) -> Any:
    """A module of an extra; ArboraError if that is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise ArboraError(
            f'the executor {extra} needs more packages: pip install "arbora[{extra}]"'
        ) from None


def read_files(files: Sequence[str]) -> Iterator[bytes]:
    """The bytes of each file, for workers that cannot open them."""
    for path in files:
        with open(path, "rb") as stream:
            yield stream.read()


def knock(host: str, port: int) -> None:
    """OSError if nobody listens there, which clients of clusters would find out in minutes."""
    socket.create_connection((host, port), timeout=KNOCKING).close()
