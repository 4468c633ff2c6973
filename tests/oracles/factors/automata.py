"""Factors on the modifiers of a head, written out: every set of modifiers, grandparent and path of states."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

import arbora
from arbora import factors
from tests.oracles.factors.base import Case, Configuration
from tests.oracles.scores import Draw


def arcs_of(words: int) -> tuple[arbora.FactorGraph, factors.VariableArray]:
    graph = arbora.FactorGraph()
    return graph, graph.binary(np.zeros((words + 1, words + 1)))


def subsets(count: int):
    return (chosen for size in range(count + 1) for chosen in combinations(range(count), size))


def outwards(head: int, side: int, words: int) -> list[int]:
    return list(range(head + 1, words + 1)) if side else list(range(head - 1, 0, -1))


def factor_of(head: int, side: int) -> int:
    """Right of the root, left of 1, right of 1, left of 2, ..."""
    return 2 * head - 1 + side


def bigram_number(start: int, to: int) -> int:
    """Bigrams by where they go, then by where they come from."""
    return sum(range(to)) + start


def bigram_count(modifiers: int) -> int:
    return bigram_number(modifiers, modifiers + 1) + 1


def walk(scores: np.ndarray, head: int, modifiers: list[int], chosen) -> tuple[float, list[int]]:
    """What the bigrams over the chosen modifiers give, by `scores[s, m]`, and their numbers."""
    total, parts, before = 0.0, [], 0
    positions = [head, *modifiers, head]
    for at in [*(index + 1 for index in chosen), len(modifiers) + 1]:
        total += scores[positions[before], positions[at]]
        parts.append(bigram_number(before, at))
        before = at
    return total, parts


def side_of_size(size: int) -> tuple[int, int, int]:
    """A head, a side and a number of words, such that so many modifiers are there."""
    if size % 3 == 0:
        return 0, 1, size
    return (size + 1, 0, size + 1) if size % 3 == 1 else (2, 1, size + 2)


def child_sequences(draw: Draw, size: int) -> Case:
    head, side, words = side_of_size(size)
    graph, arcs = arcs_of(words)
    scores = draw((2, words + 1, words + 1, words + 1))
    graph.add(factors.ChildSequences(arcs, scores))
    modifiers = outwards(head, side, words)
    configurations = []
    for chosen in subsets(size):
        total, parts = walk(scores[side, head], head, modifiers, chosen)
        configurations.append(Configuration(chosen, total, tuple(parts)))
    return Case(graph, configurations, factor_of(head, side))


def trigram_number(first: int, middle: int, last: int) -> int:
    """Trigrams by where they go, then by the middle, then by where they come from; by counting them."""
    every = ((i, j, k) for k in range(last + 1) for j in range(1, k) for i in range(j))
    return list(every).index((first, middle, last))


def child_trigrams(draw: Draw, size: int) -> Case:
    head, side, words = side_of_size(size)
    graph, arcs = arcs_of(words)
    scores = draw((2, *[words + 1] * 4))
    graph.add(factors.ChildTrigrams(arcs, scores))
    positions = [head, *outwards(head, side, words), head]
    configurations = []
    for chosen in subsets(size):
        path = [0, *(index + 1 for index in chosen), size + 1]
        triples = [path[at : at + 3] for at in range(len(chosen))]
        total = sum(scores[side, head][tuple(positions[at] for at in triple)] for triple in triples)
        parts = tuple(trigram_number(*triple) for triple in triples)
        configurations.append(Configuration(chosen, float(total), parts))
    return Case(graph, configurations, factor_of(head, side))


def grand_siblings(draw: Draw, size: int) -> Case:
    """Of some head among so many words; in sizes 1 and 5 of the root, which has no grandparent."""
    head = 0 if size == 5 else size // 2
    graph, arcs = arcs_of(size)
    scores = draw((2, size + 1, size + 1, size + 1, size + 1))
    graph.add(factors.GrandSiblings(arcs, scores))
    left, right = outwards(head, 0, size), outwards(head, 1, size)
    grandparents = [g for g in range(size + 1) if g != head] if head else []
    counts = bigram_count(len(left)), bigram_count(len(right))
    configurations = []
    for number, g in enumerate(grandparents or [0]):
        for on_left, on_right in product(subsets(len(left)), list(subsets(len(right)))):
            left_total, left_parts = walk(scores[0, g, head], head, left, on_left)
            right_total, right_parts = walk(scores[1, g, head], head, right, on_right)
            first = len(grandparents)
            active = [number] if grandparents else []
            active += [first + index for index in on_left]
            active += [first + len(left) + index for index in on_right]
            offset = number * sum(counts)
            parts = [offset + part for part in left_parts]
            parts += [offset + counts[0] + part for part in right_parts]
            configurations.append(Configuration(tuple(active), left_total + right_total, tuple(parts)))
    return Case(graph, configurations, head)


def head_automata(draw: Draw, size: int) -> Case:
    head, side, words = side_of_size(size)
    states = (3, 1, 3, 2, 2, 2)[size - 1]
    graph, arcs = arcs_of(words)
    initial, final = draw((2, words + 1, states)), draw((2, words + 1, states))
    transitions = draw((words + 1, words + 1, states, states))
    graph.add(factors.HeadAutomata(arcs, initial, final, transitions))
    modifiers = outwards(head, side, words)
    configurations = []
    for chosen in subsets(size):
        for path in product(range(states), repeat=len(chosen) + 1):
            total = initial[side, head, path[0]] + final[side, head, path[-1]]
            parts = [path[0], states + path[-1]]
            for index, before, after in zip(chosen, path[:-1], path[1:], strict=True):
                total += transitions[head, modifiers[index], before, after]
                parts.append((2 + index * states + before) * states + after)
            configurations.append(Configuration(chosen, total, tuple(parts)))
    return Case(graph, configurations, factor_of(head, side))
