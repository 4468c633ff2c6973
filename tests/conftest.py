"""What several tests share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from beside import Beside, tool

pytest.register_assert_rewrite("model_files")

ROOT = Path(__file__).resolve().parents[1]
LONG = ("core_tests", "types")
"""Fixtures that run beside the tests; the tests that want them come last."""


@pytest.fixture
def treebank_folder() -> Path:
    """The folder of public treebanks, which are not part of the project; the test is skipped without it."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ARBORA_TREEBANKS") or beside)
    if not folder.is_dir():
        pytest.skip("no treebanks here: set ARBORA_TREEBANKS to their folder")
    return folder


def wanted(item: pytest.Item) -> list[str]:
    return [name for name in LONG if name in getattr(item, "fixturenames", ())]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: bool(wanted(item)))


@pytest.fixture(scope="session", autouse=True)
def long_ones_begin_first(request: pytest.FixtureRequest) -> None:
    for name in {name for item in request.session.items for name in wanted(item)}:
        request.getfixturevalue(name)


@pytest.fixture(scope="session")
def core_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beside]:
    """The core's own tests: built under the sanitizers, and run in parts, one for each core."""
    folder = tmp_path_factory.mktemp("core")
    ninja, cores = tool("ninja"), os.cpu_count() or 1
    source = ["-S", str(ROOT), "-B", str(folder), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    parts = min(cores, 4)
    program = str(folder / "arbora_core_tests")
    running = Beside(
        [[tool("cmake"), *source, "-DARBORA_CORE_TESTS=ON"]],
        [[ninja, "-C", str(folder), "-j", str(max(1, cores - 1))]],  # one core is for the tests
        [[program, str(part), str(parts)] for part in range(parts)],
        cwd=folder,
    )
    yield running
    running.stop()


@pytest.fixture(scope="session")
def types(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beside]:
    """mypy on the installed package, from an empty folder: only there the native module has its stub."""
    folder = tmp_path_factory.mktemp("types")
    options = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(folder / "cache")]
    running = Beside([[sys.executable, "-m", "mypy", *options, "-p", "arbora"]], cwd=folder)
    yield running
    running.stop()
