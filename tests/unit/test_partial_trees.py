"""Parsers that learn from partial trees: what nobody annotated is left open, and does not count on dev."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command import run_here
from small_pipeline import SMALL
from small_training import changed, check_same_bytes, treebank

from arbora.dependency import preset_options, train
from arbora.errors import ArboraError
from arbora.evaluation import evaluate
from arbora.models import read_model
from arbora.pipeline.training import PipelineTask
from arbora.training import Watcher, make_task, run
from arbora.treebank import Sentence, read, write

FEW = {"bits": 16, "pruner_bits": 14, "epochs": 8}


def partial(share: float = 0.6, seed: int = 1, *, language: str = "en") -> list[Sentence]:
    """The treebank with so much of its heads, and so much of its labels; both may be missing alone."""
    rng, found = np.random.default_rng(seed), []
    for sentence in treebank(language):
        own = sentence.copy()
        for place in range(len(own)):
            if rng.random() > share:
                own.heads[place] = None
            if rng.random() > share:
                own.deprels[place] = "_"
        found.append(own)
    return found


def scores(parser, gold: list[Sentence]) -> dict[str, float]:
    result = evaluate(gold, list(parser.parse(s.copy() for s in gold)), annotated_only=True)
    return {"uas": result.scores["UAS"].f1, "las": result.scores["LAS with subtypes"].f1}


@pytest.mark.parametrize("labels", ["joint", "second-stage", "both"])
@pytest.mark.parametrize("loss", ["svm", "crf", "perceptron"])
def test_it_fits_what_is_annotated(loss, labels):
    data = partial()
    learner = {"svm": "aggressive", "crf": "adagrad", "perceptron": "perceptron"}[loss]
    options = changed(**FEW, loss=loss, learner=learner, labels=labels)
    parser = train(data, None, options, dev_fraction=0.0)
    found = scores(parser, data)
    assert found["uas"] > 0.95
    assert found["las"] > 0.9


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("loss", ["svm", "crf"])
def test_with_parts_of_several_arcs(loss, projective):
    data = partial()
    options = preset_options(
        "second-order", **{**FEW, "epochs": 5}, loss=loss, pruner_epochs=1, projective=projective
    )
    parser = train(data, None, options, dev_fraction=0.0)
    assert scores(parser, data)["uas"] > 0.9


def test_hidden_roles_and_supported_features():
    data = partial()
    options = changed(**FEW, loss="crf", labels="second-stage", latent_roles=2, features="supported")
    assert scores(train(data, None, options, dev_fraction=0.0), data)["uas"] > 0.9


def test_more_annotation_is_never_ignored():
    """What is known of a sentence without any whole tree teaches: heads alone, labels alone."""
    data = treebank()
    without_labels, without_heads = [s.copy() for s in data], [s.copy() for s in data]
    for sentence in without_labels[1:]:
        sentence.deprels = ["_"] * len(sentence)
    for sentence in without_heads[1:]:
        sentence.heads = [None] * len(sentence)
    of_heads = train(without_labels, None, changed(**FEW), dev_fraction=0.0)
    assert scores(of_heads, without_labels)["uas"] > 0.95
    of_labels = train(without_heads, None, changed(**FEW), dev_fraction=0.0)
    alone = train(data[:1], None, changed(**FEW), dev_fraction=0.0)
    known = {label for sentence in data for label in sentence.deprels}
    assert set(of_labels.labels) == known
    assert set(alone.labels) == {"root", "dep"}  # one of them for words below others


def test_without_whole_trees_on_dev_nothing_is_calibrated_and_a_line_says_so(tmp_path):
    write(tmp_path / "dev.conllu", partial(0.5)[1:9])
    source = "examples/treebank/en.conllu"
    done = run_here(
        "train", "parser", source, "--dev", tmp_path / "dev.conllu", "-o", tmp_path / "m", "--epochs", 1
    )
    assert "dev has too few whole trees: probabilities are not calibrated." in done.stderr


def test_on_dev_annotated_words_count_alone():
    dev = partial(0.5, seed=2)[:9]
    parser = train(treebank()[9:], dev, changed(epochs=1))
    row = parser.header["report"]["epochs"][-1]
    assert {name: row[name] for name in ("uas", "las")} == pytest.approx(scores(parser, dev))


def test_a_few_whole_trees_among_partial_ones_calibrate_nothing():
    """One of one word would ask for a scale at which all trees are alike."""
    dev = partial(0.5, seed=2)
    assert sum(None not in s.heads and "_" not in s.deprels for s in dev) == 1
    parser = train(partial(), dev, changed())
    assert parser.header["tree_scale"] == 1.0
    row = parser.header["report"]["epochs"][-1]
    assert scores(parser, dev)["uas"] == pytest.approx(row["uas"], abs=0.05)


@pytest.mark.parametrize("options", [{}, {"loss": "crf", "labels": "second-stage"}])
def test_the_same_bytes(tmp_path, options):
    check_same_bytes(tmp_path, partial(), **options)


def test_what_has_no_annotation_is_skipped_and_counted(tmp_path):
    data = partial()
    empty = [Sentence(s.forms, upos=s.upos) for s in data[:4]]
    write(tmp_path / "train.conllu", [*empty, *data[4:]])
    done = run_here(
        "train", "parser", tmp_path / "train.conllu", "-o", tmp_path / "m", "--bits", 14, "--epochs", 1,
        "--dev-fraction", 0,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "4 of 28 sentences have no head and no relation: skipped." in done.stderr
    assert "words have no head: learning from partial trees." in done.stderr
    on = read_model(tmp_path / "m").header["trained_on"]
    assert (on["sentences"], on["skipped_unannotated"]) == (24, 4)
    assert next(iter(read(tmp_path / "train.conllu"))).heads == [None] * len(empty[0])


def test_projective_trees_that_what_is_known_allows():
    crossing = Sentence(list("abcd"), heads=[3, 4, None, 0], deprels=["a", "a", "_", "root"])
    plain = Sentence(list("abcd"), heads=[2, None, None, 3], deprels=["a", "_", "_", "root"])
    parser = train([crossing, plain], None, changed(projective=True))
    assert parser.header["trained_on"]["skipped_nonprojective"] == 1
    with pytest.raises(ArboraError, match="is projective"):
        train([crossing], None, changed(projective=True))


def test_the_command_scores_annotated_words(tmp_path):
    gold = partial()
    write(tmp_path / "gold.conllu", gold)
    write(tmp_path / "system.conllu", treebank())
    files = ("evaluate", tmp_path / "gold.conllu", tmp_path / "system.conllu")
    done = run_here(*files)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "has no head; --annotated-only" in done.stderr
    done = run_here(*files, "--annotated-only", "--json")
    assert done.returncode == 0, done.stderr
    assert '"UAS": {"f1": 1.0' in done.stdout
    done = run_here(*files, "--annotated-only", "--raw-text", "--json")
    assert json.loads(done.stdout)["scores"]["UAS"]["f1"] == 1.0


def test_a_pipeline_learns_from_partial_trees_and_is_scored_on_annotated_words():
    data, dev, notes = partial(), partial(0.5, seed=2), []
    task = make_task(PipelineTask, data, dev, SMALL, watcher=Watcher(on_note=notes.append))
    nlp = run(task, watcher=Watcher(on_note=notes.append))
    assert sum("words have no head: learning from partial trees." in line for line in notes) == 1, notes
    found = scores(nlp.parser, dev)
    own = nlp.card["scores"]["gold_tags"]
    assert own["UAS"] == round(100 * found["uas"], 2)
