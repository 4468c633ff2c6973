"""How probable is what a model says? Its scores are multiplied by what makes gold the least surprising."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["best_scale"]


def best_scale(costs: Callable[[list[float]], list[float]]) -> float:
    """The scale of the least cost, between 1/64 and 64 or a little beyond: first from afar, then nearer.

    >>> best_scale(lambda scales: [abs(scale - 4) for scale in scales])
    4.0
    """
    best = 1.0
    for width in (4.0, 1.25, 1.05):
        scales = [best * width**step for step in range(-3, 4)]
        best = min(zip(costs(scales), scales, strict=True))[1]
    return best
