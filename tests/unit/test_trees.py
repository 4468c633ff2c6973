"""What comes out of ``arbora.trees``, as objects: a tree, and a row of trees."""

from __future__ import annotations

import numpy as np
import pytest

from arbora import trees


@pytest.fixture
def two() -> trees.Trees:
    heads = np.array([[-1, 0, 1], [-1, 2, 0]], dtype=np.int32)
    labels = np.array([[-1, 3, 4], [-1, 5, 6]], dtype=np.int32)
    return trees.Trees(heads, labels, np.array([2.5, 1.0]))


def test_trees_are_a_sequence(two):
    assert len(two) == 2
    assert [tree.heads.tolist() for tree in two] == [[-1, 0, 1], [-1, 2, 0]]
    assert two[1].labels.tolist() == [-1, 5, 6]
    assert two[-1].score == 1.0
    assert isinstance(two[0].score, float)
    with pytest.raises(IndexError):
        two[2]


def test_trees_without_labels(two):
    plain = trees.Trees(two.heads, None, two.scores)
    assert plain[0].labels is None
    assert [tree.labels for tree in plain] == [None, None]


def test_a_tree_unpacks(two):
    heads, labels, score = two[0]
    assert (heads.tolist(), labels.tolist(), score) == ([-1, 0, 1], [-1, 3, 4], 2.5)


def test_constrain_copies():
    scores = np.zeros((3, 3))
    constrained = trees.constrain(scores, forbidden=np.ones((3, 3), dtype=bool))
    assert (constrained == -np.inf).all()
    assert (scores == 0).all()
    assert trees.constrain(scores) is not scores


def test_constrain_takes_any_floats():
    constrained = trees.constrain(np.ones((3, 3), dtype=np.float32))
    assert constrained.dtype == np.float64


def test_every_public_name_exists():
    assert all(hasattr(trees, name) for name in trees.__all__)
