"""How well brackets are found: what training chooses its epochs by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from arbora.treebank import Constituent


class SpanScores(NamedTuple):
    """Shares of labelled brackets that were found, that are right, and their harmonic mean."""

    recall: float
    precision: float
    f1: float


PUNCTUATION = frozenset((",", ":", "``", "''", ".", "-LRB-", "-RRB-"))
"""Tags of words that brackets are counted without."""


def span_scores(gold: Sequence[Constituent], found: Sequence[Constituent]) -> SpanScores:
    """Labelled brackets as EVALB counts them: without punctuation, without the label on top.

    >>> gold = Constituent.from_string("((S (NP (A a) (B b)) (VP (C c) (. .))))")
    >>> span_scores([gold], [Constituent.from_string("((S (A a) (VP (B b) (C c) (. .))))")])
    SpanScores(recall=0.3333333333333333, precision=0.5, f1=0.4)
    """
    right = wanted = given = 0
    for gold_tree, found_tree in zip(gold, found, strict=True):
        ours, theirs = _brackets(found_tree), _brackets(gold_tree)
        right += (ours & theirs).total()
        wanted += theirs.total()
        given += ours.total()
    recall, precision = right / max(wanted, 1), right / max(given, 1)
    return SpanScores(recall, precision, 2 * right / max(wanted + given, 1))


def _brackets(tree: Constituent) -> Counter[tuple[str, int, int]]:
    before = [0]  # words that count, up to each
    for leaf in tree.preterminals():
        before.append(before[-1] + (leaf.label not in PUNCTUATION))
    spans = ((label, before[start], before[end]) for label, start, end in tree.spans() if label)
    return Counter((label, start, end) for label, start, end in spans if start < end)
