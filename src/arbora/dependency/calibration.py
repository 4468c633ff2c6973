"""What is fitted after learning: the scales of probabilities, and the threshold of the pruner.

Nothing here knows models or data: a function says what a value would cost.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import TypeAlias

from arbora.learning import Loss, best_scale

GoldCosts: TypeAlias = Callable[[list[float], float], tuple[list[float], list[float], list[float]]]
"""From scales, and the scale of a joint model's labels, to what gold costs: for each scale minus the
log-probability of the trees, of their labels given the arcs by the second stage, and by the joint model."""

# How probable a candidate arc must be, relative to a word's best; tried from the highest down.
THRESHOLDS = tuple(round(0.05 * 0.95**step, 7) for step in range(190))


def natural_scales(loss: Loss) -> dict[str, float]:
    """Scales without dev: the loss's own beta, at which a CRF's scores are log-probabilities already.

    >>> natural_scales(Loss(beta=2.0, gamma=0.0))
    {'tree_scale': 2.0, 'label_scale': 2.0}
    """
    natural = loss.beta if isfinite(loss.beta) else 1.0
    return {"tree_scale": natural, "label_scale": natural}


def fit_scales(costs: GoldCosts, labels: str, role_scale: float | None = None) -> dict[str, float]:
    """What to multiply scores by so that gold trees are most probable; ``labels`` says when they are found.

    ``role_scale`` is the scale at which hidden roles are summed out, if arcs have some.

    >>> costs = lambda scales, joint: ([abs(s - 4) for s in scales], [abs(s - 1) for s in scales], [])
    >>> fit_scales(costs, "second-stage")
    {'label_scale': 1.0, 'tree_scale': 4.0}
    """
    found: dict[str, float] = {}
    if labels != "second-stage":
        found["joint_scale"] = best_scale(lambda scales: costs(scales, 1.0)[2])
    if role_scale is not None:
        found["joint_scale"] = role_scale
    if labels != "joint":
        found["label_scale"] = best_scale(lambda scales: costs(scales, 1.0)[1])
    joint = found.get("joint_scale", 1.0)
    found["tree_scale"] = best_scale(lambda scales: costs(scales, joint)[0])
    return found


def fit_threshold(losses: Callable[[float], float], most: float) -> float:
    """The highest threshold that loses at most this share of gold arcs; the lowest if all lose more.

    >>> fit_threshold(lambda threshold: 2 * threshold, 0.015)
    0.0074945
    """
    low, high = 0, len(THRESHOLDS) - 1
    while low < high:  # the lower the threshold, the less is lost
        middle = (low + high) // 2
        if losses(THRESHOLDS[middle]) <= most:
            high = middle
        else:
            low = middle + 1
    return THRESHOLDS[high]
