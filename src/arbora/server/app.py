"""The application: all addresses, the gate that every request goes through, and how errors are told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arbora.errors import ArboraError
from arbora.server import inception, json_api, page, treebank_file, udpipe
from arbora.server.limits import Limits, RequestError, check_head, is_own_host
from arbora.server.models import ServedModels
from arbora.server.service import MODEL, Service
from arbora.server.treebank_file import TreebankFile

LOCAL_NAMES = ("localhost",)
"""A server answers to these whatever it was started for."""
JSON_ADDRESSES = "/v1/"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
"""Of every answer that does not say otherwise."""


def make_app(
    models: ServedModels,
    limits: Limits | None = None,
    *,
    threads: int = 1,
    names: Sequence[str] = (),
    treebank: TreebankFile | None = None,
) -> ASGIApp:
    """The application of these models, for any ASGI server.

    ``names`` are those that requests may call the server by (their Host), besides localhost and addresses in
    numbers. ``threads`` work on a batch. ``treebank`` is the file that the page shows and changes.
    """
    service = Service(models, (limits or Limits()).check(), threads)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        service.close()

    found = page.read_page()
    routes = [
        *_own_routes(service),
        *udpipe.routes(service),
        *json_api.routes(service),
        *inception.routes(service),
        *treebank_file.routes(service, treebank),
        *page.routes(found),
    ]
    inner = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={
            RequestError: _tell_request_error,
            ArboraError: _tell_arbora_error,
            HTTPException: _tell_http_error,
            500: _tell_failure,
        },
    )
    return Gate(inner, service, routes, [*LOCAL_NAMES, *(name.lower() for name in names)])


class Gate:
    """Lets in who calls the server by its name, adds headers to all answers, and counts them."""

    def __init__(
        self, inner: ASGIApp, service: Service, routes: Sequence[Route], names: Sequence[str]
    ) -> None:
        self._inner, self._metrics, self._names = inner, service.metrics, names
        self._endpoints = [(route.path_regex, route.path) for route in routes]
        self._limits = limits = service.limits
        self._seconds = 2 * limits.arrival + limits.seconds  # a client may read as slowly as it writes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or the server's life."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def send_on(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            async with asyncio.timeout(self._seconds):
                await self._chosen(scope)(scope, receive, send_on)
        except TimeoutError:
            status = 408  # what of the answer is gone is lost: the connection is ended
        finally:
            found = (path for pattern, path in self._endpoints if pattern.match(scope["path"]))
            self._metrics.requests.labels(next(found, "other"), scope.get(MODEL, ""), status).inc()
            self._metrics.seconds.observe(time.perf_counter() - started)

    def _chosen(self, scope: Scope) -> ASGIApp:
        """The application, for who calls the server by its name while there is room."""
        hosts = Headers(scope=scope).getlist("host")
        try:
            check_head(scope, self._limits)
            if len(hosts) != 1 or not is_own_host(hosts[0], self._names):
                raise RequestError(421, "This server has another name; it can be told with --name.")
        except RequestError as error:
            return _tell(Request(scope), error)
        return self._inner


def _own_routes(service: Service) -> list[Route]:
    async def health(request: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def metrics(request: Request) -> Response:
        return Response(service.metrics.text(), media_type=service.metrics.content_type)

    return [Route("/health", health), Route("/metrics", metrics)]


def _tell(request: Request, error: RequestError, headers: dict[str, str] | None = None) -> Response:
    headers = {**error.headers, **(headers or {})}
    if request.scope["path"].startswith(JSON_ADDRESSES):
        content = {"error": error.reason}
        place = {} if error.sentence is None else {"sentence": error.sentence}
        return JSONResponse({**content, **place}, error.status, headers)
    return PlainTextResponse(error.reason, error.status, {**udpipe.CORS, **headers})


def _tell_request_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestError)
    return _tell(request, error)


def _tell_arbora_error(request: Request, error: Exception) -> Response:
    return _tell(request, RequestError(400, str(error)))


def _tell_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    reason = error.detail
    if error.status_code == 404:
        reason = f"No handler for the given URL '{request.scope['path']}'"
    return _tell(request, RequestError(error.status_code, reason), dict(error.headers or {}))


def _tell_failure(request: Request, error: Exception) -> Response:
    return _tell(request, RequestError(500, "An internal error occurred during processing."))
