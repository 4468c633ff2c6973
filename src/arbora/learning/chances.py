"""What makes it most likely that those answers are right that are: few numbers, by Fisher scoring."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Chances", "most_likely"]

Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Chances: TypeAlias = Callable[[Floats], tuple[Floats, Floats, Floats]]
"""For some numbers, how probable it is that each answer is right, that it is wrong, and how the former
changes with each of the numbers: shapes (answers,), (answers,), (answers, numbers). The first two are above
0."""

STEPS, LEAST_GAIN = 100, 1e-6
HALVINGS = 30


def most_likely(
    chances: Chances,
    right: Flags,
    start: Floats,
    least: Floats,
    most: Floats,
    penalty: Callable[[Floats], tuple[float, Floats]],
) -> Floats:
    """The numbers between ``least`` and ``most`` of the greatest likelihood, less the penalty.

    ``penalty`` gives its value and gradient; it should be as flat as a parabola, but for what else it wants.

    >>> def chances(found):
    ...     return np.full(4, found[0]), np.full(4, 1 - found[0]), np.ones((4, 1))
    >>> right, none = np.array([True, True, True, False]), lambda found: (0.0, np.zeros(1))
    >>> ends = np.array([0.001]), np.array([0.999])
    >>> most_likely(chances, right, np.array([0.5]), *ends, none).round(3).tolist()
    [0.75]
    """

    def cost(found: Floats) -> float:
        good, bad, _ = chances(found)
        return penalty(found)[0] - float(np.log(np.where(right, good, bad)).sum())

    found = start
    for _ in range(STEPS):  # Newton's method, with the curvature that is to be expected
        good, bad, slopes = chances(found)
        gradient = penalty(found)[1] - slopes.T @ np.where(right, 1 / good, -1 / bad)
        bend = (slopes / (good * bad)[:, None]).T @ slopes + np.eye(len(found))
        # What is at its edge, and would cross it, stays there.
        free = ~(((found <= least) & (gradient > 0)) | ((found >= most) & (gradient < 0)))
        step = np.zeros(len(found))
        step[free] = -np.linalg.solve(bend[np.ix_(free, free)], gradient[free])
        tried = (np.clip(found + step / 2**n, least, most) for n in range(HALVINGS))
        now = cost(found)
        better = next((each for each in tried if cost(each) < now), None)
        if better is None:
            break
        found = better
        if now - cost(found) < LEAST_GAIN:
            break
    return found
