"""How good trees are, in one number: what training goes by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from arbora.treebank import Constituent

PUNCTUATION = frozenset({",", ":", "``", "''", "."})
TOPS = frozenset({"", "TOP", "ROOT", "S1"})


def bracket_f1(gold: Sequence[Constituent], found: Sequence[Constituent]) -> float:
    """The F1 of labelled constituents, as EVALB counts them: without punctuation and the top.

    >>> gold = Constituent.from_string("(TOP (S (NP (NNS Dogs)) (VP (VBP bark))))")
    >>> bracket_f1([gold], [Constituent.from_string("(TOP (S (NNS Dogs) (VP (VBP bark))))")])
    0.8
    """
    right = total = 0
    for one, other in zip(gold, found, strict=True):
        mine, theirs = _brackets(one), _brackets(other)
        right += (mine & theirs).total()
        total += mine.total() + theirs.total()
    return 2 * right / total if total else 1.0


def _brackets(tree: Constituent) -> Counter[tuple[str, int, int]]:
    places = [0]
    for leaf in tree.preterminals():
        places.append(places[-1] + (leaf.label not in PUNCTUATION))
    spans = ((label.replace("PRT", "ADVP"), places[start], places[end]) for label, start, end in tree.spans())
    return Counter(span for span in spans if span[0] not in TOPS and span[1] < span[2])
