"""What is fitted after learning: the pruner's threshold and the scales of probabilities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from small_training import changed, treebank

from arbora.dependency import DependencyParser, train
from arbora.dependency.calibration import (
    THRESHOLDS,
    fit_confidence,
    fit_scales,
    fit_threshold,
    natural_scales,
)
from arbora.dependency.calibration_stage import LEAST_FOR_CALIBRATION
from arbora.dependency.task import ParserTask
from arbora.learning import LOSSES
from arbora.training import Watcher, run

PLACES = (0, 1, 2, 50, 119, 120, 238, 239, 240)


@pytest.mark.parametrize("lost_from", PLACES)
@pytest.mark.parametrize("many_from", PLACES)
def test_the_threshold_is_that_of_a_plain_search(lost_from, many_from):
    """The twin tries all: the first few lose too much, the last ones keep too many heads."""

    def measure(threshold: float) -> tuple[float, float]:
        asked.append(threshold)
        place = THRESHOLDS.index(threshold)
        return 0.02 if place < lost_from else 0.01, 8.5 if place >= many_from else 8.0

    asked: list[float] = []
    few = [threshold for threshold in THRESHOLDS if measure(threshold)[1] <= 8] or [THRESHOLDS[0]]
    fitting = [threshold for threshold in few if measure(threshold)[0] <= 0.01]
    asked.clear()
    assert fit_threshold(measure, 0.01, 8) == (fitting or few[-1:])[0]
    assert len(asked) <= 2 * math.ceil(math.log2(len(THRESHOLDS) + 1))


@pytest.mark.parametrize("best", [0.02, 0.3, 1.0, 7.0, 50.0])
@pytest.mark.parametrize("labels", ["joint", "second-stage", "both"])
def test_scales_are_near_the_best(best, labels):
    """Costs are least at the best scale, its double and its half."""
    wanted = {"tree_scale": best, "label_scale": 2 * best, "joint_scale": best / 2}
    asked, measured = [], 0.0

    def costs(name: str, values: list[float], parts: int, found: dict[str, float]) -> list[float]:
        nonlocal measured
        asked.append((name, dict(found)))
        measured += len(values) / parts
        return [math.cosh(math.log(value / wanted[name])) for value in values]

    found = fit_scales(costs, labels)
    missing = {"joint": "label_scale", "second-stage": "joint_scale", "both": None}[labels]
    assert found.keys() == wanted.keys() - {missing}
    assert all(abs(math.log(found[name] / wanted[name])) < math.log(1.01) for name in found)
    assert measured <= 6 * len(found)
    # trees are judged as the joint model finds them
    judged = next(own for name, own in asked if name == "tree_scale")
    assert judged.get("joint_scale") == found.get("joint_scale")


@pytest.mark.parametrize("wanted", [(1.0, 1.0, 0.0), (0.5, 0.3, 0.7), (0.0, 0.6, -1.0), (2.0, 0.0, 3.0)])
def test_confidence_is_found(wanted):
    """Heads are right as often as the wanted log-odds say, and many of them tell these."""
    draw = np.random.default_rng(1)
    believed = np.clip(draw.beta(1.0, 0.3, 40_000), 1e-5, 1 - 1e-5)
    a, b, c = wanted
    odds = a * np.log(believed) - b * np.log1p(-believed) + c
    found = fit_confidence(believed, draw.random(len(odds)) < 1 / (1 + np.exp(-odds)))
    assert found == pytest.approx(wanted, abs=0.15)
    assert min(found[:2]) >= 0


def test_without_words_confidence_changes_nothing():
    assert fit_confidence(np.empty(0), np.empty(0, np.bool_)) == [1, 1, 0]
    assert all(
        math.isfinite(value) for value in fit_confidence(np.array([1.0, 0.0]), np.array([False, True]))
    )


def test_without_dev_the_loss_has_its_own_scale():
    for loss in LOSSES.values():
        scales = natural_scales(loss)
        assert set(scales.values()) == {loss.beta if math.isfinite(loss.beta) else 1.0}


def _parsers(**options) -> tuple[DependencyParser, DependencyParser]:
    """A parser that takes beliefs as they are, and the same one with a confidence of its own."""
    parser = train(treebank(), None, changed(**options))
    plain, confident = (
        DependencyParser({**parser.header, "confidence": own}, parser._weights, parser._pruner_weights)
        for own in ([1.0, 1.0, 0.0], [0.5, 0.25, 0.3])
    )
    return plain, confident


def test_confidence_is_that_of_the_heads_of_trees():
    """By the formula, word by word; the other heads share what is left as before."""
    plain, confident = _parsers(preset="second-order", solver="hill-climbing", parts=("all-siblings",))
    changes = 0
    for sentence in treebank():
        before, after = (own.probabilities(sentence) for own in (plain, confident))
        tree = next(plain.parse([sentence])).heads
        assert next(confident.parse([sentence])).heads == tree
        for word, head in enumerate(tree, 1):
            p, others = before[0][head, word], np.delete(before[0][:, word], head)
            found = after[0][head, word]
            assert after[0][:, word].sum() == pytest.approx(before[0][:, word].sum(), abs=1e-9)
            if others.sum() == 0:
                assert found == p
                continue
            share = min(max(p / (p + others.sum()), 1e-6), 1 - 1e-6)
            odds = 0.5 * math.log(share) - 0.25 * math.log(1 - share) + 0.3
            assert found == pytest.approx((p + others.sum()) / (1 + math.exp(-odds)), abs=1e-9)
            rest = np.delete(after[0][:, word], head)
            assert rest == pytest.approx(others / others.sum() * (p + others.sum() - found), abs=1e-9)
            changes += abs(found - p) > 1e-3
    assert changes > 20


def test_exact_probabilities_are_left_as_they_are():
    for options in ({}, {"preset": "second-order", "projective": True, "parts": ("consecutive-siblings",)}):
        plain, confident = _parsers(**options)
        for sentence in treebank()[:5]:
            before, after = (own.probabilities(sentence)[0] for own in (plain, confident))
            assert np.array_equal(before, after)


def test_calibration_is_bounded_and_fits_confidence_where_sums_are_approximate():
    data = treebank()
    options = changed(preset="second-order", solver="hill-climbing", parts=("all-siblings",))
    task = ParserTask(data, data * 20, options)
    assert sum(map(len, task.calibration.sample)) < 2 * LEAST_FOR_CALIBRATION
    seen: list[str] = []
    parser = run(task, watcher=Watcher(on_report=lambda report: seen.append(report.line)))
    assert seen[-1].startswith("calibration  tree scale ")
    assert len(parser.header["confidence"]) == 3
    exact = train(data, data, changed())
    assert "confidence" not in exact.header


def test_a_pruner_that_knows_little_keeps_few_heads_all_the_same():
    data = treebank()
    for mean in (2.0, 4.0):
        report = train(data, data, changed(pruning=0.0001, pruner_epochs=1, mean_heads=mean)).header["report"]
        assert report["epochs"][0]["heads"] <= mean
    lines: list[str] = []
    options = changed(pruning=0.0001, mean_heads=2.0)
    train(data, data, options, progress=lambda report: lines.append(report.line))
    assert "of gold arcs lost (no more than 2 heads are kept on average)" in lines[0]
