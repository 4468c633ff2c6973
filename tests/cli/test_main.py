"""The command itself: version, help, and what happens to words it does not know."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import arbora

COMMANDS = ["bench", "convert", "draw", "evaluate", "inspect", "parse", "train", "validate"]


def arbora_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The installed command, as a user runs it."""
    program = str(Path(sys.executable).parent / "arbora")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


def test_version():
    done = arbora_command("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"arbora {arbora.__version__}\n", "")


def test_help_names_every_command():
    done = arbora_command("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command(command):
    done = arbora_command(command, "--help")
    assert done.returncode == 0
    assert "Usage" in done.stdout


def test_no_arguments_show_the_help():
    assert "Usage" in arbora_command().stdout


@pytest.mark.parametrize("arguments", [["parze"], ["--verzion"], ["bench", "--jsonn"]])
def test_unknown_words_are_exit_code_2(arguments):
    done = arbora_command(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert arguments[-1] in done.stderr
    assert "Traceback" not in done.stderr
