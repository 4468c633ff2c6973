"""The ISBN parser: a model file at work."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.constituency.isbn.options import IsbnOptions, input_pair
from arbora.constituency.isbn.vocabulary import Decisions, Vocabulary
from arbora.constituency.parser import ConstituencyParser, ParsedTree
from arbora.constituency.trees import TaggedWords, checked_words
from arbora.errors import ArboraError
from arbora.models import Parts, Tensors
from arbora.models.checking import a_row
from arbora.models.options import a_count
from arbora.treebank import Constituent

ARCHITECTURE = "isbn-parser"
MOST_WEIGHT = 1e4
"""Those that are learned are below 100; with much larger ones no means are ever found."""
MOST_STEPS = 2000
"""Decisions that are looked at between two words, at most."""


def make_network(vocabulary: Vocabulary, options: IsbnOptions) -> _core.IsbnNetwork:
    """The core's network without weights."""
    return _core.IsbnNetwork(
        options.inference,
        options.width,
        len(vocabulary.labels),
        [len(words) for words in vocabulary.words],
        vocabulary.longest_chain,
        vocabulary.root_label is not None,
        list(options.states),
        [input_pair(name) for name in options.inputs],
    )


class IsbnParser(ConstituencyParser):
    """A generative constituency parser by an incremental sigmoid belief network (Titov & Henderson 2007).

    Trees are found by beam search, so they need not be the most probable ones, and probabilities of sentences
    are approximate, by mean-field or feed-forward inference.
    """

    architecture = ARCHITECTURE
    most_words = 5000  # there is no chart

    def __init__(self, header: dict[str, Any], weights: npt.NDArray[np.float64]) -> None:
        """A parser from what its file holds; KeyError, TypeError or ValueError if that is none."""
        self.header = header
        self.options = IsbnOptions.from_dict(header["options"])
        self.vocabulary = Vocabulary.from_dict(header["vocabulary"])
        self.network = make_network(self.vocabulary, self.options)
        if weights.dtype != np.float64 or weights.shape != (self.network.weight_count,):
            raise ValueError("the weights are of another network")
        if not (np.abs(weights) <= MOST_WEIGHT).all():
            raise ValueError(f"a weight is no number from {-MOST_WEIGHT} to {MOST_WEIGHT}")
        self.weights = np.ascontiguousarray(weights)

    @property
    def known_tags(self) -> list[str]:
        """The tags that it has learned."""
        return self.vocabulary.tags

    @classmethod
    def from_parts(cls, header: dict[str, Any], tensors: Tensors) -> IsbnParser:
        """The parser of a header and tensors as `to_parts` gives them."""
        return cls(header, a_row(tensors, "weights", np.float32).astype(np.float64))

    def to_parts(self, *, compact_weights: bool = False) -> Parts:
        """The header and the tensors of the model file: 32 bits a weight."""
        return self.header, {"weights": self.weights.astype(np.float32)}

    def parse_kbest(
        self,
        sentences: Sequence[TaggedWords],
        k: int,
        *,
        probabilities: bool = False,
        threads: int = 1,
    ) -> list[list[ParsedTree]]:
        """The best trees that the beam holds at the end, with the joint log-probability of tree and words.

        Probabilities of constituents are shares of the trees in the beam, by weight: an approximation.
        """
        sentences, k = checked_words(sentences), a_count(k, "k")
        threads = a_count(threads, "threads")
        wrong = next((number for number, one in enumerate(sentences, 1) if not one.words), None)
        if wrong is not None:
            raise ArboraError(f"sentence {wrong} has no words")
        numbers = [self.vocabulary.numbers(sentence) for sentence in sentences]
        found = self.network.parse(
            self.weights,
            [tags for tags, _ in numbers],
            [words for _, words in numbers],
            max(self.options.beam, k),
            self.options.branching,
            max(self.options.candidates, k),
            MOST_STEPS,
            threads,
        )
        return [
            self._trees(sentence, parses, k, probabilities)
            for sentence, parses in zip(sentences, found, strict=True)
        ]

    def _trees(
        self, sentence: TaggedWords, parses: list[tuple[Decisions, float]], k: int, probabilities: bool
    ) -> list[ParsedTree]:
        trees = [self.vocabulary.tree(decisions, sentence) for decisions, _ in parses]
        scores = [score for _, score in parses]
        shares = _shares(trees, scores) if probabilities else None
        return [
            ParsedTree(
                tree,
                score,
                is_joint=True,
                span_probabilities=None if shares is None else tuple(shares[span] for span in tree.spans()),
            )
            for tree, score in list(zip(trees, scores, strict=True))[:k]
        ]

    def log_probabilities(self, trees: Sequence[Constituent], *, threads: int = 1) -> npt.NDArray[np.float64]:
        """The approximate log-probability of each tree together with its words."""
        corpus = _core.IsbnCorpus()
        for tree in trees:
            corpus.add(self.network, self.vocabulary.decisions(tree))
        return np.asarray(self.network.log_probabilities(self.weights, corpus, threads))


def _shares(trees: list[Constituent], scores: list[float]) -> dict[tuple[str, int, int], float]:
    """How much of the trees' weight each constituent has."""
    weights = [exp(score - scores[0]) for score in scores]
    total = fsum(weights)
    shares: dict[tuple[str, int, int], float] = {}
    for tree, weight in zip(trees, weights, strict=True):
        for span in dict.fromkeys(tree.spans()):
            shares[span] = shares.get(span, 0.0) + weight / total
    return {span: min(1.0, share) for span, share in shares.items()}
