"""Language models: how probable sentences are by their trees, by n-grams, and by both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from arbora.errors import ArboraError
from arbora.generative.decisions import Floats
from arbora.generative.ngrams import NgramModel
from arbora.generative.parser import GenerativeParser
from arbora.generative.scoring import perplexity
from arbora.generative.units import kept_words
from arbora.treebank import Sentence

FITTING = 200
"""Steps by which the weight of a mixture is fitted, at most."""


@dataclass(frozen=True, slots=True)
class SentenceLikelihoods:
    """Natural logarithms of the probabilities of sentences, and how many words each has.

    ``trees`` is by a generative model, ``ngrams`` by n-grams, ``mixed`` by both: (sentences,) each; None
    where there is no such model.
    """

    words: list[int]
    trees: Floats
    ngrams: Floats | None = None
    mixed: Floats | None = None

    def totals(self) -> dict[str, dict[str, float]]:
        """By model: the logarithm of the probability of all sentences, and the perplexity of a word."""
        count = sum(self.words)
        found = {"trees": self.trees, "ngrams": self.ngrams, "mixed": self.mixed}
        return {
            name: {"log_probability": float(own.sum()), "perplexity": perplexity(float(own.sum()), count)}
            for name, own in found.items()
            if own is not None
        }


@dataclass(frozen=True, slots=True)
class Mixture:
    """A generative model and n-grams of what it sees of words: p(x) = w p_trees(x) + (1 - w) p_ngrams(x).

    Where the generative model knows the number of words beforehand, so do the n-grams.
    """

    model: GenerativeParser
    ngrams: NgramModel | None = None
    weight: float = 0.5

    def likelihoods(self, sentences: Sequence[Sentence], *, threads: int = 1) -> SentenceLikelihoods:
        """How probable sentences are. Words that do not belong to trees (punctuation) do not count."""
        lengths = [len(kept_words(sentence, self.model.model.options)) for sentence in sentences]
        trees = self.model.log_probabilities(sentences, threads=threads)
        if self.ngrams is None:
            return SentenceLikelihoods(lengths, trees)
        end = not self.model.model.kind.knows_length
        ngrams = self.ngrams.log_probabilities(
            (symbols_of(self.model, sentence) for sentence in sentences), end=end
        )
        return SentenceLikelihoods(lengths, trees, ngrams, _mixed(trees, ngrams, self.weight))

    def fitted(self, dev: Sequence[Sentence], *, threads: int = 1) -> Mixture:
        """With the weight under which these sentences are the most probable, by EM."""
        found = self.likelihoods(dev, threads=threads)
        if found.ngrams is None:
            raise ArboraError("there are no n-grams to mix in")
        return Mixture(self.model, self.ngrams, fit_weight(found.trees, found.ngrams))


def fit_weight(one: Floats, other: Floats) -> float:
    """The weight of the first model in a mixture of two under which sentences are the most probable.

    ``one`` and ``other`` are logarithms of probabilities.

    >>> round(fit_weight(np.log([0.5, 0.5]), np.log([0.5, 0.1])), 3)
    1.0
    """
    seen = np.isfinite(one) | np.isfinite(other)
    if not seen.any():
        return 0.5
    odds = one[seen] - other[seen]
    weight = 0.5
    for _ in range(FITTING):
        # The share of the first model: 1 / (1 + (1 - w) / w * p_other / p_one), without overflow.
        shares = 1 / (1 + np.exp(np.clip(log((1 - weight) / weight) - odds, -700, 700)))
        before, weight = weight, float(np.clip(shares.mean(), 1e-9, 1 - 1e-9))
        if abs(weight - before) < 1e-12:
            break
    return weight


def _mixed(one: Floats, other: Floats, weight: float) -> Floats:
    if not 0 < weight < 1:
        return one if weight >= 1 else other
    found: Floats = np.logaddexp(log(weight) + one, log(1 - weight) + other)
    return found


def symbols_of(model: GenerativeParser, sentence: Sentence) -> list[str]:
    """What a generative model sees of the words that belong to trees, as n-grams take it."""
    kept = kept_words(sentence, model.model.options)
    symbols = model.model.units.symbols(sentence)
    return [symbols[word - 1] for word in kept]
