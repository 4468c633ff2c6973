"""The house rules: linter, formatter and types are clean. Each tool's own words are the failure message."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from background import BackgroundPrograms, tool

ROOT = Path(__file__).resolve().parents[2]


def run(module: str, *arguments: str, cwd: Path) -> None:
    if find_spec(module) is None:
        pytest.fail(f'{module} is missing; install the test tools: pip install ".[test]"')
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff_check():
    run("ruff", "check", "--no-cache", "--output-format=concise", ".", cwd=ROOT)


def test_ruff_format():
    run("ruff", "format", "--no-cache", "--check", ".", cwd=ROOT)


def test_clang_format():
    files = sorted(str(path) for path in (ROOT / "cpp").rglob("*.[ch]pp"))
    done = subprocess.run(
        [tool("clang-format"), "--dry-run", "--Werror", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]


def test_mypy(types: BackgroundPrograms) -> None:
    failure = types.failure()
    assert not failure, failure


def test_ci_runs_the_command_of_the_readme():
    section = (ROOT / "README.md").read_text("utf-8").split("## Test\n")[1]
    command = section.split("```sh\n")[1].split("\n```")[0]
    assert (ROOT / ".ci" / "run").read_text("utf-8").endswith(f"\n{command}\n")
