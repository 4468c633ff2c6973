"""What is held out where there is no dev data, and dev sentences that are learned from."""

from __future__ import annotations

import pytest
from command import run_here
from small_runs import ENGLISH, OPTIONS, train_small
from small_training import changed, treebank

from arbora.dependency import train
from arbora.errors import ArboraError, FileError
from arbora.models import read_model
from arbora.training import StoppedError, Watcher, divide
from arbora.treebank import Constituent, Sentence, write


def documents(*sizes: int) -> list[Sentence]:
    """So many sentences in each document, with words of their own."""
    return [
        Sentence([f"d{number}s{place}"], comments=[f"# newdoc id = {number}"] if place == 0 else [])
        for number, size in enumerate(sizes)
        for place in range(size)
    ]


def held_out(sentences: list[Sentence], fraction: float = 0.1) -> list[str]:
    return [sentence.forms[0] for sentence in divide(sentences, None, fraction).dev or []]


def test_whole_documents_are_held_out():
    sentences = documents(*[5, 7] * 10)
    data = divide(sentences, None)
    assert data.dev is not None
    assert data.by_documents
    assert data.documents == 2
    ids = {sentence.forms[0].split("s")[0] for sentence in data.dev}
    assert not ids & {sentence.forms[0].split("s")[0] for sentence in data.sentences}
    assert len(data.dev) + len(data.sentences) == len(sentences)
    assert 8 <= len(data.dev) <= 16


@pytest.mark.parametrize("sizes", [(200,), (2, 198), (100, 100)])
def test_where_documents_are_too_few_blocks_are_held_out(sizes):
    data = divide(documents(*sizes), None)
    assert not data.by_documents
    assert data.documents == 10
    assert len(data.dev or []) == 20
    assert data.as_dict() == {"sentences": 20, "in_training": 0, "held_out": 0.1, "blocks": 10}


def test_the_share_can_be_chosen():
    sentences = documents(*[1] * 100)
    assert [len(held_out(sentences, share)) for share in (0.0, 0.05, 0.25, 0.5)] == [0, 5, 25, 50]
    assert divide(sentences, None, 0.0).dev is None
    assert divide(documents(2), None).dev is None  # too few
    assert divide([], None).dev is None
    for wrong in (-0.1, 1.0, float("nan")):
        with pytest.raises(ArboraError, match="at least 0 and below 1"):
            divide(sentences, None, wrong)


def test_dev_sentences_that_are_learned_from_are_counted():
    trees = [Constituent.from_string(f"(S (N {word}))") for word in "abc"]
    assert divide(trees, [*trees[:2], Constituent.from_string("(S (N d))")]).repeated == 2
    sentences = [Sentence([word, "."]) for word in "abcd"]
    data = divide(sentences, [Sentence(["a", "."]), Sentence(["e", "."]), Sentence([])])
    assert data.repeated == 1
    assert list(data.lines("")) == [
        "Warning: 1 of 3 dev sentences (33 %) are in the training data too; scores on dev will look better "
        "than they are."
    ]


@pytest.mark.parametrize("architecture", OPTIONS)
def test_every_architecture_holds_some_out_and_says_so(architecture, tmp_path):
    """The same again after a stop, to the last byte; with 0 it learns from all."""
    notes: list[str] = []
    whole = {"dev": None, "dev_fraction": 0.2}
    made = train_small(architecture, tmp_path / "m", watcher=Watcher(on_note=notes.append), **whole).component
    said = made.header.get("report", made.header.get("card"))["dev_data"]
    assert said["held_out"] == 0.2
    assert f"{said['sentences']} of " in notes[0]
    assert "--dev-fraction" in notes[0]

    def stop(report):
        raise KeyboardInterrupt

    with pytest.raises(StoppedError):
        train_small(architecture, tmp_path / "n", watcher=Watcher(on_report=stop), **whole)
    with pytest.raises(FileError, match="--dev-fraction"):
        train_small(architecture, tmp_path / "n", resume=True, dev=None, dev_fraction=0.4)
    train_small(architecture, tmp_path / "n", resume=True, **whole)
    assert (tmp_path / "n").read_bytes() == (tmp_path / "m").read_bytes()
    everything = train_small(architecture, tmp_path / "m", dev=None, dev_fraction=0.0).component
    assert "dev_data" not in str(everything.header)


def test_probabilities_are_calibrated_without_dev():
    data = treebank()
    assert train(data, options=changed()).header["report"]["dev_data"]["sentences"] == 3
    alone = train(data, options=changed(), dev_fraction=0.0)
    assert alone.header["tree_scale"] == alone.header["label_scale"] == 1.0
    assert train(data, options=changed()).header["tree_scale"] != 1.0


def test_the_command_says_it(tmp_path):
    few = ("--bits", 14, "--epochs", 1)
    done = run_here("train", "parser", ENGLISH, "--output", tmp_path / "m", *few)
    assert done.stderr.startswith("There is no --dev: 3 of 28 sentences, in 3 blocks, are held out")
    done = run_here("train", "parser", ENGLISH, "--output", tmp_path / "m", *few, "--dev-fraction", 0)
    assert done.stderr.splitlines()[0].endswith("probabilities are not calibrated.")
    write(tmp_path / "dev.conllu", treebank()[:7])
    done = run_here(
        "train", "parser", ENGLISH, "--output", tmp_path / "m", *few, "--dev", tmp_path / "dev.conllu"
    )
    assert done.stderr.startswith("Warning: 7 of 7 dev sentences (100 %) are in the training data too")
    report = read_model(tmp_path / "m").header["report"]
    assert report["dev_data"] == {"sentences": 7, "in_training": 7}
    done = run_here("train", "parser", ENGLISH, "--output", tmp_path / "m", "--dev-fraction", 1)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "at least 0 and below 1" in done.stderr
