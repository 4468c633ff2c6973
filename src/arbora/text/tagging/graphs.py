"""A sentence's tags as a factor graph: Smith & Eisner 2008's TAG and TRIGRAM."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora.factors import TagChain, VariableArray
from arbora.graphs import FactorGraph


@dataclass(frozen=True, slots=True)
class TagGraph:
    """A graph with a categorical variable for each word; ``tags[i][v]`` is what value v of word i means."""

    graph: FactorGraph
    words: list[VariableArray]
    tags: list[list[str]]


def make_tag_graph(
    lattice: tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]], names: list[str]
) -> TagGraph:
    """The graph of a lattice whose last place is the end; scores that have no place in a chain are moved.

    What begins before the first word, or ends after the last, scores fewer tags than three: it goes to the
    pairs of words, or to the words.
    """
    starts, labels, local, triples = lattice
    bounds = list(pairwise(starts.tolist()))[:-1]
    scores = [local[begin:end].copy() for begin, end in bounds]
    graph = FactorGraph()
    if not bounds:
        return TagGraph(graph, [], [])
    sizes = [1, 1, *map(len, scores), 1]
    tables, at = [], 0
    for before, shared, after in zip(sizes, sizes[1:], sizes[2:], strict=False):
        size = before * shared * after
        tables.append(triples[at : at + size].reshape(shared, after, before).transpose(2, 0, 1))
        at += size
    scores[0] += tables[0][0, 0]
    bigrams = [np.zeros((len(a), len(b))) for a, b in pairwise(scores)]
    if bigrams:
        bigrams[0] += tables[1][0]
        bigrams[-1] += tables[-1][:, :, 0]
    else:
        scores[0] += tables[1][0, :, 0]
    words = [graph.categorical([row]) for row in scores]
    graph.add(TagChain(words, bigrams, tables[2:-1] if len(words) > 2 else None))
    tags = [[names[label] for label in labels[begin:end].tolist()] for begin, end in bounds]
    return TagGraph(graph, words, tags)
