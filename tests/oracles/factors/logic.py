"""Logic factors, written out as what their names say of the inputs' truth values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

import arbora
from arbora import factors
from tests.oracles.factors.base import Case, Configuration
from tests.oracles.scores import Draw

Rule = Callable[[Sequence[bool]], bool]


def written_out(graph: arbora.FactorGraph, inputs: int, rule: Rule, negated: Sequence[int] = ()) -> Case:
    """The second factor of the group; inputs that the kind negates by itself are ports of the opposite."""
    configurations = []
    for values in product([False, True], repeat=inputs):
        if rule(values):
            active = tuple(i for i in range(inputs) if values[i] != (i in negated))
            configurations.append(Configuration(active, 0.0))
    return Case(graph, configurations, factor=1)


def variables(size: int) -> tuple[arbora.FactorGraph, factors.VariableArray]:
    """Three factors' inputs, negated in even sizes: the factor does not know."""
    graph = arbora.FactorGraph()
    x = graph.binary(np.zeros((3, size)))
    return graph, x if size % 2 else ~x


def exactly_one(_: Draw, size: int) -> Case:
    graph, x = variables(size)
    graph.add(factors.ExactlyOne(x))
    return written_out(graph, size, lambda values: sum(values) == 1)


def at_most_one(_: Draw, size: int) -> Case:
    graph, x = variables(size)
    graph.add(factors.AtMostOne([x[0, :1], x[1], x[2]]))
    return written_out(graph, size, lambda values: sum(values) <= 1)


def at_most(draw: Draw, size: int) -> Case:
    graph, x = variables(size)
    limit = int(np.argmax(draw((size + 2,))))
    graph.add(factors.AtMost(x, [0, limit, 1]))
    return written_out(graph, size, lambda values: sum(values) <= limit)


def any_of(_: Draw, size: int) -> Case:
    graph, x = variables(size)
    graph.add(factors.Or(x))
    return written_out(graph, size, any)


def not_all(_: Draw, size: int) -> Case:
    graph, x = variables(size)
    graph.add(factors.Nand(x))
    return written_out(graph, size, lambda values: not all(values), negated=range(size))


def imply(_: Draw, size: int) -> Case:
    graph, x = variables(2)
    graph.add(factors.Imply(x[:, 0], x[:, 1]))
    return written_out(graph, 2, lambda values: values[1] or not values[0], negated=[0])


def or_with_output(_: Draw, size: int) -> Case:
    graph, x = variables(size + 1)
    graph.add(factors.OrWithOutput(x[:, :-1], x[:, -1]))
    return written_out(graph, size + 1, lambda values: values[-1] == any(values[:-1]))


def xor_with_output(_: Draw, size: int) -> Case:
    graph, x = variables(size + 1)
    graph.add(factors.XorWithOutput(x[:, :-1], x[:, -1]))
    return written_out(graph, size + 1, lambda values: sum(values[:-1]) == values[-1], negated=[size])
