"""Chains of tags and links between tags, written out."""

from __future__ import annotations

from itertools import product

import numpy as np

import arbora
from tests.oracles.factors.base import Case, Configuration
from tests.oracles.scores import Draw


def tag_chain(draw: Draw, size: int) -> Case:
    """A chain over words with different numbers of tags; with trigrams if the size is even."""
    graph = arbora.FactorGraph()
    values = [[2], [3, 2, 2, 3], [3, 1, 2], [2, 3, 2, 1, 2], [3, 2, 2, 3], [2, 2]][size - 1]
    tags = [graph.categorical(np.zeros((1, count))) for count in values]
    lengths = [2, 3] if size % 2 == 0 else [2]
    tables = {
        length: [draw(tuple(values[i : i + length])) for i in range(len(values) - length + 1)]
        for length in lengths
    }
    graph.add(arbora.factors.TagChain(tags, tables[2], tables.get(3)))
    firsts = np.cumsum([0, *values])
    configurations = []
    for row in product(*map(range, values)):
        score, parts, begin = 0.0, [], 0
        for length in lengths:
            for i, one in enumerate(tables[length]):
                cell = row[i : i + length]
                score += float(one[cell])
                parts.append(begin + int(np.ravel_multi_index(cell, one.shape)))
                begin += one.size
        active = tuple(int(first) + tag for first, tag in zip(firsts, row, strict=False))
        configurations.append(Configuration(active, score, tuple(parts)))
    return Case(graph, configurations)


def tag_link(draw: Draw, size: int) -> Case:
    """The second of two links between words with different numbers of tags."""
    graph = arbora.FactorGraph()
    links = graph.binary(np.zeros(2))
    first = graph.categorical(np.zeros((2, size)))
    second = graph.categorical(np.zeros((2, size // 2 + 1)))
    scores = draw((2, size, size // 2 + 1))
    graph.add(arbora.factors.TagLink(links, first, second, scores))
    configurations = []
    for (a, b), score in np.ndenumerate(scores[1]):
        tags = (1 + a, 1 + size + b)
        configurations.append(Configuration(tags, 0.0))
        configurations.append(Configuration((0, *tags), float(score), (a * (size // 2 + 1) + b,)))
    return Case(graph, configurations, 1)
