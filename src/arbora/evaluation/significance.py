"""Whether one system is really better than another: a paired permutation test over sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arbora.errors import ArboraError


@dataclass(frozen=True, slots=True)
class Comparison:
    """``difference`` of the two accuracies (first minus second), and its two-sided ``p_value``."""

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

    If the systems were alike, swapping their answers for a sentence would change nothing: the p-value is the
    share of random swappings whose difference is at least as large (Noreen 1989), the given one included.

    >>> compare([5, 5, 5], [5, 5, 5], [6, 6, 6]).p_value
    1.0
    >>> compare([9] * 20, [5] * 20, [10] * 20).p_value < 0.001
    True
    """
    gaps = np.asarray(first, dtype=np.int64) - np.asarray(second, dtype=np.int64)
    total = int(np.sum(words))
    if not len(gaps) == len(first) == len(second) == len(words):
        raise ArboraError("the systems have different numbers of sentences")
    observed = abs(int(gaps.sum()))
    rng = np.random.default_rng(seed)
    at_least = 0
    moved = gaps[gaps != 0]  # swapping equal answers changes nothing
    step = max(1, 4_000_000 // max(len(moved), 1))
    for start in range(0, permutations, step):
        signs = rng.integers(0, 2, size=(min(step, permutations - start), len(moved)), dtype=np.int8) * 2 - 1
        at_least += int((np.abs(signs @ moved) >= observed).sum())
    return Comparison(
        float(gaps.sum() / total) if total else 0.0, (at_least + 1) / (permutations + 1), permutations
    )
