"""Random scores to try factors and solvers on."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from math import inf

import numpy as np

Draw = Callable[[tuple[int, ...]], np.ndarray]


def seeded(*key: object) -> np.random.Generator:
    """The same numbers for the same key, in every run."""
    return np.random.default_rng([zlib.crc32(str(one).encode()) for one in key])


def drawer(rng: np.random.Generator, style: str, spread: float = 1.5, forbidden: float = 0.15) -> Draw:
    """Scores in a style, by shape."""

    def draw(shape: tuple[int, ...]) -> np.ndarray:
        if style == "tied":
            return rng.integers(-1, 2, shape).astype(float)
        if style == "extreme":
            return rng.normal(size=shape) * 10 ** rng.uniform(0, 4, size=shape)
        scores = rng.normal(size=shape) * spread
        if style == "shifted":
            scores = scores - 300
        if style in ("impossible", "certain"):
            scores = np.where(rng.random(shape) < forbidden, -inf, scores)
        return scores

    return draw
