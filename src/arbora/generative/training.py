"""Training a generative model in Python; `arbora induce` and `arbora train generative` do it from files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from arbora.generative.options import GenerativeOptions
from arbora.generative.parser import GenerativeParser
from arbora.generative.task import GenerativeTask
from arbora.training import EpochReport, Watcher, make_task, run
from arbora.treebank import Sentence


def train_generative(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] | None = None,
    options: GenerativeOptions | None = None,
    *,
    trees: Sequence[Sentence] = (),
    threads: int = 1,
    dev_fraction: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    licence: str = "",
    progress: Callable[[EpochReport], None] | None = None,
    on_batch: Callable[[int, int], None] | None = None,
) -> GenerativeParser:
    """Learn a model of sentences: by counting trees (no ``iterations``), or by EM.

    ``trees`` are sentences whose heads bind, beside others of which EM sums all trees out. ``dev`` is scored
    after every iteration, and weights of interpolation are fitted on it. Without ``dev``, about
    ``dev_fraction`` of the sentences is held out (`arbora.training.divide`); by default a tenth where trees
    are counted, and nothing for EM. The rest is as in
    `arbora.training.run`. The same sentences and options give the same model, whatever the threads.

    >>> from arbora.treebank import Sentence
    >>> trees = [Sentence(["a", "dog"], upos=["DET", "NOUN"], heads=[2, 0], deprels=["det", "root"])]
    >>> model = train_generative(trees, options=GenerativeOptions(iterations=0))
    >>> next(model.parse([Sentence(["the", "cat"], upos=["DET", "NOUN"])])).heads
    [2, 0]
    """
    task = make_task(
        GenerativeTask,
        sentences,
        dev,
        options,
        dev_fraction=dev_fraction,
        trees=trees,
        threads=threads,
        licence=licence,
    )
    return run(
        task,
        checkpoint=checkpoint,
        resume=resume,
        watcher=Watcher.of(progress, on_batch),
    )
