"""Checkpoints: the state of a training run in a file, from which the same run goes on after a kill.

A checkpoint is a model file of the architecture ``checkpoint``, whatever is trained:

```text
header    task, options, fingerprint: whose run it is
          stage, epoch: how many of each are done; reports, kept: what there is to tell of them
          parts: the headers of those whose tensors these are
tensors   done.N/... of the stages that are over, best/... of the stage's best epoch so far, state/... of the
          task as it is
```
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arbora.errors import FileError
from arbora.models import Parts, Tensors, below, read_model, refusing, remove_leftovers, under, write_model
from arbora.training.reports import EpochReport
from arbora.training.task import History, Task

__all__ = ["CHECKPOINT", "Checkpoint", "RunState", "checkpoint_name"]

CHECKPOINT = "checkpoint"


def checkpoint_name(output: str) -> str:
    """Where training keeps what it needs to go on after a kill.

    >>> checkpoint_name("en.model")
    'en.model.checkpoint'
    """
    return output + ".checkpoint"


@dataclass(slots=True)
class RunState:
    """How far a run is: ``epoch`` steps of the stage number ``stage`` are done.

    ``fingerprint`` is the task's, at the beginning. ``done`` are the parts that were kept of the stages
    before, ``best`` those of the best epoch of this one.
    """

    fingerprint: int
    stage: int = 0
    epoch: int = 0
    best: Parts | None = None
    best_epoch: int = 0
    best_score: float | None = None
    done: list[Parts] = field(default_factory=list)
    history: History = field(default_factory=History)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The file of one run; runs within it have theirs beside it."""

    path: str

    def within(self, name: str) -> Checkpoint:
        """The checkpoint of a run that is a step of this one."""
        return Checkpoint(f"{self.path}.{name}")

    def exists(self) -> bool:
        """Whether there is one."""
        return os.path.exists(self.path)

    def check(self) -> None:
        """FileError if there is none to go on from, or no sound one."""
        if not self.exists():
            reason = "there is no checkpoint to go on from; start anew without --resume"
            raise FileError(reason, file=self.path)
        read_model(self.path, architecture=CHECKPOINT, verify=False)

    def save(self, task: Task[Any], state: RunState) -> None:
        """Write everything that `restore` needs to go on as if nothing had happened."""
        parts = {"state": task.snapshot(), **{f"done.{n}": done for n, done in enumerate(state.done)}}
        if state.best is not None:
            parts["best"] = state.best
        header = {
            "architecture": CHECKPOINT,
            "task": task.architecture,
            "options": task.options.as_dict(),
            "fingerprint": state.fingerprint,
            "stage": state.stage,
            "epoch": state.epoch,
            "best_epoch": state.best_epoch,
            "best_score": state.best_score,
            "reports": [_as_plain(report) for report in state.history.reports],
            "kept": state.history.kept,
            "parts": {name: own for name, (own, _) in parts.items()},
        }
        tensors: dict[str, Any] = {}
        for name, (_, own) in parts.items():
            tensors |= under(f"{name}/", own)
        write_model(self.path, header, tensors)

    def load(self, task: Task[Any], fingerprint: int) -> tuple[RunState, Parts]:
        """The state that was saved, and the task's snapshot; FileError if the file is of another run."""
        model = read_model(self.path, architecture=CHECKPOINT)
        header = model.header
        _check_run(self.path, header, task, fingerprint)
        with refusing(self.path, CHECKPOINT):
            reports = [EpochReport(**report) for report in header["reports"]]
            found = {name: (own, _copies(model.tensors, name)) for name, own in header["parts"].items()}
            state = RunState(
                fingerprint,
                int(header["stage"]),
                int(header["epoch"]),
                found.get("best"),
                header["best_epoch"],
                header["best_score"],
                [found[f"done.{number}"] for number in range(header["stage"])],
                History(reports, dict(header["kept"])),
            )
            return state, found["state"]

    def clean(self, task: Task[Any], *, resume: bool) -> None:
        """Remove what a kill left half written; and, if a run begins anew, what older runs left."""
        for own in (self, *(self.within(stage.name) for stage in task.stages)):
            remove_leftovers(own.path)
            if not resume:
                own.unlink()

    def remove(self, task: Task[Any]) -> None:
        """Remove the file, and those of the runs within this one."""
        self.clean(task, resume=False)

    def unlink(self) -> None:
        """Remove the file alone, if it is there."""
        if self.exists():
            os.unlink(self.path)


def _as_plain(report: EpochReport) -> dict[str, Any]:
    """A report without what only people look at."""
    return {
        "stage": report.stage,
        "epoch": report.epoch,
        "loss": report.loss,
        "scores": dict(report.scores),
    }


def _copies(tensors: Tensors, name: str) -> dict[str, Any]:
    """The tensors of one part, in memory: the file they are mapped from will be replaced."""
    return {own: np.array(tensor) for own, tensor in below(tensors, f"{name}/").items()}


def _check_run(path: str, header: Mapping[str, Any], task: Task[Any], fingerprint: int) -> None:
    """FileError if a checkpoint is of another task, or of one with other options or data."""
    if header.get("task") != task.architecture:
        raise FileError(
            f"this is a checkpoint of a {header.get('task')}, not of a {task.architecture}; start anew "
            "without --resume",
            file=path,
        )
    theirs, options = _flat(header.get("options")), _flat(task.options.as_dict())
    for name in sorted(options.keys() - set(task.may_change)):
        if theirs.get(name) != options[name]:
            raise FileError(
                f"the checkpoint was made with another {name} ({theirs.get(name)!r}, now {options[name]!r}); "
                "use the same options, or start anew without --resume",
                file=path,
            )
    if header.get("fingerprint") != fingerprint:
        raise FileError(
            "the checkpoint was made with other data, another --dev-fraction, other templates or another "
            "encoder; start anew without --resume",
            file=path,
        )


def _flat(options: Any) -> dict[str, Any]:
    """Options by their full names, as JSON gives them back.

    >>> _flat({"folds": 2, "tagger": {"bits": (12, 14)}})
    {'folds': 2, 'tagger.bits': [12, 14]}
    """
    found: dict[str, Any] = {}
    for name, value in options.items() if isinstance(options, Mapping) else ():
        if isinstance(value, Mapping):
            found |= {f"{name}.{inner}": own for inner, own in _flat(value).items()}
        else:
            found[name] = list(value) if isinstance(value, tuple) else value
    return found
