"""Choices and conditions, written out."""

from __future__ import annotations

from itertools import product

import numpy as np

import arbora
from arbora import factors
from tests.oracles.factors.base import Case, Configuration
from tests.oracles.factors.logic import variables, written_out
from tests.oracles.scores import Draw


def choice(draw: Draw, size: int) -> Case:
    """Sizes from 1 to 3; whether nothing may be chosen is drawn."""
    count = (size + 1) // 2
    or_none = bool(draw((2,)).argmax())
    graph, x = variables(2 * count + 1)
    chosen, values, output = x[:, :count], x[:, count:-1], x[:, -1]
    if size % 2:
        graph.add(factors.Choice(chosen, values, output, or_none=or_none))
    else:  # as several arrays
        more = graph.binary(np.zeros((2, count + 1)))
        chosen = [more[0], chosen[1]]
        graph.add(factors.Choice(chosen, [more[1], values[1]], output[:2], or_none=or_none))

    def rule(given: tuple[bool, ...]) -> bool:
        made = [j for j in range(count) if given[j]]
        if len(made) == 1:
            return given[-1] == given[count + made[0]]
        return or_none and not made and not given[-1]

    return written_out(graph, 2 * count + 1, rule)


def and_any(draw: Draw, size: int) -> Case:
    """The second of three; the first has one input more if the size is even."""
    graph = arbora.FactorGraph()
    x, conditions = graph.binary(np.zeros((3, size + 1))), graph.binary(np.zeros(3))
    scores = draw((3,))
    inputs = x[:, :-1] if size % 2 else [x[0], ~x[1, :-1], x[2, :-1]]
    graph.add(factors.AndAny(conditions, inputs, scores))
    configurations = []
    for values in product([False, True], repeat=size + 1):
        active = tuple(int(port) for port in np.flatnonzero(values))
        has_part = values[0] and any(values[1:])
        score, parts = (float(scores[1]), (0,)) if has_part else (0.0, ())
        configurations.append(Configuration(active, score, parts))
    return Case(graph, configurations, factor=1)
