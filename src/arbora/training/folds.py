"""Folds: parts of a treebank, each of which something is asked of that has learned from all others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate

from arbora.errors import ArboraError
from arbora.training.dev_data import blocks_of, documents_of
from arbora.treebank import Sentence


def make_folds(sentences: Sequence[Sentence], folds: int, seed: int = 1) -> list[list[int]]:
    """The places of the sentences of each fold, in order; folds have about as many words as one another.

    Documents (``# newdoc``) stay whole if there are enough of them, else blocks of neighbours. Which of them
    come together is drawn by the seed.

    >>> make_folds([Sentence([word]) for word in "abcd"], 2)
    [[2, 3], [0, 1]]
    """
    if folds < 2:
        raise ArboraError("there must be at least 2 folds")
    if len(sentences) < folds:
        raise ArboraError(f"{folds} folds need at least as many sentences, and there are {len(sentences)}")
    ways = (documents_of(sentences), blocks_of(sentences), [[one] for one in sentences])
    groups = _places(next(way for way in ways if len(way) >= folds))
    random.Random(seed).shuffle(groups)
    words = [sum(len(sentences[place]) for place in group) for group in groups]
    result: list[list[int]] = [[] for _ in range(folds)]
    sizes = [(0, 0, fold) for fold in range(folds)]
    for group in sorted(range(len(groups)), key=lambda group: -words[group]):  # the last ones even it out
        size, count, fold = min(sizes)
        result[fold] += groups[group]
        sizes[fold] = (size + words[group], count + 1, fold)
    return [sorted(places) for places in result]


def _places(groups: Sequence[Sequence[Sentence]]) -> list[list[int]]:
    ends = list(accumulate(map(len, groups)))
    return [list(range(end - len(group), end)) for group, end in zip(groups, ends, strict=True)]
