"""Labels along the modifiers of one head: best, k-best, probabilities, all exact, in O(k L^2).

**Scores.** ``unary[i, label]`` of shape ``(k, L)`` for k modifiers in their order, and, unless None,
``siblings[previous, label]`` of shape ``(L+1, L+1)`` for neighbours: row ``L`` is the start before the first
modifier, column ``L`` the end after the last; what is in the corner ``[L, L]`` means nothing. ``-inf``
forbids; ``nan`` and ``+inf`` are errors. A labelling's score is the sum over its labels and its neighbours,
start and end among them, and its probability is proportional to ``exp(score)``.

>>> import numpy as np
>>> from arbora.learning import best_labels, label_probabilities
>>> subject, object = 0, 1
>>> unary = np.array([[1.0, 0.0], [1.0, 0.5]])
>>> twice_is_bad = np.array([[-4.0, 0.0, 0.0], [0.0, -4.0, 0.0], [0.0, 0.0, 0.0]])
>>> best_labels(unary, twice_is_bad)
Labelling(labels=array([0, 1], dtype=int32), score=1.5)
>>> label_probabilities(unary, twice_is_bad).probabilities.round(2)
array([[0.63, 0.37],
       [0.39, 0.61]])
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.constraints import Floats, Scores
from arbora.errors import InfeasibleTreeError, InvalidScoresError

__all__ = ["LabelExpectations", "Labelling", "best_labels", "kbest_labels", "label_probabilities"]


class Labelling(NamedTuple):
    """The labels of k modifiers, of shape ``(k,)``, and their score."""

    labels: npt.NDArray[np.int32]
    score: float


class LabelExpectations(NamedTuple):
    """Sums over all labellings of k modifiers with L labels.

    ``probabilities`` of shape ``(k, L)`` has the probability of each label. ``pairs`` of shape ``(L+1, L+1)``
    has the expected number of each two neighbours, like ``siblings``, and is None without them.
    ``log_partition`` is the logarithm of the sum of ``exp(score)``.
    """

    probabilities: Floats
    pairs: Floats | None
    log_partition: float


def best_labels(unary: Scores, siblings: Scores | None = None) -> Labelling:
    """The labels of the highest score: ``unary`` ``(k, L)``, ``siblings`` ``(L+1, L+1)`` or None.

    Ties are broken the same way every time, but which of the best comes out is not promised.

    >>> import numpy as np
    >>> best_labels(np.array([[0.0, 2.0, 1.0], [5.0, 0.0, -np.inf]]))
    Labelling(labels=array([1, 0], dtype=int32), score=7.0)
    """
    unary, siblings = check_chain(unary, siblings)
    labels = np.empty(len(unary), np.int32)
    score = _core.best_chain(unary, siblings, labels)
    _check_possible(score)
    return Labelling(labels, score)


def kbest_labels(unary: Scores, k: int, siblings: Scores | None = None) -> list[Labelling]:
    """The ``k`` best labellings in order, none twice; fewer where there are fewer.

    >>> import numpy as np
    >>> [found.labels.tolist() for found in kbest_labels(np.array([[3.0, 0.0], [1.0, 0.0]]), 3)]
    [[0, 0], [0, 1], [1, 0]]
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    unary, siblings = check_chain(unary, siblings)
    found = _core.best_chains(unary, siblings, k)
    _check_possible(found[0][1] if found else -np.inf)
    return [Labelling(np.array(labels, np.int32), score) for labels, score in found]


def label_probabilities(unary: Scores, siblings: Scores | None = None) -> LabelExpectations:
    """The probability of every label, the expected count of all neighbours, and the log-partition.

    >>> import numpy as np
    >>> expectations = label_probabilities(np.log([[1.0, 3.0]]), np.zeros((3, 3)))
    >>> expectations.probabilities.round(6)
    array([[0.25, 0.75]])
    >>> print(f"{np.exp(expectations.log_partition):.6f}")
    4.000000
    >>> expectations.pairs.round(6)
    array([[0.  , 0.  , 0.25],
           [0.  , 0.  , 0.75],
           [0.25, 0.75, 0.  ]])
    """
    unary, siblings = check_chain(unary, siblings)
    probabilities = np.empty_like(unary)
    pairs = None if siblings is None else np.zeros_like(siblings)
    total = _core.sum_chain(unary, siblings, probabilities, pairs)
    _check_possible(total)
    return LabelExpectations(probabilities, pairs, total)


def check_chain(unary: Scores, siblings: Scores | None) -> tuple[Floats, Floats | None]:
    """Both as contiguous float64 arrays, their shapes and values checked."""
    own: Floats = np.ascontiguousarray(unary, np.float64)
    if own.ndim != 2 or own.shape[1] == 0:
        raise InvalidScoresError(f"unary must have the shape (k, L) with labels in it, not {own.shape}")
    check_finite(own, "unary")
    if siblings is None:
        return own, None
    pairs: Floats = np.ascontiguousarray(siblings, np.float64)
    states = own.shape[1] + 1
    if pairs.shape != (states, states):
        raise InvalidScoresError(
            f"siblings must have the shape {(states, states)}, one more than there are labels each way, "
            f"not {pairs.shape}"
        )
    check_finite(pairs, "siblings")
    return own, pairs


def check_finite(scores: Floats, name: str) -> None:
    """No ``nan`` and no ``+inf``; one comparison finds both."""
    if not (scores < np.inf).all():
        raise InvalidScoresError(f"{name} must not contain nan or +inf; use -inf to forbid")


def _check_possible(score: float) -> None:
    if score == -np.inf:
        raise InfeasibleTreeError("no labelling is possible: each has a score of -inf")
