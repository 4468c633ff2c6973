"""A server of its own: uvicorn around the application, with limits on slow and large requests."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from arbora.errors import ArboraError
from arbora.server.limits import CONNECTIONS, LARGEST_HEADERS, Limits

KEEP_ALIVE = 15
"""Seconds for which a connection stays open without a request."""


def serve(
    app: ASGIApp,
    *,
    host: str,
    port: int,
    limits: Limits,
    on_ready: Callable[[str, int], None] | None = None,
) -> None:
    """Serve until SIGTERM or Ctrl-C; what is under way then is finished, for as long as a request may take.

    ``on_ready`` is told the address when requests are answered; port 0 is any that is free. ArboraError if
    the address cannot be had.
    """
    logging.getLogger("python_multipart").setLevel(logging.ERROR)  # a broken form is the client's affair
    listening = bound(host, port)

    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        # The application refuses what is too much: uvicorn would say less, and to no metrics.
        scope[CONNECTIONS] = len(server.server_state.connections)
        await app(scope, receive, send)

    config = uvicorn.Config(
        counted,
        http=_protocol(limits),
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=limits.connections,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=int(limits.seconds + limits.arrival) + 1,
        h11_max_incomplete_event_size=LARGEST_HEADERS,
    )
    server = _Server(config, lambda: on_ready and on_ready(*listening.getsockname()[:2]))
    # uvicorn finishes what is under way, and then sends itself the signal again: that is no failure.
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        asyncio.run(server.serve([listening]))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        listening.close()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], Any]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._on_ready()


def bound(host: str, port: int) -> socket.socket:
    """A socket for connections to this address; ArboraError if it cannot be had.

    >>> with bound("127.0.0.1", 0) as found:
    ...     found.getsockname()[0]
    '127.0.0.1'
    """
    try:
        known = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
        # asyncio turns Nagle's algorithm off for sockets that are said to be of TCP, and answers do not wait.
        family, kind, protocol, _, address = known[0]
        found = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ArboraError(f"{host}: {error.strerror or error}") from None
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
    except OSError as error:
        found.close()
        raise ArboraError(f"{host}:{port}: {error.strerror or error}") from None
    return found


def _protocol(limits: Limits) -> type[H11Protocol]:
    """A protocol that hangs up on who takes too long to send the headers of a request."""

    class Protocol(H11Protocol):
        waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._end_watch()
            super().connection_lost(exc)

        def _watch(self) -> None:
            """There is a timer while bytes are awaited; it is not set anew by each of them."""
            if not self._awaits_bytes():
                self._end_watch()
            elif self.waiting is None:
                self.waiting = self.loop.call_later(limits.arrival, self._hang_up)

        def _awaits_bytes(self) -> bool:
            """Whether headers have to come, or the rest of a body that nobody will read."""
            if self.conn.their_state is h11.IDLE:
                return self.cycle is None or bool(self.conn.trailing_data[0])
            return self.conn.their_state is h11.SEND_BODY and self.cycle.response_complete

        def _end_watch(self) -> None:
            if self.waiting is not None:
                self.waiting.cancel()
                self.waiting = None

        def _hang_up(self) -> None:
            self.waiting = None
            if not self.transport.is_closing():
                self.transport.close()

    return Protocol
