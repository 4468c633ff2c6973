"""Training and parsing as a whole: it learns, whatever the loss and the learner."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.features import Twin
from small_training import SMALL, changed, las, treebank

from arbora.dependency import DependencyParser, ParseOptions, TrainingOptions, train
from arbora.dependency.linear_model import encode
from arbora.dependency.options import tree_options
from arbora.errors import ArboraError
from arbora.features import Templates
from arbora.learning import LEARNERS, LOSSES
from arbora.treebank import Sentence


@pytest.mark.parametrize("language", ["en", "de", "tr"])
@pytest.mark.parametrize("labels", ["joint", "second-stage", "both"])
def test_it_fits_what_it_is_shown(language, labels):
    data = treebank(language)
    parser = train(data, None, TrainingOptions(labels=labels, bits=16, pruner_bits=14), dev_fraction=0.0)
    assert las(parser, data) > 0.95
    assert las(parser, data, ParseOptions(decoder="mbr")) > 0.95


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_and_learner_fits(loss, learner):
    data = treebank("tr") + treebank("de")
    options = TrainingOptions(loss=loss, learner=learner, bits=16, pruner_bits=14, batch=1)
    if (loss, learner) == ("perceptron", "aggressive"):
        with pytest.raises(ArboraError, match="never leaves zero"):
            train(data, None, options)
        return
    assert las(train(data, None, options, dev_fraction=0.0), data) > 0.95


@pytest.mark.parametrize("labels", ["joint", "second-stage", "both"])
def test_supported_features_are_those_of_gold_trees(labels):
    data, bits = treebank("tr")[:8], 20
    complete, supported = (
        train(data, None, changed(features=name, bits=bits, labels=labels), dev_fraction=0.0)
        for name in ("complete", "supported")
    )
    of_all, of_gold = complete._weights.values, supported._weights.values
    assert 0 < np.count_nonzero(of_gold) < 0.7 * np.count_nonzero(of_all)
    twin = Twin(Templates.parse(supported.header["templates"]), len(supported.labels), bits)
    gold = np.zeros(len(of_gold))
    for sentence in data:
        labels = [supported.labels.index(name) for name in sentence.deprels]
        for word, (head, label) in enumerate(zip(sentence.heads, labels, strict=True), 1):
            twin.add_arc(sentence, gold, (head, word), 1.0)
            twin.add_label(sentence, gold, "labels", (head, word), label, 1.0)
            twin.add_label(sentence, gold, "labeler", (head, word), label, 1.0, sentence.heads)
        for head in set(sentence.heads):
            own = [label for above, label in zip(sentence.heads, labels, strict=True) if above == head]
            ends = [len(supported.labels)]
            pairs = np.zeros((ends[0] + 1, ends[0] + 1))
            pairs[[*ends, *own], [*own, *ends]] = 1
            twin.add_siblings(sentence, gold, head, pairs, sentence.heads)
    assert not of_gold[gold == 0].any()
    assert of_all[gold == 0].any()
    assert las(supported, data) > 0.5


def test_calibration_makes_dev_probable():
    """The scale found on dev is no worse than others; without dev, a CRF's scores are left as they are."""
    data = treebank()
    parser = train(data[5:], data[:5], changed(epochs=4))
    scale = parser.header["tree_scale"]
    assert scale != 1.0

    def cost(scale: float) -> float:
        other = DependencyParser(
            {**parser.header, "tree_scale": scale}, parser._weights, parser._pruner_weights
        )
        found = other._core.gold_costs(
            other._weights, other._pruner_weights, encoded, heads, labels, trees, 1, [1.0], [], [], 1.0
        )
        return found[0][0]

    trees = tree_options(parser.header["options"])
    encoded = encode(data[:5])
    heads = np.array([head for sentence in data[:5] for head in sentence.heads], np.int32)
    labels = np.array([parser.labels.index(name) for s in data[:5] for name in s.deprels], np.int32)
    best = cost(scale)
    assert all(best <= cost(scale * by) + 1e-9 for by in (0.25, 0.5, 0.8, 1.25, 2.0, 4.0))
    assert train(data, None, changed(loss="crf"), dev_fraction=0.0).header["tree_scale"] == 1.0


def test_probabilities_are_written():
    data = treebank()[:3]
    parser = train(data, None, SMALL)
    data[0].misc[0] = "SpaceAfter=No|HeadProbability=0.1"
    found = next(parser.parse([data[0]], ParseOptions(probabilities=True)))
    assert found.misc[0].startswith("SpaceAfter=No|HeadProbability=")
    assert found.misc[0].count("HeadProbability") == 1
    assert sum("tree_log_probability" in comment for comment in found.comments) == 1


def test_arcs_that_cross_are_not_what_a_projective_pruner_loses():
    crossing = Sentence(list("abcd"), heads=[3, 0, 2, 1], deprels=["x", "root", "x", "x"])
    options = changed(projective=True, pruning=0.02)
    with_it, without = (
        train(treebank(), [*treebank()[:9], *more], options).header for more in ([crossing] * 40, [])
    )
    assert with_it["threshold"] == without["threshold"]
    assert with_it["report"]["epochs"][0]["lost"] == without["report"]["epochs"][0]["lost"] <= 0.02


def test_projective_training_skips_what_is_not_projective():
    crossing = Sentence(["a", "b", "c", "d"], heads=[0, 4, 1, 1], deprels=["root", "x", "x", "x"])
    plain = Sentence(["a", "b", "c", "d"], heads=[0, 1, 1, 1], deprels=["root", "x", "x", "x"])
    parser = train([crossing, plain], None, changed(projective=True))
    assert parser.header["trained_on"] == {"sentences": 1, "words": 4, "skipped_nonprojective": 1}
    with pytest.raises(ArboraError, match="no sentence of the training data is projective"):
        train([crossing], None, changed(projective=True))
