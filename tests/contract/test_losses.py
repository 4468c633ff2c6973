"""Every loss of the family, over trees and over labels: eq. 22 by enumeration, its gradient, its laws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from contract.test_trees_scores import arcs_of, assert_value, draw, families, kinds
from oracles import losses as oracle
from oracles import trees as tree_oracle

from arbora import trees
from arbora.errors import InfeasibleTreeError, InvalidScoresError
from arbora.learning import LOSSES, Loss, best_labels, find_loss, label_probabilities

GRID = [Loss(beta, gamma) for beta in (0.3, 1.0, 2.5, np.inf) for gamma in (0.0, 0.5, 1.0, 2.0)]
MEMBERS = list(dict.fromkeys([*LOSSES.values(), *GRID]))
SHAPES = [(1,), (2,), (3,), (4,), (1, 2), (2, 1), (2, 3), (3, 2), (4, 2)]

members = pytest.mark.parametrize("loss", MEMBERS, ids=lambda loss: loss.name)
shapes = pytest.mark.parametrize("shape", SHAPES, ids=str)


def pick_gold(scores, kind, seed=0):
    """Heads and labels of a random tree that the scores and the kind allow."""
    forest = tree_oracle.forest(scores, **kind)
    row = np.random.default_rng(seed).integers(len(forest.cells), size=1)
    labels = forest.label_choice(row)
    return forest.heads(row)[0], None if labels is None else labels[0]


def finite(scores):
    return np.where(np.isfinite(scores), scores, 0.0)


def pick_chain(count, labels, seed=0, spread=1.0):
    """Unary and sibling scores, and gold labels."""
    rng = np.random.default_rng([count, labels, seed])
    unary = spread * rng.normal(size=(count, labels))
    return unary, rng.integers(labels, size=count), spread * rng.normal(size=(labels + 1, labels + 1))


CHAIN_SHAPES = [(count, labels) for count in range(5) for labels in (1, 2, 3)]


@families
@kinds
@pytest.mark.parametrize("labels", [(), (2,)], ids=["bare", "labelled"])
def test_values_of_trees(family, kind, labels):
    for n in (1, 2, 3, 4):
        scores = draw(family, n, *labels)
        gold = pick_gold(scores, kind)
        terms = oracle.tree_terms(scores, *gold, **kind)
        for loss in MEMBERS:
            value, gradient = loss.of_tree(scores, *gold, **kind)
            assert_close(value, oracle.family(*terms, loss.beta, loss.gamma), finite(scores))
            assert value >= 0
            assert gradient.shape == scores.shape
            assert (gradient[~arcs_of(scores.shape) | (scores == -np.inf)] == 0).all()
            columns = gradient[:, 1:].reshape(n + 1, n, -1).sum(axis=(0, 2))
            np.testing.assert_allclose(columns, 0, atol=1e-9)  # as many heads are expected as there are


def assert_close(value, expected, scores):
    """To 1e-9 and the rounding of the sums: scores of 1e6 are subtracted from each other."""
    assert isinstance(value, float)
    magnitude = len(scores) * np.abs(scores[arcs_of(scores.shape)]).max(initial=0.0)
    assert abs(value - expected) <= 1e-9 + 1e-15 * magnitude, (value, expected)


@members
@kinds
@shapes
def test_gradients_of_trees(loss, kind, shape):
    """By central differences; random scores have one best tree, so the maximum has a gradient there too."""
    scores = np.random.default_rng([7, *shape]).normal(size=(shape[0] + 1, shape[0] + 1, *shape[1:]))
    gold = pick_gold(scores, kind)
    gradient = loss.of_tree(scores, *gold, **kind)[1]
    direction = np.random.default_rng(1).normal(size=scores.shape)
    assert_slope(lambda t: loss.of_tree(scores + t * direction, *gold, **kind)[0], gradient, direction)
    cells = np.argwhere(arcs_of(scores.shape))
    for cell in map(tuple, np.random.default_rng(2).permutation(cells)[:4]):
        one = np.zeros_like(scores)
        one[cell] = 1.0
        assert_slope(lambda t, one=one: loss.of_tree(scores + t * one, *gold, **kind)[0], gradient, one)


def assert_slope(function, gradient, direction, step=1e-5):
    slope = (function(step) - function(-step)) / (2 * step)
    assert slope == pytest.approx(float((gradient * direction).sum()), abs=1e-7)


@members
@pytest.mark.parametrize("shape", [(3,), (3, 2)], ids=str)
def test_convex(loss, shape):
    rng = np.random.default_rng(3)
    for seed in range(5):
        left, right = 3 * rng.normal(size=(2, shape[0] + 1, shape[0] + 1, *shape[1:]))
        kind = {"single_root": bool(seed % 2), "projective": bool(seed % 3)}
        gold = pick_gold(left, kind, seed)
        at_left, slope = loss.of_tree(left, *gold, **kind)
        at_right = loss.of_tree(right, *gold, **kind)[0]
        for share in (0.1, 0.5, 0.8):
            between = loss.of_tree((1 - share) * left + share * right, *gold, **kind)[0]
            assert between <= (1 - share) * at_left + share * at_right + 1e-9
        assert at_right >= at_left + (slope * (right - left)).sum() - 1e-9  # also a subgradient lies below


@members
@kinds
def test_adding_to_a_column_changes_nothing(loss, kind):
    """Every tree has one arc into each token."""
    for shape in ((4, 4), (4, 4, 2)):
        scores = np.random.default_rng(5).normal(size=shape)
        gold = pick_gold(scores, kind)
        value, gradient = loss.of_tree(scores, *gold, **kind)
        for shift in (1000.0, -1000.0):
            moved = scores.copy()
            moved[:, 2] += shift
            other, other_gradient = loss.of_tree(moved, *gold, **kind)
            assert other == pytest.approx(value, abs=1e-9)
            np.testing.assert_allclose(other_gradient, gradient, atol=1e-9)


@kinds
@pytest.mark.parametrize("shape", [(4,), (3, 2)], ids=str)
def test_crf_gradient_is_marginals_minus_gold(kind, shape):
    scores = draw("normal", *shape)
    heads, labels = pick_gold(scores, kind)
    expected = trees.marginals(scores, **kind)
    for token in range(1, len(heads)):
        expected[(heads[token], token) if labels is None else (heads[token], token, labels[token])] -= 1
    value, gradient = LOSSES["crf"].of_tree(scores, heads, labels, **kind)
    np.testing.assert_allclose(gradient, expected, atol=1e-12)
    gold_score = tree_oracle.score_of(scores, heads, labels)
    assert_value(value, trees.log_partition(scores, **kind) - gold_score)


@kinds
def test_perceptron_is_silent_at_the_best_tree(kind):
    scores = draw("normal", 4, 2)
    best = trees.mst(scores, **kind)
    value, gradient = LOSSES["perceptron"].of_tree(scores, best.heads, best.labels, **kind)
    assert value == pytest.approx(0, abs=1e-12)
    assert not gradient.any()


@members
def test_losses_grow_with_gamma_and_approach_the_maximum(loss):
    scores = draw("normal", 3)
    gold = pick_gold(scores, {})
    value = loss.of_tree(scores, *gold)[0]
    assert Loss(loss.beta, loss.gamma + 0.5).of_tree(scores, *gold)[0] >= value
    bound = Loss(np.inf, loss.gamma).of_tree(scores, *gold)[0]
    count = len(tree_oracle.forest(scores).cells)
    assert bound - 1e-12 <= value <= bound + np.log(count) / loss.beta + 1e-12


def test_one_token_and_none():
    for loss in MEMBERS:
        assert loss.of_tree(np.full((2, 2), -7.0), np.array([-1, 0]))[0] == pytest.approx(0, abs=1e-12)
        value, gradient = loss.of_tree(np.zeros((1, 1)), np.array([-1]))
        assert value == 0
        assert gradient.tolist() == [[0.0]]


@members
@pytest.mark.parametrize("with_siblings", [False, True])
def test_values_of_labels(loss, with_siblings):
    for (count, labels), case in product(CHAIN_SHAPES, ("plain", "up", "down", "wide", "sparse", "tied")):
        unary, gold, siblings = pick_chain(count, labels, spread=400.0 if case == "wide" else 1.0)
        unary += {"up": 1000.0, "down": -1000.0}.get(case, 0.0)
        if case == "tied":
            unary, siblings = unary.round(), siblings.round()
        if case == "sparse":
            keep = unary[np.arange(count), gold]
            unary[np.random.default_rng(0).random(unary.shape) < 0.4] = -np.inf
            unary[np.arange(count), gold] = keep
        chain = siblings if with_siblings else None
        value, unary_gradient, sibling_gradient = loss.of_labels(unary, gold, chain)
        expected = oracle.label_loss(loss.beta, loss.gamma, unary, gold, chain)
        assert isinstance(value, float)
        assert value == pytest.approx(expected, abs=1e-9, rel=0)
        assert value >= 0
        assert (unary_gradient[unary == -np.inf] == 0).all()
        assert (sibling_gradient is None) == (chain is None)
        np.testing.assert_allclose(unary_gradient.sum(axis=1), 0, atol=1e-9)
        if sibling_gradient is not None:
            assert sibling_gradient.sum() == pytest.approx(0, abs=1e-9)


@members
def test_gradients_of_labels(loss):
    for count, labels in CHAIN_SHAPES:
        unary, gold, siblings = pick_chain(count, labels, seed=3)
        for seed, scale in ((0, 1.0), (1, 200.0)):  # the second beyond what exponentials can hold
            own, pairs = scale * unary, scale * siblings
            by, by_pairs = np.random.default_rng(seed).normal(size=(2, labels + 1, max(labels + 1, count)))
            by, by_pairs = by[:labels, :count].T, by_pairs[:, : labels + 1]
            _, gradient, pair_gradient = loss.of_labels(own, gold, pairs)
            step = 1e-5
            up, down = (loss.of_labels(own + t * by, gold, pairs + t * by_pairs)[0] for t in (step, -step))
            expected = (gradient * by).sum() + (pair_gradient * by_pairs).sum()
            assert (up - down) / (2 * step) == pytest.approx(expected, abs=1e-6)
            _, gradient, none = loss.of_labels(own, gold)
            up, down = (loss.of_labels(own + t * by, gold)[0] for t in (step, -step))
            assert none is None
            assert (up - down) / (2 * step) == pytest.approx((gradient * by).sum(), abs=1e-6)


@members
def test_labels_convex(loss):
    for seed in range(5):
        left, gold, siblings = pick_chain(3, 3, seed, 2.0)
        right, _, other = pick_chain(3, 3, seed + 10, 2.0)
        ends = loss.of_labels(left, gold, siblings)[0], loss.of_labels(right, gold, other)[0]
        for share in (0.2, 0.5, 0.9):
            between = loss.of_labels(
                (1 - share) * left + share * right, gold, (1 - share) * siblings + share * other
            )[0]
            assert between <= (1 - share) * ends[0] + share * ends[1] + 1e-9


def test_label_gradients_by_name():
    """A CRF's is expectations minus gold; a perceptron's the difference of two labellings."""
    unary, gold, siblings = pick_chain(4, 3)
    expected = label_probabilities(unary, siblings)
    value, gradient, pairs = LOSSES["crf"].of_labels(unary, gold, siblings)
    ones, neighbours = np.zeros_like(unary), np.zeros_like(siblings)
    ones[np.arange(4), gold] = 1
    np.add.at(neighbours, ([3, *gold], [*gold, 3]), 1)
    np.testing.assert_allclose(gradient, expected.probabilities - ones, atol=1e-12)
    np.testing.assert_allclose(pairs, expected.pairs - neighbours, atol=1e-12)
    best = best_labels(unary, siblings)
    value, gradient, pairs = LOSSES["perceptron"].of_labels(unary, best.labels, siblings)
    assert value == 0
    assert not gradient.any()
    assert not pairs.any()


def test_registry():
    of_the_paper = {"crf": (1, 0), "svm": (np.inf, 1), "softmax-margin": (1, 1), "perceptron": (np.inf, 0)}
    for name, numbers in of_the_paper.items():
        assert (LOSSES[name].beta, LOSSES[name].gamma) == numbers
    for name, loss in LOSSES.items():
        assert loss.name == name
        assert find_loss(name) == loss
    assert find_loss("crf", beta=2.0, gamma=0.5) == Loss(2.0, 0.5)
    assert find_loss("svm", gamma=0.0) == LOSSES["perceptron"]
    with pytest.raises(ValueError, match="no loss 'hinge'; there are crf, svm"):
        find_loss("hinge")


@pytest.mark.parametrize("beta", [0.0, -1.0, np.nan])
def test_wrong_beta(beta):
    with pytest.raises(ValueError, match="beta must be"):
        Loss(beta)


@pytest.mark.parametrize("gamma", [-0.1, np.nan, np.inf])
def test_wrong_gamma(gamma):
    with pytest.raises(ValueError, match="gamma must be"):
        Loss(1.0, gamma)


def with_value(shape, value):
    scores = np.zeros(shape)
    scores.flat[1] = value
    return scores


CROSSING = np.array([-1, 3, 0, 2, 1])


@pytest.mark.parametrize(
    ("scores", "heads", "labels", "kind", "error", "message"),
    [
        (np.zeros(3), [-1, 0], None, {}, InvalidScoresError, "shape"),
        (np.zeros((2, 3)), [-1, 0], None, {}, InvalidScoresError, "shape"),
        (np.zeros((2, 2, 0)), [-1, 0], [0, 0], {}, InvalidScoresError, "shape"),
        (with_value((2, 2), np.nan), [-1, 0], None, {}, InvalidScoresError, "nan"),
        (with_value((2, 2), np.inf), [-1, 0], None, {}, InvalidScoresError, "nan or \\+inf"),
        (np.zeros((3, 3)), [-1, 0], None, {}, ValueError, "heads must have the shape \\(3,\\)"),
        (np.zeros((2, 2)), [-1.0, 0.0], None, {}, ValueError, "heads must be integers"),
        (np.zeros((2, 2)), [-1, 2], None, {}, ValueError, "head of token 1 is 2, not from 0 to 1"),
        (np.zeros((2, 2)), [-1, -2], None, {}, ValueError, "head of token 1 is -2"),
        (np.zeros((2, 2)), [-1, 1], None, {}, ValueError, "no tree: there is a cycle of the tokens \\[1\\]"),
        (np.zeros((4, 4)), [-1, 0, 3, 2], None, {}, ValueError, "cycle of the tokens \\[2, 3\\]"),
        (np.zeros((3, 3)), [-1, 0, 0], None, {}, ValueError, "2 roots, \\[1, 2\\]"),
        (np.zeros((5, 5)), CROSSING, None, {"projective": True}, ValueError, "not projective"),
        (with_value((2, 2), -np.inf), [-1, 0], None, {}, InfeasibleTreeError, "arc from 0 to token 1 has"),
        (np.full((2, 2, 2), -np.inf), [-1, 0], [-1, 1], {}, InfeasibleTreeError, "token 1 with label 1"),
        (np.zeros((2, 2, 2)), [-1, 0], None, {}, ValueError, "gold labels are needed"),
        (np.zeros((2, 2)), [-1, 0], [-1, 0], {}, ValueError, "no axis of labels"),
        (np.zeros((2, 2, 2)), [-1, 0], [-1, 2], {}, ValueError, "label of token 1 is 2, not from 0 to 1"),
        (np.zeros((2, 2, 2)), [-1, 0], [1], {}, ValueError, "labels must have the shape"),
    ],
)
def test_wrong_trees(scores, heads, labels, kind, error, message):
    labels = None if labels is None else np.array(labels)
    for loss in (LOSSES["crf"], LOSSES["svm"]):
        with pytest.raises(error, match=message):
            loss.of_tree(scores, np.array(heads), labels, **kind)


def test_what_the_kind_allows_is_allowed():
    assert LOSSES["crf"].of_tree(np.zeros((5, 5)), CROSSING)[0] > 0
    assert LOSSES["crf"].of_tree(np.zeros((3, 3)), np.array([9, 0, 0]), single_root=False)[0] > 0


@pytest.mark.parametrize(
    ("unary", "labels", "siblings", "error", "message"),
    [
        (np.zeros(3), [0], None, InvalidScoresError, "unary must have the shape"),
        (np.zeros((1, 0)), [0], None, InvalidScoresError, "unary must have the shape"),
        (
            np.zeros((1, 2)),
            [0],
            np.zeros((2, 2)),
            InvalidScoresError,
            "siblings must have the shape \\(3, 3\\)",
        ),
        (with_value((1, 2), np.nan), [0], None, InvalidScoresError, "unary must not contain nan"),
        (np.zeros((1, 2)), [0], with_value((3, 3), np.inf), InvalidScoresError, "siblings must not contain"),
        (np.zeros((1, 2)), [0, 1], None, ValueError, "labels must have the shape"),
        (np.zeros((1, 2)), [2], None, ValueError, "label of modifier 0 is 2, not from 0 to 1"),
        (np.zeros((1, 2)), [0.0], None, ValueError, "labels must be integers"),
        (with_value((1, 2), -np.inf), [1], None, InfeasibleTreeError, "label 1 of modifier 0"),
        (np.zeros((2, 2)), [0, 1], with_value((3, 3), -np.inf), InfeasibleTreeError, "neighbours 0 and 1"),
    ],
)
def test_wrong_labels(unary, labels, siblings, error, message):
    for loss in (LOSSES["crf"], LOSSES["svm"]):
        with pytest.raises(error, match=message):
            loss.of_labels(unary, np.array(labels), siblings)
