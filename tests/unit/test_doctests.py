"""No example that is not executed: the docstrings of every module, README.md and docs/*.md."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import arbora

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

MODULES = ["arbora"] + [
    module.name
    for module in pkgutil.walk_packages(arbora.__path__, "arbora.")
    if not module.name.endswith(("._core", ".__main__"))
]
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if page.exists()]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert result.failed == 0


def examples(page: str) -> str:
    """A page's fenced blocks of Python, and blank lines for the rest, so that failures name the right line.

    Only blocks with ``>>>`` prompts show what comes out; the others are for reading.
    """
    lines, inside = [], False
    for line in page.splitlines():
        fence = line.strip().startswith("```")
        if fence:
            inside = not inside and line.strip()[3:].split(" ")[0] in ("python", "pycon", "py")
        lines.append(line if inside and not fence else "")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page, monkeypatch):
    monkeypatch.chdir(ROOT)  # the pages read the files that ship with the project
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=OPTIONS)
    test = parser.get_doctest(examples(page.read_text("utf-8")), {}, page.name, str(page), 0)
    report: list[str] = []
    assert runner.run(test, out=report.append).failed == 0, "".join(report)


def test_only_python_blocks_are_examples():
    page = "Text\n```python\n>>> 1 + 1\n2\n```\n```text\n>>> no python\n```\n```pycon\n>>> 3\n3\n```\n"
    assert examples(page) == "\n\n>>> 1 + 1\n2\n\n\n\n\n\n>>> 3\n3\n\n"
