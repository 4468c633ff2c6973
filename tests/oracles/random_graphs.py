"""Random factor graphs to try solvers on: around a factor of any kind, or of many small ones with cycles."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import arbora
from arbora import factors
from arbora.factors import VariableArray
from arbora.factors.variables import join
from tests.oracles.factors import TWINS
from tests.oracles.scores import Draw, drawer


def variable(graph: arbora.FactorGraph, number: int) -> VariableArray:
    """One variable of a graph by its number."""
    return VariableArray(graph.identity, np.array([number], np.int32), int(graph._core.layout()[1][number]))


def scored(graph: arbora.FactorGraph, rng: np.random.Generator, style: str, evidence: float = 0.1) -> None:
    """Gives all variables scores, and some of them evidence."""
    core = graph._core
    for slot, score in enumerate(drawer(rng, style)((core.slots,))):
        core.set_score(slot, score)
    for number, size in enumerate(core.layout()[1].tolist()):
        if rng.random() < evidence:
            core.clamp(number, int(rng.integers(size or 2)))


def has_cycle(graph: arbora.FactorGraph) -> bool:
    """Whether two ways lead from one variable to another."""
    core = graph._core
    firsts = core.layout()[0]
    parent = list(range(core.variables))

    def find(v: int) -> int:
        while parent[v] != v:
            v = parent[v]
        return v

    for group in range(core.groups):
        slots, _, begins, _ = core.ports(group)
        for begin, end in pairwise(begins):
            ports = slots[begin:end]
            seen = (np.searchsorted(firsts, ports, side="right") - 1)[np.isin(ports, firsts)].tolist()
            roots = [find(v) for v in seen]
            if len(set(roots)) < len(roots):
                return True
            for root in roots[1:]:
                parent[root] = roots[0]
    return False


def tree_of_pairs(draw: Draw, rng: np.random.Generator, size: int) -> arbora.FactorGraph:
    """Pairs without cycles, unlike those of their twin, some of negated variables."""
    graph = arbora.FactorGraph()
    x = graph.binary(np.zeros(size + 1))
    signs = rng.random(size) < 0.5
    for sign in (False, True):
        pairs = [[int(rng.integers(i + 1)), i + 1] for i in range(size) if signs[i] == sign]
        if pairs:
            graph.add(factors.Pairs(~x if sign else x, pairs, draw((len(pairs),))))
    return graph


def around(kind: str, rng: np.random.Generator, style: str, size: int) -> arbora.FactorGraph:
    """A factor of a kind (and its neighbours in its twin's group), with small trees of others hung on it."""
    draw = drawer(rng, style)
    graph = tree_of_pairs(draw, rng, size) if kind == "Pairs" else TWINS[kind](draw, size).graph
    for _ in range(3):
        ends = [int(v) for v in rng.choice(graph._core.variables, 1)]
        leaf = graph.binary([0.0])
        end = variable(graph, ends[0])
        if end.values:
            graph.add(factors.Table([end, leaf], draw((end.values, 2))))
        elif rng.random() < 0.5:
            graph.add(factors.Table([~end if rng.random() < 0.5 else end, leaf], draw((2, 2))))
        else:
            graph.add(factors.OrWithOutput(~end, leaf[0]))
    scored(graph, rng, style)
    return graph


def loopy(rng: np.random.Generator, style: str, variables: int = 7) -> arbora.FactorGraph:
    """Many small factors over few variables, binary ones and one category."""
    draw = drawer(rng, style)
    graph = arbora.FactorGraph()
    x, tag = graph.binary(np.zeros(variables)), graph.categorical(np.zeros((1, 3)))
    kinds = [factors.ExactlyOne, factors.AtMostOne, factors.Or, factors.Nand, factors.OrWithOutput]
    for _ in range(int(rng.integers(2, 7))):
        chosen = [x[int(i)].reshape(1) for i in rng.choice(variables, 3, replace=False)]
        chosen = [~one if rng.random() < 0.3 else one for one in chosen]
        joined = join(*chosen)
        if rng.random() < 0.4:
            graph.add(factors.Table(chosen, draw((2, 2, 2))))
        elif rng.random() < 0.3:
            graph.add(factors.Table([chosen[0], tag], draw((2, 3))))
        else:
            kind = kinds[int(rng.integers(len(kinds)))]
            graph.add(kind(joined[:2], joined[2]) if kind is factors.OrWithOutput else kind(joined))
    scored(graph, rng, style)
    return graph
