"""Whether probabilities mean what they say: of the heads given 80 %, are 80 % right?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from arbora.errors import ArboraError
from arbora.treebank import Sentence

HEAD_PROBABILITY = "HeadProbability"
"""The key in findings and in MISC under which a parse keeps the probability of a word's head."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """``error``: the expected calibration error, the mean distance of probability and accuracy over bins.

    ``bins``: (mean probability, accuracy, words) of each bin that has words. ``coverage``: (threshold, share
    of words at or above it, their accuracy).
    """

    error: float
    bins: list[tuple[float, float, int]]
    coverage: list[tuple[float, float, float]]


def calibrate(
    probabilities: Iterable[float],
    correct: Iterable[bool],
    *,
    bins: int = 15,
    thresholds: Iterable[float] = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99),
) -> Calibration:
    """The calibration of predictions with these probabilities, in ``bins`` of equal width.

    >>> calibrate([0.9] * 10, [True] * 9 + [False]).error < 1e-12
    True
    >>> calibrate([0.9, 0.6], [True, False], thresholds=[0.8]).coverage
    [(0.8, 0.5, 1.0)]
    """
    p = np.fromiter(probabilities, float)
    right = np.fromiter(correct, bool)
    if len(p) != len(right):
        raise ArboraError(f"{len(p)} probabilities for {len(right)} predictions")
    if len(p) and not (p.min() >= 0 and p.max() <= 1):
        raise ArboraError("probabilities must lie between 0 and 1")
    places = np.minimum((p * bins).astype(int), bins - 1)
    rows = [
        (float(p[here].mean()), float(right[here].mean()), int(here.sum()))
        for here in (places == place for place in range(bins))
        if here.any()
    ]
    error = sum(abs(mean - accuracy) * count for mean, accuracy, count in rows) / max(len(p), 1)
    coverage = []
    for threshold in thresholds:
        sure = p >= threshold
        accuracy = float(right[sure].mean()) if sure.any() else 0.0
        coverage.append((float(threshold), float(sure.mean()) if len(p) else 0.0, accuracy))
    return Calibration(float(error), rows, coverage)


def head_probabilities(sentence: Sentence) -> list[float] | None:
    """The probabilities of a sentence's heads, as they were found, or from MISC; None if a word has none.

    >>> head_probabilities(Sentence(["a"], misc=["SpaceAfter=No|HeadProbability=0.75"]))
    [0.75]
    """
    if HEAD_PROBABILITY in (sentence.findings or {}):
        return [float(value) for value in (sentence.findings or {})[HEAD_PROBABILITY]]
    found = []
    for misc in sentence.misc:
        values = dict(part.partition("=")[::2] for part in misc.split("|"))
        try:
            found.append(float(values[HEAD_PROBABILITY]))
        except KeyError:
            return None
        except ValueError:
            raise ArboraError(f"{HEAD_PROBABILITY}={values[HEAD_PROBABILITY]} is no number") from None
    return found
