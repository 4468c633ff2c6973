"""Every kind of factor, every oracle, against enumeration of its configurations."""

from __future__ import annotations

import zlib
from math import inf

import numpy as np
import pytest

from arbora.factors import FACTORS
from tests.oracles.factors import TWINS
from tests.oracles.factors import base as slow
from tests.oracles.scores import Draw, drawer

STYLES = ["random", "tied", "shifted", "extreme", "impossible", "certain"]
SIZES = range(1, 7)


def test_every_kind_has_a_twin() -> None:
    assert {kind.__name__ for kind in FACTORS} == set(TWINS)


def scores_for(rng: np.random.Generator, style: str) -> Draw:
    return drawer(rng, style, spread=2.0, forbidden=0.2)


def given(rng: np.random.Generator, style: str, case: slow.Case) -> np.ndarray:
    """What the rest of a graph might say to each port."""
    numbers = np.asarray(scores_for(rng, style)((case.port_count,)))
    if style == "certain":
        for port, size in case.ports:
            if not size and rng.random() < 0.15:
                numbers[port] = inf
    return numbers


def cases(kind: str, style: str):
    for size in SIZES:
        for seed in range(4):
            rng = np.random.default_rng([zlib.crc32(kind.encode()), zlib.crc32(style.encode()), size, seed])
            case = TWINS[kind](scores_for(rng, style), size)
            yield case, given(rng, style, case), rng


def differing(found: object, wanted: object, tolerance: float = 1e-9) -> list[tuple[int, float, float]]:
    """Where two numbers or arrays are not the same, and what they are there."""
    got, right = np.atleast_1d(np.asarray(found, float)), np.atleast_1d(np.asarray(wanted, float))
    assert got.shape == right.shape
    scale = 1 + np.abs(np.where(np.isinf(right), 0, right))
    with np.errstate(invalid="ignore"):  # inf - inf, where they are equal
        same = (got == right) | (np.abs(got - right) <= tolerance * scale)
    return [(int(i), float(got[i]), float(right[i])) for i in np.flatnonzero(~same)]


KINDS = sorted(TWINS)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", KINDS)
def test_sum(kind: str, style: str) -> None:
    for case, numbers, _ in cases(kind, style):
        value, beliefs, parts = case.core.sum(0, case.factor, numbers)
        wanted, wanted_beliefs, wanted_parts = slow.sum_oracle(case, numbers)
        assert differing(value, wanted) == []
        assert differing(beliefs, wanted_beliefs) == []
        np.testing.assert_allclose(parts, wanted_parts, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", KINDS)
def test_max(kind: str, style: str) -> None:
    for case, numbers, _ in cases(kind, style):
        value, beliefs = case.core.max(0, case.factor, numbers)
        wanted, wanted_beliefs, _ = slow.max_oracle(case, numbers)
        assert differing(value, wanted) == []
        assert differing(beliefs, wanted_beliefs) == []


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", KINDS)
def test_best(kind: str, style: str) -> None:
    for case, numbers, _ in cases(kind, style):
        value, inner, active = case.core.best(0, case.factor, numbers)
        wanted = slow.max_oracle(case, numbers)[0]
        assert differing(value, wanted) == []
        if wanted == -inf:
            continue
        matching = [one for one in case.configurations if one.active == tuple(active.tolist())]
        assert matching, "the best configuration is not one of the factor's"
        assert differing(inner, max(one.score for one in matching)) == []
        total = inner + sum(numbers[p] for p in active if numbers[p] != inf)
        assert differing(total, wanted) == []


@pytest.mark.parametrize("style", ["random", "tied", "impossible", "certain"])
@pytest.mark.parametrize("kind", KINDS)
def test_project(kind: str, style: str) -> None:
    for case, numbers, rng in cases(kind, style):
        if len(case.configurations) > 300:
            continue
        numbers = np.where(np.isinf(numbers), numbers, numbers * rng.choice([0.2, 1.0]))
        penalty = rng.choice([0.1, 1.0, 5.0])
        possible, z = case.core.project(0, case.factor, numbers, penalty)
        wanted = slow.projection(case, numbers, penalty)
        assert possible == (wanted is not None)
        if wanted is not None:
            np.testing.assert_allclose(z, wanted, atol=1e-6)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", KINDS)
def test_configurations(kind: str, style: str) -> None:
    """Inner scores and parts of single configurations, allowed or not."""
    for case, _, rng in cases(kind, style):
        table: dict[tuple[int, ...], float] = {}
        for one in case.configurations:
            table[one.active] = max(table.get(one.active, -inf), one.score)
        for _ in range(20):
            active = tuple(np.flatnonzero(rng.random(case.port_count) < 0.4).tolist())
            fits = all(
                size == 0 or sum(port <= p < port + size for p in active) == 1 for port, size in case.ports
            )
            if fits:
                score, _ = case.core.configuration(0, case.factor, list(active))
                assert differing(score, table.get(active, -inf)) == []
        for one in case.configurations[:: max(1, len(case.configurations) // 20)]:
            score, parts = case.core.configuration(0, case.factor, list(one.active))
            assert differing(score, table[one.active]) == []
            if score > -inf:
                counts = [
                    c.amount * np.bincount(np.array(c.parts, int), minlength=case.part_count)
                    for c in case.configurations
                    if c.active == one.active and c.score == table[one.active]
                ]
                assert any(np.array_equal(parts, count) for count in counts)
