"""Pairs, written out."""

from __future__ import annotations

import numpy as np

import arbora
from tests.oracles.factors.base import Case, Configuration
from tests.oracles.scores import Draw


def pairs(draw: Draw, size: int) -> Case:
    """The second of some pairs over one array."""
    graph = arbora.FactorGraph()
    variables = graph.binary(np.zeros(size + 1))
    scores = draw((3,))
    chosen = [[0, size], [size // 2, size], [size, 0]]
    graph.add(arbora.factors.Pairs(variables, chosen, scores))
    both = Configuration((0, 1), float(scores[1]), (0,))
    return Case(graph, [Configuration((), 0.0), Configuration((0,), 0.0), Configuration((1,), 0.0), both], 1)
