"""How commands know the format of a file: by its name, by an option, and by nothing else; alike for all."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run_here

from arbora.errors import FileError
from arbora.treebank import read, write

ENGLISH = Path(__file__).resolve().parents[2] / "examples" / "treebank" / "en.conllu"


def refused(*arguments: object, stdin: str = "") -> str:
    """The one line that says why nothing was done."""
    done = run_here(*arguments, stdin=stdin)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.removeprefix("arbora: ").rstrip("\n")


READING = [
    ("evaluate", "{}", "{}"),
    ("suspects", "{}", "-m", "en"),
    ("train", "parser", "{}", "-o", "m"),
    ("train", "parser", str(ENGLISH), "--dev", "{}", "-o", "m"),
    ("train", "tagger", "{}", "-o", "m"),
    ("train", "pipeline", "{}", "-o", "m"),
    ("train", "constituency", "{}", "-o", "m"),
    ("convert", "{}", "out.conllu"),
    ("parse", "-i", "{}"),
    ("tag", "-i", "{}"),
    ("draw", "{}"),
]
TUNE = ("tune", "{}", "--dev", "{}", "-o", "b.json")


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_whether_there_is_a_file_is_looked_at_first(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    for name, reason in (("nowhere", "there is no such file"), ("folder", "this is a directory, not a file")):
        assert refused(*(name if word == "{}" else word for word in command)) == f"{name}: {reason}"


@pytest.mark.parametrize("command", [*(one for one in READING if one[0] == "train"), TUNE], ids=" ".join)
def test_where_names_alone_tell_the_format_the_message_lists_them(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q.xyz").write_text(ENGLISH.read_text("utf-8"), "utf-8")
    line = refused(*("q.xyz" if word == "{}" else word for word in command))
    assert "q.xyz: the name does not tell the format: a file is needed whose name ends in .conllu, " in line
    assert "format`" not in line


def test_callers_from_python_are_told_of_their_argument(tmp_path):
    (tmp_path / "q.xyz").write_text("")
    for call in (lambda: read(tmp_path / "q.xyz"), lambda: write(tmp_path / "new.xyz", [])):
        with pytest.raises(FileError, match=r"say which by `format=` in Python, one of conllu, conllx"):
            call()
