"""Forced and forbidden arcs, sentences without a tree, and scores that are none."""

from __future__ import annotations

import numpy as np
import pytest
from contract.test_trees_laws import content, operations
from contract.test_trees_scores import (
    arcs_of,
    assert_probabilities,
    assert_tree,
    assert_value,
    draw,
    kinds,
)
from oracles import trees as oracle

from arbora import trees
from arbora.errors import ArboraError

plain_or_labelled = pytest.mark.parametrize("labels", [(), (2,)], ids=["plain", "labelled"])


def arcs(n: int, *pairs: tuple[int, int]) -> np.ndarray:
    mask = np.zeros((n + 1, n + 1), dtype=bool)
    for head, token in pairs:
        mask[head, token] = True
    return mask


def random_masks(rng, scores: np.ndarray, kind) -> tuple[np.ndarray, np.ndarray]:
    """Some arcs of one tree forced, some arcs outside it forbidden: feasible, if tight."""
    shape = scores.shape
    chosen = rng.permutation(oracle.all_trees(shape[0] - 1, **kind))[0]
    tokens = np.arange(1, shape[0])
    forced, forbidden = np.zeros(shape, dtype=bool), rng.random(shape) < 0.4
    some = tokens[rng.random(len(tokens)) < 0.5]
    forbidden[chosen[tokens], tokens] = False
    forced[chosen[some], some] = True
    return forced, forbidden


def by_hand(scores: np.ndarray, forced: np.ndarray, forbidden: np.ndarray) -> np.ndarray:
    """The definition, token by token: what is forbidden, and what competes with something forced, is -inf."""
    result = scores.copy()
    for place in np.ndindex(scores.shape):
        competes = forced[:, place[1]].any() and not forced[place]
        if forbidden[place] or competes:
            result[place] = -np.inf
    return result


@kinds
@plain_or_labelled
def test_masks_against_enumeration(kind, labels):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        scores = draw("normal", 3 if labels else 4, *labels, seed=seed)
        forced, forbidden = random_masks(rng, scores, kind)
        options = {"forced": forced, "forbidden": forbidden, **kind}
        expected = by_hand(scores, forced, forbidden)
        forest = oracle.forest(expected, **kind)
        assert_value(trees.log_partition(scores, **options), forest.log_partition)
        assert_value(trees.entropy(scores, **options), forest.entropy)
        assert_probabilities(trees.marginals(scores, **options), forest.marginals)
        found = [trees.mst(scores, **options), trees.mbr(scores, **options)]
        found += [*trees.kbest(scores, 50, **options), *trees.sample(scores, 50, **options)]
        assert_value(found[0].score, forest.best)
        for tree in found:
            assert_tree(tree, expected, kind)
            assert_honoured(tree, forced, forbidden)


def assert_honoured(tree, forced, forbidden):
    tokens = np.arange(1, len(tree.heads))
    place = (tree.heads[1:], tokens) if tree.labels is None else (tree.heads[1:], tokens, tree.labels[1:])
    assert not forbidden[place].any()
    needed = forced.reshape(*forced.shape[:2], -1).any(axis=(0, 2))[1:]
    assert forced[place][needed].all()


@operations
@kinds
@plain_or_labelled
def test_a_mask_is_the_same_as_scores_of_minus_infinity(operation, kind, labels):
    scores = draw("normal", 5, *labels)
    forced, forbidden = random_masks(np.random.default_rng(2), scores, kind)
    expected = by_hand(scores, forced, forbidden)
    assert content(operation(scores, forced=forced, forbidden=forbidden, **kind)) == content(
        operation(expected, **kind)
    )
    arcs = arcs_of(scores.shape)
    constrained = trees.constrain(scores, forced=forced, forbidden=forbidden)
    assert constrained[arcs].tolist() == expected[arcs].tolist()


@operations
def test_masks_without_the_label_axis(operation):
    scores = draw("normal", 4, 3)
    mask = arcs(4, (2, 1), (0, 3))
    forbidden = arcs(4, (3, 2))
    wide = np.repeat(mask[:, :, None], 3, axis=2), np.repeat(forbidden[:, :, None], 3, axis=2)
    assert content(operation(scores, forced=mask, forbidden=forbidden)) == content(
        operation(scores, forced=wide[0], forbidden=wide[1])
    )


def test_forcing_two_labels_leaves_the_choice():
    scores = draw("normal", 3, 3)
    forced = np.zeros((4, 4, 3), dtype=bool)
    forced[0, 2, :2] = True
    marginals = trees.marginals(scores, forced=forced)
    assert marginals[0, 2, :2].sum() == pytest.approx(1, abs=1e-12)
    assert marginals[0, 2, 2] == 0


def test_masks_of_a_batch():
    batch = [draw("normal", 4, seed=seed) for seed in range(3)]
    masks = [arcs(4, (0, seed + 1)) for seed in range(3)]
    found = trees.mst(batch, forced=masks)
    assert [int(tree.heads[seed + 1]) for seed, tree in enumerate(found)] == [0, 0, 0]
    assert content(found) == [
        content(trees.mst(scores, forced=mask)) for scores, mask in zip(batch, masks, strict=True)
    ]


@operations
@kinds
@plain_or_labelled
@pytest.mark.parametrize("token", [1, 3, 5])
def test_a_token_without_a_head(operation, kind, labels, token):
    scores = draw("normal", 5, *labels)
    scores[np.arange(6) != token, token] = -np.inf
    with pytest.raises(trees.InfeasibleTreeError, match=rf"\b{token}\b"):
        operation(scores, **kind)


@operations
@pytest.mark.parametrize("projective", [True, False])
def test_two_forced_roots(operation, projective):
    scores = draw("normal", 5)
    with pytest.raises(trees.InfeasibleTreeError, match=r"\b2\b.*\b5\b"):
        operation(scores, forced=arcs(5, (0, 2), (0, 5)), projective=projective)
    operation(scores, forced=arcs(5, (0, 2), (0, 5)), projective=projective, single_root=False)


@operations
@kinds
@pytest.mark.parametrize("cycle", [(2, 4), (1, 3, 5)])
def test_a_forced_cycle(operation, kind, cycle):
    pairs = zip(cycle, cycle[1:] + cycle[:1], strict=True)
    with pytest.raises(trees.InfeasibleTreeError) as error:
        operation(draw("normal", 5), forced=arcs(5, *pairs), **kind)
    numbers = str(error.value)
    assert any(str(token) in numbers for token in cycle), numbers


@operations
@pytest.mark.parametrize("single_root", [True, False])
def test_forced_arcs_that_cross(operation, single_root):
    scores, forced = draw("normal", 5), arcs(5, (1, 3), (2, 4))
    with pytest.raises(trees.InfeasibleTreeError, match=r"\d"):
        operation(scores, forced=forced, projective=True, single_root=single_root)
    operation(scores, forced=forced, projective=False, single_root=single_root)


@operations
@kinds
def test_no_root_at_all(operation, kind):
    scores = draw("normal", 4)
    scores[0] = -np.inf
    with pytest.raises(trees.InfeasibleTreeError, match=r"\d"):
        operation(scores, **kind)


@operations
def test_a_batch_names_the_sentence(operation):
    batch = [draw("normal", 3), draw("normal", 4), draw("normal", 2)]
    batch[1][:, 2] = -np.inf
    with pytest.raises(trees.InfeasibleTreeError, match=r"sentence 1\b.*\b2\b"):
        operation(batch)


@pytest.mark.parametrize(
    ("forced", "forbidden", "words"),
    [
        (arcs(3, (2, 2)), None, "token 2"),
        (arcs(3, (1, 3), (2, 3)), None, "token 3"),
        (arcs(3, (1, 3)), arcs(3, (1, 3)), "token 3"),
    ],
)
def test_masks_that_contradict_themselves(forced, forbidden, words):
    with pytest.raises(trees.InfeasibleTreeError, match=words):
        trees.mst(np.zeros((4, 4)), forced=forced, forbidden=forbidden)


@operations
@plain_or_labelled
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_no_numbers(operation, labels, bad):
    """Anywhere, also where no arc is: such scores went wrong before they came here."""
    for place in np.ndindex(4, 4):
        scores = draw("normal", 3, *labels)
        scores[place] = bad
        with pytest.raises(trees.InvalidScoresError):
            operation(scores)
        with pytest.raises(trees.InvalidScoresError, match="sentence 1"):
            operation([draw("normal", 2, *labels), scores])


@operations
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 0), (3, 3, 0), (2, 3, 2), (2, 2, 2, 2)])
def test_wrong_shapes(operation, shape):
    with pytest.raises(trees.InvalidScoresError, match="shape"):
        operation(np.zeros(shape))


@operations
def test_a_batch_is_labelled_or_not(operation):
    with pytest.raises(trees.InvalidScoresError, match="label"):
        operation([draw("normal", 3), draw("normal", 3, 2)])


@operations
@pytest.mark.parametrize("name", ["forced", "forbidden"])
@pytest.mark.parametrize(
    "mask",
    [np.zeros((4, 4)), np.zeros((4, 4), dtype=int), np.zeros((3, 3), dtype=bool), np.zeros(4, dtype=bool)],
)
def test_wrong_masks(operation, name, mask):
    with pytest.raises(trees.InvalidScoresError, match=name):
        operation(np.zeros((4, 4)), **{name: mask})


@operations
def test_unknown_options(operation):
    with pytest.raises(TypeError, match="projektive"):
        operation(np.zeros((3, 3)), projektive=True)


def test_no_trees_asked_for():
    with pytest.raises(ValueError, match="k must"):
        trees.kbest(np.zeros((3, 3)), 0)


def test_errors_are_value_errors_of_ours():
    for error in (trees.InfeasibleTreeError, trees.InvalidScoresError):
        assert issubclass(error, ArboraError)
        assert issubclass(error, ValueError)
