"""Labels in chains: best, k-best, sums, against all labellings written out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from oracles.labels import Labellings

from arbora import _core
from arbora.errors import InfeasibleTreeError, InvalidScoresError
from arbora.learning import best_labels, kbest_labels, label_probabilities

Chain = tuple[np.ndarray, np.ndarray | None]


def _scaled(scale: float, shift: float = 0.0, pair_shift: float = 0.0) -> Callable[..., Chain]:
    return lambda rng, unary, siblings: (scale * unary + shift, scale * siblings + pair_shift)


def _sparse(rng, unary, siblings):
    """Forbid labels, but not all of a modifier's."""
    return np.where(
        (rng.random(unary.shape) < 0.5) & (unary < unary.max(axis=1)[:, None]), -np.inf, unary
    ), siblings


def _no_repeats(rng, unary, siblings):
    """Forbid neighbours: no label twice in a row, where there is another."""
    if unary.shape[1] > 1:
        np.fill_diagonal(siblings, -np.inf)
    return unary, siblings


def _far_ends(rng, unary, siblings):
    """Scores of 1000 that only the end can tell: what looks best from the left is not."""
    siblings[:, -1] = rng.permutation(len(siblings)) * 1000.0
    return unary, siblings


FAMILIES: dict[str, Callable[..., Chain]] = {
    "normal": _scaled(1.0),
    "equal": _scaled(0.0),
    "tied": lambda rng, unary, siblings: (unary.round(), siblings.round()),
    "shifted up": _scaled(1.0, 1000.0),
    "shifted down": _scaled(1.0, -1000.0),
    "siblings shifted up": _scaled(1.0, 0.0, 1000.0),
    "siblings shifted down": _scaled(1.0, 0.0, -1000.0),
    "spread 80": _scaled(80.0),  # just within what sums of exponentials hold
    "spread 1000": _scaled(1000.0),
    "wide labels": lambda rng, unary, siblings: (1000.0 * unary, siblings),
    "wide siblings": lambda rng, unary, siblings: (unary, 1000.0 * siblings),
    "sparse": _sparse,
    "no repeats": _no_repeats,
    "far ends": _far_ends,
    "no siblings": lambda rng, unary, siblings: (unary, None),
    "no siblings, sparse": lambda rng, unary, siblings: (_sparse(rng, unary, siblings)[0], None),
    "no siblings, spread 1000": lambda rng, unary, siblings: (1000.0 * unary, None),
}

families = pytest.mark.parametrize("family", FAMILIES)


def chains(family: str) -> list[Chain]:
    """0 to 4 modifiers with 1 to 4 labels; the corner of the siblings, start to end, means nothing."""
    found = []
    for count in range(5):
        for labels in range(1, 5):
            for seed in range(2):
                rng = np.random.default_rng([list(FAMILIES).index(family), count, labels, seed])
                unary = rng.normal(size=(count, labels))
                chain = FAMILIES[family](rng, unary, rng.normal(size=(labels + 1, labels + 1)))
                if chain[1] is not None:
                    chain[1][-1, -1] = rng.choice([-np.inf, 0.0, 1e9])
                found.append(chain)
    return found


def assert_score(got, expected):
    assert isinstance(got, float)
    assert abs(got - expected) <= 1e-9


@families
def test_best(family):
    for unary, siblings in chains(family):
        every = Labellings(unary, siblings)
        labels, score = best_labels(unary, siblings)
        assert labels.dtype == np.int32
        assert labels.shape == unary.shape[:1]
        assert_score(score, every.best)
        assert_score(score, sum(every.parts(labels)))


@families
@pytest.mark.parametrize("k", [1, 2, 7, 300])
def test_kbest(family, k):
    for unary, siblings in chains(family):
        every = Labellings(unary, siblings)
        found = kbest_labels(unary, k, siblings)
        assert len(found) == min(k, len(every.labels))
        assert len({tuple(labels.tolist()) for labels, _ in found}) == len(found)
        scores = np.array([score for _, score in found])
        assert (np.diff(scores) <= 0).all()
        np.testing.assert_allclose(scores, every.top_scores(k), rtol=0, atol=1e-9)
        for labels, score in found:
            assert labels.dtype == np.int32
            assert_score(score, sum(every.parts(labels)))


@families
def test_sums(family):
    for unary, siblings in chains(family):
        every = Labellings(unary, siblings)
        got = label_probabilities(unary, siblings)
        assert_score(got.log_partition, every.log_partition)
        assert_expectations(got.probabilities, every.probabilities)
        assert (got.probabilities[unary == -np.inf] == 0).all()
        assert (got.pairs is None) == (siblings is None)
        if got.pairs is not None:
            assert_expectations(got.pairs, every.pairs)
            assert got.pairs[-1, -1] == 0


def assert_expectations(got, expected):
    assert got.shape == expected.shape
    assert (got >= 0).all()
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9)
    told = expected > 1e-100
    np.testing.assert_allclose(got[told], expected[told], rtol=1e-9, atol=0)


@families
def test_pairs_without_siblings(family):
    """The core can count neighbours though they score nothing, and adds the counts to what was there."""
    for unary, _ in chains(family):
        states = unary.shape[1] + 1
        pairs = np.ones((states, states))
        _core.sum_chain(unary, None, np.empty_like(unary), pairs)
        np.testing.assert_allclose(pairs - 1, Labellings(unary).pairs, rtol=0, atol=1e-9)


def test_both_ways_of_summing_agree():
    """A shift of the siblings takes the sum from exponentials to logarithms, and must change nothing else."""
    rng = np.random.default_rng(0)
    for count, labels in ((1, 5), (7, 3), (30, 40)):
        unary, siblings = rng.normal(size=(count, labels)), rng.normal(size=(labels + 1, labels + 1))
        near, far = label_probabilities(unary, siblings), label_probabilities(unary, siblings + 1000)
        np.testing.assert_allclose(near.probabilities, far.probabilities, rtol=0, atol=1e-9)
        np.testing.assert_allclose(near.pairs, far.pairs, rtol=0, atol=1e-9)
        assert near.log_partition == pytest.approx(far.log_partition - 1000 * (count + 1), abs=1e-9, rel=0)
        np.testing.assert_allclose(near.probabilities.sum(axis=1), 1, atol=1e-12)
        assert near.pairs.sum() == pytest.approx(count + 1)


def test_long_chains_do_not_overflow():
    rng = np.random.default_rng(1)
    unary, siblings = 100 * rng.normal(size=(400, 3)), 20 * rng.normal(size=(4, 4))
    near, far = label_probabilities(unary, siblings), label_probabilities(unary, siblings + 1000)
    assert np.isfinite(near.log_partition)
    np.testing.assert_allclose(near.probabilities, far.probabilities, rtol=0, atol=1e-8)
    best = best_labels(unary, siblings)
    assert best.score == kbest_labels(unary, 2, siblings)[0].score
    assert best.score <= near.log_partition


def test_inputs_are_copied_as_needed():
    unary = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    expected = best_labels(np.ascontiguousarray(unary))
    assert best_labels(unary).labels.tolist() == expected.labels.tolist() == [2, 2]
    assert best_labels(unary.astype(np.float32)).score == expected.score


IMPOSSIBLE = [
    (np.array([[0.0, 1.0], [-np.inf, -np.inf]]), None),
    (np.array([[0.0, 1.0], [-np.inf, -np.inf]]), np.zeros((3, 3))),
    (np.zeros((2, 2)), np.full((3, 3), -np.inf)),
    (np.zeros((1, 1)), np.array([[0.0, 0.0], [-np.inf, 0.0]])),
]


@pytest.mark.parametrize(("unary", "siblings"), IMPOSSIBLE)
def test_nothing_is_possible(unary, siblings):
    for function in (best_labels, label_probabilities, lambda *chain: kbest_labels(chain[0], 3, chain[1])):
        with pytest.raises(InfeasibleTreeError, match="no labelling is possible"):
            function(unary, siblings)


@pytest.mark.parametrize(
    ("unary", "siblings", "message"),
    [
        (np.zeros(2), None, "unary must have the shape"),
        (np.zeros((2, 0)), None, "unary must have the shape"),
        (np.array([[np.nan]]), None, "unary must not contain nan"),
        (np.array([[np.inf]]), None, "unary must not contain nan or \\+inf"),
        (np.zeros((1, 2)), np.zeros((2, 2)), "siblings must have the shape \\(3, 3\\)"),
        (np.zeros((1, 1)), np.full((2, 2), np.nan), "siblings must not contain nan"),
    ],
)
def test_wrong_scores(unary, siblings, message):
    for function in (best_labels, label_probabilities, lambda *chain: kbest_labels(chain[0], 3, chain[1])):
        with pytest.raises(InvalidScoresError, match=message):
            function(unary, siblings)


def test_wrong_k():
    with pytest.raises(ValueError, match="k must be at least 1"):
        kbest_labels(np.zeros((1, 1)), 0)
