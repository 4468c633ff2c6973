"""One browser and one server for all tests of the page; they skip where there is no Chromium.

Both end with the last of these tests: while the browser's driver runs, no other test can begin an event loop.
"""

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
VIEWPORT = {"width": 1280, "height": 800}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no Chromium here")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="package")
def address() -> Iterator[str]:
    with serving() as found:
        yield found


@pytest.fixture(scope="package")
def one_desk(browser: Any, address: str) -> Iterator[Desk]:
    context = browser.new_context(viewport=VIEWPORT)
    yield make_desk(context, address)
    context.close()


@pytest.fixture
def desk(one_desk: Desk) -> Iterator[Desk]:
    """A desk without a treebank, where nothing was done yet. No other server is asked, and nothing fails."""
    one_desk.forget()
    yield one_desk
    assert not one_desk.wrong


@pytest.fixture
def desk_at(browser: Any) -> Iterator[Callable[..., Desk]]:
    """Gives a desk at any server, in a browser of its own."""
    desks: list[Desk] = []

    def make(address: str, **options: Any) -> Desk:
        desks.append(make_desk(browser.new_context(**{"viewport": VIEWPORT} | options), address))
        return desks[-1]

    yield make
    for desk in desks:
        desk.page.context.close()
        assert not desk.wrong


def make_desk(context: Any, address: str) -> Desk:
    context.set_default_timeout(20_000)
    desk = Desk(context.new_page(), address)
    desk.visit()
    return desk
