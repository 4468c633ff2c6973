"""What makes probabilities of scores: the scale at which gold is most probable."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, log

__all__ = ["best_scale"]

ROUNDS = ((4.0, 3, 16), (1.6, 2, 8), (1.25, 1, 4))
"""From afar to near: the ratio of two scales, how many there are on each side of the best so far, and in how
many parts the sample is divided, of which one is enough to tell them apart."""
MOST_MOVES = 8
"""How often the last round may begin anew around a scale at its edge: small parts of a sample mislead."""


def best_scale(costs: Callable[[list[float], int], list[float]]) -> float:
    """The scale of the least cost, between 1/64 and 64 or a little beyond.

    ``costs`` gets scales and a number of parts, and says what each scale costs on one of so many parts of the
    sample. In the last round the cost is taken for a parabola of the scale's logarithm.

    >>> best_scale(lambda scales, parts: [log(scale / 3) ** 2 for scale in scales])
    3.0
    """
    best = 1.0
    for ratio, steps, parts in ROUNDS:
        scales = [best * ratio**step for step in range(-steps, steps + 1)]
        known = dict(zip(scales, costs(scales, parts), strict=True))
        best = _cheapest(known, best)
    for _ in range(MOST_MOVES):
        if min(known) < best < max(known):
            break
        beyond = best * ratio if best == max(known) else best / ratio
        known[beyond] = costs([beyond], parts)[0]
        best = _cheapest(known, best)
    return _vertex(known, best)


def _cheapest(known: dict[float, float], before: float) -> float:
    """The scale of the least cost; of several, the one nearest to the best so far."""
    return min(known, key=lambda scale: (known[scale], abs(log(scale / before)), scale))


def _vertex(known: dict[float, float], best: float) -> float:
    """Where the parabola through the cost of the best scale and its neighbours is lowest."""
    scales = sorted(known)
    place = scales.index(best)
    if not 0 < place < len(scales) - 1:
        return best
    before, middle, after = (known[scale] for scale in scales[place - 1 : place + 2])
    bend = before - 2 * middle + after
    if not 0 < bend < inf:
        return best
    return best * exp((before - after) / (2 * bend) * log(scales[place + 1] / best))
