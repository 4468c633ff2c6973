"""Losses of partial trees: what nobody knows is summed out, or the best of it counts; by enumeration."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from contract.test_array_loss import (
    MEMBERS,
    MOST_SLOPES,
    PAIRS,
    assert_slopes,
    loss_of,
    members,
    part_case,
    pick_gold,
    slopes,
)
from contract.test_part_graphs import MODELS
from contract.test_trees_scores import draw, families, kinds
from oracles import losses as oracle
from oracles import trees as tree_oracle

from arbora.dependency import ArrayParser, ArrayScores
from arbora.errors import InfeasibleTreeError
from arbora.learning import Loss

SHARES = (0.0, 0.4, 0.8)
"""Of what is known."""


def forget(rng, known: np.ndarray, share: float) -> np.ndarray:
    return np.where(rng.random(known.shape) < share, known, -1).astype(np.int32)


def slope_of(scores: np.ndarray, value) -> np.ndarray:
    return slopes(lambda: scores, [scores], value)[0]


@pytest.mark.parametrize("labels", [(), (2,)], ids=["bare", "labelled"])
@families
@kinds
def test_values_are_those_of_enumeration(family, kind, labels):
    rng = np.random.default_rng([1, len(labels)])
    for n, share in [(n, share) for n in (1, 2, 3) for share in SHARES]:
        scores = draw(family, n, *labels, seed=5)
        forest = tree_oracle.forest(scores, **kind)
        row = rng.integers(len(forest.cells), size=1)
        heads = forget(rng, forest.heads(row)[0], share)
        named = forget(rng, forest.label_choice(row)[0], share) if labels else None
        size = 1 + np.abs(np.where(np.isfinite(scores), scores, 0)).max() * len(scores)
        for beta, gamma in MEMBERS.values():
            expected = oracle.partial_tree_loss(beta, gamma, scores, heads, named, **kind)
            found, gradient = Loss(beta, gamma).of_tree(scores, heads, named, **kind)
            assert found == pytest.approx(expected, abs=1e-12 * size + 1e-9)
            same, others = loss_of(
                ArrayScores([scores]),
                [heads],
                [named] if labels else None,
                member=next(name for name, own in MEMBERS.items() if own == (beta, gamma)),
                parser=ArrayParser(**kind),
            )
            assert max(same[0], 0.0) == pytest.approx(found, abs=1e-12 * size + 1e-9)
            assert others.arcs[0] == pytest.approx(gradient, abs=1e-9)


@members
@kinds
@pytest.mark.parametrize("labels", [0, 3], ids=["bare", "labelled"])
def test_slopes(member, kind, labels):
    beta, gamma = MEMBERS[member]
    rng = np.random.default_rng([2, list(MEMBERS).index(member), labels])
    for share in SHARES:
        heads, named = pick_gold(rng, 4, labels, **kind)
        heads, named = forget(rng, heads, share), None if named is None else forget(rng, named, share)
        scores = 2 * rng.normal(size=(5, 5, labels) if labels else (5, 5))
        scores[range(5), range(5)] = scores[:, 0] = -inf  # no arcs

        def value(own, heads=heads, named=named):
            return Loss(beta, gamma).of_tree(own, heads, named, **kind)[0]

        _, gradient = Loss(beta, gamma).of_tree(scores, heads, named, **kind)
        assert gradient == pytest.approx(slope_of(scores, value), abs=1e-5)


def test_nothing_known_is_no_loss():
    scores = np.random.default_rng(3).normal(size=(5, 5, 2))
    for beta, gamma in MEMBERS.values():
        value, gradient = Loss(beta, gamma).of_tree(scores, np.full(5, -1), np.full(5, -1))
        assert value == pytest.approx(0.0, abs=1e-9)
        assert gradient == pytest.approx(np.zeros_like(scores), abs=1e-9)


@members
@pytest.mark.parametrize("chained", [False, True])
def test_chains_of_labels(member, chained):
    beta, gamma = MEMBERS[member]
    rng = np.random.default_rng([4, list(MEMBERS).index(member), chained])
    for count, share in [(count, share) for count in (1, 2, 4) for share in SHARES]:
        unary = rng.normal(size=(count, 3))
        siblings = rng.normal(size=(4, 4)) if chained else None
        gold = forget(rng, rng.integers(3, size=count), share)
        found, of_unary, of_siblings = Loss(beta, gamma).of_labels(unary, gold, siblings)
        expected = oracle.partial_label_loss(beta, gamma, unary, gold, siblings)
        assert found == pytest.approx(expected, abs=1e-9)

        def value(_, unary=unary, gold=gold, siblings=siblings):
            return Loss(beta, gamma).of_labels(unary, gold, siblings)[0]

        assert of_unary == pytest.approx(slope_of(unary, value), abs=1e-5)
        if siblings is not None:
            assert of_siblings == pytest.approx(slope_of(siblings, value), abs=1e-5)


@pytest.mark.parametrize(("model", "member"), PAIRS)
def test_parts(model, member):
    """Maxima by AD3, sums by the chart: values by enumeration, gradients as slopes."""
    beta, gamma = MEMBERS[member]
    best = np.isinf(beta)
    rng = np.random.default_rng([5, list(MODELS).index(model), list(MEMBERS).index(member)])
    cases, exact = [(n, share) for n in (2, 3, 4) for share in (0.3, 0.7)], 0
    for n, share in cases:
        sums, parts, trees, gold = part_case(rng, model, n, projective=not best)
        gold = forget(rng, gold, share)
        parser = ArrayParser(projective=not best, solver="ad3", iterations=3000)
        found, gradients = loss_of(ArrayScores(sums, parts=parts), [gold], member=member, parser=parser)
        wrong = [((gold[1:] >= 0) & (gold[1:] != tree)).sum() for tree in trees.values]
        expected = oracle.latent_family(list(trees.values.values()), wrong, beta, gamma)
        exact += found[0] == pytest.approx(expected, abs=1e-9)
        own = slopes(
            lambda sums=sums, parts=parts: ArrayScores(sums, parts=parts),
            [*sums, *(own[0].scores for own in parts.values())],
            lambda s, gold=gold, parser=parser: loss_of(s, [gold], member=member, parser=parser)[0][0],
            most=MOST_SLOPES,
        )
        assert_slopes(gradients.arcs[0], own[0])
        for kind, slope in zip(parts, own[1:], strict=True):
            assert_slopes(gradients.parts[kind][0], slope)
    # Its relaxation may have a better point that is no tree, seldom in so short sentences.
    assert exact >= len(cases) - best


def test_messages_are_exact_where_there_is_no_circle():
    """Belief propagation over arcs alone, and a pair of arcs: both sums are exact then."""
    rng = np.random.default_rng(6)
    scores = rng.normal(size=(4, 4))
    for _ in range(5):
        heads = forget(rng, pick_gold(rng, 3)[0], 0.5)
        expected = oracle.partial_tree_loss(1.0, 0.0, scores, heads, single_root=True, projective=False)
        found, _ = loss_of(ArrayScores([scores]), [heads], member="crf", parser=ArrayParser(solver="bp"))
        assert found[0] == pytest.approx(expected, abs=1e-9)


def test_what_is_known_must_be_possible():
    with pytest.raises(InfeasibleTreeError):
        Loss().of_tree(np.zeros((5, 5)), np.array([-1, 3, 4, -1, 0]), projective=True)  # two arcs cross
    with pytest.raises(ValueError, match="cycle"):
        Loss().of_tree(np.zeros((4, 4)), np.array([-1, 3, -1, 1]))
    with pytest.raises(InfeasibleTreeError):
        loss_of(ArrayScores([np.zeros((4, 4))]), [np.array([-1, 0, 0, -1])], member="crf")
