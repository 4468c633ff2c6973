"""Gold trees that a parser has not learned from, and what they say of its probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from arbora.dependency.calibration import fit_confidence, fit_scales
from arbora.dependency.options import ParseOptions, TrainingOptions, tree_options
from arbora.dependency.output import HEAD_PROBABILITY, LABEL_PROBABILITY
from arbora.dependency.parser import DependencyParser
from arbora.dependency.treebanks import TrainingData
from arbora.learning.scales import ROUNDS
from arbora.treebank import Sentence

Item = TypeVar("Item")

# Words of dev on which probabilities are calibrated, for each word that is learned from: so many that it
# takes less than a tenth of what learning takes; but enough to tell scales apart.
SHARE_FOR_CALIBRATION = 1 / 60
MOST_FOR_CALIBRATION, LEAST_FOR_CALIBRATION = 10_000, 1_500
# A part of the sample is no smaller than this.
LEAST_OF_PART = 150
# Words of sentences by which scales are told apart, if there are such: long ones take long.
LONGEST_OF_PARTS = 40


class CalibrationSample:
    """Some sentences of dev, from all of it; false if dev has none.

    ``learned`` is how many words a parser learns from, an epoch's times their number; ``encode`` gives
    sentences as the core sees them.
    """

    def __init__(
        self, dev: Sequence[Sentence], learned: int, encode: Callable[[Sequence[Sentence]], TrainingData]
    ) -> None:
        wanted = max(LEAST_FOR_CALIBRATION, min(MOST_FOR_CALIBRATION, SHARE_FOR_CALIBRATION * learned))
        self.sentences = evenly(dev, wanted / max(1, sum(map(len, dev))))
        short = [own for own in self.sentences if len(own) <= LONGEST_OF_PARTS] or self.sentences
        words = sum(map(len, short))
        self.encoded = {
            parts: encode(short[:: min(parts, max(1, words // LEAST_OF_PART))])
            for _, _, parts in (ROUNDS if words else ())
        }

    def __bool__(self) -> bool:
        return bool(self.sentences)

    def trials(self, labels: str) -> int:
        """How many words are judged for all scales, and at the end, where ``labels`` is that option."""
        words = sum(len(self.encoded[parts].heads) * (2 * steps + 1) for _, steps, parts in ROUNDS)
        return {"joint": 2, "second-stage": 2, "both": 3}[labels] * words + sum(map(len, self.sentences))


def evenly(items: Sequence[Item], share: float) -> list[Item]:
    """About this share of the items, from all over; all of them if it is 1 or more.

    >>> evenly("abcdefghij", 0.3), evenly("abc", 2.0)
    (['d', 'g', 'j'], ['a', 'b', 'c'])
    """
    taken = [int(min(share, 1) * place) for place in range(len(items) + 1)]
    return [item for item, before, after in zip(items, taken, taken[1:], strict=False) if after > before]


class Calibrator:
    """Finds what makes probabilities of the scores of a parser whose header has no scales."""

    def __init__(
        self,
        parser: DependencyParser,
        sample: CalibrationSample,
        options: TrainingOptions,
        *,
        threads: int = 1,
        on_batch: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        self.parser, self.sample, self.options = parser, sample, options
        self.threads, self.on_batch = threads, on_batch
        self.exact, self.done, self.total = True, 0, sample.trials(options.labels)

    def fit(self, role_scale: float | None = None) -> dict[str, Any]:
        """The scales; and the confidences, where sums over trees are approximate."""
        found: dict[str, Any] = fit_scales(self._costs, self.options.labels, role_scale)
        if not self.exact:
            found["confidence"] = self._fit_confidence(found)
        return found

    def _costs(self, name: str, values: list[float], parts: int, found: Mapping[str, float]) -> list[float]:
        tried: dict[str, list[float]] = {"tree_scale": [], "label_scale": [], "joint_scale": []}
        # Where confidence is learned besides, a scale need not be as near.
        coarse = parts if self.exact else min(2 * parts, max(self.sample.encoded))
        own, tried[name] = self.sample.encoded[coarse], values
        parser = self.parser
        *result, exact = parser._core.gold_costs(
            parser._weights, parser._pruner_weights, own.encoded, own.heads, own.labels,
            tree_options(self.options.as_dict()), self.threads,
            tried["tree_scale"], tried["label_scale"], tried["joint_scale"],
            found.get("joint_scale", 1.0), own.tags,
        )  # fmt: skip
        self.exact = self.exact and exact
        self._tell(len(self.sample.encoded[parts].heads) * len(values))
        return dict(zip(tried, result, strict=True))[name]

    def _fit_confidence(self, scales: Mapping[str, float]) -> dict[str, list[float]]:
        """How sure one may be of the heads of trees, and of labels where heads are right, found on dev."""
        own, sentences = self.parser, self.sample.sentences
        parser = DependencyParser({**own.header, **scales}, own._weights, own._pruner_weights)
        options = ParseOptions(probabilities=True, threads=self.threads)
        heads: list[tuple[float, bool]] = []
        labels: list[tuple[float, bool]] = []
        for gold, found in zip(sentences, parser.parse(sentences, options), strict=True):
            findings = found.findings or {}
            right = [own == head for own, head in zip(found.heads, gold.heads, strict=True)]
            named = [own == label for own, label in zip(found.deprels, gold.deprels, strict=True)]
            heads += zip(findings[HEAD_PROBABILITY], right, strict=True)
            judged = zip(findings[LABEL_PROBABILITY], named, right, strict=True)
            labels += [(believed, is_named) for believed, is_named, is_right in judged if is_right]
            self._tell(len(gold))
        return {"heads": _confidence_in(heads), "labels": _confidence_in(labels)}

    def _tell(self, words: int) -> None:
        self.done = min(self.total, self.done + words)  # a search may begin anew
        self.on_batch(self.done, self.total)


def _confidence_in(judged: Sequence[tuple[float, bool]]) -> list[float]:
    """Where there was a choice: nothing changes what is certain."""
    believed, right = np.array([own for own in judged if own[0] < 1], np.float64).reshape(-1, 2).T
    return fit_confidence(believed, right > 0)
