"""Programs beside the tests: a failure is told, whichever step it is in, and nothing runs after it."""

from __future__ import annotations

import sys
from pathlib import Path

from beside import Beside


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_steps_run_in_order(tmp_path: Path) -> None:
    write, read = python("open('made', 'w').close()"), python("open('made')")
    assert Beside([write], [read, read], cwd=tmp_path).failure() == ""


def test_a_failure_is_told_and_ends_it(tmp_path: Path) -> None:
    wrong = python("import sys; print('what is wrong'); sys.exit(3)")
    after = python("open('made', 'w').close()")
    failure = Beside([python(""), wrong], [after], cwd=tmp_path).failure()
    assert failure.endswith("exit code 3\nwhat is wrong\n")
    assert not (tmp_path / "made").exists()


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    assert "FileNotFoundError" in Beside([[str(tmp_path / "none")]], cwd=tmp_path).failure()


def test_it_can_be_stopped(tmp_path: Path) -> None:
    running = Beside([python("import time; time.sleep(600)")], [python("")], cwd=tmp_path)
    running.stop()
    assert running.failure()
