"""Servers for tests: an application in this process, asked through ASGI, and a real one of its own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import httpx

import arbora
from arbora.server.app import make_app
from arbora.server.models import ServedModel, ServedModels

Found = TypeVar("Found")
OWN = "http://localhost"
COMMAND = "from arbora.cli import main; main()"


@cache
def two_models() -> ServedModels:
    """The pipeline that comes with Arbora under two names, the first one the default."""
    return ServedModels([ServedModel(name, arbora.load()) for name in ("english-ewt-ud", "other")])


@cache
def two_model_app() -> Any:
    """An application that nobody changes; what it counts is everybody's."""
    return make_app(two_models())


def client(app: Any, **options: Any) -> httpx.AsyncClient:
    """Who asks an application in this process."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url=OWN, **options)


def ask(method: str, path: str, *, app: Any = None, **named: Any) -> httpx.Response:
    """One request, of an application in this process."""

    async def once() -> httpx.Response:
        async with client(two_model_app() if app is None else app) as own:
            return await own.request(method, path, **named)

    return asyncio.run(once())


def all_at_once(app: Any, requests: Callable[[httpx.AsyncClient], list[Awaitable[Found]]]) -> list[Found]:
    """What these requests are answered with if nobody waits for the others."""

    async def together() -> list[Found]:
        async with client(app) as own:
            return list(await asyncio.gather(*requests(own)))

    return asyncio.run(together())


def own_command() -> list[str]:
    """The command ``arbora``, as it is in this Python."""
    return [sys.executable, "-c", COMMAND]


class RunningServer:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], line: str) -> None:
        self.process, self.line = process, line
        self.address = line.split()[-1]
        self.port = int(self.address.rpartition(":")[2])


@contextmanager
def running_server(*options: str) -> Iterator[RunningServer]:
    """``arbora serve`` on a free port of the loopback interface; it is ended afterwards."""
    command = [*own_command(), "serve", "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watch = threading.Timer(60, process.kill)
    watch.start()
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        watch.cancel()
        assert line, process.stderr.read() if process.stderr else ""
        yield RunningServer(process, line.strip())
    finally:
        watch.cancel()
        process.kill()
        process.communicate()


def until(holds: Callable[[], bool], seconds: float = 10) -> None:
    """Wait until something holds; AssertionError if it never does."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)
