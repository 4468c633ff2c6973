"""A constituency parser that needs no training, for tests of all that is around parsers."""

from __future__ import annotations

import importlib.metadata
import math
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from arbora.constituency import ConstituencyParser, ParsedTree, TaggedWords
from arbora.models import Architecture, Parts, Tensors
from arbora.models.registry import GROUP
from arbora.treebank import Constituent

ARCHITECTURE = Architecture(
    "right-branching",
    "right-branching parser",
    f"{__name__}:RightBranching",
    adds=("constituents",),
    needs=("words", "xpos"),
)


class RightBranching(ConstituencyParser):
    """An S over all, a VP from each other word to the end; the next best trees lack the first VPs."""

    architecture = "right-branching"

    def __init__(self, header: dict[str, Any]) -> None:
        self.header = header
        self.seen: TaggedWords | None = None

    @property
    def known_tags(self) -> list[str] | None:
        return self.header.get("tags")

    @classmethod
    def from_parts(cls, header: dict[str, Any], tensors: Tensors) -> RightBranching:
        return cls(header)

    def to_parts(self, *, compact_weights: bool = False) -> Parts:
        return self.header, {}

    def parse_kbest(
        self, sentences: Sequence[TaggedWords], k: int, *, probabilities: bool = False, threads: int = 1
    ) -> list[list[ParsedTree]]:
        return [
            [self._tree(sentence, rank, probabilities) for rank in range(min(k, len(sentence.words)))]
            for sentence in sentences
        ]

    def _tree(self, sentence: TaggedWords, rank: int, probabilities: bool) -> ParsedTree:
        n = len(sentence.words)
        self.seen = sentence
        spans = [("S", 0, n), *(("VP", start, n) for start in range(1 + rank, n))]
        odds = tuple(1 / (1 + place) for place in range(len(spans))) if probabilities else None
        tree = Constituent.from_spans(spans, sentence.words, sentence.tags)
        return ParsedTree(tree, math.log(0.5) - rank, span_probabilities=odds)


def make_parser(tags: list[str] | None = None) -> RightBranching:
    """One that knows these tags, or any."""
    return RightBranching({"architecture": "right-branching", "report": {}, "tags": tags})


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make it known as other packages do it."""
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    point = importlib.metadata.EntryPoint("right-branching", f"{__name__}:ARCHITECTURE", GROUP)
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda **by: [point] if by["name"] == point.name else []
    )
