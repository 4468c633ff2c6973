"""Tables, written out."""

from __future__ import annotations

from itertools import product

import numpy as np

import arbora
from tests.oracles.factors.base import Case, Configuration
from tests.oracles.scores import Draw

KINDS = [[0], [3], [0, 0], [0, 2], [2, 0, 3], [0, 3, 0, 2]]  # by size: how many values, 0 for binary


def table(draw: Draw, size: int) -> Case:
    """The second of two tables over variables of both kinds."""
    graph = arbora.FactorGraph()
    values = KINDS[size - 1]
    variables = [
        graph.categorical(np.zeros((2, count))) if count else graph.binary(np.zeros(2)) for count in values
    ]
    extents = tuple(count or 2 for count in values)
    scores = draw((2, *extents))
    graph.add(arbora.factors.Table(variables, scores))
    configurations = []
    for part, cell in enumerate(product(*map(range, extents))):
        active, port = [], 0
        for count, value in zip(values, cell, strict=True):
            if count:
                active.append(port + value)
            elif value:
                active.append(port)
            port += count or 1
        configurations.append(Configuration(tuple(active), float(scores[(1, *cell)]), (part,)))
    return Case(graph, configurations, 1)
