"""``arbora train constituency``: presets, options, errors; and the model at work."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run_here

from arbora.cli import train
from arbora.constituency.presets import COMMAND, PRESETS, preset_options
from arbora.errors import ArboraError
from arbora.models import read_model

TREES = [
    "((S (NP-SBJ (DT The) (NN dog)) (VP (VBZ barks)) (. .)))",
    "((S (NP-SBJ (DT The) (NN cat)) (VP (VBZ sees) (NP (DT the) (NN dog))) (. .)))",
    "((S (NP-SBJ (-NONE- *)) (VP (VB Go)) (. .)))",
    "((S (NP-SBJ (PRP It)) (VP (VBZ sleeps) (ADVP (RB now))) (. .)))",
]
SMALL = ("--option", "width=5", "--option", "least-count=1", "--epochs", 3, "--seed", 7, "--threads", 1)


@pytest.fixture(autouse=True)
def _command(monkeypatch):
    monkeypatch.setitem(train.COMMANDS, COMMAND.name, COMMAND[1:])


@pytest.fixture
def treebank(tmp_path) -> Path:
    path = tmp_path / "train.mrg"
    path.write_text("\n".join(TREES * 3) + "\n", "utf-8")
    return path


@pytest.mark.parametrize("preset", ["mean-field", "feed-forward"])
def test_from_treebank_to_trees(preset, treebank, tmp_path):
    model, out = tmp_path / "model", tmp_path / "out.mrg"
    done = run_here(
        "train", "constituency", treebank, "--dev", treebank, "-o", model, "--preset", preset, *SMALL
    )
    assert done.returncode == 0, done.stderr
    assert "of 3 kept, dev F1 " in done.stdout
    assert "epoch 3/3" in done.stderr
    options = read_model(model).header["options"]
    assert (options["inference"], options["width"], options["seed"]) == (preset, 5, 7)
    assert run_here("parse", "-m", model, "-i", treebank, "--keep-tags", "-o", out).returncode == 0
    done = run_here("evaluate", treebank, out)
    assert done.returncode == 0, done.stderr
    assert "12 sentences" in done.stdout
    for wish in (["--probabilities"], ["--kbest", "3"]):
        done = run_here("parse", "-m", model, "-i", treebank, "--keep-tags", "--format", "json", *wish)
        assert done.returncode == 0, done.stderr
        assert "constituents_joint_log_probability" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--preset", "median"], "there is no preset 'median'; there are mean-field, feed-forward, span"),
        (["--option", "bits=22"], "the preset mean-field has no option bits; it has width, "),
        (["--option", "inference=other"], "the preset mean-field has no option inference; it has width, "),
        (["--option", "width=wide"], "the option width must be a whole number, not 'wide'"),
        (["--option", "signatures=1"], "the option signatures must be true or false, not '1'"),
        (["--option", "states=top"], "the option states is no single value: set it in Python"),
        (["--option", "rate"], "--option takes NAME=VALUE, not 'rate'"),
        (["--option", "rate=-1"], "rate must be greater than 0"),
        (["--epochs", "0"], "epochs must be at least 1"),
    ],
)
def test_what_makes_no_sense_is_one_line(arguments, expected, treebank, tmp_path):
    done = run_here("train", "constituency", treebank, "-o", tmp_path / "model", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"arbora: {expected}")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(S (NN a)\n(S (NN b))\n", ":1: sentence #1: the tree that begins here is not closed"),
        ("(S (NN a)\n", ":1: sentence #1: the tree that begins here is not closed"),
        ("(S ())\n", ":1: sentence #1: an empty bracket"),
        ("", "there are no bracketed trees in this file"),
    ],
)
def test_bad_treebanks(text, expected, treebank, tmp_path):
    treebank.write_text(text, "utf-8")
    done = run_here("train", "constituency", treebank, "-o", tmp_path / "model", *SMALL)
    assert done.returncode == 2
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1


def test_presets_are_of_known_kinds():
    assert preset_options("feed-forward", {"width": 9}).width == 9
    assert {preset.architecture for preset in PRESETS.values()} == {"isbn-parser", "span-parser"}
    with pytest.raises(ArboraError, match="has no option height"):
        preset_options("mean-field", {"height": 9})
