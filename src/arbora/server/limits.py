"""What a server takes: how much, from whom, and for how long; and the error that says so."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from ipaddress import ip_address
from typing import Self

from starlette.requests import ClientDisconnect, Request
from starlette.types import Scope

from arbora.errors import ArboraError

LARGEST_HEADERS = 64 << 10
"""Bytes of the first line and all headers of a request."""
CONNECTIONS = "arbora.connections"
"""Where the scope of a request says how many connections there are, if its server knows."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server takes on.

    ``body``: bytes of a request's body; ``held``: of the bodies of all requests that are under way.
    ``sentence``: words of a sentence. ``seconds``: how long a request may wait and be worked on, ``arrival``
    how long it may take to arrive. ``waiting``: requests in the queue. ``connections``: that are open.
    ``batch``: words that are worked on together.
    """

    body: int = 4 << 20
    held: int = 32 << 20
    sentence: int = 1000
    seconds: float = 60.0
    arrival: float = 30.0
    waiting: int = 256
    connections: int = 1000
    batch: int = 4096

    def check(self) -> Self:
        """Raise ArboraError if a limit makes no sense; returns itself."""
        for field in fields(self):
            if not getattr(self, field.name) > 0:
                raise ArboraError(f"the limit {field.name} must be greater than 0")
        if self.held < self.body:
            raise ArboraError("the limit held must be at least the limit body")
        return self


class RequestError(Exception):
    """Why a request gets no answer: a status of HTTP, and a line.

    ``sentence`` is which one is to blame, ``retry_after`` when it is worth while to try again, in seconds;
    ``ends``: the connection is of no more use.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        *,
        sentence: int | None = None,
        retry_after: int | None = None,
        ends: bool = False,
    ) -> None:
        super().__init__(reason)
        self.status, self.reason, self.sentence, self.retry_after = status, reason, sentence, retry_after
        self.ends = ends

    @property
    def headers(self) -> dict[str, str]:
        """What the answer says of later ones."""
        again = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return {**again, **({"Connection": "close"} if self.ends else {})}


def check_head(scope: Scope, limits: Limits) -> None:
    """RequestError if a request has too large headers, or comes on one connection too many."""
    if scope.get(CONNECTIONS, 0) > limits.connections:
        raise RequestError(503, "The server is busy; try again later.", retry_after=1, ends=True)
    lines = [
        scope.get("raw_path") or b"",
        scope["query_string"],
        *(b"".join(own) for own in scope["headers"]),
    ]
    if sum(len(line) + len(": \r\n") for line in lines) > LARGEST_HEADERS:
        raise RequestError(400, f"The headers are larger than {LARGEST_HEADERS} bytes.")


class Bodies:
    """Reads bodies, and knows how many bytes of them all requests hold together."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.held = 0

    @contextmanager
    def room(self, request: Request) -> Iterator[None]:
        """Room for the request's body, until it is answered; RequestError if there is none."""
        length = request.headers.get("content-length")
        if length is not None and length.isdecimal() and int(length) > self._limits.body:
            raise self._too_large()
        has_none = length == "0" or (length is None and "transfer-encoding" not in request.headers)
        needed = 0 if has_none else int(length) if length and length.isdecimal() else self._limits.body
        if self.held + needed > self._limits.held:
            raise RequestError(503, "The server is busy; try again later.", retry_after=1)
        self.held += needed
        try:
            yield
        finally:
            self.held -= needed

    async def read(self, request: Request) -> bytes:
        """The body; RequestError if it is compressed, too large or too slow."""
        if request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            raise RequestError(400, "The body has a Content-Encoding: it must come as it is.")
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.arrival):
                async for piece in request.stream():
                    body += piece
                    if len(body) > self._limits.body:
                        raise self._too_large()
        except TimeoutError:
            raise RequestError(408, "The request took too long to arrive.", ends=True) from None
        except ClientDisconnect:
            raise RequestError(400, "The request ended too early.") from None
        return bytes(body)

    def _too_large(self) -> RequestError:
        return RequestError(413, f"The body is larger than {self._limits.body} bytes.")


def is_own_host(header: str, names: Sequence[str]) -> bool:
    """Whether a Host header is that of this server: one of its names, or an address in numbers.

    A page of another site can make a browser believe that its own name stands for this machine, but no
    address: so names have to be known, and addresses need not.

    >>> [is_own_host(header, ["localhost"]) for header in ("localhost:8000", "[::1]:80", "evil.example")]
    [True, True, False]
    """
    host = header.strip().lower()
    if host.startswith("["):
        host, _, port = host[1:].partition("]")
        port = port.removeprefix(":")
    else:
        host, _, port = host.partition(":")
    if port and not (port.isascii() and port.isdecimal()):
        return False
    if host in names:
        return True
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
