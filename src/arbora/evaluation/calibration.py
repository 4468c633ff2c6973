"""Whether probabilities mean what they say: of the heads given 80 %, are 80 % right?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from arbora.errors import ArboraError
from arbora.treebank import Sentence
from arbora.treebank.findings import HEAD_PROBABILITY, LABEL_PROBABILITY, probabilities_of


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


def calibrations(
    sentences: Iterable[Sentence], right_heads: Sequence[bool], right_arcs: Sequence[bool]
) -> dict[str, Calibration]:
    """How honest the probabilities of a parse are: of its heads, its labels, and its labelled arcs.

    ``right_heads`` and ``right_arcs`` (heads with their labels) tell what of it is right, word by word. A
    label's probability is one given the tree, so labels are judged where the head is right; a labelled arc
    has the product of both. What some word has no probability of is left out.

    >>> sentence = Sentence(["a"], misc=["HeadProbability=0.75|LabelProbability=0.5"])
    >>> [(name, each.bins) for name, each in calibrations([sentence], [True], [False]).items()]
    [('heads', [(0.75, 1.0, 1)]), ('labels', [(0.5, 0.0, 1)]), ('labelled arcs', [(0.375, 0.0, 1)])]
    """
    judged = judged_probabilities(sentences, right_heads, right_arcs)
    return {name: calibrate(*own) for name, own in judged.items()}


def judged_probabilities(
    sentences: Iterable[Sentence], right_heads: Sequence[bool], right_arcs: Sequence[bool]
) -> dict[str, tuple[list[float], list[bool]]]:
    """What `calibrations` judges: probabilities, and whether what has them is right."""
    read = list(sentences)
    heads, labels = _of_all(read, HEAD_PROBABILITY), _of_all(read, LABEL_PROBABILITY)
    found = {}
    if heads:
        found["heads"] = heads, list(right_heads)
    if labels:
        judged = [(p, arc) for p, head, arc in zip(labels, right_heads, right_arcs, strict=True) if head]
        found["labels"] = [p for p, _ in judged], [arc for _, arc in judged]
    if heads and labels:
        products = [head * label for head, label in zip(heads, labels, strict=True)]
        found["labelled arcs"] = products, list(right_arcs)
    return found


def _of_all(sentences: Sequence[Sentence], key: str) -> list[float] | None:
    """The probabilities of all words; None if one has none."""
    found = []
    for sentence in sentences:
        own = probabilities_of(sentence, key)
        if own is None:
            return None
        found += own
    return found
