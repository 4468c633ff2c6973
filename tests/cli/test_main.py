"""The command itself: version, help, and what happens to words it does not know."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from command import run_here

import arbora.cli
import arbora.errors
from arbora.cli import COMMANDS as PLACES
from arbora.cli import app
from arbora.cli.lazy import WIDEST, LazyCommand
from arbora.cli.train import COMMANDS as TRAIN_PLACES

ENGLISH = Path(__file__).resolve().parents[2] / "examples" / "treebank" / "en.conllu"
PROGRAM = str(Path(sys.executable).parent / "arbora")
COMMANDS = [
    "bench",
    "bulk",
    "convert",
    "draw",
    "evaluate",
    "experiment",
    "induce",
    "inspect",
    "models",
    "parse",
    "score",
    "serve",
    "suspects",
    "tag",
    "tokenize",
    "train",
    "tune",
    "validate",
]
# Runs the command and prints which of the modules that take time were imported.
WATCHED = """
import contextlib, io, sys
from arbora.cli import app
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    app(sys.argv[1:], standalone_mode=False)
print(*sorted({"arbora._core", "numpy", "rich"} & sys.modules.keys()))
"""


def arbora_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The installed command, as a user runs it."""
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


def test_version():
    done = arbora_command("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"arbora {arbora.__version__}\n", "")


def test_help_names_every_command():
    done = arbora_command("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in COMMANDS)


def test_every_command_is_listed_once():
    assert sorted(PLACES) == COMMANDS


@pytest.mark.parametrize(
    ("command", "place", "line"),
    [(name, *place) for name, place in (*PLACES.items(), *TRAIN_PLACES.items())],
)
def test_the_line_about_a_command_is_the_first_of_its_help(command, place, line):
    assert " ".join(LazyCommand(command, place, line).load().help.split("\n\n")[0].split()) == line


@pytest.mark.parametrize(
    ("arguments", "imported"),
    [
        (["--version"], ""),
        (["--help"], "rich"),
        (["validate", str(ENGLISH)], "arbora._core"),
    ],
)
def test_only_what_is_needed_is_imported(arguments, imported):
    command = [sys.executable, "-c", WATCHED, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == imported + "\n"


def test_called_as_a_function():
    assert app(["validate", str(ENGLISH)], standalone_mode=False) is None
    with pytest.raises(arbora.errors.FileError, match="there is no such file"):
        app(["inspect", "nowhere"], standalone_mode=False)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command(command):
    """In a process of its own: a command imports all that it needs, whatever else was imported before."""
    done = arbora_command(command, "--help")
    assert done.returncode == 0
    assert "Usage" in done.stdout


TWO_SCREENS = {80: 110, 100: 100}
"""Lines of help, at most, by the width of the terminal."""


@pytest.mark.parametrize("command", [["parse"], *(["train", name] for name in TRAIN_PLACES)])
def test_help_fits_two_screens_of_a_readable_width(command):
    shown = {}
    for columns in (None, 80, 100, 250):
        environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
        if columns is not None:
            environment["COLUMNS"] = str(columns)
        with mock.patch.dict(os.environ, environment, clear=True):
            done = run_here(*command, "--help")
        shown[columns] = done.stdout.splitlines()
        assert max(map(len, shown[columns])) == min(columns or WIDEST, WIDEST)
    assert shown[None] == shown[100] == shown[250]
    assert all(len(shown[columns]) <= most for columns, most in TWO_SCREENS.items())


@pytest.mark.parametrize(
    ("command", "panels", "first"),
    [
        (
            ["parse"],
            ["Arguments", "Options", "Which trees are allowed", "How they are found", "Looks and speed"],
            ["--model", "--input", "--output", "--format"],
        ),
        (
            ["train", "parser"],
            [
                *("Arguments", "Options", "Trees", "Learning", "Features, labels and weights"),
                "Parts of several arcs",
            ],
            ["--output", "--dev"],
        ),
    ],
)
def test_common_options_come_first_and_the_rest_in_panels(command, panels, first):
    shown = run_here(*command, "--help").stdout
    assert re.findall(r"^╭─ (.*?) ─*╮$", shown, re.MULTILINE) == panels
    options = re.findall(r"^│[ *]+(--[\w-]+)", shown, re.MULTILINE)
    assert options[: len(first)] == first
    common = shown[: shown.index(panels[2])]
    assert "--threads" in common
    assert "--solver" not in common


def test_no_arguments_show_the_help():
    assert "Usage" in arbora_command().stdout


WRITING = [
    ["--help"],
    ["--version"],
    ["parse", "--help"],
    ["parse", "It works."],
    ["parse", "-i", str(ENGLISH), "--input-format", "conllu"],
    ["parse", "-i", str(ENGLISH), "--format", "json"],
    ["parse", "-i", str(ENGLISH), "--format", "svg"],
    ["tag", "-i", str(ENGLISH)],
    ["tokenize", "-i", str(ENGLISH), "--input-format", "text"],
    ["tokenize", "-i", str(ENGLISH), "--input-format", "conllu"],
    ["convert", str(ENGLISH), "-", "--to", "conllx"],
    ["validate", str(ENGLISH), "--json"],
    ["draw", str(ENGLISH)],
    ["evaluate", str(ENGLISH), str(ENGLISH)],
    ["inspect", "en"],
    ["inspect", "en", "--json"],
    ["models"],
]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", WRITING, ids=" ".join)
def test_a_full_disk_is_one_line(arguments):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, last) == (2, "arbora: standard output: No space left on device"), done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_too_little_memory_is_one_line(monkeypatch, capsys):
    def fill_memory() -> None:
        raise MemoryError

    monkeypatch.setattr(arbora.cli, "app", fill_memory)
    with pytest.raises(SystemExit) as end:
        arbora.cli.main()
    assert (end.value.code, capsys.readouterr().err) == (2, "arbora: there is not enough memory for this\n")


@pytest.mark.parametrize("arguments", WRITING, ids=" ".join)
def test_nobody_reads_the_output(arguments):
    """As in `arbora ... | head -0`: it ends quietly."""
    child = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    child.stdout.close()
    errors = child.stderr.read()
    assert child.wait() == 1, errors
    assert "rror" not in errors
    assert "Exception" not in errors


@pytest.mark.parametrize("arguments", [["parze"], ["--verzion"], ["bench", "--jsonn"]])
def test_unknown_words_are_exit_code_2(arguments):
    done = arbora_command(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert arguments[-1] in done.stderr
    assert "Traceback" not in done.stderr
