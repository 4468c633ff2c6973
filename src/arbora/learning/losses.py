"""One family of losses, from CRFs to structured SVMs, over trees and over the labels of one head's modifiers.

Paper: Martins et al. 2010, "Turbo Parsers", section 5, eq. 22.

>>> import numpy as np
>>> from arbora.learning import LOSSES
>>> scores = np.array([[0, 1, 2], [0, 0, 3], [0, 5, 0]], dtype=float)
>>> gold = np.array([-1, 0, 1])
>>> for name in ("crf", "svm", "softmax-margin", "perceptron"):
...     print(f"{name:14} {LOSSES[name].of_tree(scores, gold)[0]:.4f}")
crf            3.0486
svm            5.0000
softmax-margin 5.0067
perceptron     3.0000
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.constraints import Floats, Scores
from arbora.errors import InfeasibleTreeError, InvalidScoresError, OptionError
from arbora.learning.chains import check_chain, check_finite

__all__ = ["LOSSES", "Loss", "find_loss"]

Indices: TypeAlias = npt.NDArray[np.integer[Any]]
Integers: TypeAlias = npt.NDArray[np.int32]

HIDDEN = -1
"""A head or a label that nobody observed."""


@dataclass(frozen=True, slots=True)
class Loss:
    """L(s, y) = 1/beta log sum over y' of exp(beta (s(y') - s(y) + gamma cost(y', y))).

    The sum is over all trees (or labellings) y' with the gold one, y, among them; ``cost`` is the number of
    words whose head or label in y' is wrong. Where not all of y is known, s(y) is 1/beta log of the sum of
    exp(beta s) over all that agrees with what is known, and what is not known costs nothing. ``beta > 0`` may
    be ``inf``, which makes the sum a maximum and the gradient a subgradient. The loss is never negative, and
    convex in the scores if all is known.

    >>> import numpy as np
    >>> value, gradient = Loss(beta=2.0, gamma=0.5).of_tree(np.zeros((2, 2)), np.array([-1, 0]))
    >>> value, gradient.tolist()  # one word has one tree
    (0.0, [[0.0, 0.0], [0.0, 0.0]])
    """

    beta: float = 1.0
    gamma: float = 0.0

    def __post_init__(self) -> None:
        if not self.beta > 0:
            raise ValueError(f"beta must be greater than 0, not {self.beta}")
        if not 0 <= self.gamma < math.inf:
            raise ValueError(f"gamma must be 0 or a positive number, not {self.gamma}")

    @property
    def name(self) -> str:
        """The name in ``LOSSES``, or else the numbers.

        >>> Loss(1, 1).name, Loss(0.5, 1).name
        ('softmax-margin', 'beta=0.5, gamma=1')
        """
        known = {loss: name for name, loss in LOSSES.items()}
        return known.get(self, f"beta={self.beta:g}, gamma={self.gamma:g}")

    def of_tree(
        self,
        scores: Scores,
        heads: Indices,
        labels: Indices | None = None,
        *,
        single_root: bool = True,
        projective: bool = False,
    ) -> tuple[float, Floats]:
        """The loss of one sentence's scores at its gold tree, and its gradient in the shape of the scores.

        ``scores`` are of shape ``(n+1, n+1)``, or ``(n+1, n+1, L)`` with L labels, as in :mod:`arbora.trees`;
        ``heads`` and, if there are labels, ``labels`` of shape ``(n+1,)``. ``heads[0]`` and ``labels[0]``
        mean nothing. A head or a label of -1 is hidden: nobody observed it, and it is summed out of both the
        gold tree and the others; for an infinite ``beta`` the best counts. The gradient is the difference of
        the expected tree and the gold one (or what is expected of it), 0 where there is no arc. The gold tree
        must be one of the trees: with a single root if ``single_root``, without crossing arcs if
        ``projective``, without an arc of ``-inf``. O(n^3 + L n^2), or O(n^2 + L n^2) if ``beta`` is ``inf``
        and the trees may cross.

        >>> import numpy as np
        >>> value, gradient = Loss().of_tree(np.zeros((3, 3)), np.array([-1, 0, 1]))
        >>> print(f"{value:.4f}")  # log 2: one of two trees
        0.6931
        >>> gradient
        array([[ 0. , -0.5,  0.5],
               [ 0. ,  0. , -0.5],
               [ 0. ,  0.5,  0. ]])
        """
        scores = _check_scores(scores)
        heads = _check_heads(heads, len(scores) - 1, single_root, projective)
        labels = _check_labels(labels, scores)
        _check_gold_arcs(scores, heads, labels)
        gradient = np.zeros_like(scores)
        value = _core.tree_loss(
            scores, heads, labels, self.beta, self.gamma, single_root, projective, gradient
        )
        return max(value, 0.0), gradient  # below 0 only by rounding, since the gold tree is in the sum

    def of_labels(
        self, unary: Scores, labels: Indices, siblings: Scores | None = None
    ) -> tuple[float, Floats, Floats | None]:
        """The loss of a chain's scores at its gold labels, and its gradients in the shapes of the scores.

        ``unary`` is of shape ``(k, L)``, ``siblings`` of shape ``(L+1, L+1)`` or None (then so is its
        gradient), as in :mod:`arbora.learning.chains`; the gold ``labels`` of shape ``(k,)``, -1 where they
        are hidden. O(k L^2).

        >>> import numpy as np
        >>> value, gradient, _ = LOSSES["svm"].of_labels(np.array([[1.0, 0.5, 0.0]]), np.array([0]))
        >>> value, gradient
        (0.5, array([[-1.,  1.,  0.]]))
        """
        unary, siblings = check_chain(unary, siblings)
        labels = _as_integers(labels, (len(unary),), "labels")
        _check_range(np.where(labels == HIDDEN, 0, labels), unary.shape[1], "label", first=0)
        _check_gold_labels(unary, labels, siblings)
        unary_gradient = np.zeros_like(unary)
        sibling_gradient = None if siblings is None else np.zeros_like(siblings)
        value = _core.chain_loss(
            unary, siblings, labels, self.beta, self.gamma, unary_gradient, sibling_gradient
        )
        return max(value, 0.0), unary_gradient, sibling_gradient


LOSSES: dict[str, Loss] = {
    "crf": Loss(1.0, 0.0),
    "svm": Loss(math.inf, 1.0),
    "softmax-margin": Loss(1.0, 1.0),
    "perceptron": Loss(math.inf, 0.0),
}


def find_loss(name: str, beta: float | None = None, gamma: float | None = None) -> Loss:
    """The loss of this name, with another ``beta`` or ``gamma`` if given.

    >>> find_loss("svm", gamma=2.0)
    Loss(beta=inf, gamma=2.0)
    """
    if not isinstance(name, str) or name not in LOSSES:
        raise OptionError(f"there is no loss {name!r}; there are {', '.join(LOSSES)}")
    found = LOSSES[name]
    return Loss(found.beta if beta is None else beta, found.gamma if gamma is None else gamma)


def _check_scores(scores: Scores) -> Floats:
    result = np.ascontiguousarray(scores, np.float64)
    if result.ndim not in (2, 3) or result.shape[0] != result.shape[1] or 0 in result.shape:
        raise InvalidScoresError(
            f"scores must have the shape (n+1, n+1) or (n+1, n+1, labels), not {result.shape}"
        )
    check_finite(result, "scores")
    return result


def _check_heads(heads: Indices, n: int, single_root: bool, projective: bool) -> Integers:
    result = _as_integers(heads, (n + 1,), "heads")
    _check_range(np.where(result == HIDDEN, 0, result), n + 1, "head", first=1)
    words = [None if head == HIDDEN else head for head in result[1:].tolist()]
    cycles = _core.head_cycles(words)
    if cycles:
        raise ValueError(f"the gold heads are no tree: there is a cycle of the tokens {cycles[0]}")
    roots = [token for token, head in enumerate(words, 1) if head == 0]
    if single_root and len(roots) > 1:
        raise ValueError(f"the gold tree has {len(roots)} roots, {roots}: give single_root=False")
    if projective and None not in words and (crossing := _core.nonprojective_words(words)):
        raise ValueError(
            f"the gold tree is not projective, for one the arc to token {crossing[0]}: give projective=False"
        )
    return result


def _check_labels(labels: Indices | None, scores: Floats) -> Integers | None:
    if scores.ndim == 2:
        if labels is not None:
            raise ValueError("there are gold labels, but the scores have no axis of labels")
        return None
    if labels is None:
        raise ValueError("the scores have labels: gold labels are needed too")
    result = _as_integers(labels, scores.shape[:1], "labels")
    _check_range(np.where(result == HIDDEN, 0, result), scores.shape[2], "label", first=1)
    return result


def _check_gold_arcs(scores: Floats, heads: Integers, labels: Integers | None) -> None:
    tokens = np.arange(1, len(heads))
    gold = scores[heads[1:], tokens]
    if labels is not None:
        observed = np.where(labels[1:] == HIDDEN, 0, labels[1:])
        gold = np.where(labels[1:] == HIDDEN, gold.max(axis=1), gold[tokens - 1, observed])
    for token in 1 + np.flatnonzero((gold == -np.inf) & (heads[1:] != HIDDEN))[:1]:
        which = "" if labels is None or labels[token] == HIDDEN else f" with label {labels[token]}"
        raise InfeasibleTreeError(
            f"the gold arc from {heads[token]} to token {token}{which} has a score of -inf"
        )


def _check_gold_labels(unary: Floats, labels: Integers, siblings: Floats | None) -> None:
    places = np.arange(len(labels))
    hidden = labels == HIDDEN
    for place in np.flatnonzero((unary[places, labels] == -np.inf) & ~hidden)[:1]:
        raise InfeasibleTreeError(f"the gold label {labels[place]} of modifier {place} has a score of -inf")
    if siblings is not None and len(labels) and not hidden.any():
        path = np.array([unary.shape[1], *labels, unary.shape[1]])
        for place in np.flatnonzero(siblings[path[:-1], path[1:]] == -np.inf)[:1]:
            raise InfeasibleTreeError(
                f"the gold neighbours {path[place]} and {path[place + 1]} have a sibling score of -inf"
            )


def _as_integers(values: Indices, shape: tuple[int, ...], name: str) -> Integers:
    result = np.asarray(values)
    if result.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, not {result.shape}")
    if result.size and not np.issubdtype(result.dtype, np.integer):
        raise ValueError(f"{name} must be integers, not {result.dtype}")
    return np.ascontiguousarray(result, np.int32)


def _check_range(values: Integers, size: int, name: str, first: int) -> None:
    wrong = first + np.flatnonzero((values[first:] < 0) | (values[first:] >= size))
    if len(wrong):
        place = f"token {wrong[0]}" if first else f"modifier {wrong[0]}"
        raise ValueError(f"the gold {name} of {place} is {values[wrong[0]]}, not from 0 to {size - 1}")
