"""The slow twin itself, against what is known without it: counts of trees, awkward arithmetic."""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import comb, log

import numpy as np
import pytest
from oracles import trees as oracle


@pytest.mark.parametrize("n", range(7))
def test_counts(n):
    counts = [len(oracle.all_trees(n, single_root, projective)) for single_root, projective in oracle.KINDS]
    if n == 0:
        assert counts == [1, 1, 1, 1]
        return
    assert counts == [
        n ** (n - 1),  # Cayley, rooted
        comb(3 * n - 2, n - 1) // n,  # pairs of non-crossing trees, one on each side of the root
        (n + 1) ** (n - 1),  # Cayley
        comb(3 * n, n) // (2 * n + 1),  # non-crossing trees on n + 1 points
    ]


@pytest.mark.parametrize(("single_root", "projective"), oracle.KINDS)
@pytest.mark.parametrize("n", range(7))
def test_zero_scores_count_trees(n, single_root, projective):
    count = len(oracle.all_trees(n, single_root, projective))
    zeros = np.zeros((n + 1, n + 1))
    kind = {"single_root": single_root, "projective": projective}
    assert oracle.log_partition(zeros, **kind) == pytest.approx(log(count), abs=1e-14)
    assert oracle.entropy(zeros, **kind) == pytest.approx(log(count), abs=1e-13)
    assert oracle.mst(zeros, **kind)[2] == 0
    assert oracle.mst(zeros, **kind)[0][0] == -1


def test_three_tokens_by_hand():
    chains = {(-1, 0, 1, 2), (-1, 0, 3, 1), (-1, 2, 0, 1), (-1, 3, 0, 2), (-1, 2, 3, 0), (-1, 3, 1, 0)}
    stars = {(-1, 0, 1, 1), (-1, 2, 0, 2), (-1, 3, 3, 0)}
    single = set(map(tuple, oracle.all_trees(3).tolist()))
    assert single == chains | stars
    crossing = {heads for heads in single if not oracle.is_tree(np.array(heads), True, True)}
    # 1 and 3 cannot be joined over 2 when 2 is the root: the root's arc to 2 crosses theirs.
    assert crossing == {(-1, 2, 0, 1), (-1, 3, 0, 2)}


@pytest.mark.parametrize("heads", [[-1, 2, 1], [-1, 1, 0], [0, 0, 1], [-1, -1, 0]])
def test_no_trees(heads):
    assert not oracle.is_tree(np.array(heads), single_root=False, projective=False)


def test_two_roots_are_a_tree_only_if_allowed():
    assert oracle.is_tree(np.array([-1, 0, 0]), single_root=False, projective=True)
    assert not oracle.is_tree(np.array([-1, 0, 0]), single_root=True, projective=True)


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6])
@pytest.mark.parametrize(("single_root", "projective"), oracle.KINDS)
def test_against_fifty_digits(scale, single_root, projective):
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(5, 5)) + scale * rng.integers(-1, 2, size=(5, 5))
    scores[2, 3] = scores[3, 1] = -np.inf
    forest = oracle.forest(scores, single_root, projective)
    with localcontext() as context:
        context.prec, context.Emin = 50, -999_999_999
        exact = [sum(map(Decimal, scores[heads[1:], np.arange(1, 5)])) for heads in forest.heads()]
        total = sum(value.exp() for value in exact)
        probabilities = [value.exp() / total for value in exact]
        entropy = -sum(p * p.ln() for p in probabilities)
        with_arc = [p for p, heads in zip(probabilities, forest.heads(), strict=True) if heads[4] == 1]
        without = [p for p, heads in zip(probabilities, forest.heads(), strict=True) if heads[4] != 1]
        expected = [float(v) for v in (total.ln(), entropy, sum(with_arc), sum(without), max(exact))]
    got = [
        forest.log_partition,
        forest.entropy,
        forest.marginals[1, 4],
        forest.complements[1, 4],
        forest.best,
    ]
    assert got == pytest.approx(expected, rel=3e-15)


def test_best_trees_are_found_behind_rounding():
    """In plain sums both trees score 1e6; only exact sums tell them apart."""
    scores = np.zeros((3, 3))
    scores[0, 1], scores[1, 2] = 1e6, 0.0
    scores[0, 2], scores[2, 1] = 1e6, 1e-12
    assert oracle.forest(scores).best_trees() == {(-1, 2, 0)}


def test_labelled_trees_are_all_choices_of_labels():
    scores = np.random.default_rng(0).normal(size=(3, 3, 3))
    forest = oracle.forest(scores, single_root=False)
    assert len(forest.cells) == 3 * 3**2
    summed = np.logaddexp.reduce(scores, axis=2)
    assert forest.log_partition == pytest.approx(oracle.log_partition(summed, single_root=False), abs=1e-13)
    assert forest.marginals.sum(axis=2) == pytest.approx(
        oracle.marginals(summed, single_root=False), abs=1e-13
    )


def test_no_tree():
    scores = np.zeros((3, 3))
    scores[:, 1] = -np.inf
    with pytest.raises(oracle.NoTreeError):
        oracle.log_partition(scores)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", range(6))
def test_textbook_algorithms_against_enumeration(n, single_root):
    for seed in range(10):
        scores = np.random.default_rng(seed).normal(size=(n + 1, n + 1))
        scores[:, 1:][np.random.default_rng(seed).random((n + 1, n)) < 0.1] -= 30
        for projective, algorithm in ((False, oracle.chu_liu_edmonds), (True, oracle.eisner)):
            best = oracle.mst(scores, single_root=single_root, projective=projective)[2]
            assert algorithm(scores, single_root) == pytest.approx(best, abs=1e-12)


def test_textbook_algorithms_with_forbidden_arcs():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        scores = np.where(rng.random((5, 5)) < 0.4, -np.inf, rng.normal(size=(5, 5)))
        for single_root, projective in oracle.KINDS:
            algorithm = oracle.eisner if projective else oracle.chu_liu_edmonds
            try:
                best = oracle.mst(scores, single_root=single_root, projective=projective)[2]
            except oracle.NoTreeError:
                best = -np.inf
            assert algorithm(scores, single_root) == pytest.approx(best, abs=1e-12)
