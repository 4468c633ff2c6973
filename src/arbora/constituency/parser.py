"""What every constituency parser can do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from arbora.constituency.trees import TaggedWords
from arbora.models import Component
from arbora.treebank import Constituent


@dataclass(frozen=True, slots=True)
class ParsedTree:
    """A tree that a parser found.

    ``log_probability`` is that of the tree given the sentence or, where ``is_joint``, of both together.
    ``span_probabilities``, if they are asked for, are in the order of ``tree.spans()``.
    """

    tree: Constituent
    log_probability: float
    is_joint: bool = False
    span_probabilities: tuple[float, ...] | None = None


class ConstituencyParser(Component):
    """A trained constituency parser. It does not change, and serves any number of threads."""

    @abstractmethod
    def parse_kbest(
        self, sentences: Sequence[TaggedWords], k: int, *, probabilities: bool = False, threads: int = 1
    ) -> list[list[ParsedTree]]:
        """For every sentence its k best trees, or as many as there are, at least one; best first."""

    def parse(
        self, sentences: Sequence[TaggedWords], *, probabilities: bool = False, threads: int = 1
    ) -> list[ParsedTree]:
        """The best tree of every sentence."""
        found = self.parse_kbest(sentences, 1, probabilities=probabilities, threads=threads)
        return [trees[0] for trees in found]
