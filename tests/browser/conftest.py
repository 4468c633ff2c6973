"""One browser and one server for all tests of the page; they skip where there is no Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.desk import Desk
from browser.serving import serving

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
EXPECTED = ("404", "409", "ERR_FAILED")  # no treebank is served; someone else was faster; a test cut the line


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no Chromium here")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with serving() as found:
        yield found


@pytest.fixture
def desk_at(browser: Any) -> Iterator[Callable[..., Desk]]:
    """Gives a desk at a server, in a browser of its own; no other server is asked, and nothing goes wrong."""
    contexts, wrong = [], []

    def watch(page: Any, address: str) -> None:
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda request: request.url.startswith((address, "blob:", "data:")) or wrong.append(request.url),
        )
        page.on("console", lambda message: message.type == "error" and wrong.append(message.text))

    def make(address: str, **options: Any) -> Desk:
        context = options.pop("context", None) or browser.new_context(
            **{"viewport": {"width": 1280, "height": 800}} | options
        )
        context.set_default_timeout(8000)
        contexts.append(context)
        page = context.new_page()
        watch(page, address)
        desk = Desk(page, address)
        desk.visit()
        return desk

    yield make
    for context in dict.fromkeys(contexts):
        context.close()
    assert not [text for text in wrong if not any(code in text for code in EXPECTED)]


@pytest.fixture
def desk(desk_at: Callable[..., Desk], address: str) -> Desk:
    return desk_at(address)
