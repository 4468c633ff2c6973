"""Programs that run beside the tests: what takes long and needs no Python keeps another core busy."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Lock, Thread

import pytest

Command = Sequence[str]


def tool(name: str) -> str:
    """The program of that name beside this Python, or on the path."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.fail(f'{name} is missing; install the test tools: pip install ".[test]"')
    return found


class Beside:
    """Steps, one after another until one fails; the programs of a step run at once."""

    def __init__(self, *steps: Sequence[Command], cwd: Path) -> None:
        self._cwd = cwd
        self._running: list[subprocess.Popen[str]] = []
        self._stopped, self._starting = False, Lock()
        self._failure = ""
        self._thread = Thread(target=self._run, args=steps)
        self._thread.start()

    def failure(self) -> str:
        """What failed, and its own words; empty if nothing did. Waits for the end."""
        self._thread.join()
        return self._failure

    def stop(self) -> None:
        """Nobody waits for it any more."""
        with self._starting:
            self._stopped = True
            for program in self._running:
                program.terminate()
        self._thread.join()

    def _run(self, *steps: Sequence[Command]) -> None:
        try:
            for step in steps:
                self._failure = self._fails(step)
                if self._failure:
                    return
        except Exception as error:  # in a thread, nobody else would hear of it
            self._failure = repr(error)

    def _fails(self, step: Sequence[Command]) -> str:
        with self._starting:
            if self._stopped:
                return "it was stopped"
            self._running = [self._started(command) for command in step]
        words = [program.communicate()[0] for program in self._running]
        return "\n".join(
            f"{' '.join(command)}: exit code {program.returncode}\n{said}"
            for command, program, said in zip(step, self._running, words, strict=True)
            if program.returncode != 0
        )

    def _started(self, command: Command) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command, cwd=self._cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
