"""A generative model as a parser: what it has learned gives the scores, the rest is as for all parsers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isqrt
from typing import Any

import numpy as np

from arbora import _core
from arbora.dependency import ArrayScores, RankedTree
from arbora.dependency.batch_parser import BatchParser
from arbora.dependency.root_label import OTHER, ROOT, root_label
from arbora.errors import TooLongError
from arbora.generative.corpus import Item
from arbora.generative.kinds import Floats, SentenceScores
from arbora.generative.scoring import Integers, LearnedModel, hosts_of
from arbora.models import Parts, Tensors
from arbora.models.options import a_count
from arbora.treebank import Sentence
from arbora.treebank.batches import FORBIDDEN_HEADS
from arbora.treebank.given import blaming, each_sentence, named

ARCHITECTURE = "generative-parser"
MOST_WORDS = 250
"""Of a sentence that a valence model parses: there are n^3 pairs of siblings."""
MOST_CELLS = 2**23
"""Of scores of a sentence's labelled arcs: 64 megabytes, and a batch has several such sentences."""
OTHER_HOST = -10.0
"""The score with which words that are left out hang from another word than their host, where they may."""
SETTINGS = {"solver": "hill-climbing", "iterations": 200, "propagations": 10, "constraint": "tree"}
"""How trees are found if there are parts: hill climbing begins with the best projective tree, by a chart."""


class GenerativeParser(BatchParser):
    """A bigram or valence model, as a parser. It does not change, and serves any number of threads.

    Make one with `arbora.generative.train_generative`, or `load` it from a file.
    ``model`` has what it learned, and the probabilities of sentences.
    """

    architecture = ARCHITECTURE

    def __init__(self, header: dict[str, Any], model: LearnedModel) -> None:
        """A parser from what its file holds."""
        self.header, self.model = header, model
        self.labels = model.label_names or [ROOT, OTHER]
        self.tags: list[str] = []
        single_root, projective = model.options.trees
        self.settings = {**SETTINGS, "single_root": single_root, "projective": projective}
        self._names = _core.ParserNames(self.labels, [])

    @property
    def most_words(self) -> int:
        """Of a sentence: all arcs of it have scores, one for each label."""
        by_arcs = isqrt(MOST_CELLS // len(self.labels)) - 1
        return min(by_arcs, MOST_WORDS) if self.model.kind.name == "valence" else by_arcs

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
        count, seed = a_count(count, "count"), a_count(seed, "seed", 0)
        for place, sentence in enumerate(each_sentence(sentences)):
            if not len(sentence):
                yield [RankedTree([], [], 0.0)] * count
                continue
            with blaming([sentence]):
                trees = self._drawn(sentence, count, seed + place, threads)
            yield trees

    def _drawn(self, sentence: Sentence, count: int, seed: int, threads: int) -> list[RankedTree]:
        hosts = hosts_of(sentence, self.model.options)
        content = np.flatnonzero(hosts < 0)  # the root first
        scores = self.model.scores([self._inner_item(sentence, hosts)])
        self._keep_root_label(scores.arcs[0])
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
        return self._hanging_label(head) if self.model.label_names else self.labels[int(head > 0)]

    def _hanging_label(self, head: int) -> str:
        """Of words that the model leaves out, where they hang from this head."""
        if not head and ROOT in self.labels:
            return ROOT
        others = [label for label in self.labels if label != ROOT] or self.labels
        return "punct" if "punct" in others else others[-1]

    def _keep_root_label(self, arcs: Floats) -> None:
        """Labels that arcs cannot have where `root` is that of arcs from the root become impossible.

        Older files have probabilities for them.
        """
        root, is_alone = root_label(self.model.label_names)
        if root >= 0:
            arcs[1:, :, root] = -np.inf
            arcs[0, :, np.arange(arcs.shape[2]) != root] += -np.inf if is_alone else 0.0

    def _scorer(self, sentences: Iterable[Sentence], *, constraints: bool = False) -> _core.Scorer:
        found = list(each_sentence(sentences))
        with blaming(found):
            return self._scores_of(found, constraints).scorer(labels=self.labels)

    def _scores_of(self, sentences: Sequence[Sentence], constraints: bool) -> ArrayScores:
        for sentence in sentences:
            if len(sentence) > self.most_words:
                raise TooLongError(
                    f"a {self.model.kind.name} model parses sentences of up to {self.most_words} words, and "
                    f"{named(sentence)} has {len(sentence)}"
                )
        hosts = [hosts_of(sentence, self.model.options) for sentence in sentences]
        inner = self.model.scores(list(map(self._inner_item, sentences, hosts)))
        given = [sentence.heads if constraints else [] for sentence in sentences]
        limited = [_limited(sentence) if constraints else set() for sentence in sentences]
        arcs = list(map(self._all_arcs, inner.arcs, hosts, given, limited))
        others = {name: list(map(_spread, own, hosts)) for name, own in inner.others.items()}
        return ArrayScores(arcs, parts=self.model.kind.parts(SentenceScores(arcs, others), hosts))

    def _inner_item(self, sentence: Sentence, hosts: Integers) -> Item:
        """The words that belong to the tree, and the root."""
        item, content = self.model.encode(sentence), hosts < 0
        return Item(*(each[content] for each in (item.tags, item.words, item.heads, item.labels)))

    def _all_arcs(
        self, inner: Floats, hosts: Integers, given: Sequence[int | None], limited: set[int]
    ) -> Floats:
        """Scores of all arcs with labels: words that are left out hang from their hosts for certain.

        What is given binds before that; and where something is given about such words, or heads of theirs
        are forbidden (``limited``), which may leave no projective tree with all hosts, others are possible.
        """
        content, left_out = np.flatnonzero(hosts < 0), np.flatnonzero(hosts >= 0).tolist()
        arcs = np.full((len(hosts), len(hosts), len(self.labels)), -np.inf)
        arcs[np.ix_(content, content)] = inner if inner.ndim == 3 else inner[..., None]
        if not self.model.label_names:
            arcs[1:, :, 0] = arcs[0, :, 1] = -np.inf
        heads = dict(enumerate(given, 1))
        is_given = any(heads.get(word) is not None or word in given or word in limited for word in left_out)
        for word in left_out:
            if heads.get(word) is None:
                if is_given:
                    arcs[content[1:], word] = self._hanging_scores(1) + OTHER_HOST
                arcs[hosts[word], word] = self._hanging_scores(int(hosts[word]))
        for word, head in heads.items():
            if head is not None and (word in left_out or head in left_out):
                # A label may be given, too.
                arcs[head, word] = self._hanging_scores(head, others=OTHER_HOST)
        return arcs

    def _hanging_scores(self, head: int, others: float = -np.inf) -> Floats:
        """Of the labels of an arc that the model knows nothing of: (labels,)."""
        if not self.model.label_names:
            return np.array([-np.inf, 0.0] if head else [0.0, -np.inf])
        found = np.full(len(self.labels), others)
        found[self.labels.index(self._hanging_label(head))] = 0.0
        return found


def _limited(sentence: Sentence) -> set[int]:
    """The words of which heads are forbidden."""
    return {id for id, misc in enumerate(sentence.misc, 1) if FORBIDDEN_HEADS in misc}


def _spread(inner: Floats, hosts: Integers) -> Floats:
    """Numbers of the words that belong to the tree, among those of all."""
    found = np.zeros((len(hosts), *inner.shape[1:]))
    found[hosts < 0] = inner
    return found
