"""Programs in the background of the tests: what takes long and needs no Python keeps another core busy.

They run in a process of their own, which all workers of the tests can wait for, and which ends when the
tests do.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest

Command = Sequence[str]

STEPS, RESULT = "steps.json", "result.txt"


def tool(name: str) -> str:
    """The program of that name beside this Python, or on the path."""
    own = Path(sys.executable).parent / name
    found = str(own) if own.exists() else shutil.which(name)
    if found is None:
        pytest.fail(f'{name} is missing; install the test tools: pip install ".[test]"')
    return found


class BackgroundPrograms:
    """Steps, one after another until one fails; the programs of a step run at once, in a folder.

    Whoever comes first makes the folder and starts them; others with the same folder wait for the same ones.
    """

    def __init__(self, folder: Path, *steps: Sequence[Command], owner: int | None = None) -> None:
        """They are ended if the process ``owner`` is gone: by default this one."""
        self.folder = folder
        try:
            folder.mkdir()
        except FileExistsError:
            return
        (folder / STEPS).write_text(json.dumps(steps), "utf-8")
        command = [sys.executable, __file__, str(folder), str(os.getpid() if owner is None else owner)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
        Thread(target=process.wait, daemon=True).start()  # lest it stay in the system's table

    def failure(self) -> str:
        """What failed, and its own words; empty if nothing did. Waits for the end."""
        while not (self.folder / RESULT).exists():
            time.sleep(0.1)
        return (self.folder / RESULT).read_text("utf-8")


def run(folder: Path, owner: int) -> str:
    """What fails of a folder's steps."""
    for step in json.loads((folder / STEPS).read_text("utf-8")):
        outputs = [folder / f"output.{number}.txt" for number in range(len(step))]
        programs = [_started(command, folder, path) for command, path in zip(step, outputs, strict=True)]
        while any(program.poll() is None for program in programs):
            if not _is_alive(owner):
                for program in programs:
                    program.terminate()
                return "the tests were over before it was"
            time.sleep(0.1)
        failures = [
            f"{' '.join(command)}: exit code {program.returncode}\n{path.read_text('utf-8', 'replace')}"
            for command, program, path in zip(step, programs, outputs, strict=True)
            if program.returncode
        ]
        if failures:
            return "\n".join(failures)
    return ""


def _started(command: Command, folder: Path, output: Path) -> subprocess.Popen[bytes]:
    with output.open("wb") as stream:
        return subprocess.Popen(command, cwd=folder, stdout=stream, stderr=subprocess.STDOUT)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def main() -> None:
    """Run what is in the folder, and leave the result there, whole or not at all."""
    folder, owner = Path(sys.argv[1]), int(sys.argv[2])
    try:
        found = run(folder, owner)
    except Exception as error:  # nobody else would hear of it
        found = repr(error)
    (folder / "unfinished").write_text(found, "utf-8")
    (folder / "unfinished").replace(folder / RESULT)


if __name__ == "__main__":
    main()
