"""Labelled multi-digraphs: every operation against the enumeration of all labelled trees."""

from __future__ import annotations

import numpy as np
import pytest
from contract.test_trees_scores import (
    arcs_of,
    assert_probabilities,
    assert_ranked,
    assert_tree,
    assert_value,
    draw,
    families,
    kinds,
    labelled_draws,
)
from oracles import trees as oracle

from arbora import trees


@families
@kinds
def test_mst(family, kind):
    for scores in labelled_draws(family):
        tree = trees.mst(scores, **kind)
        assert_tree(tree, scores, kind)
        assert_value(tree.score, oracle.forest(scores, **kind).best)
        assert_value(tree.score, oracle.score_of(scores, tree.heads, tree.labels))


@families
@kinds
def test_log_partition(family, kind):
    for scores in labelled_draws(family):
        assert_value(trees.log_partition(scores, **kind), oracle.log_partition(scores, **kind))


@families
@kinds
def test_entropy(family, kind):
    for scores in labelled_draws(family):
        got = trees.entropy(scores, **kind)
        assert got >= 0
        assert_value(got, oracle.entropy(scores, **kind))


@families
@kinds
def test_marginals_and_complements(family, kind):
    for scores in labelled_draws(family):
        arcs = arcs_of(scores.shape)
        got = trees.marginals(scores, **kind)
        assert_probabilities(got, oracle.marginals(scores, **kind))
        assert (got[scores == -np.inf] == 0).all()
        assert (got[~arcs] == 0).all()
        complements = trees.marginals(scores, complement=True, **kind)
        assert complements.shape == scores.shape
        assert_probabilities(complements[arcs], oracle.marginals(scores, complement=True, **kind)[arcs])


@families
@kinds
@pytest.mark.parametrize("k", [1, 3, 10, 1000])
def test_kbest(family, kind, k):
    for scores in labelled_draws(family):
        assert_ranked(trees.kbest(scores, k, **kind), scores, kind, k)


@families
@kinds
@pytest.mark.parametrize("labelled", [True, False])
def test_mbr(family, kind, labelled):
    for scores in labelled_draws(family):
        tree = trees.mbr(scores, labelled=labelled, **kind)
        expected = oracle.mbr(scores, labelled=labelled, **kind)
        marginals = oracle.marginals(scores, **kind)
        assert_tree(tree, scores, kind)
        assert_value(tree.score, expected)
        if labelled:
            assert_value(oracle.score_of(marginals, tree.heads, tree.labels), expected)
        else:
            assert_value(oracle.score_of(marginals.sum(axis=2), tree.heads), expected)
            chosen = marginals[tree.heads[1:], np.arange(1, len(tree.heads))]
            picked = chosen[np.arange(len(chosen)), tree.labels[1:]]
            np.testing.assert_allclose(picked, chosen.max(axis=1), rtol=0, atol=1e-9)


@kinds
def test_one_label_is_no_label(kind):
    for seed in range(5):
        scores = draw("normal", 5, seed=seed)
        plain, labelled = trees.mst(scores, **kind), trees.mst(scores[:, :, None], **kind)
        assert plain.heads.tolist() == labelled.heads.tolist()
        assert labelled.labels.tolist() == [-1, 0, 0, 0, 0, 0]
        assert trees.log_partition(scores[:, :, None], **kind) == trees.log_partition(scores, **kind)


@kinds
def test_labels_of_one_arc_add_up(kind):
    """The unlabelled marginals of log-sum-exp scores are the labelled ones, summed."""
    scores = draw("normal", 6, 4)
    summed = np.logaddexp.reduce(scores, axis=2)
    assert_value(trees.log_partition(scores, **kind), trees.log_partition(summed, **kind))
    assert_probabilities(trees.marginals(scores, **kind).sum(axis=2), trees.marginals(summed, **kind))
