"""The scores that the contract tests of spanning trees attack with, and what they check answers by.

A family is a function of a generator and a shape, ``(n+1, n+1)`` or ``(n+1, n+1, labels)``. A new family is
one line of ``FAMILIES``, and every operation meets it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from oracles import trees as oracle

Family = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def _sparse(rng, shape, base, share=0.5):
    """Forbid a random share of the arcs, but none of one projective tree with a single root."""
    scores = np.where(rng.random(shape) < share, -np.inf, base)
    for token, head in enumerate(rng.permutation(oracle.all_trees(shape[0] - 1, True, True))[0]):
        if token:
            place = (head, token, *(int(rng.integers(size)) for size in shape[2:]))
            scores[place] = base[place]
    return scores


def _mixed(rng, shape):
    """Scores of +-1e6 beside scores of 1 and forbidden arcs."""
    base = np.where(rng.random(shape) < 0.3, rng.uniform(-1e6, 1e6, shape), rng.normal(size=shape))
    return _sparse(rng, shape, base, 0.25)


def _giants(rng, shape):
    """Scores of exactly +-1e6 with small ones on top: the giants cancel, and the small ones must survive."""
    return rng.choice([-1e6, 0.0, 1e6], shape) + rng.normal(size=shape)


def _cycles(strength):
    """Greedy choice of heads goes round in circles: a two-cycle and a three-cycle outbid all else."""

    def draw(rng, shape):
        scores = rng.normal(size=shape)
        tokens = 1 + rng.permutation(shape[0] - 1)
        for cycle in (tokens[:2], tokens[2:5]):
            if len(cycle) > 1:
                scores[cycle, np.roll(cycle, 1)] += strength
        return scores

    return draw


def _root(shift):
    def draw(rng, shape):
        scores = rng.normal(size=shape)
        scores[0] += shift
        return scores

    return draw


FAMILIES: dict[str, Family] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "positive": lambda rng, shape: rng.uniform(0, 10, shape),
    "negative": lambda rng, shape: rng.uniform(-10, 0, shape),
    "shifted up": lambda rng, shape: rng.normal(size=shape) + 1000,
    "shifted down": lambda rng, shape: rng.normal(size=shape) - 1000,
    "tied": lambda rng, shape: rng.integers(-1, 2, shape).astype(float),
    "equal": lambda rng, shape: np.full(shape, rng.normal()),
    "sparse": lambda rng, shape: _sparse(rng, shape, rng.normal(size=shape)),
    "very sparse": lambda rng, shape: _sparse(rng, shape, rng.normal(size=shape), 0.8),
    "extreme": lambda rng, shape: rng.uniform(-1e6, 1e6, shape),
    "extreme mixed": _mixed,
    "giants": _giants,
    "spread 100": lambda rng, shape: rng.normal(size=shape) * 100,
    "spread 10000": lambda rng, shape: rng.normal(size=shape) * 1e4,
    "cycles 50": _cycles(50),
    "cycles 500": _cycles(500),
    "cycles 100000": _cycles(1e5),
    "root +40": _root(40),
    "root +10000": _root(1e4),
    "root -40": _root(-40),
    "root -10000": _root(-1e4),
}

kinds = pytest.mark.parametrize(
    "kind",
    [{"single_root": single_root, "projective": projective} for single_root, projective in oracle.KINDS],
    ids=lambda kind: "-".join(
        [("multi", "single")[kind["single_root"]], ("crossing", "projective")[kind["projective"]]]
    ),
)
families = pytest.mark.parametrize("family", FAMILIES)


def draw(family: str, n: int, *labels: int, seed: int = 0) -> np.ndarray:
    """One score array of a family. What is no arc gets values too, since they must not matter."""
    rng = np.random.default_rng([list(FAMILIES).index(family), n, *labels, seed])
    scores = FAMILIES[family](rng, (n + 1, n + 1, *labels))
    scores[np.arange(n + 1), np.arange(n + 1)] = rng.choice([-np.inf, 0.0, 1e6])
    scores[:, 0] = rng.choice([-np.inf, 0.0, 1e6])
    return scores


def draws(family: str) -> Iterator[np.ndarray]:
    """Scores of 1 to 6 tokens, fewer of the long ones: enumeration pays for each."""
    for n, seeds in ((1, 2), (2, 5), (3, 6), (4, 4), (5, 2), (6, 1)):
        yield from (draw(family, n, seed=seed) for seed in range(seeds))


def labelled_draws(family: str) -> Iterator[np.ndarray]:
    """Scores of up to 3 tokens and 3 labels."""
    for n in (1, 2, 3):
        for labels in (1, 2, 3):
            yield from (draw(family, n, labels, seed=seed) for seed in range(2))


def arcs_of(shape: tuple[int, ...]) -> np.ndarray:
    """Where an array of that shape holds arcs: not on the diagonal, not in column 0."""
    mask = np.ones(shape, dtype=bool)
    mask[np.arange(shape[0]), np.arange(shape[0])] = False
    mask[:, 0] = False
    return mask


def assert_value(got: float, expected: float) -> None:
    assert isinstance(got, float)
    assert abs(got - expected) <= 1e-9 + 1e-14 * abs(expected), (got, expected)


def assert_probabilities(got: np.ndarray, expected: np.ndarray) -> None:
    """Right to 1e-9, and where they are tiny, still right in nine digits."""
    assert got.shape == expected.shape
    assert got.dtype == np.float64
    assert (got >= 0).all()
    assert (got <= 1).all()
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9)
    told = expected > 1e-200
    np.testing.assert_allclose(got[told], expected[told], rtol=1e-9, atol=0)


def assert_tree(tree, scores: np.ndarray, kind: dict[str, bool]) -> None:
    """A tree of the right kind and types, over arcs that exist."""
    heads, labels, score = tree
    assert heads.dtype == np.int32
    assert heads.shape == scores.shape[:1]
    assert oracle.is_tree(heads, **kind), heads
    assert isinstance(score, float)
    assert (labels is None) == (scores.ndim == 2)
    if labels is not None:
        assert labels.dtype == np.int32
        assert labels[0] == -1
        assert ((labels[1:] >= 0) & (labels[1:] < scores.shape[2])).all()
    assert oracle.score_of(scores, heads, labels) > -np.inf


def assert_ranked(got, scores: np.ndarray, kind: dict[str, bool], k: int) -> None:
    """The k best trees: as many as there are, in order, none twice, of the scores that enumeration gives."""
    forest = oracle.forest(scores, **kind)
    expected = forest.top_scores(k)
    assert len(got) == len(got.heads) == len(expected) == min(k, len(forest.cells))
    assert got.heads.dtype == np.int32
    assert oracle.is_tree(got.heads, **kind)
    assert (np.diff(got.scores) <= 0).all()
    rows, place = got.heads, (got.heads[:, 1:], np.arange(1, len(scores)))
    if scores.ndim == 3:
        assert (got.labels[:, 0] == -1).all()
        rows, place = np.hstack([got.heads, got.labels]), (*place, got.labels[:, 1:])
    assert len(np.unique(rows, axis=0)) == len(got)
    allowed = 1e-9 + 1e-14 * np.abs(expected)
    assert (np.abs(got.scores - expected) <= allowed).all()
    assert (np.abs(got.scores - scores[place].sum(axis=1)) <= allowed).all()


@families
@kinds
def test_families_have_trees(family, kind):
    for scores in (*draws(family), *labelled_draws(family)):
        assert len(oracle.forest(scores, **kind).cells) >= 1
