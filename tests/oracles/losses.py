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


def latent_family(values, wrong, beta: float, gamma: float) -> float:
    """The loss where only some of y is known: of every y' its score, and how much of what is known it lacks.

    s(y) is then the sum (or the best) of all y' that lack nothing.
    """
    values, wrong = np.asarray(values), np.asarray(wrong)
    top = float(values[wrong == 0].max())
    own = family(values[wrong == 0] - top, np.zeros((wrong == 0).sum()), beta, 0.0)
    return family(values - top, wrong, beta, gamma) - own


def partial_tree_loss(beta, gamma, scores, heads, labels=None, **kind: bool) -> float:
    """The loss of a tree whose heads and labels are -1 where nobody knows them."""
    found = forest(scores, **kind)
    rows = np.arange(len(found.cells))
    choice = found.label_choice(rows)
    wrong = (heads[1:] >= 0) & (found.heads(rows)[:, 1:] != heads[1:])
    if labels is not None:
        wrong |= (labels[1:] >= 0) & (choice[:, 1:] != labels[1:])
    values = [fsum(scores.ravel()[row]) for row in found.cells]
    return latent_family(values, wrong.sum(axis=1), beta, gamma)


def partial_label_loss(beta, gamma, unary, labels, siblings=None) -> float:
    found = Labellings(unary, siblings)
    values = [fsum(found.parts(row)) for row in found.labels]
    wrong = [((labels >= 0) & (row != labels)).sum() for row in found.labels]
    return latent_family(values, wrong, beta, gamma)
