"""A parser in training as far as it is: what chooses arcs for it, and what it is worth on dev."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from arbora import _core
from arbora.dependency.calibration import fit_threshold, natural_scales
from arbora.dependency.linear_model import make_linear_model
from arbora.dependency.options import tree_options
from arbora.dependency.treebanks import Integers, TrainingData
from arbora.errors import ArboraError
from arbora.learning import Loss


class UnfinishedParser:
    """A parser in training: its header, its model, and its pruner, which lets all arcs pass at first.

    ``header`` gets what is found out: ``padding`` and ``threshold``.
    """

    def __init__(self, header: dict[str, Any], threads: int) -> None:
        self.header, self.threads = header, threads
        self.model = make_linear_model(header)
        header["padding"] = self.model.padding
        self.pruner = _core.ShortWeights.rounded(np.zeros(16, np.float32))

    @property
    def trees(self) -> _core.TreeOptions:
        """Which trees there are, and how they are found."""
        return tree_options(self.header["options"])

    def use_threshold(self, threshold: float) -> None:
        """Prune by this threshold from now on."""
        self.header["threshold"] = threshold
        self.model = make_linear_model(self.header)

    def choose(self, data: TrainingData, also: Integers | None) -> _core.Arcs:
        """The candidate arcs of all sentences; ``also`` has heads that are among them in any case."""
        also = np.empty(0, np.int32) if also is None else also
        return self.model.choose(self.pruner, data.encoded, also, self.trees, self.threads)

    def fit_threshold(self, judged: TrainingData) -> tuple[float, float, float]:
        """Drop as many arcs as the options say: threshold, the share of gold arcs lost, heads a word."""

        @cache
        def measure(threshold: float) -> tuple[float, float]:
            self.use_threshold(threshold)
            kept = self.choose(judged, None).count
            lost = self.choose(judged, judged.heads).count - kept
            return lost / len(judged.heads), kept / len(judged.heads)

        options = self.header["options"]
        found = fit_threshold(measure, options["pruning"], options["mean_heads"])
        return found, *measure(found)

    def scores(self, weights: _core.ShortWeights, dev: TrainingData, loss: Loss) -> dict[str, float]:
        """UAS and LAS (with subtypes) on dev, by the tree of the highest score; UPOS if it is chosen.

        Words whose head is not known do not count, nor for LAS those without a label.
        """
        model, options = self.model, self.header["options"]
        if options["latent_roles"] or options["latent_tags"] or options["joint_tags"]:
            # They are summed at the scale that they were learned at.
            model = make_linear_model({**self.header, **natural_scales(loss)})
        parses = model.parse(weights, self.pruner, dev.encoded, self.trees, self.threads)
        if parses.errors:
            number, _, reason = parses.errors[0]
            raise ArboraError(f"dev sentence {number + 1} has no tree: {reason}")
        words = np.ones(len(parses.heads), np.bool_)
        words[parses.starts[:-1]] = False  # those are the roots
        right, known = parses.heads[words] == dev.heads, dev.heads >= 0
        named = right & (parses.labels[words] == dev.labels)
        shares = {"uas": right[known], "las": named[dev.labelled]}
        scores = {name: share.mean() for name, share in shares.items() if len(share)}
        if dev.upos is not None:
            scores["upos"] = (parses.tags[words] == dev.upos).mean()
        return {name: float(score) for name, score in scores.items()}

    def count_features(self, sample: TrainingData) -> dict[str, int]:
        """How many features of arcs and parts a sample has: those of gold trees, those of all candidates."""
        arcs = self.choose(sample, sample.heads)
        supported, complete = self.model.count_features(sample.encoded, sample.whole, arcs)
        return {"sentences": len(sample), "supported": supported, "complete": complete}
