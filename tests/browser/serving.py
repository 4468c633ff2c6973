"""The server that the page is tested with: a real one, in a thread of this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import uvicorn

import arbora
from arbora.server.app import make_app
from arbora.server.models import ServedModel, ServedModels
from arbora.server.treebank_file import TreebankFile


@cache
def models() -> ServedModels:
    """The pipeline that comes with Arbora, loaded once."""
    return ServedModels([ServedModel("en", arbora.load())])


@contextmanager
def serving(treebank: Path | None = None) -> Iterator[str]:
    """The address of a server of the page, perhaps with a treebank; it runs within the ``with``."""
    app = make_app(models(), treebank=None if treebank is None else TreebankFile(treebank))
    config = uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        thread.join(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()
