"""Soft factors as they are declared: families of pairs, broadcasting, and what is refused."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest

import arbora
from arbora.errors import ArboraError
from arbora.factors import Counts, NoCross, Pairs, Table, TagChain, TagLink, grandparents, siblings


def draw(*shape: int) -> np.ndarray:
    return np.random.default_rng(list(shape)).normal(size=shape)


def test_grandparents_are_all_paths_of_two_arcs() -> None:
    n = 4
    arcs = arbora.FactorGraph().binary(np.zeros((n + 1, n + 1)))
    scores = draw(n + 1, n + 1, n + 1)
    family = grandparents(arcs, scores)
    wanted = {
        (g * (n + 1) + h, h * (n + 1) + m): scores[g, h, m]
        for g, h, m in product(range(n + 1), range(1, n + 1), range(1, n + 1))
        if len({g, h, m}) == 3
    }
    assert dict(zip(map(tuple, family.pairs.tolist()), family.scores.tolist(), strict=True)) == wanted


def test_siblings_are_all_children_of_one_head() -> None:
    n = 4
    arcs = arbora.FactorGraph().binary(np.zeros((n + 1, n + 1)))
    scores = draw(n + 1, n + 1, n + 1)
    family = siblings(arcs, scores)
    wanted = {
        (h * (n + 1) + m, h * (n + 1) + s): scores[h, m, s]
        for h, m, s in product(range(n + 1), range(1, n + 1), range(1, n + 1))
        if m < s and h not in (m, s)
    }
    assert dict(zip(map(tuple, family.pairs.tolist()), family.scores.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("family", [grandparents, siblings])
def test_families_of_a_pruned_graph(family) -> None:
    n = 5
    arcs = arbora.FactorGraph().binary(np.zeros((n + 1, n + 1)))
    candidates = draw(n + 1, n + 1) > 0
    every = family(arcs, 0.0).pairs
    pruned = family(arcs, 0.0, candidates).pairs
    wanted = [pair for pair in every.tolist() if candidates.ravel()[pair].all()]
    assert pruned.tolist() == wanted
    assert 0 < len(wanted) < len(every)


def test_pairs_of_negated_variables() -> None:
    graph = arbora.FactorGraph()
    x = graph.binary([0.0, 0.0])
    graph.add(Pairs(~x, [[0, 1]], [3.0]))
    values = {bits: graph._core.value(np.array(bits, np.uint8)) for bits in product((0, 1), repeat=2)}
    assert values == {(0, 0): 3.0, (0, 1): 0.0, (1, 0): 0.0, (1, 1): 0.0}


def test_tables_are_broadcast() -> None:
    graph = arbora.FactorGraph()
    x, tags = graph.binary(np.zeros((2, 1))), graph.categorical(np.zeros((3, 2)))
    scores = draw(2, 2)
    graph.add(Table([~x, tags], scores))
    assert graph._core.group(0) == ("Table", 6, 18, 24)
    assignment = np.array([1, 0, 1, 0, 0, 1, 1, 0], np.uint8)  # the first link is true; tags 0, 1, 0
    wanted = 2 * scores[0, 0] + scores[0, 1] + 2 * scores[1, 0] + scores[1, 1]
    assert graph._core.value(assignment) == pytest.approx(wanted, abs=1e-12)


def test_one_bigram_table_serves_for_all_places() -> None:
    scores, triples = draw(2, 2), draw(2, 2, 2)
    values = []
    for bigrams, trigrams in [
        (scores, triples),
        (np.stack([scores] * 3), np.stack([triples] * 2)),
        (scores.tolist(), triples.tolist()),
        ([scores] * 3, [triples] * 2),
    ]:
        graph = arbora.FactorGraph()
        graph.add(TagChain(graph.categorical(np.zeros((4, 2))), bigrams, trigrams))
        values.append(graph._core.value(np.array([1, 0, 0, 1, 1, 0, 1, 0], np.uint8)))
    assert values == [pytest.approx(values[0])] * 4
    wanted = scores[0, 1] + scores[1, 0] + scores[0, 0] + triples[0, 1, 0] + triples[1, 0, 0]
    assert values[0] == pytest.approx(wanted)


def test_counts_of_rows_and_lists() -> None:
    """One row of scores for all factors, or one for each; a factor without inputs has the score of none."""
    scores, truth = draw(2, 3), np.array([1, 0, 1, 1, 1, 1], np.uint8)
    graph = arbora.FactorGraph()
    rows = graph.binary(np.zeros((2, 3)))
    for own, wanted in ((scores, scores[0, 2] + scores[1, 2]), (scores[0], 2 * scores[0, 2])):
        made = arbora.FactorGraph()
        made.add(Counts(made.binary(np.zeros((2, 3))), own))
        assert made._core.value(truth) == pytest.approx(wanted)
    graph.add(Counts([rows[0], rows[1, :0]], scores), Counts(~rows[0], scores[0]))
    assert graph._core.value(truth) == pytest.approx(scores[0, 2] + scores[1, 0] + scores[0, 1])


def test_what_is_refused() -> None:
    graph = arbora.FactorGraph()
    x, tags = graph.binary(np.zeros(3)), graph.categorical(np.zeros((3, 2)))
    square = graph.binary(np.zeros((3, 3)))
    for wrong in [
        lambda: Pairs(tags, [[0, 1]], [0.0]),
        lambda: Pairs(x, [[0, 3]], [0.0]),
        lambda: Pairs(x, [[-1, 0]], [0.0]),
        lambda: Pairs(x, [[0.5, 1.0]], [0.0]),
        lambda: Pairs(x, [0, 1], [0.0]),
        lambda: Pairs(x, [[0, 1]], [0.0, 1.0]),
        lambda: Pairs(x, [[0, 1]], [inf]),
        lambda: grandparents(x, 0.0),
        lambda: siblings(square, np.zeros((2, 2, 2))),
        lambda: siblings(square, 0.0, np.ones((2, 2))),
        lambda: Table(x, [0.0, 0.0]),
        lambda: Table([], 0.0),
        lambda: Table([x, tags[:2]], 0.0),
        lambda: Table([x, tags], np.zeros((3, 3))),
        lambda: Counts(x, 0.0),
        lambda: Counts(x, []),
        lambda: Counts(x, [0.0, inf]),
        lambda: Counts([x, x], np.zeros((3, 2))),
        lambda: Counts(tags, [0.0, 0.0]),
        lambda: TagChain(x),
        lambda: TagChain([]),
        lambda: TagChain(tags, np.zeros((3, 2, 2))),
        lambda: TagChain(tags, np.zeros((2, 2, 3))),
        lambda: TagChain(tags, "bigrams"),
        lambda: TagLink(x, x, tags, 0.0),
        lambda: TagLink(x, tags[:2], tags, 0.0),
        lambda: NoCross(x, 0.0),
        lambda: NoCross(x, np.zeros((3, 3)), heads=[0, 0, 1]),
        lambda: NoCross(x, np.zeros((3, 3)), heads=[0, 1], modifiers=[1, 2]),
        lambda: NoCross(x, 0.0, heads=[0, 0, 1], modifiers=[1, 2, 2]),
        lambda: NoCross(square, np.full((3, 3), np.nan)),
        lambda: graph.add(NoCross(x, np.zeros((3, 3)), heads=[0, 0, 1], modifiers=[1, 2, 3])),
    ]:
        with pytest.raises(ArboraError):
            wrong()


def test_no_pairs_at_all() -> None:
    graph = arbora.FactorGraph()
    graph.add(Pairs(graph.binary([1.0]), [], []))
    assert graph._core.group(0) == ("Pairs", 0, 0, 0)
