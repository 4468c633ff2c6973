"""The slow twin of ``arbora.learning``'s label chains: every labelling written out.

Differences from the best labelling are exact (``math.fsum`` rounds once), as in ``oracles.trees``, so that
nothing cancels however far the scores are shifted.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from math import fsum, log

import numpy as np


class Labellings:
    """All labellings of one chain that have no score of -inf, and their differences from the best."""

    def __init__(self, unary: np.ndarray, siblings: np.ndarray | None = None) -> None:
        self.unary, self.siblings = unary, siblings
        count, labels = unary.shape
        all_labels = [np.array(row, dtype=np.int64) for row in product(range(labels), repeat=count)]
        self.labels = [row for row in all_labels if min(self.parts(row), default=0) > -np.inf]
        self.scores = [fsum(self.parts(row)) for row in self.labels]
        if not self.labels:
            return
        top = self.parts(self.labels[int(np.argmax(self.scores))])
        differences = [fsum(self.parts(row) + [-part for part in top]) for row in self.labels]
        self.differences = np.array(differences) - max(differences)
        self.best = max(self.scores)

    def path(self, row: np.ndarray) -> np.ndarray:
        """The labels with start and end around them."""
        ends = [self.unary.shape[1]]
        return np.array([*ends, *row, *ends])

    def parts(self, row: np.ndarray) -> list[float]:
        """The scores that add up to a labelling's; an empty chain has none, not even start to end."""
        parts = [self.unary[place, label] for place, label in enumerate(row)]
        if self.siblings is not None and len(row):
            path = self.path(row)
            parts += self.siblings[path[:-1], path[1:]].tolist()
        return parts

    @cached_property
    def probabilities_of_labellings(self) -> np.ndarray:
        weights = np.exp(self.differences)
        return weights / fsum(weights)

    @property
    def log_partition(self) -> float:
        return self.best + log(fsum(np.exp(self.differences)))

    @property
    def probabilities(self) -> np.ndarray:
        """Of every label of every modifier, shape (k, L)."""
        result = np.zeros_like(self.unary)
        for row, probability in zip(self.labels, self.probabilities_of_labellings, strict=True):
            result[np.arange(len(row)), row] += probability
        return result

    @property
    def pairs(self) -> np.ndarray:
        """The expected count of neighbours, shape (L+1, L+1)."""
        states = self.unary.shape[1] + 1
        result = np.zeros((states, states))
        for row, probability in zip(self.labels, self.probabilities_of_labellings, strict=True):
            path = self.path(row)
            if len(row):
                np.add.at(result, (path[:-1], path[1:]), probability)
        return result

    def top_scores(self, k: int) -> np.ndarray:
        return np.sort(self.best + self.differences)[::-1][:k]
