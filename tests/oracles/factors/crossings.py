"""Arcs that cross, written out."""

from __future__ import annotations

import numpy as np

import arbora
from tests.oracles.factors.base import Case, Configuration
from tests.oracles.scores import Draw


def cross(first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Exactly one end of each is strictly inside the other."""
    low, high = sorted(first)
    places = ["in" if low < end < high else "at" if end in first else "out" for end in second]
    return set(places) == {"in", "out"}


def no_cross(draw: Draw, size: int) -> Case:
    """The factor of two words of a sentence, all arcs being candidates, or some of them and one twice."""
    n = size + 1
    scores = draw((n + 1, n + 1))
    j = size // 2 + 1
    second = min(n, j + 1 + size % 3)
    graph = arbora.FactorGraph()
    arcs = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]
    if size % 2:
        graph.add(arbora.factors.NoCross(graph.binary(np.zeros((n + 1, n + 1))), scores))
    else:
        arcs = [arc for arc in arcs if sum(arc) % 3 or arc[0] == 0] + [(0, j)]
        heads, modifiers = np.array(arcs[::-1]).T
        graph.add(
            arbora.factors.NoCross(
                graph.binary(np.zeros(len(arcs))), scores, heads=heads, modifiers=modifiers
            )
        )
    into = {word: sorted(arc for arc in arcs if arc[1] == word) for word in (j, second)}
    configurations = []
    for a, one in enumerate(into[j]):
        for b, other in enumerate(into[second]):
            crosses = cross(one, other)
            score = float(scores[j, second]) if crosses else 0.0
            active = (a, len(into[j]) + b)
            configurations.append(Configuration(active, score, (0,) if crosses else ()))
    words = [(a, b) for a in range(1, n + 1) for b in range(a + 1, n + 1)]
    return Case(graph, configurations, words.index((j, second)))
