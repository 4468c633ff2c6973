"""A generative model that has learned: probabilities of sentences, and the scores by which it parses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.errors import InfeasibleTreeError
from arbora.generative.corpus import Arcs, Item, chunks, encode, list_arcs, reduced
from arbora.generative.decisions import Estimate, Features, Table
from arbora.generative.kinds import Floats, GenerativeModel, SentenceScores, make_model
from arbora.generative.options import GenerativeOptions
from arbora.generative.units import Units, has_words, kept_words
from arbora.models import Parts, Tensors
from arbora.models.checking import a_row, some_names, some_options
from arbora.treebank import Sentence
from arbora.treebank.given import blaming, each_sentence

Integers: TypeAlias = npt.NDArray[np.int32]


LOOKED_UP = 1 << 20
"""So many arcs with labels are looked up together."""


def perplexity(log_probability: float, words: int) -> float:
    """The inverse of the mean probability of a word; inf if the sentences are impossible.

    >>> round(perplexity(3 * np.log(0.25), 3), 9)
    4.0
    """
    if words == 0:
        return 1.0
    return float(np.exp(-log_probability / words)) if log_probability > -709 * words else float("inf")


class LearnedModel:
    """A kind of model with estimates of all its decisions.

    ``label_names`` are those of arcs; a model without labels has none.
    """

    def __init__(
        self, kind: GenerativeModel, estimates: Mapping[str, Estimate], label_names: Sequence[str]
    ) -> None:
        """From what was learned."""
        self.kind, self.estimates, self.label_names = kind, dict(estimates), list(label_names)
        self.label_numbers = {name: number for number, name in enumerate(self.label_names)}

    @property
    def options(self) -> GenerativeOptions:
        """What the model is made of."""
        return self.kind.options

    @property
    def units(self) -> Units:
        """What words are to it."""
        return self.kind.units

    def encode(self, sentence: Sentence) -> Item:
        """All words of a sentence in numbers, without what it has of a tree."""
        return encode(sentence, self.units, self.label_numbers, with_trees=False, with_labels=False)

    def scores(self, items: Sequence[Item]) -> SentenceScores:
        """Log-probabilities of all decisions about sentences; -inf of what is not as given."""
        found = SentenceScores([])
        for own in chunks(items, self.kind.labels, LOOKED_UP):
            some = self._scores(items[own])
            found.arcs += some.arcs
            for name, arrays in some.others.items():
                found.others.setdefault(name, []).extend(arrays)
        return found

    def _scores(self, items: Sequence[Item]) -> SentenceScores:
        count = self.kind.labels
        free = [Item(item.tags, item.words, *[np.full_like(item.heads, -1)] * 2) for item in items]
        arcs = list_arcs(free, 1)
        features = self.kind.features(free, arcs)
        values = {
            name: _looked_up(estimate, features[name], count if "label" in features[name] else 1)
            for name, estimate in self.estimates.items()
        }
        places = (arcs.places[:, None] * count + np.arange(count)).ravel()
        found = self.kind.scores(Arcs(arcs.lengths, count, places, arcs.features), values)
        for item, own in zip(items, found.arcs, strict=True):
            _bind(item, own)
        return found

    def log_probabilities(self, sentences: Iterable[Sentence], *, threads: int = 1) -> Floats:
        """The logarithm of each sentence's probability, all trees summed over; 0 of one without words.

        A bigram model gives that of the words given their number, a valence model that of the words. Words
        that do not belong to trees, such as punctuation, do not count.
        """
        sentences = list(each_sentence(sentences))
        with blaming(sentences):
            items = [self.encode(reduced(sentence, self.options)) for sentence in sentences]
        return self.log_probabilities_of(items, threads=threads)

    def log_probabilities_of(self, items: Sequence[Item], *, threads: int = 1) -> Floats:
        """The same of sentences in numbers."""
        found = np.zeros(len(items))
        for own in chunks(items, self.kind.labels):
            shared = [self.kind.log_tree_probability(item.length) for item in items[own]]
            found[own] = self._log_sums(items[own], threads) + np.array(shared)
        return found

    def _log_sums(self, items: Sequence[Item], threads: int) -> Floats:
        try:
            return np.array(self.kind.expectations(self.scores(items), threads=threads).values)
        except InfeasibleTreeError:  # without smoothing, a sentence may have no chance
            if len(items) == 1:
                return np.array([-np.inf])
            middle = len(items) // 2
            return np.concatenate(
                [self._log_sums(part, threads) for part in (items[:middle], items[middle:])]
            )

    def to_parts(self) -> Parts:
        """The model as plain data and tensors."""
        words = np.frombuffer("\n".join(self.units.words).encode(), np.uint8)
        tensors: dict[str, npt.NDArray[Any]] = {"words": words} if has_words(self.options) else {}
        for name, estimate in self.estimates.items():
            for order, table in enumerate(estimate.tables):
                tensors[f"{name}.{order}.keys"] = table.keys
                tensors[f"{name}.{order}.counts"] = table.counts
            if estimate.weights is not None:
                tensors[f"{name}.weights"] = estimate.weights
        header = {
            "options": self.options.as_dict(),
            "tags": list(self.units.tags),
            "labels": self.label_names,
        }
        return header, tensors

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], tensors: Tensors) -> LearnedModel:
        """The model of plain data and tensors; KeyError, TypeError or ValueError if they make none."""
        options = some_options(GenerativeOptions, header["options"])
        words: tuple[str, ...] = ()
        if has_words(options):
            text = a_row(tensors, "words", np.uint8).tobytes().decode()
            words = tuple(some_names(text.split("\n"), "words", "")) if text else ()
        labels = some_names(header["labels"], "labels")
        units = Units(options, tuple(some_names(header["tags"], "tags")), words)
        kind = make_model(options, units, max(len(labels), 1))
        estimates = {}
        for decision in kind.decisions:
            interpolated = options.smoothing == "interpolated"
            orders = len(decision.orders) if interpolated else 1
            tables = [
                Table(
                    np.array(a_row(tensors, f"{decision.name}.{order}.keys", np.int64)),
                    np.array(a_row(tensors, f"{decision.name}.{order}.counts", np.float64)),
                    decision.outcomes,
                )
                for order in range(orders)
            ]
            own = np.array(tensors[f"{decision.name}.weights"], np.float64) if interpolated else None
            estimates[decision.name] = Estimate(decision, tables, options.addend, own)
        return cls(kind, estimates, labels)


def _bind(item: Item, arcs: Floats) -> None:
    """Make arcs impossible that are not as given."""
    words = np.arange(1, item.length + 1)
    for word in words[item.heads[1:] >= 0]:
        arcs[np.arange(len(arcs)) != item.heads[word], word] = -np.inf
    if arcs.ndim == 3:
        for word in words[item.labels[1:] >= 0]:
            arcs[:, word, np.arange(arcs.shape[2]) != item.labels[word]] = -np.inf


def _looked_up(estimate: Estimate, features: Features, labels: int) -> Floats:
    """Log-probabilities of events, each with every label: (events * labels,).

    Most events have the same features as others, and are looked up with them.
    """
    decision = estimate.decision
    names = {feature for order in decision.orders for feature in order} | {decision.outcome}
    key = np.zeros(len(features[decision.outcome]), np.int64)
    for name in sorted(names - {"label"}):
        key = key * decision.sizes[name] + features[name]
    _, first, same = np.unique(key, return_index=True, return_inverse=True)
    own = {name: np.repeat(features[name][first], labels) for name in names - {"label"}}
    own["label"] = np.tile(np.arange(labels, dtype=np.int32), len(first))
    return estimate.log_probabilities(own).reshape(-1, labels)[same].ravel()


def hosts_of(sentence: Sentence, options: GenerativeOptions) -> Integers:
    """Of every word that does not belong to the tree, from what it hangs: the word before it that does.

    At the beginning, it is the one after it. (n+1,); -1 is of words that do, and of the root. As nothing that
    belongs to the tree is between a word and its host, no tree is lost by that.

    >>> upos = ["PUNCT", "X", "PUNCT", "X"]
    >>> hosts_of(Sentence(["(", "a", ")", "b"], upos=upos), GenerativeOptions()).tolist()
    [-1, 2, -1, 2, -1]
    """
    found = np.full(len(sentence) + 1, -1, np.int32)
    kept = kept_words(sentence, options)
    left_out = sorted(set(range(1, len(sentence) + 1)) - set(kept))
    for word in left_out:
        found[word] = max((other for other in kept if other < word), default=kept[0])
    return found
