"""Mixing what learners of the same kind have learned apart (McDonald, Hall & Mann 2010)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arbora.models import Parts

__all__ = ["mixed"]


def mixed(before: Parts, after: Sequence[Parts]) -> Parts:
    """The state of one learner, made of those of k that went on from the state ``before``, each by itself.

    All are what `learner_parts` gives. Weights, and the squares of AdaGrad, are the mean of the k, each
    counting as much as any other. The average goes on over the steps of all: with N steps before and
    n_i - N of learner i, it is that of N' = N + sum of (n_i - N) weight vectors. A learner keeps it as
    u = N w - (sum of the weight vectors), so that

        u' = sum over i of ((N'/k - n_i) w_i + u_i) + (k - 1) (N w - u)

    which is u_1 for a single learner: mixed with nothing else, it is what it was, to the last bit.

    >>> before = {"steps": 0}, {"weights": np.zeros(1), "weighted_steps": np.zeros(1)}
    >>> one = {"steps": 1}, {"weights": np.array([2.0]), "weighted_steps": np.array([2.0])}
    >>> other = {"steps": 1}, {"weights": np.array([4.0]), "weighted_steps": np.array([4.0])}
    >>> print(*mixed(before, [one, other])[1].values())
    [3.] [6.]
    """
    start, steps = before[0]["steps"], [header["steps"] for header, _ in after]
    count, total = len(after), start + sum(own - start for own in steps)
    tensors = [own for _, own in after]
    result = {
        name: np.mean([own[name] for own in tensors], axis=0, dtype=np.float64)
        for name in before[1]
        if name != "weighted_steps"
    }
    weighted = (count - 1) * (
        start * before[1]["weights"].astype(np.float64) - before[1]["weighted_steps"].astype(np.float64)
    )
    for own, number in zip(tensors, steps, strict=True):
        weighted += (total / count - number) * own["weights"].astype(np.float64) + own["weighted_steps"]
    result["weighted_steps"] = weighted
    return {"steps": total}, {name: result[name].astype(own.dtype) for name, own in before[1].items()}
