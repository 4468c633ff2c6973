"""``arbora train tokenizer`` and ``arbora tokenize``: files, streams, formats, bad input."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from command import run_here

from arbora.pipeline import shipped_models
from arbora.text import Tokenizer
from arbora.treebank import read

ROOT = Path(__file__).resolve().parents[2]
TREEBANK = ROOT / "examples" / "treebank" / "en.conllu"
ARBORA = Path(sys.executable).with_name("arbora")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "en.tokenizer"
    options = ("--epochs", 4, "--bits", 13, "--rate", 0.3, "--licence", "CC0")
    done = run_here("train", "tokenizer", TREEBANK, "--dev", TREEBANK, "--output", path, *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{path}: epoch ")
    assert f"{path.stat().st_size:,} bytes" in done.stdout
    lines = done.stderr.splitlines()[1:]  # the first is about dev data that is learned from
    assert [line.split("  ")[0] for line in lines] == [f"epoch {n}/4" for n in range(1, 5)]
    assert all("dev tokens" in line and "characters/s" in line for line in lines)
    return path


def test_what_is_in_the_model(model):
    done = run_here("inspect", model)
    assert done.returncode == 0, done.stderr
    assert "tokenizer.tokens" in done.stdout
    assert "CC0" in done.stdout
    assert "sentence_f1" in done.stdout


def test_from_file_to_file(model, tmp_path):
    text, output = tmp_path / "raw.txt", tmp_path / "words.conllu"
    raw = "Where did you leave the keys?\n\nA vote was held yesterday. Goodbye"
    text.write_text(raw, "utf-8")
    done = run_here("tokenize", "-m", model, "-i", text, "-o", output, "--ranges", "--threads", 2)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    sentences = list(read(output))
    assert sentences == Tokenizer.load(model).tokenize(raw, ranges=True)
    assert sentences[0].forms == ["Where", "did", "you", "leave", "the", "keys", "?"]
    assert run_here("validate", output).returncode == 0


def test_in_a_pipe(model):
    done = subprocess.run(
        [ARBORA, "tokenize", "-m", model], input=b"Don't touch that.\n", capture_output=True, check=True
    )
    assert done.stdout.startswith(b"# newdoc\n# newpar\n# sent_id = 1\n# text = Don't touch that.\n")
    assert done.stderr == b""


def test_an_empty_file(model, tmp_path):
    for content in ("", "\n \n"):
        (tmp_path / "raw.txt").write_text(content, "utf-8")
        done = run_here("tokenize", "-m", model, "-i", tmp_path / "raw.txt", "-o", tmp_path / "out.conllu")
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "out.conllu").read_bytes() == b""


def test_words_that_are_given(tmp_path):
    horizontal, vertical = tmp_path / "h.txt", tmp_path / "v.txt"
    horizontal.write_text("Dogs bark .\nNo !\n", "utf-8")
    vertical.write_text("Dogs\nbark\n.\n\nNo\n!\n", "utf-8")
    for path, name in ((horizontal, "horizontal"), (vertical, "vertical")):
        done = run_here("tokenize", "--input-format", name, "-i", path, "-o", tmp_path / "out.conllu")
        assert done.returncode == 0, done.stderr
        assert [s.forms for s in read(tmp_path / "out.conllu")] == [["Dogs", "bark", "."], ["No", "!"]]
    done = run_here("tokenize", "--input-format", "conllu", "-i", tmp_path / "out.conllu")
    assert done.stdout == (tmp_path / "out.conllu").read_text("utf-8")


def test_conversion_to_words_and_back(tmp_path):
    words = [tmp_path / "a.horizontal", tmp_path / "b.vert", tmp_path / "c.conllu"]
    source = tmp_path / "source.conllu"
    kept = [sentence for sentence in TREEBANK.read_text("utf-8").split("\n\n") if "10 000" not in sentence]
    source.write_text("\n\n".join(kept), "utf-8")
    done = run_here("convert", source, words[0])
    assert done.returncode == 0, done.stderr
    assert "lost:" in done.stderr
    for before, after in pairwise(words):
        done = run_here("convert", before, after)
        assert done.returncode == 0, done.stderr
    assert [s.forms for s in read(words[2])] == [s.forms for s in read(source, single_root=False)]


@pytest.mark.parametrize(
    ("arguments", "data", "reason"),
    [
        (["-m", "MODEL"], b"Good.\nB\xe9b\xe9", "raw.txt:2: byte 8 of the text is no UTF-8"),
        (["-m", "MODEL"], b"\xff\xfea\0", "raw.txt:1: begins with the byte order mark of UTF-16"),
        (["-m", "MODEL"], b"\x1f\x8b\x08", "compressed with gzip"),
        (["-m", "xx"], b"Good.", "xx: there is no such file"),
        (["-m", str(TREEBANK)], b"Good.", "this is not an Arbora model"),
        (["-m", "MODEL", "--input-format", "pdf"], b"", "there is no input format 'pdf'"),
        (["-m", "MODEL", "--threads", "0"], b"", "threads must be at least 1"),
        (["--input-format", "horizontal"], b"a b\nc\td\n", "raw.txt:2: a tab"),
        (["--input-format", "vertical"], b"a\n\n\xff\n", "raw.txt:3: byte 1 of this line is no UTF-8"),
        (["--input-format", "horizontal", "--ranges"], b"", "no ranges"),
        (["-m", "MODEL", "-i", "nowhere.txt"], b"", "nowhere.txt: there is no such file"),
    ],
)
def test_bad_input(model, tmp_path, arguments, data, reason):
    source = tmp_path / "raw.txt"
    source.write_bytes(data)
    words = [str(model) if word == "MODEL" else word for word in arguments]
    done = run_here("tokenize", "-i", source, *words, "-o", tmp_path / "out.conllu")
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == [source]


def test_bad_bytes_in_a_pipe(model):
    done = subprocess.run(
        [ARBORA, "tokenize", "-m", model], input=b"Good.\n\xff", capture_output=True, check=False
    )
    reason = "arbora: standard input:2: byte 7 of the text is no UTF-8: is this a text?\n"
    assert (done.returncode, done.stdout, done.stderr.decode()) == (2, b"", reason)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--output", "-"], "--output cannot be -"),
        (["--output", "x.gz"], "cannot be compressed"),
        (["--output", "m", "--bits", 40], "bits must be from 8 to 26"),
        (["--output", str(TREEBANK)], "would overwrite"),
        (["--output", "m", "--resume"], "no checkpoint"),
    ],
)
def test_bad_training(tmp_path, monkeypatch, arguments, reason):
    monkeypatch.chdir(tmp_path)
    done = run_here("train", "tokenizer", TREEBANK, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_treebank_without_words(tmp_path):
    (tmp_path / "empty.conllu").write_text("", "utf-8")
    done = run_here("train", "tokenizer", tmp_path / "empty.conllu", "--output", tmp_path / "m")
    assert done.returncode == 2
    assert "empty.conllu: there are no words in this treebank" in done.stderr


def test_models_that_are_there_serve_too(tmp_path):
    """The tokenizer and the tagger of a pipeline, by default of the one that is shipped."""
    source, words, tagged = (tmp_path / name for name in ("raw.txt", "words.conllu", "tagged.conllu"))
    source.write_text("It's here. She left.", encoding="utf-8")
    file = shipped_models()[0].path
    for model in ([], ["-m", "en"], ["-m", file]):
        assert run_here("tokenize", *model, "-i", source, "-o", words).returncode == 0
        assert run_here("tag", *model, "-i", words, "-o", tagged).returncode == 0
        found = list(read(tagged, single_root=False))
        assert [s.forms for s in found] == [["It", "'s", "here", "."], ["She", "left", "."]]
        assert found[1].upos == ["PRON", "VERB", "PUNCT"]
    done = run_here("tag", "-m", "xx", "-i", words, "-o", tagged)
    assert (done.returncode, done.stderr) == (2, "arbora: xx: there is no such file\n")
