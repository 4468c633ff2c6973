"""Training a neural parser on a treebank."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from arbora.errors import ArboraError
from arbora.neural.options import NeuralOptions
from arbora.neural.parser import NeuralParser
from arbora.training import EpochReport, Watcher, make_task, run
from arbora.treebank import Sentence


def check_torch() -> None:
    """ArboraError if there is no torch, which training needs and parsing does not, or one that is too old."""
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise ArboraError(
            'training a neural parser needs torch: pip install "arbora[neural]" (parsing with one does not)'
        )
    import torch

    if not hasattr(torch, "accelerator"):
        raise ArboraError(
            f"training a neural parser needs torch 2.6 or later, not {torch.__version__}: "
            'pip install "arbora[neural]"'
        )


def train_neural(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] | None = None,
    options: NeuralOptions | None = None,
    *,
    encoder: str | os.PathLike[str],
    threads: int = 1,
    dev_fraction: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    licence: str = "",
    progress: Callable[[EpochReport], None] | None = None,
    on_batch: Callable[[int, int], None] | None = None,
) -> NeuralParser:
    """Train a parser that tags too, on top of a pretrained encoder; it takes torch.

    ``encoder`` is a folder in the Hugging Face layout, or the name of an installed package that has one
    inside. The same data, options, seed and number of threads give the same model on the same machine. The
    best epoch on ``dev`` is kept, and probabilities are calibrated on it; without ``dev``, about
    ``dev_fraction`` of the sentences is held out. The rest is as in `arbora.training.run`.
    """
    check_torch()
    from arbora.neural.task import NeuralTask

    task = make_task(
        NeuralTask,
        sentences,
        dev,
        options,
        dev_fraction=dev_fraction,
        encoder=encoder,
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
