"""Samples: valid trees, in the frequencies that their probabilities ask for, the same for the same seed."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from contract.test_trees_scores import assert_tree, draw, kinds
from oracles import trees as oracle

from arbora import trees

DRAWN = 20_000


def deviation(counts: np.ndarray, probabilities: np.ndarray) -> float:
    """Pearson's chi-square as a standard normal deviate (Wilson & Hilferty 1931).

    Outcomes expected fewer than 5 times are taken together; what cannot happen but did is infinitely far off.
    """
    if counts[probabilities == 0].any():
        return np.inf
    expected = probabilities * counts.sum()
    rare = expected < 5
    observed = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] < 1e-3:  # rare outcomes that should not be seen at all
        if observed[-1]:
            return np.inf
        observed, expected = observed[:-1], expected[:-1]
    freedom = len(observed) - 1
    if freedom == 0:
        return 0.0
    chi_square = float(((observed - expected) ** 2 / expected).sum())
    spread = 2 / (9 * freedom)
    return ((chi_square / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread)


def frequencies(sampled: trees.Trees, forest: oracle.Forest) -> np.ndarray:
    """How often each tree of the forest was sampled."""

    def keys(heads, labels):
        rows = 1 + (heads if labels is None else np.hstack([heads, labels])).astype(np.int64)
        return rows @ 8 ** np.arange(rows.shape[1])  # an octal digit each

    known, drawn = keys(forest.heads(), forest.label_choice()), keys(sampled.heads, sampled.labels)
    seen, counts = np.unique(drawn, return_counts=True)
    order = np.argsort(known)
    places = order[np.searchsorted(known, seen, sorter=order).clip(max=len(known) - 1)]
    assert (known[places] == seen).all(), "samples outside the set of trees"
    result = np.zeros(len(known), np.int64)
    result[places] = counts
    return result


@kinds
@pytest.mark.parametrize(
    "family", ["normal", "tied", "sparse", "cycles 50", "cycles 500", "root +40", "root -40"]
)
@pytest.mark.parametrize("labels", [(), (2,)], ids=["plain", "labelled"])
def test_frequencies(kind, family, labels):
    scores = draw(family, 3 if labels else 4, *labels, seed=1)
    forest = oracle.forest(scores, **kind)
    sampled = trees.sample(scores, DRAWN, rng=5, **kind)
    assert deviation(frequencies(sampled, forest), forest.probabilities) < 4.5


def test_the_check_tells_right_from_wrong():
    """Samples of the distribution itself pass; of slightly other ones they do not."""
    probabilities = oracle.forest(draw("normal", 4, seed=1)).probabilities
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert deviation(rng.multinomial(DRAWN, probabilities), probabilities) < 4.5
    cooler, uniform = probabilities**0.9, np.ones_like(probabilities)
    top_two = np.argsort(-probabilities)[:2]
    swapped = probabilities.copy()
    swapped[top_two] = probabilities[top_two[::-1]]
    for wrong in (cooler, uniform, swapped):
        assert deviation(rng.multinomial(DRAWN, wrong / wrong.sum()), probabilities) > 4.5


def test_pairs_of_samples_are_independent():
    """Consecutive samples: their pairs have the product distribution."""
    forest = oracle.forest(draw("normal", 2, seed=0), single_root=False)
    sampled = trees.sample(draw("normal", 2, seed=0), DRAWN, rng=3, single_root=False)
    index = {tuple(heads): i for i, heads in enumerate(forest.heads().tolist())}
    chosen = np.array([index[tuple(heads)] for heads in sampled.heads.tolist()])
    pairs = np.bincount(chosen[::2] * len(index) + chosen[1::2], minlength=len(index) ** 2)
    assert deviation(pairs, np.outer(forest.probabilities, forest.probabilities).ravel()) < 4.5


@kinds
@pytest.mark.parametrize("n", [1, 6, 40])
@pytest.mark.parametrize("labels", [(), (3,)], ids=["plain", "labelled"])
def test_valid_trees(kind, n, labels):
    scores = draw("cycles 50", n, *labels)
    sampled = trees.sample(scores, 50, rng=0, **kind)
    assert len(sampled) == 50
    for tree in sampled:
        assert_tree(tree, scores, kind)
        assert tree.score == pytest.approx(oracle.score_of(scores, tree.heads, tree.labels), abs=1e-9)


@kinds
@pytest.mark.parametrize(
    "family", ["extreme", "cycles 100000", "root +10000", "root -10000", "extreme mixed"]
)
def test_certain_trees_are_always_sampled(kind, family):
    """Where one tree has all the probability, nothing else comes out."""
    for seed in range(5):
        scores = draw(family, 5, seed=seed)
        forest = oracle.forest(scores, **kind)
        possible = set(map(tuple, forest.heads(forest.probabilities > 1e-12).tolist()))
        assert set(map(tuple, trees.sample(scores, 200, rng=1, **kind).heads.tolist())) <= possible


@kinds
def test_seeds(kind):
    scores = draw("normal", 6)
    first, again = (trees.sample(scores, 100, rng=11, **kind).heads.tolist() for _ in range(2))
    assert first == again
    assert first != trees.sample(scores, 100, rng=12, **kind).heads.tolist()
    generator = np.random.default_rng(0)
    assert (
        trees.sample(scores, 100, rng=generator, **kind).heads.tolist()
        != trees.sample(scores, 100, rng=generator, **kind).heads.tolist()
    )


def test_sentences_of_a_batch_are_sampled_independently():
    """The same scores twice in a batch give different trees, and the frequencies hold over both."""
    scores = draw("normal", 4, seed=1)
    forest = oracle.forest(scores)
    one, two = trees.sample([scores, scores], DRAWN // 2, rng=2)
    assert one.heads.tolist() != two.heads.tolist()
    assert deviation(frequencies(one, forest) + frequencies(two, forest), forest.probabilities) < 4.5


def test_no_samples():
    assert trees.sample(np.zeros((3, 3)), 0).heads.shape == (0, 3)
    with pytest.raises(ValueError, match="negative"):
        trees.sample(np.zeros((3, 3)), -1)
