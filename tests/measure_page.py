"""How fast the annotation page is, in Chromium, with the model `en` and a server on this machine.

    python tests/measure_page.py [--edits 50]

says how long the page waits for the parser after an edit of 40 words, by its own status line,
and how long frames take while the list of 5,012 sentences is scrolled and all of them are being judged.
It asserts nothing: docs/annotating.md has what one machine said.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Sequence

import numpy as np
from browser.conftest import FLAGS, make_desk
from browser.desk import EXAMPLES, Desk, blocks
from browser.serving import serving
from playwright.sync_api import sync_playwright

EN = (EXAMPLES / "en.conllu").read_text("utf-8")
LONG = 19
"""The place of a sentence that has 40 words and more."""
FRAMES = """async (frames) => {
    const list = document.querySelector("#list");
    const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const found = [];
    let before = await next();
    for (let at = 0; at < frames; at += 1) {
        list.scrollTop = (at / frames) * (list.scrollHeight - list.clientHeight);
        const now = await next();
        found.push(now - before);
        before = now;
    }
    return found;
}"""


def start_of(block: str, words: int) -> str:
    """The first words of a sentence, without a tree."""
    rows = [line.split("\t") for line in block.splitlines() if re.match(r"\d+\t", line)]
    return "".join("\t".join([*row[:6], "_", "_", "_", "_"]) + "\n" for row in rows[:words]) + "\n"


def answers(desk: Desk, edits: int, words: int = 40) -> list[float]:
    """Milliseconds until the rest is predicted again, each time from the parser's own tree."""
    desk.open_text(start_of(blocks(EN)[LONG], words))
    found = []
    for edit in range(edits):
        desk.select(edit * 7 % words + 1)
        desk.press("2")  # another head
        if "no choice" in desk.status():
            desk.press("x")  # any other one
        found.append(float(re.findall(r"\d+", desk.page.inner_text("#took"))[0]))
        desk.press("z")
    return found


def frames(desk: Desk, count: int = 300) -> list[float]:
    """Milliseconds from one frame to the next."""
    desk.open_text(EN * 179, "large.conllu")
    found: list[float] = desk.page.evaluate(FRAMES, count)
    return found


def told(name: str, values: Sequence[float]) -> None:
    middle, slow, worst = np.percentile(values, [50, 95, 100])
    print(
        f"{name}: median {middle:.0f} ms, 95 % below {slow:.0f} ms, all below {worst:.0f} ms ({len(values)})"
    )


def main() -> None:
    """Measure, and print."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--edits", type=int, default=50)
    edits = options.parse_args().edits
    program = shutil.which("chromium")
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        desk = make_desk(browser.new_context(viewport={"width": 1280, "height": 800}), address)
        told("the rest of 40 words", answers(desk, edits))
        told("a frame, 5,012 sentences", frames(desk))
        browser.close()


if __name__ == "__main__":
    main()
