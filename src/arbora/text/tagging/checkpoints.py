"""Checkpoints: the state of a tagger's training run in a file, from which a run of the same kind goes on."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.learning.checkpoints import check_run, learner_tensors, restore_learner
from arbora.models import read_model, write_model
from arbora.text.tagging.options import STAGES, TaggerOptions
from arbora.text.tagging.structure import below

Packed: TypeAlias = dict[str, npt.NDArray[Any]]

CHECKPOINT = "tagger checkpoint"


@dataclass(frozen=True, slots=True)
class TaggerReport:
    """How an epoch of a stage went: the mean loss per word, the share of dev's words whose label is right.

    ``accuracy`` is None without dev. The labels of the stage ``morph`` are right if XPOS and FEATS are, those
    of ``lemma`` if the edit script is.
    """

    stage: str
    epoch: int
    loss: float
    accuracy: float | None = None
    words_per_second: float = field(default=0.0, compare=False)

    def without_times(self) -> dict[str, Any]:
        """What is known of the epoch, for a header in which nothing may differ between two runs.

        >>> TaggerReport("upos", 1, 0.5, words_per_second=100.0).without_times()
        {'stage': 'upos', 'epoch': 1, 'loss': 0.5}
        """
        known = {name: value for name, value in asdict(self).items() if value is not None}
        del known["words_per_second"]
        return known


@dataclass(slots=True)
class TaggerState:
    """What changes while a tagger is trained; all else follows from the data and the options.

    ``stage`` is the one that is being learned, of which ``epoch`` epochs are done; ``best`` are the averaged
    weights of its best one. ``done`` are the weights of the stages before it, as a file holds them.
    """

    learner: _core.OnlineLearner
    best: _core.ShortWeights
    stage: int = 0
    epoch: int = 0
    kept: int = 0
    best_accuracy: float = -1.0
    done: list[Packed] = field(default_factory=list)
    kept_epochs: list[int] = field(default_factory=list)
    reports: list[TaggerReport] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TaggerCheckpoint:
    """A file for the state of one run, and what tells the run from others."""

    path: str
    options: TaggerOptions
    fingerprint: int

    def save(self, state: TaggerState) -> None:
        """Write everything that `restore` needs to go on as if nothing had happened."""
        header = {
            "architecture": CHECKPOINT,
            "options": self.options.as_dict(),
            "fingerprint": self.fingerprint,
            "stage": state.stage,
            "epoch": state.epoch,
            "kept": state.kept,
            "steps": state.learner.steps,
            "best_accuracy": state.best_accuracy,
            "best_step": state.best.step,
            "kept_epochs": state.kept_epochs,
            "reports": [asdict(report) for report in state.reports],
        }
        tensors = learner_tensors(state.learner) | {"best": state.best.values}
        for name, packed in zip(STAGES, state.done, strict=False):
            tensors |= {f"{name}.{part}": tensor for part, tensor in packed.items()}
        write_model(self.path, header, tensors)

    def restore(self, start: Callable[[int], TaggerState]) -> TaggerState:
        """The state that was saved; ``start(stage)`` gives that of a stage at its beginning.

        FileError if the file belongs to other data or options.
        """
        found = read_model(self.path, architecture=CHECKPOINT)
        header, tensors = found.header, found.tensors
        check_run(self.path, header, self.options.as_dict(), self.fingerprint)
        state = start(header["stage"])
        restore_learner(state.learner, header["steps"], tensors)
        state.best = _core.ShortWeights(np.array(tensors["best"]), header["best_step"])
        state.done = [
            {part: np.array(tensor) for part, tensor in below(tensors, f"{name}.").items()}
            for name in STAGES[: header["stage"]]
        ]
        state.epoch, state.kept = header["epoch"], header["kept"]
        state.best_accuracy, state.kept_epochs = header["best_accuracy"], header["kept_epochs"]
        state.reports = [TaggerReport(**report) for report in header["reports"]]
        return state

    def remove(self) -> None:
        """Remove the file, if it is there."""
        if os.path.exists(self.path):
            os.unlink(self.path)
