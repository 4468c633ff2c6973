"""How commands know the format of a file: by its name, by an option, and by nothing else; alike for all."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest
from command import run_here

from arbora.errors import FileError
from arbora.pipeline import ParsedSentence
from arbora.treebank import read, write
from arbora.treebank.raw_text import text_pieces

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


@pytest.mark.parametrize("command", [("parse", "-i"), ("tag", "-i"), ("draw",)], ids=" ".join)
def test_a_name_that_tells_nothing_is_refused_for_input_and_output(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q.xyz").write_text(ENGLISH.read_text("utf-8"), "utf-8")
    reason = "the name does not tell the format: say which by"
    assert refused(*command, "q.xyz").startswith(f"q.xyz: {reason} --input-format, one of ")
    assert refused(*command, ENGLISH, "-o", "out.png").startswith(f"out.png: {reason} --format, one of ")
    assert [path.name for path in tmp_path.iterdir()] == ["q.xyz"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("command", [("parse", "-i"), ("tag", "-i"), ("draw",)], ids=" ".join)
def test_pipes_and_devices_are_as_standard_input_and_output(command, tmp_path):
    given = "Dogs bark." if command[0] == "parse" else ENGLISH.read_text("utf-8")
    wanted = run_here(*command, "-", stdin=given)
    assert (wanted.returncode, wanted.stderr) == (0, "")
    assert wanted.stdout
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(given, "utf-8"))
    writer.start()
    done = run_here(*command, pipe)
    writer.join()
    assert (done.returncode, done.stdout) == (0, wanted.stdout)
    assert run_here(*command, ENGLISH, "-o", os.devnull).returncode == 0


ROW = "1\tDogs" + "\t_" * 8 + "\n\n"


@pytest.mark.parametrize(
    "start",
    ["# sent_id = 1\n", "# newdoc\n", "# newpar id = p\n", "# generator = x\n# text = Dogs\n", "\n", ""],
)
def test_conllu_is_not_taken_for_text(start):
    for command in ("parse", "tokenize"):
        assert refused(command, stdin=start + ROW) == (
            "standard input: this is CoNLL-U, it seems, and not text: "
            "say which by --input-format, conllu or text"
        )
    done = run_here("parse", "--input-format", "conllu", stdin=start + ROW)
    assert done.stdout.count("\tDogs\t") == 1
    done = run_here("parse", "--input-format", "text", stdin=start + ROW)
    assert done.returncode == 0


def test_conllu_in_a_file_of_text_is_not_taken_for_text(tmp_path):
    (tmp_path / "s.txt").write_text(ENGLISH.read_text("utf-8"), "utf-8")
    for options in ((), ("--format", "json")):
        assert "s.txt: this is CoNLL-U" in refused("parse", "-i", tmp_path / "s.txt", *options)
    assert "en.conllu: this is CoNLL-U" in refused("tokenize", "-i", ENGLISH)


@pytest.mark.parametrize(
    "text",
    ["# A heading\n\nDogs bark.", "# text and more\n", "#", "1\t2\t3\n", "1 dog barks", "# newdocument\nx"],
)
def test_text_with_signs_and_tabs_is_text(text):
    done = run_here("parse", stdin=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run_here("parse", "--input-format", "text", stdin=text).stdout


def test_pieces_of_a_text_are_looked_at_as_they_come():
    """However the beginning is cut; and no text waits for more than is needed to know."""
    conllu = f"# generator = x\n# text = Dogs\n{ROW}".encode()
    for size in (1, 2, 7):
        cut = [conllu[place : place + size] for place in range(0, len(conllu), size)]
        with pytest.raises(FileError, match="this is CoNLL-U"):
            list(text_pieces(cut, said=False))
        assert list(text_pieces(cut, said=True)) == cut

    def slow():
        yield b"1 dog"
        raise AssertionError("the next piece was waited for")

    assert next(text_pieces(slow(), said=False)) == b"1 dog"


def test_trees_are_drawn_as_a_page(tmp_path):
    page = run_here("draw", ENGLISH, "--first", 2, "--format", "html").stdout
    assert page.startswith("<!doctype html>")
    assert (page.count("<svg"), page.count("<h3>arbora-en-00")) == (2, 2)
    assert run_here("draw", ENGLISH, "--first", 2, "-o", tmp_path / "tree-{}.html").returncode == 0
    pages = [path.read_text("utf-8") for path in sorted(tmp_path.iterdir())]
    assert [one.count("<svg") for one in pages] == [1, 1]


def test_tagged_words_as_json(tmp_path):
    """With what parse writes, and what the file has besides."""
    output = tmp_path / "tagged.jsonl"
    assert run_here("tag", "-i", ENGLISH, "-o", output).returncode == 0
    plain = [f"{one}\n\n" for one in run_here("tag", "-i", ENGLISH).stdout.split("\n\n") if one]
    found = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
    assert [ParsedSentence.from_dict(one).to_conllu() for one in found] == plain


@pytest.mark.parametrize("command", ["tag", "tokenize"])
def test_a_file_without_its_option_is_told_of_it(command):
    assert refused(command, "my book.txt") == (
        f"a file is given by --input: say `arbora {command} --input 'my book.txt'`"
    )
    shown = run_here(command, "--help").stdout
    assert f"{command} [OPTIONS]  " in shown
    assert "Arguments" not in shown
