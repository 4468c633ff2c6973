"""Checkpoints: the state of a training run in a file, from which a run of the same kind goes on."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from arbora import _core
from arbora.dependency.options import TrainingOptions
from arbora.learning.checkpoints import check_run, learner_tensors, restore_learner
from arbora.models import read_model, write_model

CHECKPOINT = "dependency-parser checkpoint"


@dataclass(frozen=True, slots=True)
class EpochReport:
    """How an epoch went: the mean loss per word, dev scores (None without dev), and words per second.

    ``upos`` is known of a parser that chooses tags. Epoch 0 is the pruner's: then ``lost`` and ``heads`` say
    which share of gold arcs it would have lost, and how many candidate heads a word has (on dev, or on the
    training data without one).
    """

    epoch: int
    loss: float
    uas: float | None = None
    las: float | None = None
    upos: float | None = None
    lost: float | None = None
    heads: float | None = None
    words_per_second: float = field(default=0.0, compare=False)

    def without_times(self) -> dict[str, Any]:
        """What is known of the epoch, for a header in which nothing may differ between two runs.

        >>> EpochReport(1, 0.5, words_per_second=100.0).without_times()
        {'epoch': 1, 'loss': 0.5}
        """
        known = {name: value for name, value in asdict(self).items() if value is not None}
        del known["words_per_second"]
        return known


@dataclass(slots=True)
class TrainingState:
    """What changes while a parser is trained; all else follows from the data and the options.

    ``best`` are the averaged weights of the best epoch so far, ``threshold`` is the pruner's, and ``epoch``
    counts the epochs that are done.
    """

    learner: _core.OnlineLearner
    pruner_weights: _core.ShortWeights
    best: _core.ShortWeights
    threshold: float = 0.0
    best_las: float = -1.0
    epoch: int = 0
    reports: list[EpochReport] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file for the state of one run, and what tells the run from others.

    ``fingerprint`` is the checksum of the data and the templates.
    """

    path: str
    options: TrainingOptions
    fingerprint: int

    def save(self, state: TrainingState) -> None:
        """Write everything that `restore` needs to go on as if nothing had happened."""
        header = {
            "architecture": CHECKPOINT,
            "options": self.options.as_dict(),
            "fingerprint": self.fingerprint,
            "epoch": state.epoch,
            "steps": state.learner.steps,
            "threshold": state.threshold,
            "best_las": state.best_las,
            "best_step": state.best.step,
            "pruner_step": state.pruner_weights.step,
            "reports": [asdict(report) for report in state.reports],
        }
        tensors = learner_tensors(state.learner)
        tensors |= {"pruner": state.pruner_weights.values, "best": state.best.values}
        write_model(self.path, header, tensors)

    def restore(self, state: TrainingState) -> None:
        """Set the state to what was saved; FileError if the file belongs to other data or options."""
        found = read_model(self.path, architecture=CHECKPOINT)
        header, tensors = found.header, found.tensors
        # More epochs may be asked for than before; all else must be the same.
        check_run(self.path, header, self.options.as_dict(), self.fingerprint, may_change=["epochs"])
        restore_learner(state.learner, header["steps"], tensors)
        state.pruner_weights = _core.ShortWeights(np.array(tensors["pruner"]), header["pruner_step"])
        state.best = _core.ShortWeights(np.array(tensors["best"]), header["best_step"])
        state.threshold, state.best_las = header["threshold"], header["best_las"]
        state.epoch = header["epoch"]
        state.reports = [EpochReport(**report) for report in header["reports"]]

    def remove(self) -> None:
        """Remove the file, if it is there."""
        if os.path.exists(self.path):
            os.unlink(self.path)
