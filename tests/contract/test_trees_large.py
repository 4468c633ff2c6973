"""Long sentences: no NaN, probabilities that add up, and the best trees of textbook algorithms."""

from __future__ import annotations

import numpy as np
import pytest
from contract.test_trees_scores import assert_value, draw, kinds
from oracles import trees as oracle

from arbora import trees

FAMILIES = ["normal", "extreme", "spread 100", "cycles 500"]
lengths = pytest.mark.parametrize(
    ("n", "kind"),
    [
        pytest.param(n, {"single_root": single, "projective": projective}, id=f"{n}-{single}-{projective}")
        for single, projective in oracle.KINDS
        for n in (1, 2, 50, 200, 1000 if single else 400)
    ],
)


@lengths
@pytest.mark.parametrize("family", ["normal", "extreme"])
def test_best_tree(n, kind, family):
    scores = draw(family, n)
    tree = trees.mst(scores, **kind)
    assert oracle.is_tree(tree.heads, kind["single_root"], kind["projective"])
    assert_value(tree.score, oracle.score_of(scores, tree.heads))


@lengths
@pytest.mark.parametrize("family", ["normal", "extreme"])
def test_marginals(n, kind, family):
    scores = draw(family, n)
    marginals = trees.marginals(scores, **kind)
    assert np.isfinite(marginals).all()
    assert (marginals >= 0).all()
    assert (marginals <= 1).all()
    np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1, rtol=0, atol=1e-9)
    if kind["single_root"]:
        assert abs(marginals[0].sum() - 1) < 1e-9


@lengths
@pytest.mark.parametrize("family", ["normal", "extreme"])
def test_log_partition(n, kind, family):
    """Between the best tree alone and the best tree times the number of head vectors."""
    scores = draw(family, n)
    value, best = trees.log_partition(scores, **kind), trees.mst(scores, **kind).score
    slack = 1e-12 * np.abs(scores[:, 1:]).max() * n
    assert best - slack <= value <= best + n * np.log(n) + slack


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("single_root", "n"), [(False, 200), (True, 100)])
def test_best_tree_against_the_textbook(family, single_root, n):
    """Shorter with a single root, since the textbook tries n of them; 200 tokens once, below."""
    assert_best(draw(family, n), single_root)


def test_best_single_root_tree_of_200_tokens_against_the_textbook():
    assert_best(draw("normal", 200), single_root=True)


def assert_best(scores, single_root):
    expected = oracle.chu_liu_edmonds(scores, single_root)
    got = trees.mst(scores, single_root=single_root).score
    assert abs(got - expected) <= 1e-13 * np.abs(scores[:, 1:]).max() * len(scores)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("family", FAMILIES)
def test_best_projective_tree_of_30_tokens_against_the_textbook(single_root, family):
    scores = draw(family, 30)
    expected = oracle.eisner(scores, single_root)
    got = trees.mst(scores, single_root=single_root, projective=True).score
    assert_value(got, expected)


@pytest.mark.parametrize("single_root", [True, False])
def test_many_random_sentences_against_the_textbook(single_root):
    """Ties included: small integers make cycles of equal score inside each other."""
    rng = np.random.default_rng(8)
    batch = [rng.integers(0, 4, (n + 1, n + 1)).astype(float) for n in rng.integers(1, 15, 300)]
    found = trees.mst(batch, single_root=single_root)
    for scores, tree in zip(batch, found, strict=True):
        assert oracle.is_tree(tree.heads, single_root, projective=False)
        assert tree.score == oracle.chu_liu_edmonds(scores, single_root)


def matrix_tree(scores: np.ndarray, single_root: bool) -> float:
    """log Z by LAPACK's determinant (Koo et al. 2007), good where scores are benign."""
    weights = np.exp(scores)
    np.fill_diagonal(weights, 0)
    arcs = weights[1:, 1:]
    if not single_root:
        return np.linalg.slogdet(np.diag(weights[:, 1:].sum(axis=0)) - arcs)[1]
    laplacian = np.diag(arcs.sum(axis=0)) - arcs
    laplacian[0] = weights[0, 1:]
    return np.linalg.slogdet(laplacian)[1]


@pytest.mark.parametrize("single_root", [True, False])
def test_log_partition_of_60_tokens_against_a_determinant(single_root):
    scores = draw("normal", 60)
    assert_value(trees.log_partition(scores, single_root=single_root), matrix_tree(scores, single_root))


@kinds
@pytest.mark.parametrize("n", [50, 120])
def test_marginals_of_long_sentences_are_the_gradient(kind, n):
    """Along one random direction: one derivative that every marginal takes part in."""
    scores = draw("normal", n)
    direction = np.random.default_rng(6).normal(size=scores.shape)
    np.fill_diagonal(direction, 0)
    direction[:, 0] = 0
    step = 1e-5
    up, down = (trees.log_partition(scores + sign * step * direction, **kind) for sign in (1, -1))
    slope = float((trees.marginals(scores, **kind) * direction).sum())
    assert (up - down) / (2 * step) == pytest.approx(slope, abs=1e-6)


@kinds
def test_entropy_is_log_partition_minus_expected_score(kind):
    scores = draw("normal", 60)
    expected = (trees.marginals(scores, **kind) * np.where(np.isfinite(scores), scores, 0)).sum()
    assert_value(trees.entropy(scores, **kind), trees.log_partition(scores, **kind) - float(expected))


@kinds
@pytest.mark.parametrize("family", ["normal", "tied", "cycles 50"])
def test_kbest_of_40_tokens(kind, family):
    scores = draw(family, 40)
    found = trees.kbest(scores, 200, **kind)
    assert len(found) == 200
    assert (np.diff(found.scores) <= 0).all()
    assert len(set(map(tuple, found.heads.tolist()))) == 200
    assert_value(float(found.scores[0]), trees.mst(scores, **kind).score)
    for tree in found:
        assert oracle.is_tree(tree.heads, **kind)
        assert_value(tree.score, oracle.score_of(scores, tree.heads))


@kinds
def test_second_best_is_the_best_that_differs_in_one_arc(kind):
    """Forbid each arc of the best tree in turn: the best of what is left is the second best."""
    scores = draw("normal", 25)
    first, second = trees.kbest(scores, 2, **kind)
    others = []
    for token in range(1, 26):
        forbidden = np.zeros(scores.shape, dtype=bool)
        forbidden[first.heads[token], token] = True
        others.append(trees.mst(scores, forbidden=forbidden, **kind).score)
    assert_value(second.score, max(others))


def lapack_marginals(scores: np.ndarray, single_root: bool) -> np.ndarray:
    """The textbook inverse of the Laplacian (Koo et al. 2007, section 3), for benign scores."""
    n = len(scores) - 1
    weights = np.exp(scores[:, 1:])
    weights[np.arange(1, n + 1), np.arange(n)] = 0
    roots, arcs = weights[0], weights[1:]
    laplacian = np.diag(arcs.sum(axis=0)) - arcs
    if single_root:
        laplacian[0] = roots
    else:
        laplacian += np.diag(roots)
    inverse = np.linalg.inv(laplacian)
    kept, own = inverse.T.copy(), np.diagonal(inverse).copy()
    if single_root:
        kept[0], own[0] = 0, 0
    result = np.zeros_like(scores)
    result[0, 1:] = roots * (inverse[:, 0] if single_root else np.diagonal(inverse))
    result[1:, 1:] = arcs * (own - kept)
    return result


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", [*range(2, 70), 97, 128, 131])
def test_marginals_agree_with_lapack_at_every_length(n, single_root):
    # The core works on halves, quarters and blocks of vectors: every length has its own edges.
    scores = np.random.default_rng(n).normal(size=(n + 1, n + 1))
    found = trees.marginals(scores, single_root=single_root)
    np.testing.assert_allclose(found, lapack_marginals(scores, single_root), rtol=1e-9, atol=1e-12)
