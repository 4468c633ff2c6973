"""Declarations of factors on modifiers: all ways to make them make the same, and say what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import arbora
from arbora.errors import ArboraError
from arbora.factors import ChildSequences, ChildTrigrams, GrandSiblings, HeadAutomata, bigrams

WORDS = 5
RNG = np.random.default_rng(3)
CANDIDATES = RNG.random((WORDS + 1, WORDS + 1)) < 0.6
CANDIDATES[0] = True


def arcs():
    graph = arbora.FactorGraph()
    return graph, graph.binary(np.zeros((WORDS + 1, WORDS + 1)))


def sides(head):
    """Candidate modifiers on the left and on the right, outwards."""
    left = [m for m in range(head - 1, 0, -1) if CANDIDATES[head, m]]
    right = [m for m in range(head + 1, WORDS + 1) if CANDIDATES[head, m]]
    return left, right


def every_side():
    for head in range(WORDS + 1):
        for side, modifiers in enumerate(sides(head)):
            if head or side:
                yield head, side, modifiers


def bigram_scores(scores, head, modifiers):
    positions = [head, *modifiers, head]
    return [scores[positions[s], positions[t]] for s, t in zip(*bigrams(len(modifiers)), strict=True)]


def assert_same(one, other):
    """Both graphs have one group, of the same factors."""
    for found, wanted in zip(one._core.ports(0), other._core.ports(0), strict=True):
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(one._core.part_scores(0), other._core.part_scores(0))


def test_child_sequences_of_lists():
    scores = RNG.normal(size=(2, WORDS + 1, WORDS + 1, WORDS + 1))
    dense, x = arcs()
    dense.add(ChildSequences(x, scores, CANDIDATES))
    lists, y = arcs()
    factors = list(every_side())
    lists.add(
        ChildSequences.of(
            [y[head, modifiers] for head, _, modifiers in factors],
            [bigram_scores(scores[side, head], head, modifiers) for head, side, modifiers in factors],
        )
    )
    assert_same(dense, lists)


def test_child_trigrams_of_lists():
    scores = RNG.normal(size=(2, *[WORDS + 1] * 4))
    dense, x = arcs()
    dense.add(ChildTrigrams(x, scores, CANDIDATES))
    lists, y = arcs()
    factors, values = list(every_side()), []
    for head, side, modifiers in factors:
        words = [head, *modifiers, head]
        places = [(i, j, k) for k in range(len(words)) for j in range(1, k) for i in range(j)]
        values.append([scores[side, head, words[i], words[j], words[k]] for i, j, k in places])
    lists.add(ChildTrigrams.of([y[head, modifiers] for head, _, modifiers in factors], values))
    assert_same(dense, lists)


def test_grand_siblings_of_lists():
    scores = RNG.normal(size=(2, *[WORDS + 1] * 4))
    dense, x = arcs()
    dense.add(GrandSiblings(x, scores, CANDIDATES))
    lists, y = arcs()
    above = [[g for g in range(WORDS + 1) if h and g != h and CANDIDATES[g, h]] for h in range(WORDS + 1)]
    lists.add(
        GrandSiblings.of(
            [y[above[h], h] for h in range(WORDS + 1)],
            [y[h, sides(h)[0]] for h in range(WORDS + 1)],
            [y[h, sides(h)[1]] for h in range(WORDS + 1)],
            [
                [
                    bigram_scores(scores[0, g, h], h, sides(h)[0])
                    + bigram_scores(scores[1, g, h], h, sides(h)[1])
                    for g in above[h] or [0]
                ]
                for h in range(WORDS + 1)
            ],
        )
    )
    assert_same(dense, lists)


def test_head_automata_of_lists():
    initial, final = RNG.normal(size=3), RNG.normal(size=(2, WORDS + 1, 3))
    transitions = RNG.normal(size=(WORDS + 1, WORDS + 1, 3, 3))
    dense, x = arcs()
    dense.add(HeadAutomata(x, initial, final, transitions, CANDIDATES))
    lists, y = arcs()
    factors = list(every_side())
    lists.add(
        HeadAutomata.of(
            [y[head, modifiers] for head, _, modifiers in factors],
            [initial for _ in factors],
            [final[side, head] for head, side, _ in factors],
            [transitions[head, modifiers] for head, _, modifiers in factors],
        )
    )
    assert_same(dense, lists)


def test_one_array_serves_both_sides():
    scores = RNG.normal(size=[WORDS + 1] * 3)
    one, x = arcs()
    one.add(ChildSequences(x, scores))
    two, y = arcs()
    two.add(ChildSequences(y, np.stack([scores, scores])))
    assert_same(one, two)


def test_parts_go_back_to_where_scores_come_from():
    _, x = arcs()
    scores = RNG.normal(size=(2, WORDS + 1, WORDS + 1, WORDS + 1))
    factor = ChildSequences(x, scores, CANDIDATES)
    back = factor.dense(factor._scores)
    assert back.shape == scores.shape
    np.testing.assert_array_equal(back[back != 0], scores[back != 0])
    assert (back != 0).sum() == factor._scores.size

    scores = RNG.normal(size=(2, *[WORDS + 1] * 4))
    trigrams = ChildTrigrams(x, scores)
    back = trigrams.dense(trigrams._scores)
    np.testing.assert_array_equal(back[back != 0], scores[back != 0])
    assert (back != 0).sum() == trigrams._scores.size

    initial, final = RNG.normal(size=(2, 2, WORDS + 1, 3))
    transitions = RNG.normal(size=(WORDS + 1, WORDS + 1, 3, 3))
    automata = HeadAutomata(x, initial, final, transitions)
    for found, given in zip(automata.dense(automata._scores), (initial, final, transitions), strict=True):
        assert found.shape == given.shape
        np.testing.assert_array_equal(found[found != 0], given[found != 0])


def test_a_side_without_modifiers_has_its_score():
    graph, x = arcs()
    scores = np.zeros((2, WORDS + 1, WORDS + 1, WORDS + 1))
    scores[0, 1, 1, 1] = 2.5  # nothing can be on the left of word 1
    graph.add(ChildSequences(x, scores))
    assert graph._core.value(np.zeros(x.size, np.uint8)) == 2.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: ChildSequences(x[0], 0.0), "arcs of shape"),
        (lambda x: ChildSequences(x, np.zeros((3, 3))), "scores of shape"),
        (lambda x: ChildSequences(x, np.nan), "nan"),
        (lambda x: ChildSequences(x, 0.0, np.ones((2, 2))), "candidates"),
        (lambda x: ChildSequences.of([x[0]], []), "one for each factor"),
        (lambda x: ChildSequences.of([x], [0.0]), "one-dimensional"),
        (lambda x: ChildSequences.of([x[0]], [0.0]).dense([]), "dense"),
        (lambda x: ChildSequences(x, 0.0).dense([1.0]), "parts"),
        (lambda x: ChildTrigrams(x, np.zeros((2, 3))), "scores of shape"),
        (lambda x: ChildTrigrams.of([x[0]], [np.zeros(3)]), "scores of shape"),
        (lambda x: GrandSiblings(x, 0.0, np.zeros((WORDS + 1, WORDS + 1))), "no candidate for its head"),
        (lambda x: HeadAutomata(x, 0.0, 0.0, 0.0), "transitions"),
    ],
)
def test_what_is_wrong_is_said(make, message):
    with pytest.raises(ArboraError, match=message):
        make(arcs()[1])
