"""The page in the wheel is the one that its sources make: a stale build fails here, without node."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
PAGE = ROOT / "src" / "arbora" / "server" / "page" / "index.html"
SETTINGS = ["build.mjs", "package-lock.json", "package.json", "tsconfig.json"]


def digest(folder: Path) -> str:
    """As web/build.mjs computes it."""
    names = sorted([*SETTINGS, *(f"src/{path.name}" for path in (folder / "src").iterdir())])
    found = hashlib.sha256()
    for name in names:
        found.update(name.encode() + b"\0" + (folder / name).read_bytes() + b"\0")
    return found.hexdigest()


def test_the_page_is_built_from_its_sources():
    told = re.search(r"sources: sha256 ([0-9a-f]{64}) -->", PAGE.read_text("utf-8"))
    assert told
    assert told[1] == digest(WEB), 'web/ was changed: run "npm run build" there'


def test_the_digest_sees_a_change(tmp_path):
    (tmp_path / "src").mkdir()
    for name in [*SETTINGS, "src/main.ts"]:
        (tmp_path / name).write_bytes(b"1")
    before = digest(tmp_path)
    (tmp_path / "src" / "main.ts").write_bytes(b"2")
    assert digest(tmp_path) != before


def test_the_page_is_one_file_that_asks_nobody_else():
    page = PAGE.read_text("utf-8")
    assert len(re.findall(r"<script\b", page)) == len(re.findall(r"<style\b", page)) == 1
    assert not re.search(r'(src|href)="(?!data:)', page)
    addresses = set(re.findall(r"https?://[^\s\"'`)<>]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}


def test_the_lock_file_records_no_registry():
    lock = json.loads((WEB / "package-lock.json").read_text("utf-8"))
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]


def test_sources_are_small_files():
    long = {path.name: len(path.read_text("utf-8").splitlines()) for path in (WEB / "src").iterdir()}
    assert not {name for name, lines in long.items() if lines > 300}
