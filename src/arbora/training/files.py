"""From treebank files to a model file, for every architecture."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from arbora.errors import ArboraError
from arbora.executors import LostClusterError
from arbora.models import Component, check_model_name, find_architecture, remove_leftovers
from arbora.training.checkpoints import Checkpoint, checkpoint_name
from arbora.training.dev_data import check_dev_fraction, make_task
from arbora.training.reports import Watcher
from arbora.training.run import run
from arbora.training.task import FileTask

__all__ = ["LostWorkersError", "StoppedError", "TrainedFile", "train_file"]


class StoppedError(ArboraError):
    """Training was stopped by the user, and can go on if there is a checkpoint.

    ``command`` is what goes on with it, if that is known; ``reason`` is how it ended.
    """

    exit_code = 130
    """What a shell expects of a program that Ctrl-C has ended."""

    def __init__(
        self, kept: Checkpoint, command: str = "the same command with --resume", reason: str = "stopped"
    ) -> None:
        self.kept, self.reason = kept, reason
        super().__init__(
            f"{reason}; what is done is kept in {kept.path}, and this goes on: {command}"
            if kept.exists()
            else f"{reason} before anything was done"
        )


class LostWorkersError(StoppedError):
    """The cluster that did the work is gone, and training can go on if there is a checkpoint."""

    exit_code = ArboraError.exit_code


@dataclass(frozen=True, slots=True)
class TrainedFile:
    """What training gave: the file, its size, and the model that is in it."""

    file: str
    bytes: int
    component: Component

    @property
    def report(self) -> dict[str, Any]:
        """What the model's header says of its training."""
        found: dict[str, Any] = self.component.header["report"]
        return found

    @property
    def kept(self) -> dict[str, Any]:
        """The row of the epoch that was kept, of a model with one stage of epochs."""
        report = self.report
        found: dict[str, Any] = next(row for row in report["epochs"] if row["epoch"] == report["kept"])
        return found


def train_file(
    architecture: str,
    source: str,
    output: str,
    *,
    dev: str | None = None,
    dev_fraction: float | None = None,
    options: Any = None,
    threads: int = 1,
    resume: bool = False,
    licence: str = "",
    compact_weights: bool = False,
    watcher: Watcher | None = None,
    **own: Any,
) -> TrainedFile:
    """Train a model of this architecture on a treebank file, and write it.

    What is wrong with the options or the output is found before anything is read. ``own`` is what the task of
    the architecture takes besides. Without ``dev``, about ``dev_fraction`` of the sentences is held out as
    dev data, in whole documents (`arbora.training.divide`); None is a tenth where dev data is of use, 0
    learns from all. The checkpoint is ``output`` + ``.checkpoint``; it is removed when the model is written,
    not before, and an interrupt leaves it: then `StoppedError` says how to go on.

    >>> import os, tempfile
    >>> from arbora.text import TokenizerOptions
    >>> model = os.path.join(tempfile.mkdtemp(), "en.tokenizer")
    >>> options = TokenizerOptions(epochs=2, bits=12)
    >>> train_file("tokenizer", "examples/treebank/en.conllu", model, options=options).kept["epoch"]
    2
    """
    task_class: type[FileTask[Any]] = resolve_name(find_architecture(architecture).task)
    options = (task_class.default_options() if options is None else options).check()
    task_class.check(options, **own)
    check_dev_fraction(dev_fraction)
    if threads < 1:
        raise ArboraError("threads must be at least 1")
    check_model_name(output, [source] if dev is None else [source, dev])
    kept = Checkpoint(checkpoint_name(output))
    if resume:
        kept.check()
    remove_leftovers(output)
    try:
        sentences = task_class.read(source, options, dev=False)
        others = None if dev is None else task_class.read(dev, options, dev=True)
        task = make_task(
            task_class,
            sentences,
            others,
            options,
            dev_fraction=dev_fraction,
            watcher=watcher,
            threads=threads,
            licence=licence,
            **own,
        )
        made = run(task, checkpoint=kept.path, resume=resume, keep_checkpoint=True, watcher=watcher)
        made.save(output, compact_weights=compact_weights)
    except KeyboardInterrupt:
        raise StoppedError(kept) from None
    except LostClusterError as error:
        raise LostWorkersError(kept, reason=error.reason) from None
    kept.remove(task)
    return TrainedFile(output, os.path.getsize(output), made)
