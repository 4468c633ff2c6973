"""What is fitted after learning: the pruner's threshold and the scales of probabilities."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from small_training import changed, treebank

from arbora.dependency import DependencyParser, ParseOptions, train
from arbora.dependency.calibration import (
    THRESHOLDS,
    fit_confidence,
    fit_scales,
    fit_threshold,
    natural_scales,
)
from arbora.dependency.calibration_sample import LEAST_FOR_CALIBRATION, CalibrationSample
from arbora.dependency.options import tree_options
from arbora.dependency.task import ParserTask
from arbora.dependency.treebanks import TrainingData, encode_trees
from arbora.learning import LOSSES
from arbora.training import Watcher, run
from arbora.treebank import Sentence

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


@pytest.mark.parametrize(
    "wanted",
    [
        (1.0, 1.0, 0.0, 1.0),
        (0.5, 0.3, 0.7, 1.0),
        (0.0, 0.6, -1.0, 1.0),
        (2.0, 0.0, 3.0, 1.0),
        (0.5, 1.2, 0.5, 0.9),
        (1.0, 0.8, 0.0, 0.6),
    ],
)
def test_confidence_is_found(wanted):
    """Heads are right as often as the wanted log-odds and ceiling say, and many of them tell these.

    The highest log-odds do nearly what a ceiling does, so it is the curve that is found for sure.
    """
    draw = np.random.default_rng(1)
    believed = np.clip(draw.beta(1.0, 0.3, 80_000), 1e-5, 1 - 1e-5)
    a, b, c, d = wanted
    odds = a * np.log(believed) - b * np.log1p(-believed) + c
    found = fit_confidence(believed, draw.random(len(odds)) < d / (1 + np.exp(-odds)))
    for p in np.linspace(0.001, 0.999, 500):
        assert _confident(p, *found) == pytest.approx(_confident(p, *wanted), abs=0.015)
    if wanted != (2.0, 0.0, 3.0, 1.0):
        assert found == pytest.approx(wanted, abs=0.15)
    assert min(found[:2]) >= 0
    assert 0 < found[3] <= 1


def test_without_words_confidence_changes_nothing():
    assert fit_confidence(np.empty(0), np.empty(0, np.bool_)) == [1, 1, 0, 1]
    assert all(
        math.isfinite(value) for value in fit_confidence(np.array([1.0, 0.0]), np.array([False, True]))
    )


@pytest.mark.parametrize("right", [np.zeros(500, np.bool_), np.ones(500, np.bool_)])
def test_confidence_where_all_is_wrong_or_right(right):
    found = fit_confidence(np.linspace(0, 1, 500), right)
    assert all(math.isfinite(value) for value in found)
    highest = found[3] / (1 + math.exp(found[1] * math.log(0.5) - found[0] * math.log(0.5) - found[2]))
    assert highest > 0.95 if right[0] else highest < 0.05


def test_without_dev_the_loss_has_its_own_scale():
    for loss in LOSSES.values():
        scales = natural_scales(loss)
        assert set(scales.values()) == {loss.beta if math.isfinite(loss.beta) else 1.0}


@pytest.mark.parametrize("approximate", [False, True])
def test_gold_heads_are_judged_one_by_one(approximate):
    """The twin takes them from the tables of all probabilities; nothing is pruned, so these have them all."""
    data = treebank()[:8]
    siblings = {"preset": "second-order", "solver": "hill-climbing", "parts": ("all-siblings",)}
    parser = train(data, None, changed(**(siblings if approximate else {}), pruning=0), dev_fraction=0.0)
    parts = CalibrationSample(data, 1, partial(_encoded, parser)).encoded
    whole = parts[min(parts)]
    scales = [0.5, 3.0, 1e4]
    *found, exact = parser._core.gold_costs(
        parser._weights, parser._pruner_weights, whole.encoded, whole.heads, whole.labels,
        tree_options(parser.header["options"]), 1, scales, [], [], 1.0,
    )  # fmt: skip
    expected = []
    for scale in scales:
        header = {**parser.header, "joint_scale": 1.0, "tree_scale": parser.header["tree_scale"] * scale}
        own = DependencyParser(header, parser._weights, parser._pruner_weights)
        tables = [(sentence, own.probabilities(sentence)[0]) for sentence in data]
        gold = [table[head, word] for s, table in tables for word, head in enumerate(s.heads, 1)]
        expected.append(-np.log(np.maximum(gold, 1e-5 if approximate else 1e-12)).sum())
    assert found[0] == pytest.approx(expected, rel=1e-6)
    assert exact is not approximate


def test_a_line_of_progress_comes_for_every_measurement():
    data = treebank()
    seen: list[tuple[int, int]] = []
    steps: list[str] = []
    options = changed(preset="second-order", solver="hill-climbing", parts=("all-siblings",))
    watcher = Watcher(
        on_step=steps.append,
        on_batch=lambda *own: seen.append(own) if steps[-1] == "calibration" else None,
    )
    run(ParserTask(data, data, options), watcher=watcher)
    done = [own for own, _ in seen]
    assert done == sorted(done)
    assert len({total for _, total in seen}) == 1
    assert 0.8 * seen[-1][1] <= done[-1] <= seen[-1][1]
    assert len(seen) > len(data)


def _encoded(parser: DependencyParser, sentences: list[Sentence]) -> TrainingData:
    return encode_trees(sentences, {name: number for number, name in enumerate(parser.labels)}, [])


def _parsers(**options) -> tuple[DependencyParser, DependencyParser]:
    """A parser that takes beliefs as they are, and the same one with a confidence of its own."""
    parser = train(treebank(), None, changed(**options))
    plain, confident = (
        DependencyParser({**parser.header, "confidence": own}, parser._weights, parser._pruner_weights)
        for own in ({}, {"heads": [0.5, 0.25, 0.3, 0.9], "labels": [0.6, 0.5, -0.2, 0.95]})
    )
    return plain, confident


def _confident(p: float, a: float, b: float, c: float, most: float) -> float:
    share = min(max(p, 1e-6), 1 - 1e-6)
    return most / (1 + math.exp(-a * math.log(share) + b * math.log(1 - share) - c))


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
            expected = (p + others.sum()) * _confident(p / (p + others.sum()), 0.5, 0.25, 0.3, 0.9)
            assert found == pytest.approx(expected, abs=1e-9)
            rest = np.delete(after[0][:, word], head)
            assert rest == pytest.approx(others / others.sum() * (p + others.sum() - found), abs=1e-9)
            changes += abs(found - p) > 1e-3
    assert changes > 20


@pytest.mark.parametrize("labels", ["joint", "second-stage"])
def test_confidence_is_that_of_the_labels_of_trees(labels):
    """The other labels share what is left as before; what is certain stays so."""
    options = {"preset": "second-order", "solver": "hill-climbing", "parts": ("all-siblings",)}
    plain, confident = _parsers(**options, labels=labels)
    changes = 0
    for sentence in treebank():
        before, after = (own.probabilities(sentence)[1] for own in (plain, confident))
        parsed = next(plain.parse([sentence], ParseOptions(probabilities=True)))
        again = next(confident.parse([sentence], ParseOptions(probabilities=True)))
        assert again.deprels == parsed.deprels
        for word, label in enumerate(parsed.deprels, 1):
            own = plain.labels.index(label)
            p, found = before[word, own], after[word, own]
            assert found == pytest.approx(p if p == 1 else _confident(p, 0.6, 0.5, -0.2, 0.95), abs=1e-9)
            assert again.findings["LabelProbability"][word - 1] == pytest.approx(found, abs=1e-12)
            assert after[word].sum() == pytest.approx(1, abs=1e-9)
            rest, others = np.delete(after[word], own), np.delete(before[word], own)
            assert rest * others.sum() == pytest.approx(others * rest.sum(), abs=1e-9)
            changes += abs(found - p) > 1e-3
    assert changes > 20


def test_what_is_given_stays_certain_whatever_the_confidence():
    options = {"preset": "second-order", "solver": "hill-climbing", "parts": ("all-siblings",)}
    _, confident = _parsers(**options)
    for sentence in treebank()[:8]:
        heads, _ = confident.probabilities(sentence, given_heads=True)
        gold = np.array(sentence.heads), np.arange(1, len(sentence) + 1)
        assert heads[gold] == pytest.approx(np.ones(len(sentence)), abs=1e-12)


def test_confidence_of_older_files_is_that_in_heads():
    options = {"preset": "second-order", "solver": "hill-climbing", "parts": ("all-siblings",)}
    plain, _ = _parsers(**options)
    old, new = (
        DependencyParser({**plain.header, "confidence": own}, plain._weights, plain._pruner_weights)
        for own in ([0.5, 0.25, 0.3], {"heads": [0.5, 0.25, 0.3, 1.0]})
    )
    for sentence in treebank()[:5]:
        for one, other in zip(old.probabilities(sentence), new.probabilities(sentence), strict=True):
            assert np.array_equal(one, other)
    DependencyParser.from_parts(*old.to_parts())


def test_exact_probabilities_are_left_as_they_are():
    for options in ({}, {"preset": "second-order", "projective": True, "parts": ("consecutive-siblings",)}):
        plain, confident = _parsers(**options)
        for sentence in treebank()[:5]:
            for before, after in zip(
                *(own.probabilities(sentence) for own in (plain, confident)), strict=True
            ):
                assert np.array_equal(before, after)


def test_calibration_is_bounded_and_fits_confidence_where_sums_are_approximate():
    data = treebank()
    options = changed(preset="second-order", solver="hill-climbing", parts=("all-siblings",))
    task = ParserTask(data, data * 20, options)
    assert sum(map(len, task.sample.sentences)) < 2 * LEAST_FOR_CALIBRATION
    seen: list[str] = []
    parser = run(task, watcher=Watcher(on_report=lambda report: seen.append(report.line)))
    assert seen[-1].startswith("calibration  tree scale ")
    assert {name: len(own) for name, own in parser.header["confidence"].items()} == {"heads": 4, "labels": 4}
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
