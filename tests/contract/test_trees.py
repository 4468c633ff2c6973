"""Every operation of ``arbora.trees`` on every kind of tree and scores, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from contract.test_trees_scores import (
    arcs_of,
    assert_probabilities,
    assert_ranked,
    assert_tree,
    assert_value,
    draws,
    families,
    kinds,
)
from oracles import trees as oracle

from arbora import trees


@families
@kinds
def test_mst(family, kind):
    for scores in draws(family):
        tree = trees.mst(scores, **kind)
        assert_tree(tree, scores, kind)
        assert_value(tree.score, oracle.forest(scores, **kind).best)
        assert_value(tree.score, oracle.score_of(scores, tree.heads))


@families
@kinds
def test_mst_is_one_of_the_best(family, kind):
    """Not only its score: the tree itself is exactly as good as the best, but for the rounding of sums."""
    for scores in draws(family):
        forest = oracle.forest(scores, **kind)
        gap = forest.best - oracle.score_of(scores, trees.mst(scores, **kind).heads)
        assert gap <= 1e-14 * max(1.0, np.abs(scores[np.isfinite(scores)]).max())


@families
@kinds
def test_log_partition(family, kind):
    for scores in draws(family):
        assert_value(trees.log_partition(scores, **kind), oracle.log_partition(scores, **kind))


@families
@kinds
def test_marginals(family, kind):
    for scores in draws(family):
        got = trees.marginals(scores, **kind)
        assert_probabilities(got, oracle.marginals(scores, **kind))
        assert (got[scores == -np.inf] == 0).all()
        assert (got[~arcs_of(scores.shape)] == 0).all()


@families
@kinds
def test_complements(family, kind):
    for scores in draws(family):
        arcs = arcs_of(scores.shape)
        got = trees.marginals(scores, complement=True, **kind)
        assert got.shape == scores.shape
        assert_probabilities(got[arcs], oracle.marginals(scores, complement=True, **kind)[arcs])


@families
@kinds
def test_entropy(family, kind):
    for scores in draws(family):
        got = trees.entropy(scores, **kind)
        assert got >= 0
        assert_value(got, oracle.entropy(scores, **kind))


@families
@kinds
@pytest.mark.parametrize("k", [1, 3, 10, 1000])
def test_kbest(family, kind, k):
    for scores in draws(family):
        assert_ranked(trees.kbest(scores, k, **kind), scores, kind, k)


@families
@kinds
def test_mbr(family, kind):
    for scores in draws(family):
        tree = trees.mbr(scores, **kind)
        expected = oracle.mbr(scores, **kind)
        assert_tree(tree, scores, kind)
        assert_value(tree.score, expected)
        assert_value(oracle.score_of(oracle.marginals(scores, **kind), tree.heads), expected)


@kinds
@pytest.mark.parametrize("labels", [(), (2,)])
def test_a_sentence_without_tokens_has_one_empty_tree(kind, labels):
    scores = np.zeros((1, 1, *labels))
    for tree in (trees.mst(scores, **kind), trees.mbr(scores, **kind), *trees.kbest(scores, 5, **kind)):
        assert tree.heads.tolist() == [-1]
        assert tree.score == 0
        assert tree.labels is None if not labels else tree.labels.tolist() == [-1]
    assert trees.log_partition(scores, **kind) == 0
    assert trees.entropy(scores, **kind) == 0
    assert trees.marginals(scores, **kind).tolist() == np.zeros_like(scores).tolist()
    assert trees.sample(scores, 3, **kind).heads.tolist() == [[-1]] * 3
