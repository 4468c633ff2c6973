"""What several tests share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from background import BackgroundPrograms, tool

pytest.register_assert_rewrite("model_files")

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
LONG = ("sanitized", "types")
"""Fixtures that run in the background of the tests; the tests that want them come last."""


@pytest.fixture
def treebank_folder() -> Path:
    """The folder of public treebanks, which are not part of the project; the test is skipped without it."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ARBORA_TREEBANKS") or beside)
    if not folder.is_dir():
        pytest.skip("no treebanks here: set ARBORA_TREEBANKS to their folder")
    return folder


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """Whoever a shell starts in its background ignores Ctrl-C, as do the programs that it starts itself."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def wanted(item: pytest.Item) -> list[str]:
    return [name for name in LONG if name in getattr(item, "fixturenames", ())]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: bool(wanted(item)))


@pytest.fixture(scope="session", autouse=True)
def long_ones_begin_first(request: pytest.FixtureRequest) -> None:
    for name in {name for item in request.session.items for name in wanted(item)}:
        request.getfixturevalue(name)


def in_background(tmp_path_factory: pytest.TempPathFactory, name: str) -> tuple[Path, int]:
    """A folder that all workers share, and the process that they belong to."""
    own = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        return own.parent / name, os.getppid()
    return own / name, os.getpid()


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> BackgroundPrograms:
    """A build under the sanitizers: the core's own tests in parts, and Python with the module."""
    folder, owner = in_background(tmp_path_factory, "sanitized")
    ninja, cores = tool("ninja"), os.cpu_count() or 1
    source = ["-S", str(ROOT), "-B", str(folder), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    parts = min(cores, 4)
    program = str(folder / "arbora_core_tests")
    python = [sys.executable, str(TESTS / "sanitized_python.py"), str(folder)]
    bindings = ["-m", "pytest", "-n0", "-s", "-pno:cacheprovider", "-c", str(ROOT / "pyproject.toml")]
    return BackgroundPrograms(
        folder,
        [[tool("cmake"), *source, "-DARBORA_SANITIZED=ON", *for_python()]],
        [[ninja, "-C", str(folder), "-j", str(max(1, cores - 1))]],  # one core is for the tests
        [
            [*python, *bindings, str(TESTS / "unit" / "test_bindings.py")],
            [*python, str(TESTS / "fuzz_models.py"), "--alone", "--first", "300", "--count", "100"],
            *([program, str(part), str(parts)] for part in range(parts)),
        ],
        owner=owner,
    )


def for_python() -> list[str]:
    """What CMake is told about this Python."""
    nanobind = subprocess.check_output([sys.executable, "-m", "nanobind", "--cmake_dir"], text=True).strip()
    return [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind}"]


@pytest.fixture(scope="session")
def types(tmp_path_factory: pytest.TempPathFactory) -> BackgroundPrograms:
    """mypy on the installed package, from an empty folder: only there the native module has its stub."""
    folder, owner = in_background(tmp_path_factory, "types")
    options = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(folder / "cache")]
    return BackgroundPrograms(folder, [[sys.executable, "-m", "mypy", *options, "-p", "arbora"]], owner=owner)
