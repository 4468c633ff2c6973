"""Training an ISBN parser: maximum likelihood of the approximate model."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from arbora import _core
from arbora.constituency.isbn.options import IsbnOptions
from arbora.constituency.isbn.parser import ARCHITECTURE, IsbnParser, make_network
from arbora.constituency.isbn.vocabulary import Vocabulary
from arbora.constituency.trees import prepared_trees, read_trees, tagged_words
from arbora.errors import ArboraError
from arbora.evaluation import evaluate_brackets
from arbora.models import Parts
from arbora.models.options import options_of
from arbora.training import (
    Candidate,
    EpochReport,
    FileTask,
    History,
    Stage,
    Step,
    Trained,
    Watcher,
    make_task,
    run,
)
from arbora.treebank import Constituent

__all__ = ["IsbnTask", "train_isbn"]

STATE = ("weights", "averages", "means", "squares")
CHUNKS = 50
"""How often an epoch says how far it is."""


def train_isbn(
    trees: Sequence[Constituent],
    dev: Sequence[Constituent] | None = None,
    options: IsbnOptions | None = None,
    *,
    threads: int = 1,
    dev_fraction: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    licence: str = "",
    progress: Callable[[EpochReport], None] | None = None,
    on_batch: Callable[[int, int], None] | None = None,
) -> IsbnParser:
    """Train an ISBN parser; the same trees and options give the same weights, whatever the threads.

    Traces and, unless ``keep_functions`` is set, function tags are taken off. The epoch of the best
    F1 on ``dev`` is kept. Without ``dev``, about ``dev_fraction`` of the trees is held out
    (`arbora.training.divide`; by default a tenth). The rest is as in `arbora.training.run`.

    >>> tree = Constituent.from_string("(TOP (S (NP (NNS Dogs)) (VP (VBP bark))))")
    >>> parser = train_isbn([tree] * 8, options=IsbnOptions(width=5, least_count=1, epochs=30, rate=0.05))
    >>> print(parser.parse([tagged_words(tree)])[0].tree)
    (TOP (S (NP (NNS Dogs)) (VP (VBP bark))))
    """
    task = make_task(
        IsbnTask,
        trees,
        dev,
        options,
        dev_fraction=dev_fraction,
        threads=threads,
        licence=licence,
    )
    return run(
        task,
        checkpoint=checkpoint,
        resume=resume,
        keep_checkpoint=keep_checkpoint,
        watcher=Watcher.of(progress, on_batch),
    )


class IsbnTask(FileTask[IsbnParser]):
    """An ISBN parser in training."""

    architecture = ARCHITECTURE
    options: IsbnOptions

    def __init__(
        self,
        sentences: Sequence[Constituent],
        dev: Sequence[Constituent] | None = None,
        options: IsbnOptions | None = None,
        *,
        threads: int = 1,
        licence: str = "",
    ) -> None:
        """The parameters are those of `train_isbn`."""
        self.options = options = options_of(IsbnOptions, options)
        self.stages = [Stage("", options.epochs)]
        self.threads, self.licence = threads, licence
        self.trees = prepared_trees(sentences, keep_functions=options.keep_functions)
        if not self.trees:
            raise ArboraError("the training data has no trees")
        self.dev = prepared_trees(dev or [], keep_functions=options.keep_functions)
        self.vocabulary = Vocabulary.of(self.trees, options.least_count, options.signatures)
        self.network = make_network(self.vocabulary, options)
        self.corpus = _core.IsbnCorpus()
        for tree in self.trees:
            self.corpus.add(self.network, self.vocabulary.decisions(tree))
        self.words = sum(len(tree.words()) for tree in self.trees)

    @classmethod
    def default_options(cls) -> IsbnOptions:
        """The options if none are given."""
        return IsbnOptions()

    @classmethod
    def check(cls, options: IsbnOptions, **own: Any) -> None:
        """The options alone can be wrong."""
        options.check()

    @classmethod
    def without_dev(cls, options: IsbnOptions) -> str:
        """Its probabilities are not calibrated in any case."""
        return "the last epoch is kept"

    @classmethod
    def read(cls, path: str, options: IsbnOptions, *, dev: bool) -> list[Constituent]:
        """The trees of a file in brackets."""
        return read_trees(path)

    def fingerprint(self) -> int:
        """Of the trees."""
        found = 0
        for tree in [*self.trees, *self.dev]:
            found = zlib.crc32(str(tree).encode(), found)
        return found

    def begin(self, stage: Stage) -> None:
        """Small random weights."""
        self.learner = _core.IsbnLearner(self.network, self.options.seed, self.options.scale)

    def train(self, step: Step) -> Trained:
        """One pass over the treebank, in an order that depends on the seed and the epoch only."""
        options = self.options
        order = np.random.default_rng([options.seed, step.epoch]).permutation(len(self.trees)).tolist()
        rate = options.rate * 0.1 ** ((step.epoch - 1) / max(1, options.epochs - 1))
        size = options.batch * max(1, -(-len(order) // (CHUNKS * options.batch)))
        total = 0.0
        for begin in range(0, len(order), size):
            total += self.learner.train(
                self.network,
                self.corpus,
                order[begin : begin + size],
                rate,
                options.decay,
                options.batch,
                self.threads,
            )
            step.watcher.on_batch(min(begin + size, len(order)), len(order))
        if not np.isfinite(total):
            raise ArboraError("training diverged; use a smaller rate")
        return Trained(-total / self.words, self.words)

    def judge(self, stage: Stage) -> Candidate:
        """The averaged weights, and F1 on dev."""
        parts: Parts = ({}, {"weights": np.array(self.learner.averages, np.float32)})
        if not self.dev:
            return Candidate(parts)
        parser = IsbnParser(self._header(), np.asarray(parts[1]["weights"], np.float64))
        found = parser.parse([tagged_words(tree) for tree in self.dev], threads=self.threads)
        score = evaluate_brackets(self.dev, [parsed.tree for parsed in found]).all.brackets.f1
        return Candidate(parts, {"f1": score}, score)

    def ends_early(self, stage: Stage, history: History) -> bool:
        """Whether dev has not become better for so many epochs."""
        return history.since_best(stage.name, "f1") >= self.options.patience

    def end(self, stage: Stage, parts: Parts) -> None:
        """The weights of the best epoch."""
        self.best = np.asarray(parts[1]["weights"], np.float64)

    def _header(self) -> dict[str, Any]:
        return {
            "architecture": ARCHITECTURE,
            "vocabulary": self.vocabulary.as_dict(),
            "options": self.options.as_dict(),
            "licence": self.licence,
            "trained_on": {"sentences": len(self.trees), "words": self.words},
        }

    def finish(self, history: History) -> IsbnParser:
        """The parser of the best epoch."""
        report = {"epochs": history.rows(), "kept": history.kept[""]}
        return IsbnParser({**self._header(), "report": report}, self.best)

    def snapshot(self) -> Parts:
        """The weights, their averages, and Adam's means."""
        learner = self.learner
        tensors = {name: np.array(getattr(learner, name)) for name in STATE}
        return {"steps": learner.steps}, tensors

    def restore(self, parts: Parts) -> None:
        """The weights, their averages, and Adam's means."""
        header, tensors = parts
        for name in STATE:
            getattr(self.learner, name)[:] = tensors[name]
        self.learner.steps = header["steps"]

    def describe(self, stage: Stage, scores: Mapping[str, float]) -> list[str]:
        """The scores in words."""
        return [f"dev F1 {100 * scores['f1']:.2f}"] if "f1" in scores else []
