"""What every constituency parser can do: trees of tagged words, and with them the sentences of a pipeline."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arbora import _core
from arbora.constituency.trees import TaggedWords
from arbora.constituency.words import penn_tags, penn_words
from arbora.models import Component
from arbora.models.options import a_count
from arbora.treebank import Constituent
from arbora.treebank.batches import Step
from arbora.treebank.phrases import CONSTITUENTS_JOINT_LOG_PROBABILITY, CONSTITUENTS_LOG_PROBABILITY
from arbora.treebank.sentence import UNKNOWN

KBEST_RANK = "kbest_rank"
"""A comment, as other parsers write it."""


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

    most_words = 1000
    """Of a sentence: charts of more would take gigabytes."""

    @property
    def known_tags(self) -> Collection[str] | None:
        """The tags that it has learned, for others to be replaced by the nearest; None if it wants all."""
        return None

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

    def step(self, options: Any, asked: Mapping[str, Any]) -> Step:
        """What the parser does in a pipeline: words with tags (XPOS, or else UPOS) get constituents.

        Of the options, ``probabilities`` and ``threads`` matter. The parser sees words and tags as the Penn
        treebank has them; in the tree they are as the sentence has them.
        """

        def annotate(batch: _core.Batch) -> _core.Batch:
            places, words = self._tagged_words(batch)
            found = self.parse(words, probabilities=options.probabilities, threads=options.threads)
            for place, parsed in zip(places, found, strict=True):
                _set_tree(batch, place, parsed, with_log_probability=options.probabilities)
            return batch

        return annotate

    def ranker(self, k: int, options: Any, *, keep_tags: bool = True) -> Step:
        """What the parser does with a batch if the k best trees are wanted, each in a sentence of its own.

        It finds no tags, so ``keep_tags`` changes nothing.
        """
        k = a_count(k, "k")

        def rank(batch: _core.Batch) -> _core.Batch:
            places, words = self._tagged_words(batch)
            found = dict(zip(places, self.parse_kbest(words, k, threads=options.threads), strict=True))
            copies = batch.repeated([max(len(found.get(place, ())), 1) for place in range(len(batch))])
            at = 0
            for place in range(len(batch)):
                for rank, parsed in enumerate(found.get(place, ()), 1):
                    copies.add_count(at + rank - 1, KBEST_RANK, rank)
                    _set_tree(copies, at + rank - 1, parsed, with_log_probability=True)
                at += max(len(found.get(place, ())), 1)
            return copies

        return rank

    def _tagged_words(self, batch: _core.Batch) -> tuple[list[int], list[TaggedWords]]:
        """The sentences that can be parsed, by their places; one without a tag, or too long, is refused."""
        places, found = [], []
        known = self.known_tags
        for place in range(len(batch)):
            forms, tags = batch.tagged_words(place)
            if UNKNOWN in tags:
                word = tags.index(UNKNOWN) + 1
                batch.refuse(place, f"word {word} has no tag, neither XPOS nor UPOS", word=word)
            elif len(forms) > self.most_words:
                reason = f"it has {len(forms)} words, and this parser takes at most {self.most_words}"
                batch.refuse(place, reason, too_long=True)
            elif forms:
                own = tags if known is None else penn_tags(tags, known)
                places.append(place)
                found.append(TaggedWords(penn_words(forms, tags), own))
        return places, found


def _set_tree(batch: _core.Batch, place: int, parsed: ParsedTree, *, with_log_probability: bool) -> None:
    spans, probabilities = parsed.tree.spans(), parsed.span_probabilities
    if not spans:
        # One word and its tag: on top comes what the Penn treebank puts on every tree, a node without a
        # label, as ((UH Goodbye)). It says nothing, and is certain.
        spans, probabilities = [("", 0, 1)], None if probabilities is None else (1.0,)
    batch.set_constituents(place, spans, None if probabilities is None else list(probabilities))
    if with_log_probability:
        name = CONSTITUENTS_JOINT_LOG_PROBABILITY if parsed.is_joint else CONSTITUENTS_LOG_PROBABILITY
        batch.add_measure(place, name, parsed.log_probability)
