"""Scores nobody would write by hand: operations agree with enumeration, or say that there is no tree."""

from __future__ import annotations

import numpy as np
import pytest
from contract.test_trees_scores import arcs_of, assert_probabilities, assert_tree, assert_value, kinds
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import trees as oracle

from arbora import trees

values = st.one_of(
    st.just(-np.inf),
    st.floats(-1e6, 1e6),
    st.floats(-3, 3),
    st.integers(-2, 2).map(float),
    st.sampled_from([-1e6, 1e6, 0.0, 1e-300]),
)


@st.composite
def score_arrays(draw: st.DrawFn) -> np.ndarray:
    n = draw(st.integers(0, 4))
    labels = draw(st.sampled_from([(), (), (1,), (2,)])) if n <= 3 else ()
    shape = (n + 1, n + 1, *labels)
    size = int(np.prod(shape))
    return np.array(draw(st.lists(values, min_size=size, max_size=size))).reshape(shape)


@kinds
@settings(max_examples=150, deadline=None, derandomize=True)
@given(scores=score_arrays())
def test_any_scores(kind, scores):
    try:
        forest = oracle.forest(scores, **kind)
    except oracle.NoTreeError:
        assert_infeasible(scores, kind)
        return
    arcs = arcs_of(scores.shape)
    # Sums of 1e6 that cancel leave the rounding of the sums, which no algorithm in float64 can avoid.
    slack = 4e-16 * forest.magnitude * len(scores)
    assert (
        abs(trees.log_partition(scores, **kind) - forest.log_partition)
        <= tolerance(forest.log_partition) + slack
    )
    assert_value(trees.entropy(scores, **kind), forest.entropy)
    assert_probabilities(trees.marginals(scores, **kind), forest.marginals)
    complements = trees.marginals(scores, complement=True, **kind)
    assert_probabilities(complements[arcs], forest.complements[arcs])
    best, safest = trees.mst(scores, **kind), trees.mbr(scores, **kind)
    assert abs(best.score - forest.best) <= tolerance(forest.best) + slack
    assert_value(safest.score, forest.most_right_arcs())
    several = trees.kbest(scores, 30, **kind)
    assert np.abs(several.scores - forest.top_scores(30)).max() <= tolerance(forest.best) + slack
    for tree in (best, safest, *several, *trees.sample(scores, 3, **kind)):
        assert_tree(tree, scores, kind)


@pytest.mark.parametrize("single_root", [False, True])
def test_the_largest_scores(single_root):
    """Multiples of 1e10, the largest that sums take; they cancel without rounding, so that ties are ties.

    (Charts of projective trees work in logarithms, of which 1e10 leaves six digits behind the point.)
    """
    rng = np.random.default_rng(5)
    for n in (1, 2, 3, 4):
        for _ in range(10):
            scores = rng.choice([-1e10, 0.0, 1e10], (n + 1, n + 1))
            forest = oracle.forest(scores, single_root=single_root)
            assert_value(trees.log_partition(scores, single_root=single_root), forest.log_partition)
            assert_probabilities(trees.marginals(scores, single_root=single_root), forest.marginals)


SUMS = (trees.log_partition, trees.marginals, trees.entropy, trees.mbr, trees.sample)


@kinds
@pytest.mark.parametrize("operation", SUMS)
@pytest.mark.parametrize("large", [-3.4e38, -1.1e10, 1.1e10, 1e300])
def test_scores_too_large_for_sums_are_refused(kind, operation, large):
    scores = np.zeros((4, 4))
    scores[2, 3] = large
    with pytest.raises(trees.InvalidScoresError, match=r"beyond 1e10 or -1e10.* use -inf to forbid an arc"):
        operation(scores, **kind)
    with pytest.raises(trees.InvalidScoresError, match=r"sentence 1.*beyond 1e10"):
        operation([np.zeros((4, 4)), scores], **kind)
    labelled = np.zeros((4, 4, 2))
    labelled[2, 3, 1] = large
    with pytest.raises(trees.InvalidScoresError, match="beyond 1e10"):
        operation(labelled, **kind)
    # The best tree needs no sums, and what is no arc may be anything.
    assert (trees.mst(scores, **kind).heads[3] == 2) == (large > 0)
    scores[2, 3], scores[2, 2], scores[1, 0] = -np.inf, large, large
    operation(scores, **kind)


def tolerance(value: float) -> float:
    return 1e-9 * max(1.0, abs(value))


def assert_infeasible(scores: np.ndarray, kind: dict[str, bool]) -> None:
    for operation in (
        trees.mst,
        trees.log_partition,
        trees.marginals,
        trees.entropy,
        trees.mbr,
        trees.sample,
    ):
        with pytest.raises(trees.InfeasibleTreeError, match=r"\d"):
            operation(scores, **kind)
    with pytest.raises(trees.InfeasibleTreeError, match=r"\d"):
        trees.kbest(scores, 3, **kind)
