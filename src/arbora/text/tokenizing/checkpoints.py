"""Checkpoints: the state of a tokenizer's training run in a file, from which the same run can go on."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import Any

from arbora import _core
from arbora.learning.checkpoints import check_run, learner_tensors, restore_learner
from arbora.models import read_model, write_model
from arbora.text.tokenizing.options import TokenizerOptions
from arbora.text.tokenizing.tokenizer import PREFIX, Tokenizer

CHECKPOINT = "tokenizer checkpoint"


@dataclass(frozen=True, slots=True)
class TokenizerReport:
    """How an epoch went: the loss per token, and the F1 of tokens and sentences on dev (None without it)."""

    epoch: int
    loss: float
    token_f1: float | None = None
    sentence_f1: float | None = None
    characters_per_second: float = field(default=0.0, compare=False)

    def without_times(self) -> dict[str, Any]:
        """What is known of the epoch, for a header in which nothing may differ between two runs."""
        known = {name: value for name, value in asdict(self).items() if value is not None}
        del known["characters_per_second"]
        return known


@dataclass(slots=True)
class TokenizerState:
    """What changes while a tokenizer is trained; all else follows from the data and the options."""

    learners: dict[str, _core.OnlineLearner]
    best: Tokenizer | None = None
    best_score: float = -1.0
    kept: int = 0
    reports: list[TokenizerReport] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TokenizerCheckpoint:
    """A file for the state of one run, and what tells the run from others."""

    path: str
    options: TokenizerOptions
    fingerprint: int

    def save(self, state: TokenizerState) -> None:
        """Write everything that `restore` needs to go on as if nothing had happened."""
        header = {
            "architecture": CHECKPOINT,
            "options": self.options.as_dict(),
            "fingerprint": self.fingerprint,
            "steps": {kind: learner.steps for kind, learner in state.learners.items()},
            "best": None if state.best is None else state.best.header,
            "best_score": state.best_score,
            "kept": state.kept,
            "reports": [asdict(report) for report in state.reports],
        }
        tensors = {} if state.best is None else state.best.tensors()
        for kind, learner in state.learners.items():
            tensors |= {f"{kind}.{name}": tensor for name, tensor in learner_tensors(learner).items()}
        write_model(self.path, header, tensors)

    def restore(self, state: TokenizerState) -> None:
        """Bring a run that is at its beginning to where it was; FileError if the file is of another run."""
        found = read_model(self.path, architecture=CHECKPOINT)
        header, tensors = found.header, found.tensors
        check_run(self.path, header, self.options.as_dict(), self.fingerprint)
        for kind, learner in state.learners.items():
            own = {name: tensors[f"{kind}.{name}"] for name in learner_tensors(learner)}
            restore_learner(learner, header["steps"][kind], own)
        if header["best"] is not None:
            copies = {name: tensor.copy() for name, tensor in tensors.items() if name.startswith(PREFIX)}
            state.best = Tokenizer(header["best"], copies)
        state.best_score, state.kept = header["best_score"], header["kept"]
        state.reports = [TokenizerReport(**report) for report in header["reports"]]

    def remove(self) -> None:
        """Remove the file, if it is there."""
        if os.path.exists(self.path):
            os.unlink(self.path)
