"""Labels along a sentence against every row written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from oracles.lattices import KINDS, Lattice, draw

import arbora
from arbora import _core

LOSSES = [(1.0, 0.0), (1.0, 2.0), (0.5, 1.0), (math.inf, 1.0), (math.inf, 0.0)]


def drawn(kind: str, chain: bool) -> list[Lattice]:
    rng = np.random.default_rng([KINDS.index(kind), chain])
    return [draw(kind, rng, chain=chain, places=places) for places in (1, 1, 2, 3, 4, 5, 6) for _ in range(3)]


@pytest.mark.parametrize("chain", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_lattices_agree_with_enumeration(kind, chain):
    for lattice in drawn(kind, chain):
        flat, rows = lattice.flat(), lattice.rows()
        rows.sort(key=lambda item: -item[1])
        total, candidates, triples = _core.sum_paths(*flat)
        expected, own, own_triples = lattice.sum()
        assert total == pytest.approx(expected, rel=1e-12, abs=1e-9)
        np.testing.assert_allclose(candidates, own, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(triples, own_triples, rtol=1e-9, atol=1e-9)
        path, score = _core.best_path(*flat)
        if rows:
            assert score == pytest.approx(rows[0][1], abs=1e-9)
            assert lattice.score(tuple(path)) == pytest.approx(rows[0][1], abs=1e-9)
        else:
            assert score == -math.inf
        for k in (1, 3, len(rows) + 2):
            found = _core.best_paths(*flat, k)
            scores = [score for _, score in found]
            np.testing.assert_allclose(scores, [score for _, score in rows[:k]], rtol=0, atol=1e-9)
            assert scores == sorted(scores, reverse=True)
            assert len({tuple(path) for path, _ in found}) == len(found)
            assert all(lattice.score(tuple(path)) == pytest.approx(score) for path, score in found)


@pytest.mark.parametrize("kind", ["random", "tied", "shifted", "impossible"])
@pytest.mark.parametrize(("beta", "gamma"), LOSSES)
def test_losses_agree_with_enumeration_and_their_gradients_with_slopes(kind, beta, gamma):
    for chain in (False, True):
        for lattice in drawn(kind, chain):
            rows = lattice.rows()
            if not rows:
                continue
            gold = rows[len(rows) // 2][0]
            sizes, local, triples = lattice.flat()
            value, by_local, by_triples = _core.path_loss(sizes, local, triples, list(gold), beta, gamma)
            assert value == pytest.approx(lattice.loss(gold, beta, gamma), abs=1e-9)
            if math.isinf(beta):  # a subgradient: it touches the loss here, and is below it elsewhere
                rng = np.random.default_rng(1)
                for _ in range(3):
                    step, steps = rng.normal(size=local.shape), rng.normal(size=triples.shape)
                    moved = _core.path_loss(sizes, local + step, triples + steps, list(gold), beta, gamma)[0]
                    assert moved >= value + by_local @ step + by_triples @ steps - 1e-9
                continue
            for scores, gradient in ((local, by_local), (triples, by_triples)):
                for at in range(min(len(scores), 12)):
                    if scores[at] == -math.inf:
                        assert gradient[at] == 0
                        continue
                    ends = []
                    for by in (1e-4, -1e-4):
                        kept, scores[at] = scores[at], scores[at] + by
                        ends.append(_core.path_loss(sizes, local, triples, list(gold), beta, gamma)[0])
                        scores[at] = kept
                    assert (ends[0] - ends[1]) / 2e-4 == pytest.approx(gradient[at], abs=1e-6)


def test_a_lattice_is_the_factor_tag_chain():
    """Smith & Eisner's TRIGRAM: the same numbers by the factor graph's own algorithms."""
    for lattice in drawn("random", True)[6:]:
        graph = arbora.FactorGraph()
        tables = lattice.triples
        first = lattice.local[0] + tables[0][0, 0]
        tags = [graph.categorical([scores]) for scores in [first, *lattice.local[1:]]]
        bigrams = [tables[1][0], *(np.zeros(table.shape[1:]) for table in tables[2:])]
        graph.add(arbora.factors.TagChain(tags, bigrams, tables[2:]))
        solution = graph.solve("bp")
        total, candidates, _ = _core.sum_paths(*lattice.flat())
        assert solution.log_partition == pytest.approx(total, abs=1e-9)
        beliefs = np.concatenate([solution[tag].ravel() for tag in tags])
        np.testing.assert_allclose(candidates, beliefs, atol=1e-9)


def test_no_places_have_one_row():
    nothing = np.zeros(0)
    assert _core.best_path([], nothing, nothing) == ([], 0.0)
    assert _core.best_paths([], nothing, nothing, 3) == [([], 0.0)]
    assert _core.sum_paths([], nothing, nothing)[0] == 0


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="sizes: 0 is none"):
        _core.best_path([0], np.zeros(0), np.zeros(0))
    with pytest.raises(ValueError, match="local: 1 numbers, where 2 are needed"):
        _core.best_path([2], np.zeros(1), np.zeros(0))
    with pytest.raises(ValueError, match="gold: 2 is none of the numbers from 0 to 1"):
        _core.path_loss([2], np.zeros(2), np.zeros(0), [2], 1.0, 0.0)
