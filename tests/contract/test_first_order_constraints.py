"""Constraints of table 3 of Smith & Eisner (2008) on models of arcs alone, against sums by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arbora.dependency import ArrayParser, ArrayScores, ParseOptions, batch_loss, train
from arbora.dependency.options import CONSTRAINTS
from arbora.neural import NeuralParser
from arbora.treebank import Sentence
from tests.small_training import changed, treebank

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
WORDS = 5


def scores(seed: int) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(WORDS + 1, WORDS + 1))
    np.fill_diagonal(found, 0.0)
    return found


def heads_of(values: np.ndarray, modifier: int) -> list[int]:
    return [head for head in range(WORDS + 1) if head != modifier]


def one_by_one(values: np.ndarray, or_none: bool) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities where every word has one head (or at most one), and the log-partition of each word."""
    result, totals = np.zeros_like(values), np.zeros(WORDS)
    for modifier in range(1, WORDS + 1):
        own = values[heads_of(values, modifier), modifier]
        totals[modifier - 1] = np.log(np.exp(own).sum() + or_none)
        result[heads_of(values, modifier), modifier] = np.exp(own - totals[modifier - 1])
    return result, totals


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("constraint", ["atmost1", "exactly1"])
def test_probabilities_and_losses_are_those_of_the_constraint(seed: int, constraint: str) -> None:
    values, parser = scores(seed), ArrayParser(constraint=constraint, single_root=False)
    expected, totals = one_by_one(values, constraint == "atmost1")
    found, _ = parser.probabilities(ArrayScores([values]))[0]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    gold = np.array([-1, 0, 1, 2, 3, 4], np.int32)
    losses, gradients = batch_loss(ArrayScores([values]), [gold], parser=parser)
    own = sum(values[gold[m], m] for m in range(1, WORDS + 1))
    np.testing.assert_allclose(losses, [totals.sum() - own], atol=1e-9)
    gradient = expected.copy()
    gradient[gold[1:], np.arange(1, WORDS + 1)] -= 1
    np.testing.assert_allclose(gradients.arcs[0], gradient, atol=1e-9)


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_what_is_written_is_a_tree(constraint: str) -> None:
    options = ParseOptions(constraint=constraint)
    for seed in range(20):
        parses = ArrayParser().parse(ArrayScores([scores(seed)]), options)
        heads = parses[0].heads.tolist()
        assert heads.count(0) == 1
        for word in range(1, WORDS + 1):
            seen = set()
            while word:
                assert word not in seen
                seen.add(word)
                word = heads[word]


def test_margins_search_what_the_constraint_allows() -> None:
    """The best of one head for each word is no tree, and the perceptron learns from that."""
    values = np.zeros((3, 3))
    values[1, 2] = values[2, 1] = 5.0
    gold = np.array([-1, 0, 1], np.int32)
    by_tree, _ = batch_loss(ArrayScores([values]), [gold], loss="perceptron")
    loose = ArrayParser(constraint="exactly1")
    by_heads, gradients = batch_loss(ArrayScores([values]), [gold], loss="perceptron", parser=loose)
    assert by_tree[0] == pytest.approx(0)
    assert by_heads[0] == pytest.approx(5)
    assert gradients.arcs[0].tolist() == [[0, -1, 0], [0, 0, 0], [0, 1, 0]]


def test_first_order_parsers_learn_under_a_constraint() -> None:
    data = treebank()[:20]
    options = {"epochs": 1, "pruning": 0.0}
    trees = train(data, options=changed(**options))
    heads = train(data, options=changed(**options, constraint="exactly1"))
    assert trees.settings["constraint"] == "tree"
    assert heads.settings["constraint"] == "exactly1"
    as_trees = [heads.probabilities(s, ParseOptions(constraint="tree"))[0] for s in data[:5]]
    as_heads = [heads.probabilities(s)[0] for s in data[:5]]
    assert any(not np.allclose(a, b, atol=1e-3) for a, b in zip(as_trees, as_heads, strict=True))
    weights = [parser.to_parts()[1] for parser in (trees, heads)]
    assert any(not np.array_equal(weights[0][name], weights[1][name]) for name in weights[0])


@pytest.mark.parametrize("constraint", ["atmost1", "exactly1"])
def test_neural_parsers_know_them_too(constraint: str) -> None:
    parser = NeuralParser.load(GOLDEN / "neural-parser.v2.arbora")
    options = ParseOptions(constraint=constraint, single_root=False, probabilities=True)
    sentence = Sentence(["the", "dog", "sees", "a", "cat"])
    expected, _ = one_by_one(parser.arc_scores(sentence), constraint == "atmost1")
    found, _ = parser.probabilities(sentence, options)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert 0 in next(parser.parse([sentence], options)).heads
