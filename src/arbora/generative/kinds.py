"""The kinds of generative model: which decisions make a tree, and how trees are summed over."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.dependency import PartScores
from arbora.generative.corpus import DISTANCES, Arcs, Item
from arbora.generative.decisions import Decision, Features
from arbora.generative.options import MODELS, GenerativeOptions
from arbora.generative.units import Units
from arbora.trees import Trees

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(slots=True)
class SentenceScores:
    """Log-probabilities of all decisions about some sentences.

    ``arcs`` has an array (n+1, n+1) or (n+1, n+1, labels) for each; ``others`` what else a kind has, by name,
    an array for each sentence.
    """

    arcs: list[Floats]
    others: dict[str, list[Floats]] = field(default_factory=dict)

    def tempered(self, exponent: float) -> SentenceScores:
        """Of probabilities to the power of the exponent."""
        if exponent == 1:
            return self
        return SentenceScores(
            [exponent * own for own in self.arcs],
            {name: [exponent * own for own in arrays] for name, arrays in self.others.items()},
        )


@dataclass(frozen=True, slots=True)
class Expectations:
    """What sums over trees give: of every sentence the logarithm of the sum; expected uses of all decisions.

    ``counts`` are in the layout of the scores. With the best tree alone, ``values`` are its scores.
    """

    values: list[float]
    counts: SentenceScores


class GenerativeModel(ABC):
    """A kind of generative model: its decisions are about arcs, and some about other things of a sentence."""

    name: ClassVar[str]
    knows_length: ClassVar[bool]
    """Whether probabilities are those of words given their number."""

    def __init__(self, options: GenerativeOptions, units: Units, labels: int) -> None:
        """A model over these units, with so many labels."""
        self.options, self.units, self.labels = options, units, labels
        self.single_root, self.projective = options.trees
        self.sizes = _sizes(options, units, labels)
        self.decisions = [*self._arc_decisions(), *self.other_decisions()]

    def other_decisions(self) -> list[Decision]:
        """Those that are not about arcs."""
        return []

    def features(self, items: Sequence[Item], arcs: Arcs) -> dict[str, Features]:
        """The features of the events of every decision, by its name."""
        own = {**arcs.features, "place": self._place(arcs.features)}
        return {decision.name: own for decision in self._arc_decisions()}

    def scores(self, arcs: Arcs, values: Mapping[str, Floats]) -> SentenceScores:
        """Log-probabilities of the events of every decision, as arrays of sentences."""
        total = np.zeros(len(arcs.places))
        for decision in self._arc_decisions():
            total = total + values[decision.name]
        return SentenceScores(arcs.scores(total))

    def counts(self, arcs: Arcs, expected: SentenceScores) -> dict[str, Floats]:
        """Expected uses of the events of every decision: what `scores` takes, the other way."""
        flat = np.concatenate([own.ravel() for own in expected.arcs])[arcs.places]
        return {decision.name: flat for decision in self._arc_decisions()}

    def first_counts(self, arcs: SentenceScores) -> SentenceScores:
        """Counts of all decisions that go with counts of arcs, for a start."""
        return arcs

    @abstractmethod
    def expectations(self, scores: SentenceScores, *, best: bool = False, threads: int = 1) -> Expectations:
        """Sums over all trees, or the best tree alone; InfeasibleTreeError if a sentence has none."""

    def log_tree_probability(self, n: int) -> float:
        """What all trees of n words share: log p(tree | n) where that is uniform."""
        return 0.0

    def parts(self, scores: SentenceScores, hosts: Sequence[npt.NDArray[Any]]) -> dict[str, list[PartScores]]:
        """Scores of parts of several arcs, for parsers; ``hosts``: see `hosts_of`."""
        return {}

    @abstractmethod
    def sample(self, scores: SentenceScores, count: int, seed: int, *, threads: int = 1) -> list[Trees]:
        """So many trees of each sentence, drawn with their probability."""

    def _arc_decisions(self) -> list[Decision]:
        """The label of an arc, then what the model sees of its modifier: the chain rule of p(y, k | x)."""
        heads = HEADS[self.options.units]
        label = ("label",)
        found = []
        if self.labels > 1:
            orders = [*((*head, "place") for head in heads), heads[-1], ()]
            found.append(Decision.of("label", "label", orders, self.sizes))
        if self.options.units == "words":
            orders = [(*label, "head_word", "place"), (*label, "head_word"), label, ()]
            return [*found, Decision.of("word", "word", orders, self.sizes)]
        orders = [*((*label, *head, "place") for head in heads), (*label, *heads[-1]), label, ()]
        found.append(Decision.of("tag", "tag", orders, self.sizes))
        if self.options.units == "tags-and-words":
            orders = [("tag", *label, "head_word"), ("tag", *label, "head_tag"), ("tag",), ()]
            found.append(Decision.of("word", "word", orders, self.sizes))
        return found

    def _place(self, features: Mapping[str, Any]) -> Any:
        """Where a modifier is, seen from its head: the side, the distance, or both."""
        side = features["side"] if self.options.direction else np.zeros_like(features["side"])
        return side * (len(DISTANCES) + 1) + features["distance"] if self.options.distance else side


HEADS: dict[str, tuple[tuple[str, ...], ...]] = {
    "tags": (("head_tag",),),
    "words": (("head_word",),),
    "tags-and-words": (("head_word", "head_tag"), ("head_tag",)),
}
"""What is known of a head, the most first."""


def _sizes(options: GenerativeOptions, units: Units, labels: int) -> dict[str, int]:
    sides = 3 if options.direction else 1
    return {
        "label": labels,
        "head_tag": units.tag_count,
        "head_word": units.word_count,
        "tag": units.tag_count - 1,
        "word": units.word_count - 1,
        "place": sides * (len(DISTANCES) + 1 if options.distance else 1),
        "side": 2,
        "has_child": 2,
        "stop": 2,
    }


def make_model(options: GenerativeOptions, units: Units, labels: int) -> GenerativeModel:
    """The model of the kind that the options name."""
    kind: type[GenerativeModel] = resolve_name(MODELS[options.model])
    return kind(options, units, labels)
