"""Mixing what learners of the same kind have learned apart (McDonald, Hall & Mann 2010)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arbora.models import Parts

__all__ = ["mixed"]


def mixed(before: Parts, after: Sequence[Parts]) -> Parts:
    """The state of one learner, made of those of several that went on from the state ``before``, apart.

    All are what `learner_parts` gives. For each weight by itself, those learners count that have changed it,
    c of them, all the same; one that never met a feature has nothing to say of it. The weight, and the
    squares of AdaGrad, are their mean. The average goes on as if the mean of the c had been there in the
    steps of all: with N steps before, n_i behind learner i, and N' = N + sum of all (n_i - N), the sum S of
    a weight over all steps becomes

        S' = S + r sum over the c of (S_i - S),   r = (N' - N) / (sum over the c of (n_i - N))

    A learner keeps them as u = N w - S; so, where c > 0,

        u' = sum over the c of ((N'/c - r n_i) w_i + r u_i) + (c r - 1) (N w - u)

    which is u_1 for a single learner: mixed with nothing else, it is what it was, to the last bit.

    >>> before = {"steps": 0}, {"weights": np.zeros(2), "weighted_steps": np.zeros(2)}
    >>> one = {"steps": 1}, {"weights": np.array([2.0, 0.0]), "weighted_steps": np.array([2.0, 0.0])}
    >>> other = {"steps": 1}, {"weights": np.array([4.0, 6.0]), "weighted_steps": np.array([4.0, 6.0])}
    >>> print(*mixed(before, [one, other])[1].values())
    [3. 6.] [ 6. 12.]
    """
    start, steps = before[0]["steps"], [header["steps"] for header, _ in after]
    total = start + sum(own - start for own in steps)
    old, tensors = before[1], [own for _, own in after]
    # A weight that has come back to where it was still has other sums.
    changed = [
        (own["weights"] != old["weights"]) | (own["weighted_steps"] != old["weighted_steps"])
        for own in tensors
    ]
    count = np.sum(changed, axis=0)
    some, least = count > 0, np.maximum(count, 1)
    seen = sum((own * (number - start) for own, number in zip(changed, steps, strict=True)), np.zeros(1))
    share = (total - start) / np.maximum(seen, 1)
    sums = start * old["weights"].astype(np.float64) - old["weighted_steps"]
    weighted = (count * share - 1) * sums
    for own, number, is_changed in zip(tensors, steps, changed, strict=True):
        term = (total / least - share * number) * own["weights"] + share * own["weighted_steps"]
        weighted += np.where(is_changed, term, 0.0)
    found = {"weighted_steps": weighted}
    for name in old.keys() - found.keys():
        pairs = zip(tensors, changed, strict=True)
        values = [np.where(is_changed, own[name], 0.0) for own, is_changed in pairs]
        found[name] = np.sum(values, axis=0, dtype=np.float64) / least
    return {"steps": total}, {
        name: np.where(some, found[name], own).astype(own.dtype) for name, own in old.items()
    }
