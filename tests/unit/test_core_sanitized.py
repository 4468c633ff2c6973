"""The core's own tests, built with the address and undefined-behaviour sanitizers, and run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tool(name: str) -> str:
    """The program of that name beside this Python, or on the path."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.fail(f'{name} is missing; install the test tools: pip install ".[test]"')
    return found


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def test_core(tmp_path):
    cmake = tool("cmake")
    ninja = f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}"
    run(cmake, "-S", str(ROOT), "-B", str(tmp_path), "-G", "Ninja", "-DARBORA_CORE_TESTS=ON", ninja)
    run(cmake, "--build", str(tmp_path))
    run(str(tmp_path / "arbora_core_tests"))
