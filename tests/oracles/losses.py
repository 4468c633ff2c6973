"""The slow twin of ``arbora.learning.Loss``: eq. 22 of Martins et al. 2010 over everything written out.

L(s, y) = 1/beta log sum over y' of exp(beta (s(y') - s(y) + gamma cost(y', y)))

The differences s(y') - s(y) are exact (``math.fsum``), so a shift of all scores costs no digit.
"""

from __future__ import annotations

from math import fsum, inf, log

import numpy as np

from oracles.labels import Labellings
from oracles.trees import forest


def family(differences: np.ndarray, costs: np.ndarray, beta: float, gamma: float) -> float:
    """The loss from s(y') - s(y) and cost(y', y) of every y'."""
    margins = differences + gamma * costs
    top = float(margins.max())
    return top if beta == inf else top + log(fsum(np.exp(beta * (margins - top)))) / beta


def gold_cells(scores: np.ndarray, heads: np.ndarray, labels: np.ndarray | None) -> np.ndarray:
    """The gold tree as flat indices into the scores, shape (n,)."""
    arcs = np.asarray(heads)[1:] * len(scores) + np.arange(1, len(scores))
    return arcs if labels is None else arcs * scores.shape[2] + np.asarray(labels)[1:]


def tree_terms(scores, heads, labels=None, **kind: bool) -> tuple[np.ndarray, np.ndarray]:
    """s(y') - s(y) and cost(y', y) of every tree that has no arc of -inf."""
    flat, gold, cells = scores.ravel(), gold_cells(scores, heads, labels), forest(scores, **kind).cells
    differences = [fsum([*flat[row], *-flat[gold]]) for row in cells]
    return np.array(differences), (cells != gold).sum(axis=1)


def tree_loss(beta, gamma, scores, heads, labels=None, **kind: bool) -> float:
    return family(*tree_terms(scores, heads, labels, **kind), beta, gamma)


def label_terms(unary, labels, siblings=None) -> tuple[np.ndarray, np.ndarray]:
    """s(y') - s(y) and cost(y', y) of every labelling that has no score of -inf."""
    found = Labellings(unary, siblings)
    gold = [-part for part in found.parts(np.asarray(labels))]
    differences = [fsum(found.parts(row) + gold) for row in found.labels]
    return np.array(differences), np.array([(row != labels).sum() for row in found.labels])


def label_loss(beta, gamma, unary, labels, siblings=None) -> float:
    return family(*label_terms(unary, labels, siblings), beta, gamma)
