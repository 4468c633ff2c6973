"""``arbora train tagger`` and ``arbora tag``."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from command import run_here

from arbora.text import Tagger, TagOptions
from arbora.treebank import Sentence, read, write

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "treebank"
ENGLISH, TURKISH = EXAMPLES / "en.conllu", EXAMPLES / "tr.conllu"
SMALL = ("--bits", 14, 14, 12, "--epochs", 2, "--threads", 2)


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that says why nothing was done."""
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("tagger") / "en.tagger"
    done = run_here("train", "tagger", ENGLISH, "--dev", ENGLISH, "--output", path, *SMALL)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("dev accuracy") == 6
    assert all(f"dev {name} " in done.stdout for name in ("UPOS", "XPOS", "FEATS", "lemmas"))
    assert not Path(f"{path}.checkpoint").exists()
    return path


@pytest.mark.parametrize(
    "options", [(), ("--probabilities",), ("--threads", 2, "--batch", 10), ("--candidates", 2)]
)
def test_files_are_tagged_as_sentences_are(model, tmp_path, options):
    output = tmp_path / "tagged.conllu.gz"
    done = run_here("tag", "-m", model, "-i", TURKISH, "-o", output, *options)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    tagger = Tagger.load(model)
    wishes = TagOptions(
        probabilities="--probabilities" in options, candidates=2 * ("--candidates" in options)
    )
    expected = tagger.tag(read(TURKISH), wishes)
    assert [s.to_conllu() for s in read(output)] == [s.to_conllu() for s in expected]


def test_a_pipe(model):
    text = ENGLISH.read_text("utf-8")
    done = run_here("tag", "--model", model, stdin=text)
    assert done.returncode == 0
    rows, old = done.stdout.split("\n"), text.split("\n")
    assert len(rows) == len(old)
    for row, before in zip(rows, old, strict=True):
        columns, original = row.split("\t"), before.split("\t")
        assert columns[:2] + columns[6:] == original[:2] + original[6:]


def test_bad_input_leaves_nothing(model, tmp_path):
    broken, output = tmp_path / "broken.conllu", tmp_path / "out.conllu"
    broken.write_text(ENGLISH.read_text("utf-8") + "1\tonly\ttwo\n\n", "utf-8")
    line = ENGLISH.read_text("utf-8").count("\n") + 1
    assert f"broken.conllu:{line}: " in refused(run_here("tag", "-m", model, "-i", broken, "-o", output))
    assert not output.exists()
    for arguments, reason in (
        (("-m", model, "-i", tmp_path / "no.conllu"), "there is no such file"),
        (("-m", tmp_path / "no.tagger", "-i", ENGLISH), "there is no such file"),
        (("-m", model, "-i", ENGLISH, "-o", tmp_path / "no" / "out.conllu"), "directory does not exist"),
        (("-m", model, "-i", ENGLISH, "-o", tmp_path / "out.mrg"), "--format, one of conllu, conllx"),
        (("-m", model, "-i", ENGLISH, "--threads", 0), "threads must be at least 1"),
        (("-m", ENGLISH, "-i", ENGLISH), "not an Arbora model"),
    ):
        assert reason in refused(run_here("tag", *arguments))


def test_untagged_words_are_refused_by_line(tmp_path):
    rows = ENGLISH.read_text("utf-8").split("\n")
    places = [i for i, row in enumerate(rows) if row[:1].isdecimal()]
    at = places[40]
    columns = rows[at].split("\t")
    columns[3] = "_"
    rows[at] = "\t".join(columns)
    source = tmp_path / "partial.conllu"
    source.write_text("\n".join(rows), "utf-8")
    message = refused(run_here("train", "tagger", source, "--output", tmp_path / "m", *SMALL))
    assert f"partial.conllu:{at + 1}: " in message
    assert f"word {columns[0]} has no UPOS tag" in message
    assert not (tmp_path / "m").exists()


def test_what_is_wrong_is_found_before_training(tmp_path):
    output = tmp_path / "m"
    empty = tmp_path / "empty.conllu"
    empty.write_text("# no words\n\n")
    templates = tmp_path / "t.txt"
    templates.write_text("[upos]\nword.nothing\n")
    for arguments, reason in (
        ((ENGLISH, "--output", "-"), "cannot be -"),
        ((ENGLISH, "--output", f"{output}.gz"), "cannot be compressed"),
        ((ENGLISH, "--output", ENGLISH), "would overwrite"),
        ((empty, "--output", output), "no words"),
        ((EXAMPLES / "brackets.mrg", "--output", output), "brackets"),
        ((ENGLISH, "--output", output, "--epochs", 0), "epochs"),
        ((ENGLISH, "--output", output, "--loss", "hope"), "no loss"),
        ((ENGLISH, "--output", output, "--resume"), "no checkpoint"),
        ((ENGLISH, "--output", output, "--templates", templates), "t.txt:2: "),
    ):
        assert reason in refused(run_here("train", "tagger", *arguments))


def test_help_teaches():
    for command, example in (
        ("train tagger", "arbora train tagger train.conllu"),
        ("tag", "arbora tag --model"),
    ):
        done = run_here(*command.split(), "--help")
        assert done.returncode == 0
        assert example in done.stdout


def test_formats_are_told_by_names_and_options(tmp_path):
    """The shipped model, on words in every format that has them: the same tags."""
    names = ["w.horizontal", "w.vertical", "w.conllu", "w.conll"]
    for name in names:
        write(tmp_path / name, [Sentence(["It", "works", "."]), Sentence(["Dogs", "bark", "."])])
    found = []
    for name in names:
        for output, options in (("out.conllu", []), ("out.dat", ["--format", "conllx"])):
            done = run_here("tag", "-i", tmp_path / name, "-o", tmp_path / output, *options)
            assert done.returncode == 0, done.stderr
            format = "conllx" if options else "conllu"
            found.append([(s.forms, s.upos, s.lemmas) for s in read(tmp_path / output, format)])
    assert found[0][0] == (["It", "works", "."], ["PRON", "VERB", "PUNCT"], ["it", "work", "."])
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (
            ["-i", "x.dat"],
            "x.dat: the name does not tell the format: say which by --input-format, one of conllu,",
        ),
        (
            ["-i", "w.conllu", "-o", "x.dat"],
            "x.dat: the name does not tell the format: say which by --format,",
        ),
        (["-i", "w.conllu", "--format", "svg"], "-: there is no format svg; there are conllu, conllx"),
    ],
)
def test_messages_name_the_option_that_exists(tmp_path, monkeypatch, arguments, reason):
    monkeypatch.chdir(tmp_path)
    for name in ("x.dat", "w.conllu"):
        Path(name).touch()
    done = run_here("tag", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"arbora: {reason}")
