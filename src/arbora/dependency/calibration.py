"""What is fitted after learning: the scales of probabilities, and the threshold of the pruner.

Nothing here knows models or data: a function says what a value would cost.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from math import isfinite
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.learning import Loss, best_scale
from arbora.learning.chances import most_likely

GoldCosts: TypeAlias = Callable[[str, list[float], int, Mapping[str, float]], list[float]]
"""What gold costs on dev if the named scale has each of these values: minus the log-probabilities of heads,
one by one (``tree_scale``), of their labels given the arcs by the second stage (``label_scale``) and by a
joint model (``joint_scale``). The number says in how many parts dev is divided, of which one is enough; the
mapping has the scales that are found already."""

Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]

# Beliefs nearer to 0 and 1 than this say nothing more; the core counts them so, too.
LEAST_BELIEF = 1e-6
# How many words would have to speak for another confidence before it moves.
PENALTY = 2.0
IDENTITY = np.array([1.0, 1.0, 0.0, 1.0])
LEAST, MOST = np.array([0.0, 0.0, -np.inf, 1e-3]), np.array([np.inf, np.inf, np.inf, 1.0])

# How probable a candidate arc must be, relative to a word's best; tried from the highest down.
THRESHOLDS = tuple(round(0.05 * 0.95**step, 7) for step in range(-50, 190))


def natural_scales(loss: Loss) -> dict[str, float]:
    """Scales without dev: the loss's own beta, at which a CRF's scores are log-probabilities already.

    >>> natural_scales(Loss(beta=2.0, gamma=0.0))
    {'tree_scale': 2.0, 'label_scale': 2.0}
    """
    natural = loss.beta if isfinite(loss.beta) else 1.0
    return {"tree_scale": natural, "label_scale": natural}


def fit_scales(costs: GoldCosts, labels: str, role_scale: float | None = None) -> dict[str, float]:
    """What to multiply scores by so that gold is most probable; ``labels`` says when they are found.

    ``role_scale`` is the scale at which hidden roles are summed out, if arcs have some.

    >>> aims = {"label_scale": 1.0, "tree_scale": 4.0}
    >>> from math import log
    >>> costs = lambda name, values, parts, found: [log(value / aims[name]) ** 2 for value in values]
    >>> {name: round(value, 3) for name, value in fit_scales(costs, "second-stage").items()}
    {'label_scale': 1.0, 'tree_scale': 4.0}
    """
    found: dict[str, float] = {}

    def fit(name: str) -> None:
        found[name] = best_scale(lambda scales, parts: costs(name, scales, parts, found))

    if role_scale is not None:
        found["joint_scale"] = role_scale
    elif labels != "second-stage":
        fit("joint_scale")
    if labels != "joint":
        fit("label_scale")
    fit("tree_scale")
    return found


def fit_confidence(believed: Floats, right: Flags) -> list[float]:
    """Beta calibration with a ceiling, of what is approximate (Kull et al. 2017).

    ``believed`` has the probabilities of what was found, such as the head that each word has in its tree;
    ``right`` whether it is right. That it can be right at all has the probability d; if so, the log-odds of
    being right are ``a log p - b log (1 - p) + c``. Returns a, b, c and d of the greatest likelihood, less a
    penalty for being far from 1, 1, 0 and 1, which change nothing. a and b are not negative, so that what was
    more probable still is.

    >>> sure = np.full(400, 0.99)
    >>> a, b, c, d = fit_confidence(sure, np.arange(400) % 10 > 0)  # nine of ten are right
    >>> round(float(d / (1 + np.exp(b * np.log(0.01) - a * np.log(0.99) - c))), 2)
    0.9
    """
    own = np.clip(believed, LEAST_BELIEF, 1 - LEAST_BELIEF)
    columns = np.stack([np.log(own), -np.log1p(-own), np.ones_like(own)], axis=1)

    def chances(found: Floats) -> tuple[Floats, Floats, Floats]:
        logits = columns @ found[:3]
        within = np.exp(-np.logaddexp(0, -logits))
        good, bad = found[3] * within, 1 - found[3] + found[3] * np.exp(-np.logaddexp(0, logits))
        return good, bad, np.concatenate([columns * (good * (1 - within))[:, None], within[:, None]], axis=1)

    def penalty(found: Floats) -> tuple[float, Floats]:
        far = found - IDENTITY
        pull = np.array([*far[:3], -1 / found[3]])
        return PENALTY * float((far[:3] ** 2).sum() / 2 - np.log(found[3])), PENALTY * pull

    return [float(value) for value in most_likely(chances, right, IDENTITY, LEAST, MOST, penalty)]


def fit_threshold(
    measure: Callable[[float], tuple[float, float]], most_lost: float, mean_heads: float
) -> float:
    """The highest threshold that loses at most this share of gold arcs; a higher one if it keeps too many.

    ``measure`` says of a threshold which share of gold arcs it loses, and how many heads a word keeps.

    >>> fit_threshold(lambda threshold: (2 * threshold, 1 / threshold), 0.015, 200)
    0.0074945
    >>> fit_threshold(lambda threshold: (2 * threshold, 1 / threshold), 0.015, 100)
    0.0101953
    """
    loses_few = _first(lambda threshold: measure(threshold)[0] <= most_lost)
    keeps_many = _first(lambda threshold: measure(threshold)[1] > mean_heads)
    return THRESHOLDS[max(0, min(loses_few, keeps_many - 1, len(THRESHOLDS) - 1))]


def _first(holds: Callable[[float], bool]) -> int:
    """Where in the thresholds, the highest first, something begins to hold; their number if it never does."""
    return bisect_left(range(len(THRESHOLDS)), True, key=lambda place: holds(THRESHOLDS[place]))
