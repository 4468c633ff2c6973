"""``arbora parse`` of raw text, ``arbora train pipeline`` and ``arbora models``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run_here
from small_pipeline import small_pipeline

from arbora.dependency import ParseOptions
from arbora.treebank import read

TEXT = "The door is open. Where is the key?"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "treebank"


def run(*arguments: object, stdin: str = ""):
    done = run_here(*arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done


def refused(*arguments: object) -> str:
    """The one line of a refusal."""
    done = run_here(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("pipeline") / "small.arbora"
    small_pipeline().save(path)
    return str(path)


@pytest.fixture
def book(tmp_path) -> Path:
    path = tmp_path / "book.txt"
    path.write_text(TEXT * 10, encoding="utf-8")
    return path


def test_the_name_of_a_file_is_no_text(tmp_path, monkeypatch):
    """Somebody forgot --input: one line says so, and nothing is parsed."""
    monkeypatch.chdir(tmp_path)
    for name in ("letter.txt", "a letter.txt"):
        Path(name).write_text("It works.\n", "utf-8")
        done = run_here("parse", name)
        assert (done.returncode, done.stdout) == (2, "")
        quoted = f"'{name}'" if " " in name else name
        assert f"is the name of a file: for what is in it, say `arbora parse --input {quoted}`" in done.stderr
        assert done.stderr.count("\n") == 1
    assert run_here("parse", "letters.txt").returncode == 0  # no such file: a text


def test_a_text_is_drawn_with_probabilities(model):
    drawn = run("parse", TEXT, "--model", model).stdout
    assert drawn.count("root") == 2
    assert "door" in drawn
    assert "\x1b" not in drawn  # no terminal, no colours
    indented = run("parse", TEXT, "--model", model, "--style", "indented").stdout
    assert indented != drawn


def test_a_file_of_text_in_every_format(model, book, tmp_path):
    expected = small_pipeline()(TEXT * 10).to_conllu()
    assert run("parse", "--model", model, "--input", book).stdout == expected
    for ending, sign in (
        ("conllu", "# text = The door"),
        ("json", '"forms"'),
        ("svg", "<svg"),
        ("html", "<!doctype"),
    ):
        output = tmp_path / f"out.{ending}"
        run("parse", "--model", model, "--input", book, "--output", output)
        content = output.read_text(encoding="utf-8")
        if ending == "json":
            rows = [json.loads(line) for line in content.splitlines()]
            assert [word["form"] for word in rows[0]["words"]] == ["The", "door", "is", "open", "."]
        else:
            assert sign in content
    assert (tmp_path / "out.conllu").read_text(encoding="utf-8") == expected


def rows_of(*arguments: object) -> list[dict]:
    return [json.loads(line) for line in run("parse", *arguments, "--format", "json").stdout.splitlines()]


def test_json_is_what_a_document_says(model, book):
    """With all digits, offsets, probabilities of labels and certificates; MISC does not say it again."""
    options = ParseOptions(probabilities=True, certificates=True)
    document = small_pipeline()(TEXT * 10, options).to_dict(probabilities=True)
    rows = rows_of("--model", model, "--input", book, "--probabilities", "--certificates")
    assert rows == document["sentences"]
    word = rows[0]["words"][1]
    assert (word["form"], word["start"], word["end"], word["misc"]) == ("door", 4, 8, "_")
    assert 0 < word["probability"] <= 1
    assert 0 < word["label_probability"] <= 1
    assert rows[0]["certificate"] == {"proved": True, "gap": 0.0}
    assert rows[0]["tree_log_probability"] <= 0


def test_json_of_the_best_trees_has_their_ranks(model):
    rows = rows_of(TEXT, "--model", model, "--kbest", 3)
    assert [row["kbest_rank"] for row in rows] == [1, 2, 3, 1, 2, 3]
    assert all(isinstance(row["kbest_rank"], int) for row in rows)
    sentence = small_pipeline()(TEXT).sentences[0]
    assert [row["tree_log_probability"] for row in rows[:3]] == [
        tree.log_probability for tree in sentence.kbest(3)
    ]


def test_standard_input_is_text(model):
    done = run("parse", "--model", model, "--probabilities", stdin=TEXT)
    assert "HeadProbability=" in done.stdout


def test_words_that_are_given_stay(model, tmp_path):
    (tmp_path / "in.txt").write_text("The door is open .\nGo !\n", encoding="utf-8")
    done = run("parse", "--model", model, "--input", tmp_path / "in.txt", "--input-format", "horizontal")
    (tmp_path / "out.conllu").write_text(done.stdout, encoding="utf-8")
    assert [s.forms for s in read(tmp_path / "out.conllu")] == [
        ["The", "door", "is", "open", "."],
        ["Go", "!"],
    ]


def test_tags_are_kept_on_demand(model, tmp_path):
    source = tmp_path / "in.conllu"
    source.write_text("1\tGo\t_\tX\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    assert "\tX\t" in run("parse", "--model", model, "--input", source, "--keep-tags").stdout
    assert "\tX\t" not in run("parse", "--model", model, "--input", source).stdout


def test_kbest_and_rules_of_a_text(model, tmp_path):
    ranked = run("parse", TEXT, "--model", model, "--kbest", "2", "--format", "conllu").stdout
    assert ranked.count("# kbest_rank") == 4
    rules = tmp_path / "rules.txt"
    rules.write_text("no children under upos=PUNCT\n", encoding="utf-8")
    assert "root" in run("parse", TEXT, "--model", model, "--rules", rules).stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["Go!", "--input", "x.txt"], "give a TEXT or --input, not both"),
        (["Go!", "--model", "nowhere"], "nowhere: there is no such file"),
        (["Go!", "--keep-tags"], "--keep-tags needs an input that has tags"),
        (["--input", "nowhere.txt"], "nowhere.txt: there is no such file"),
        (["Go!", "--format", "x"], "-: there is no output format x"),
        (["--input", "x.mrg"], "x.mrg: there is no such file"),
        (["--input-format", "x"], "-: there is no input format x"),
        (["Go!", "--kbest", "0"], "kbest must be at least 1"),
    ],
)
def test_what_makes_no_sense_is_one_line(model, arguments, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = [] if "--model" in arguments else ["--model", model]
    assert refused("parse", *arguments, *own).startswith(f"arbora: {reason}")


def test_bytes_that_are_no_text(model, tmp_path):
    source, output = tmp_path / "in.txt", tmp_path / "out.conllu"
    source.write_bytes(b"Go!\n\xff\xfe")
    line = refused("parse", "--model", model, "--input", source, "--output", output)
    assert line.startswith(f"arbora: {source}:2: byte 5 of the text is no UTF-8")
    assert not output.exists()


def test_an_empty_file_gives_an_empty_one(model, tmp_path):
    (tmp_path / "in.txt").write_bytes(b"")
    run("parse", "--model", model, "--input", tmp_path / "in.txt", "--output", tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == b""


def test_the_model_that_comes_with_it():
    rows = json.loads(run("models", "--json").stdout)
    assert [row["name"] for row in rows] == ["en", "en-neural"]
    for row in rows:
        assert row["licence"] == "CC BY-SA 4.0"
        assert row["bytes"] <= 25_000_000
        assert row["words_per_second"] > 0
    assert "EWT" in run("models").stdout
    drawn = run("parse", "The door that you opened is green.").stdout
    assert "green" in drawn
    assert "root" in drawn


def test_training_from_file_to_file(tmp_path):
    english, model = EXAMPLES / "en.conllu", tmp_path / "xx.model"
    options = ("--preset", "first-order", "--epochs", "1", "--folds", "2")
    done = run("train", "pipeline", english, "--dev", english, "--output", model, *options)
    assert "raw text" in done.stdout
    lines = done.stderr.splitlines()
    for words in (
        "tokenizer epoch 1/10  loss ",
        "tagger upos epoch 5/5  loss ",
        "tags fold 2/2",
        "parser pruner",
    ):
        assert any(line.startswith(words) for line in lines), done.stderr
    assert lines[-2].startswith("parser  dev UAS ")
    assert lines[-1].startswith("raw text  doubt of words ")
    assert [path.name for path in tmp_path.iterdir()] == ["xx.model"]
    assert "root" in run("parse", "Go!", "--model", model).stdout
    assert "pipeline" in run("inspect", model).stdout
    line = refused("train", "pipeline", english, "--dev", english, "--output", model, "--resume")
    assert "there is no checkpoint to go on from" in line
