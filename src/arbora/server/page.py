"""The annotation page: one file, with the headers that let it run, and nothing else within it."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arbora.server.limits import RequestError

_INLINE = {
    kind: re.compile(rf"<{kind}\b[^>]*>(.*?)</{kind}>".encode(), re.DOTALL) for kind in ("script", "style")
}


def read_page() -> bytes | None:
    """The page that comes with Arbora; None if it was not built."""
    file = files("arbora.server") / "page" / "index.html"
    return file.read_bytes() if file.is_file() else None


def policy(page: bytes) -> str:
    """What the page may do: run its own script, show its own style, ask this server.

    >>> policy(b"<style>p { margin: 0 }</style>").split("; ")[:2]
    ["default-src 'none'", "script-src 'none'"]
    """
    allowed = {
        kind: " ".join(f"'sha256-{_hash(found)}'" for found in pattern.findall(page)) or "'none'"
        for kind, pattern in _INLINE.items()
    }
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {allowed['script']}",
            f"style-src {allowed['style']}",
            "connect-src 'self'",
            "img-src 'self' data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def routes(page: bytes | None) -> list[Route]:
    """The address of the page."""
    headers = {} if page is None else {"Content-Security-Policy": policy(page)}

    async def show(request: Request) -> Response:
        if page is None:
            raise RequestError(404, "This Arbora was installed without its page.")
        return Response(page, media_type="text/html; charset=utf-8", headers=headers)

    return [Route("/", show, methods=["GET"])]


def _hash(text: bytes) -> str:
    return base64.b64encode(hashlib.sha256(text).digest()).decode()
