"""The last stage of a parser's training: what makes probabilities of its scores, found on a sample of dev."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from arbora import _core
from arbora.dependency.calibration import fit_confidence, fit_scales
from arbora.dependency.options import ParseOptions, TrainingOptions
from arbora.dependency.output import HEAD_PROBABILITY
from arbora.dependency.parser import DependencyParser
from arbora.dependency.treebanks import TrainingData
from arbora.dependency.unfinished_parser import UnfinishedParser
from arbora.learning import Loss
from arbora.learning.scales import ROUNDS
from arbora.training.mixing import OnBatch
from arbora.treebank import Sentence

# Words of dev on which probabilities are calibrated, for each word that is learned from: so many that it
# takes about a tenth of what learning takes, where propagation is five times as dear; but enough to tell
# scales apart.
SHARE_FOR_CALIBRATION = 1 / 100
MOST_FOR_CALIBRATION, LEAST_FOR_CALIBRATION = 10_000, 1_500
# A part of the sample is no smaller than this.
LEAST_OF_PART = 300


class Calibration:
    """What is calibrated on: ``sample`` has some sentences from all of dev, none if dev is empty."""

    def __init__(
        self, dev: Sequence[Sentence], encode: Callable[[Sequence[Sentence]], TrainingData], learned: int
    ) -> None:
        """``learned``: how many words are learned from, those of every epoch."""
        wanted = max(LEAST_FOR_CALIBRATION, min(MOST_FOR_CALIBRATION, SHARE_FOR_CALIBRATION * learned))
        self.sample = dev[:: max(1, round(sum(map(len, dev)) / wanted))]
        words = sum(map(len, self.sample))
        self._data = {
            parts: encode(self.sample[:: min(parts, max(1, words // LEAST_OF_PART))])
            for _, _, parts in (ROUNDS if self.sample else ())
        }

    def fit(
        self,
        parser: UnfinishedParser,
        weights: _core.ShortWeights,
        options: TrainingOptions,
        loss: Loss,
        on_batch: OnBatch,
    ) -> dict[str, Any]:
        """The scales for a parser with these weights, and its confidence, if sums are not exact."""
        exact, measured = True, 0
        to_measure = {"joint": 2, "second-stage": 2, "both": 3}[options.labels] * len(ROUNDS) + 1

        def costs(name: str, values: list[float], parts: int, found: Mapping[str, float]) -> list[float]:
            nonlocal exact, measured
            tried: dict[str, list[float]] = {"tree_scale": [], "label_scale": [], "joint_scale": []}
            own, tried[name] = self._data[parts], values
            *result, sums_are_exact = parser.model.gold_costs(
                weights, parser.pruner, own.encoded, own.heads, own.labels, parser.trees, parser.threads,
                tried["tree_scale"], tried["label_scale"], tried["joint_scale"],
                found.get("joint_scale", 1.0), own.tags,
            )  # fmt: skip
            exact, measured = exact and sums_are_exact, measured + 1
            on_batch(measured, to_measure)
            return dict(zip(tried, result, strict=True))[name]

        roles = loss.beta if options.latent_roles else None
        calibrated: dict[str, Any] = {**fit_scales(costs, options.labels, roles)}
        if not exact:
            finished = DependencyParser({**parser.header, **calibrated}, weights, parser.pruner)
            calibrated["confidence"] = self._fit_confidence(finished, parser.threads)
        return calibrated

    def _fit_confidence(self, parser: DependencyParser, threads: int) -> list[float]:
        """How sure propagation may be of the heads of trees, by those that the parser finds on dev."""
        believed, right = [], []
        options = ParseOptions(probabilities=True, threads=threads)
        for gold, found in zip(self.sample, parser.parse(self.sample, options), strict=True):
            believed += list((found.findings or {})[HEAD_PROBABILITY])
            right += [own == head for own, head in zip(found.heads, gold.heads, strict=True)]
        return fit_confidence(np.array(believed), np.array(right))
