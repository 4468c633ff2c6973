"""Probabilities that trees carry, which their drawings show unless others are given, or none are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from arbora.treebank.findings import HEAD_PROBABILITY, drawn_probability

Known: TypeAlias = Sequence[float | None] | None
Asked: TypeAlias = Sequence[float | None] | Literal[False] | None
"""Probabilities of what is drawn; None are those that the tree carries, False is none."""


def of_heads(sentence: Any, asked: Asked) -> Known:
    """Those of the heads of a sentence: what was found for it, or what MISC says; None if no word has one.

    >>> from arbora.treebank import Sentence
    >>> of_heads(Sentence(["Go", "on"], misc=["HeadProbability=0.75", "_"]), None)
    [0.75, None]
    """
    if asked is not None:
        return asked or None
    found = (getattr(sentence, "findings", None) or {}).get(HEAD_PROBABILITY)
    if found is None:
        found = [drawn_probability(misc) for misc in getattr(sentence, "misc", ())]
    return None if all(probability is None for probability in found) else list(found)


def of_constituents(owner: Any, asked: Asked) -> Known:
    """Those of the constituents of a sentence, or of a tree that knows them itself.

    >>> from types import SimpleNamespace as Tree
    >>> of_constituents(Tree(label="VP", children=[], probabilities=[0.5]), None)
    [0.5]
    """
    if asked is not None:
        return asked or None
    names = "constituent_probabilities", "probabilities"
    return next((found for name in names if (found := getattr(owner, name, None)) is not None), None)
