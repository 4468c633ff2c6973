"""A generative model as a parser: what it has learned gives the scores, the rest is as for all parsers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from arbora import _core
from arbora.dependency import ArrayScores, RankedTree
from arbora.dependency.batch_parser import BatchParser
from arbora.errors import ArboraError
from arbora.generative.corpus import Item
from arbora.generative.kinds import Floats
from arbora.generative.scoring import LearnedModel, hosts_of
from arbora.models import Parts, Tensors
from arbora.treebank import Sentence
from arbora.treebank.batches import named

ARCHITECTURE = "generative-parser"
ROOT_LABEL, OTHER_LABEL = "root", "dep"
"""What arcs are called by a model without labels."""
MOST_WORDS = 250
"""Of a sentence that a valence model parses: there are n^3 pairs of siblings."""
OTHER_HOST = -10.0
"""The score with which words that are left out hang from another word than their host, where they may."""
SETTINGS = {"solver": "dual-decomposition", "iterations": 200, "propagations": 10, "constraint": "tree"}
"""How trees are found where a user wants others than the model has."""


class GenerativeParser(BatchParser):
    """A bigram or valence model, as a parser. It does not change, and serves any number of threads.

    Make one with `arbora.generative.train_generative`, or `load` it from a file.
    ``model`` has what it learned, and the probabilities of sentences.
    """

    architecture = ARCHITECTURE

    def __init__(self, header: dict[str, Any], model: LearnedModel) -> None:
        """A parser from what its file holds."""
        self.header, self.model = header, model
        self.labels = model.label_names or [ROOT_LABEL, OTHER_LABEL]
        self.tags: list[str] = []
        single_root, projective = model.options.trees
        self.settings = {**SETTINGS, "single_root": single_root, "projective": projective}
        self._names = _core.ParserNames(self.labels, [])

    @classmethod
    def from_parts(cls, header: dict[str, Any], tensors: Tensors) -> GenerativeParser:
        """The parser of a header and tensors as `to_parts` gives them."""
        return cls(header, LearnedModel.from_parts(header, tensors))

    def to_parts(self, *, compact_weights: bool = False) -> Parts:
        """The header and the tensors of the model file; there is no other form."""
        header, tensors = self.model.to_parts()
        return {**self.header, **header}, tensors

    def log_probabilities(self, sentences: Iterable[Sentence], *, threads: int = 1) -> Floats:
        """Of sentences: see `LearnedModel.log_probabilities`."""
        return self.model.log_probabilities(sentences, threads=threads)

    def sample(
        self, sentences: Iterable[Sentence], count: int = 1, *, seed: int = 1, threads: int = 1
    ) -> Iterator[list[RankedTree]]:
        """Of each sentence so many trees, each drawn with its probability given the words."""
        if count < 1 or seed < 0:
            raise ArboraError("count must be at least 1, and seed not negative")
        for place, sentence in enumerate(sentences):
            if not len(sentence):
                yield [RankedTree([], [], 0.0)] * count
                continue
            yield self._drawn(sentence, count, seed + place, threads)

    def _drawn(self, sentence: Sentence, count: int, seed: int, threads: int) -> list[RankedTree]:
        hosts = hosts_of(sentence, self.model.options)
        content = np.flatnonzero(hosts < 0)  # the root first
        item = self.model.encode(sentence)
        inner = Item(*(each[content] for each in (item.tags, item.words, item.heads, item.labels)))
        scores = self.model.scores([inner])
        total = self.model.kind.expectations(scores, threads=threads).values[0]
        drawn = self.model.kind.sample(scores, count, seed, threads=threads)[0]
        found = []
        for tree in drawn:
            heads = hosts.copy()
            heads[content[1:]] = content[tree.heads[1:]]
            labels = np.full(len(hosts), -1)
            if tree.labels is not None:
                labels[content] = tree.labels
            names = [self._label(heads[word], labels[word]) for word in range(1, len(hosts))]
            found.append(RankedTree(heads[1:].tolist(), names, tree.score - total))
        return found

    def _label(self, head: int, label: int) -> str:
        if label >= 0:
            return self.labels[label]
        return self._hanging_label() if self.model.label_names else self.labels[int(head > 0)]

    def _hanging_label(self) -> str:
        """Of words that the model leaves out."""
        return "punct" if "punct" in self.labels else self.labels[-1]

    def _scorer(self, sentences: Iterable[Sentence], *, constraints: bool = False) -> _core.Scorer:
        found = list(sentences)
        for sentence in found:
            if self.model.kind.name == "valence" and len(sentence) > MOST_WORDS:
                raise ArboraError(
                    f"a valence model parses sentences of up to {MOST_WORDS} words, and {named(sentence)} "
                    f"has {len(sentence)}"
                )
        hosts = [hosts_of(sentence, self.model.options) for sentence in found]
        scores = self.model.scores([self.model.encode(sentence) for sentence in found])
        parts = self.model.kind.parts(scores, hosts)
        given = [sentence.heads if constraints else [] for sentence in found]
        arcs = map(self._with_labels, scores.arcs, hosts, given)
        return ArrayScores(list(arcs), parts=parts).scorer()

    def _with_labels(self, arcs: Floats, hosts: Any, given: Sequence[int | None]) -> Floats:
        """Scores of arcs with labels, in which words that are left out hang from their hosts for certain.

        What is given binds before that; and where something is given about such words, which may leave no
        projective tree with all hosts, others are possible, too.
        """
        if not self.model.label_names:
            arcs = np.stack([arcs, arcs], axis=2)
            arcs[1:, :, 0] = arcs[0, :, 1] = -np.inf
        hanging = self.labels.index(self._hanging_label() if self.model.label_names else OTHER_LABEL)
        left_out = np.flatnonzero(hosts >= 0).tolist()
        known = {word for word in left_out if given and given[word - 1] is not None}
        others = OTHER_HOST if known or set(left_out) & set(given) else -np.inf
        for word in left_out:
            if word not in given:
                arcs[word] = -np.inf
            if word in known:
                continue
            arcs[:, word] = -np.inf
            arcs[np.flatnonzero(hosts < 0)[1:], word, hanging] = others
            arcs[hosts[word], word, hanging] = 0.0
        return arcs
