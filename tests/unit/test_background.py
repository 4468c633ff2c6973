"""Programs in the background: a failure is told, whichever step it is in, and nothing runs after it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from background import BackgroundPrograms


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_steps_run_in_order(tmp_path: Path) -> None:
    write, read = python("open('made', 'w').close()"), python("open('made')")
    assert BackgroundPrograms(tmp_path / "own", [write], [read, read]).failure() == ""


def test_a_failure_is_told_and_ends_it(tmp_path: Path) -> None:
    wrong = python("import sys; print('what is wrong'); sys.exit(3)")
    after = python("open('made', 'w').close()")
    failure = BackgroundPrograms(tmp_path / "own", [python(""), wrong], [after]).failure()
    assert failure.endswith("exit code 3\nwhat is wrong\n")
    assert not (tmp_path / "own" / "made").exists()


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    assert "FileNotFoundError" in BackgroundPrograms(tmp_path / "own", [[str(tmp_path / "none")]]).failure()


def test_others_wait_for_the_same_ones(tmp_path: Path) -> None:
    count = python("open('count', 'a').write('x')")
    assert all(BackgroundPrograms(tmp_path / "own", [count]).failure() == "" for _ in range(3))
    assert (tmp_path / "own" / "count").read_text() == "x"


def test_it_ends_with_its_owner(tmp_path: Path) -> None:
    gone = subprocess.Popen(python(""))
    gone.wait()
    sleep = python("import time; time.sleep(600)")
    assert "over" in BackgroundPrograms(tmp_path / "own", [sleep], owner=gone.pid).failure()
