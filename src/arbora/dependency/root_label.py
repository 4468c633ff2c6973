"""`root`, the label of arcs from the root: no other arc has it, and in Universal Dependencies they all do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from arbora.treebank.universal import RELATIONS

ROOT, OTHER = "root", "dep"
"""And what an arc from a word is called where nothing is known of such."""
MOST_NOISE = 0.05
"""If no more of the arcs from the root have other labels than `root`, those are mistakes."""

Flags: TypeAlias = list[bool]
"""For every label, whether arcs of some kind can have it."""


def root_label(labels: Sequence[str]) -> tuple[int, bool]:
    """The number of `root` among the names, and whether arcs from the root have no other label.

    The number is -1 if it is not there, or if arcs from words would have no label without it.

    >>> root_label(["nsubj", "root"]), root_label(["SBJ", "root"]), root_label(["root"]), root_label(["SBJ"])
    ((1, True), (1, False), (-1, False), (-1, False))
    """
    if ROOT not in labels or len(labels) < 2:
        return -1, False
    return list(labels).index(ROOT), all(label.partition(":")[0] in RELATIONS for label in labels)


def kept_to_root(labels: Sequence[str], below_words: Sequence[bool]) -> Flags:
    """Which of the labels arcs from words can have: `root` is none, unless they would have no other.

    >>> kept_to_root(["nsubj", "root"], [True, True])
    [True, False]
    """
    found = [below and label != ROOT for label, below in zip(labels, below_words, strict=True)]
    return found if any(found) else list(below_words)
