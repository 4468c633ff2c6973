"""A factor written in Python for the tests: its twin is what its score says, written out."""

from __future__ import annotations

from itertools import product

import numpy as np

import arbora
from arbora.factors import CustomFactor
from tests.oracles.factors.base import Case, Configuration
from tests.oracles.scores import Draw


class Scored(CustomFactor):
    """Any scores for the values of its variables."""

    def __init__(self, scores: np.ndarray, *variables: arbora.factors.VariableArray) -> None:
        super().__init__(*variables)
        self.scores = scores

    def score(self, values: tuple[int, ...]) -> float:
        return float(self.scores[values])


def custom(draw: Draw, size: int) -> Case:
    graph = arbora.FactorGraph()
    binary = graph.binary(np.zeros(min(size, 4)))
    tags = graph.categorical(np.zeros((2, size)))
    if size % 2:  # binary variables alone, or with categories between them
        variables, shape = [binary], (2,) * binary.size
    else:
        variables, shape = [binary[:1], tags, binary[1:]], (2, size, size) + (2,) * (binary.size - 1)
    scores = draw(shape)
    graph.add(Scored(scores, *variables))
    configurations = []
    for values in product(*map(range, shape)):
        active, port = [], 0
        for place, value in enumerate(values):
            is_category = not size % 2 and place in (1, 2)
            if is_category or value:
                active.append(port + (value if is_category else 0))
            port += size if is_category else 1
        if scores[values] > -np.inf:
            configurations.append(
                Configuration(tuple(active), float(scores[values]), (0,), float(scores[values]))
            )
    return Case(graph, configurations)
