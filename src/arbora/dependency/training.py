"""Training: from a treebank to a parser."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from arbora.dependency.options import TrainingOptions
from arbora.dependency.parser import DependencyParser
from arbora.dependency.recipe import check_recipe
from arbora.dependency.task import ParserTask
from arbora.executors import Executor
from arbora.features import Templates
from arbora.training import EpochReport, Watcher, make_task, run
from arbora.treebank import Sentence

__all__ = ["check_recipe", "train"]


def train(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] | None = None,
    options: TrainingOptions | None = None,
    *,
    templates: Templates | None = None,
    threads: int = 1,
    dev_fraction: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    licence: str = "",
    progress: Callable[[EpochReport], None] | None = None,
    on_batch: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
) -> DependencyParser:
    """Train a parser; the same data and options give the same weights, whatever the threads.

    The epoch with the best LAS on ``dev`` is kept, and probabilities are calibrated on it. Without ``dev``,
    about ``dev_fraction`` of the sentences is held out (`arbora.training.divide`; by default a tenth).
    ``executor`` (`arbora.executors`) does the shards of an epoch (``shards`` of the options) where it says;
    no weight depends on that.
    ``templates`` take the place of the preset's. ``progress`` gets a report per epoch, ``on_batch`` the
    sentences done and to do in it; the rest is as in `arbora.training.run`. Epoch 0 is the pruner's: its
    scores are the share of gold arcs that it would have lost, and how many candidate heads a word has (on
    dev, or on the training data without one).

    >>> from arbora.treebank import read
    >>> from arbora.dependency import ParseOptions, TrainingOptions, train
    >>> treebank = list(read("examples/treebank/en.conllu"))
    >>> parser = train(treebank, options=TrainingOptions(epochs=5, bits=16, pruner_bits=14))
    >>> next(parser.parse([treebank[0].copy()])).heads == treebank[0].heads
    True
    """
    task = make_task(
        ParserTask,
        sentences,
        dev,
        options,
        dev_fraction=dev_fraction,
        templates=templates,
        threads=threads,
        licence=licence,
        executor=executor,
    )
    return run(
        task,
        checkpoint=checkpoint,
        resume=resume,
        keep_checkpoint=keep_checkpoint,
        watcher=Watcher.of(progress, on_batch),
    )
