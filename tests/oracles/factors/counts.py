"""Factors that count, written out: every set of inputs with the score of its size."""

from __future__ import annotations

from itertools import product

import numpy as np

import arbora
from arbora import factors
from tests.oracles.factors.base import Case, Configuration
from tests.oracles.scores import Draw


def counts(draw: Draw, size: int) -> Case:
    """The second factor of a group of different lengths; there may be more inputs than scores, or fewer."""
    graph = arbora.FactorGraph()
    x = graph.binary(np.zeros(size + 1))
    highest = (3, 1, 4, 0, 2, 4)[size - 1]
    scores = draw((3, highest + 1))
    graph.add(factors.Counts([x[:1], x[1:], x[:0]], scores))
    configurations = []
    for values in product([False, True], repeat=size):
        count = min(sum(values), highest)
        active = tuple(port for port in range(size) if values[port])
        configurations.append(Configuration(active, float(scores[1, count]), (count,)))
    return Case(graph, configurations, 1)
