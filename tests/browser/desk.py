"""What an annotator does at the page, in words of the issue: open, drag, press keys, export."""

from __future__ import annotations

import os
import re
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "treebank"
EXPECTED = ("404", "409", "503", "ERR_FAILED")
"""Of messages: no treebank is served, someone was faster, a test kept the server busy or cut the line."""
PICTURES = os.environ.get("ARBORA_PICTURES")
"""Where tests write what they see, for docs/annotating.md; nowhere if it is not set."""


def blocks(text: str) -> list[str]:
    return re.findall(r".*?\n\n+", text, re.DOTALL)


WATCH_EXPORT = """(() => {
    const make = URL.createObjectURL;
    const click = HTMLAnchorElement.prototype.click;
    window.earnest = false;
    URL.createObjectURL = (blob) => make.call(URL, (window.exported = blob));
    HTMLAnchorElement.prototype.click = function () { if (window.earnest) click.call(this); };
})()"""
"""Keeps what is exported for tests that export after every step; browsers allow few downloads in a row."""


class Desk:
    """A page of a browser, with the server that it came from."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        self.chosen = ""
        self.wrong: list[str] = []
        self.expected = EXPECTED
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", lambda request: self._check(request.url))
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.add_init_script(WATCH_EXPORT)
        page.on("filechooser", lambda chooser: chooser.set_files(self.chosen))

    def _check(self, url: str) -> None:
        if not url.startswith((self.address, "blob:", "data:")):
            self.wrong.append(f"another server was asked: {url}")

    def _hear(self, kind: str, text: str) -> None:
        if kind == "error" and not any(code in text for code in self.expected):
            self.wrong.append(text)

    def forget(self) -> None:
        """As if the page was never there."""
        self.page.goto(f"{self.address}/v1/models")  # what the page was about to keep is not kept
        self.page.evaluate(
            """() => new Promise((resolve) => {
                sessionStorage.clear();
                const request = indexedDB.deleteDatabase("arbora");
                request.onsuccess = request.onblocked = resolve;
            })"""
        )
        self.wrong.clear()
        self.expected = EXPECTED
        self.visit()

    def visit(self) -> None:
        self.page.goto(self.address)
        self.page.wait_for_selector("html[data-ready]")

    def open(self, path: Path, key: str = "o") -> None:
        self.chosen = str(path)
        self.page.keyboard.press(key)
        self.page.wait_for_function("name => document.title.startsWith(name)", arg=path.name)
        self.settle()

    def open_text(self, text: str | bytes, name: str = "own.conllu") -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(text.encode() if isinstance(text, str) else text)
            self.open(path)

    def settle(self) -> None:
        """Until the parser has answered."""
        self.page.wait_for_selector("#tree[aria-busy=false]", state="attached")

    def kept(self) -> None:
        """Until the browser has written what it is to keep."""
        self.page.wait_for_selector("#saved[aria-busy=false]")

    def go(self, place: int) -> None:
        """To the sentence at this place, from 1, and to its tree."""
        self.keys("g", "Home", *["ArrowDown"] * (place - 1))
        self.page.wait_for_function(
            f"() => document.querySelector('#place').textContent.startsWith('{place} of')"
        )
        self.page.focus("#tree")
        self.settle()

    def select(self, word: int) -> None:
        self.page.focus("#tree")
        self.keys("Home", *["ArrowRight"] * (word - 1))

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def press(self, *keys: str) -> None:
        self.keys(*keys)
        self.settle()

    def button(self, action: str) -> None:
        self.page.click(f"#dock-word [data-action={action}]")
        self.settle()

    def box(self, word: int) -> dict[str, float]:
        """Where a word stands; asked in one go, for a tree that is drawn anew is another element."""
        found: dict[str, float] = self.page.evaluate(
            f"document.querySelector(`#tree .word[data-word='{word}'] .box`).getBoundingClientRect().toJSON()"
        )
        return found

    def point(self, word: int) -> None:
        box = self.box(word)
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)

    def drag(self, head: int, word: int) -> None:
        """From head to dependent; 0 is the root."""
        start, end = self.box(head), self.box(word)
        mouse = self.page.mouse
        mouse.move(start["x"] + start["width"] / 2, start["y"] + 20)
        mouse.down()
        mouse.move(end["x"] + 3, end["y"] - 30, steps=2)
        mouse.move(end["x"] + end["width"] / 2, end["y"] + 20)
        mouse.up()
        self.settle()

    def arc(self, word: int) -> Any:
        return self.page.locator(f"#tree .arc[data-word='{word}']")

    def head(self, word: int) -> int:
        return int(self.arc(word).get_attribute("data-head"))

    def label(self, word: int) -> str:
        return self.arc(word).locator(".name").text_content()

    def standing(self, word: int) -> set[str]:
        return set(self.arc(word).get_attribute("class").split())

    def arcs(self) -> list[tuple[int, str]]:
        found = self.page.evaluate(
            "[...document.querySelectorAll('#tree .arc')].map(arc => [+arc.dataset.word, +arc.dataset.head, "
            "arc.querySelector('.name').textContent])"
        )
        return [(head, label) for _, head, label in sorted(found)]

    def arcs_in_the_end(self, wanted: list[tuple[int, str]], seconds: float = 20) -> list[tuple[int, str]]:
        """The arcs as soon as they are the wanted ones, or those that are there after so many seconds."""
        until = time.monotonic() + seconds
        while (found := self.arcs()) != wanted and time.monotonic() < until:
            self.page.wait_for_timeout(50)
        return found

    def status(self) -> str:
        return str(self.page.inner_text("#status"))

    def export(self) -> bytes:
        """The bytes of the file that would be downloaded."""
        self.keys("Control+s")
        found: str = self.page.evaluate(
            """() => new Promise((resolve) => {
                const reader = new FileReader();
                reader.onload = () => resolve(reader.result);
                reader.readAsBinaryString(window.exported);
            })"""
        )
        return found.encode("latin-1")

    def download(self) -> tuple[str, bytes]:
        """The name and the bytes of a file that is downloaded in earnest."""
        self.page.evaluate("() => { window.earnest = true; }")
        with self.page.expect_download() as download:
            self.page.click("#bar >> text=Export")
        return download.value.suggested_filename, Path(download.value.path()).read_bytes()

    def rows(self, place: int = 1) -> list[list[str]]:
        """The words of a sentence as they would be exported, in columns."""
        lines = blocks(self.export().decode())[place - 1].splitlines()
        return [line.split("\t") for line in lines if re.match(r"\d+\t", line)]

    def picture(self, name: str, selector: str | None = None) -> None:
        if PICTURES:
            self.page.wait_for_timeout(700)  # the marks of what is new have gone
            place = self.page.locator(selector) if selector else self.page
            place.screenshot(path=Path(PICTURES) / f"{name}.png")
