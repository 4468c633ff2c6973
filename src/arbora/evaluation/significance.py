"""Whether one system is really better than another: a paired permutation test over sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.errors import ArboraError

Floats: TypeAlias = npt.NDArray[np.float64]
_ROUNDING = 1e-12  # differences that are equal in exact arithmetic count as equal


@dataclass(frozen=True, slots=True)
class Comparison:
    """``difference`` of the two scores (first minus second), and its two-sided ``p_value``."""

    difference: float
    p_value: float
    permutations: int


def compare(
    first: Sequence[int],
    second: Sequence[int],
    words: Sequence[int],
    *,
    permutations: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare two systems by how many words of each sentence they got right.

    >>> compare([5, 5, 5], [5, 5, 5], [6, 6, 6]).p_value
    1.0
    >>> compare([9] * 20, [5] * 20, [10] * 20).p_value < 0.001
    True
    """
    if len(words) != len(first):
        raise ArboraError("the systems have different numbers of sentences")
    total = max(int(np.sum(words)), 1)
    return compare_sums(
        [(count,) for count in first],
        [(count,) for count in second],
        lambda sums: np.asarray(sums[..., 0] / total),
        permutations=permutations,
        seed=seed,
    )


def compare_sums(
    first: Sequence[Sequence[int]],
    second: Sequence[Sequence[int]],
    score: Callable[[Floats], Floats],
    *,
    permutations: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare two systems by a score of the sums of what each sentence counts, such as F1.

    ``score`` takes sums over sentences, of shape (..., counts), and gives a number for each row. If the
    systems were alike, swapping their answers for a sentence would change nothing: the p-value is the share
    of random swappings whose difference is at least as large (Noreen 1989, Yeh 2000), the given one included.

    >>> compare_sums([(3, 4, 4)] * 9, [(2, 4, 5)] * 9, f1_of_sums).p_value < 0.01
    True
    """
    if len(first) != len(second):
        raise ArboraError("the systems have different numbers of sentences")
    ours, theirs = (np.asarray(rows, dtype=np.float64) for rows in (first, second))
    if not len(ours):
        return Comparison(0.0, 1.0, permutations)
    sums = ours.sum(axis=0), theirs.sum(axis=0)
    difference = float(score(sums[0]) - score(sums[1]))
    gaps = (ours - theirs)[(ours != theirs).any(axis=1)]  # swapping equal answers changes nothing
    rng = np.random.default_rng(seed)
    at_least = 0
    step = max(1, 1_000_000 // max(len(gaps), 1))
    for start in range(0, permutations, step):
        swapped = rng.integers(0, 2, size=(min(step, permutations - start), len(gaps)), dtype=np.int8)
        moved = swapped.astype(np.float64) @ gaps  # whole numbers: the sums are exact
        found = np.abs(score(sums[0] - moved) - score(sums[1] + moved))
        at_least += int((found >= abs(difference) - _ROUNDING).sum())
    return Comparison(difference, (at_least + 1) / (permutations + 1), permutations)


def f1_of_sums(sums: Floats) -> Floats:
    """F1 of right, gold and found things: 2 right / (gold + found), 0 where there are none.

    >>> f1_of_sums(np.array([3.0, 4.0, 4.0]))
    array(0.75)
    """
    return np.asarray(2 * sums[..., 0] / np.maximum(sums[..., 1] + sums[..., 2], 1))
