"""Every kind of factor, every oracle, against enumeration of its configurations."""

from __future__ import annotations

import zlib
from math import inf

import numpy as np
import pytest

from arbora.factors import FACTORS
from tests.oracles.factors import TWINS
from tests.oracles.factors import base as slow

STYLES = ["random", "tied", "shifted", "extreme", "impossible", "certain"]
SIZES = range(1, 7)


def test_every_kind_has_a_twin() -> None:
    assert {kind.__name__ for kind in FACTORS} == set(TWINS)


def drawer(rng: np.random.Generator, style: str):
    """Scores in a style, by shape."""

    def draw(shape: tuple[int, ...]) -> np.ndarray:
        if style == "tied":
            return rng.integers(-1, 2, shape).astype(float)
        if style == "extreme":
            return rng.normal(size=shape) * 10 ** rng.uniform(0, 4, size=shape)
        scores = rng.normal(size=shape) * 2
        if style == "shifted":
            scores = scores - 300
        if style in ("impossible", "certain"):
            scores = np.where(rng.random(shape) < 0.2, -inf, scores)
        return scores

    return draw


def given(rng: np.random.Generator, style: str, case: slow.Case) -> np.ndarray:
    """What the rest of a graph might say to each port."""
    numbers = np.asarray(drawer(rng, style)((case.port_count,)))
    if style == "certain":
        for port, size in case.ports:
            if not size and rng.random() < 0.15:
                numbers[port] = inf
    return numbers


def cases(kind: str, style: str):
    for size in SIZES:
        for seed in range(4):
            rng = np.random.default_rng([zlib.crc32(kind.encode()), zlib.crc32(style.encode()), size, seed])
            case = TWINS[kind](drawer(rng, style), size)
            yield case, given(rng, style, case), rng


def close(found: np.ndarray, wanted: np.ndarray, tolerance: float = 1e-9) -> None:
    scale = 1 + np.abs(np.where(np.isinf(wanted), 0, wanted))
    with np.errstate(invalid="ignore"):  # inf - inf, where they are equal
        same = (found == wanted) | (np.abs(found - wanted) <= tolerance * scale)
    assert same.all(), (found, wanted)


KINDS = sorted(TWINS)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", KINDS)
def test_sum(kind: str, style: str) -> None:
    for case, numbers, _ in cases(kind, style):
        value, beliefs, parts = case.core.sum(0, case.factor, numbers)
        wanted, wanted_beliefs, wanted_parts = slow.sum_oracle(case, numbers)
        close(np.array(value), np.array(wanted))
        close(beliefs, wanted_beliefs)
        np.testing.assert_allclose(parts, wanted_parts, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", KINDS)
def test_max(kind: str, style: str) -> None:
    for case, numbers, _ in cases(kind, style):
        value, beliefs = case.core.max(0, case.factor, numbers)
        wanted, wanted_beliefs, _ = slow.max_oracle(case, numbers)
        close(np.array(value), np.array(wanted))
        close(beliefs, wanted_beliefs)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", KINDS)
def test_best(kind: str, style: str) -> None:
    for case, numbers, _ in cases(kind, style):
        value, inner, active = case.core.best(0, case.factor, numbers)
        wanted = slow.max_oracle(case, numbers)[0]
        close(np.array(value), np.array(wanted))
        if wanted == -inf:
            continue
        matching = [one for one in case.configurations if one.active == tuple(active.tolist())]
        assert matching, "the best configuration is not one of the factor's"
        close(np.array(inner), np.array(max(one.score for one in matching)))
        close(np.array(inner + sum(numbers[p] for p in active if numbers[p] != inf)), np.array(wanted))


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
                close(
                    np.array(case.core.configuration(0, case.factor, list(active))[0]),
                    np.array(table.get(active, -inf)),
                )
        for one in case.configurations[:: max(1, len(case.configurations) // 20)]:
            score, parts = case.core.configuration(0, case.factor, list(one.active))
            close(np.array(score), np.array(table[one.active]))
            if score > -inf:
                counts = [
                    c.amount * np.bincount(np.array(c.parts, int), minlength=case.part_count)
                    for c in case.configurations
                    if c.active == one.active and c.score == table[one.active]
                ]
                assert any(np.array_equal(parts, count) for count in counts)
