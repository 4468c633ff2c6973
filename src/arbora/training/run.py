"""The one way to train: stages of epochs, the best of each kept, a checkpoint after every step."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import Any, TypeVar

from arbora.errors import ArboraError
from arbora.models import Component, refusing
from arbora.training.checkpoints import CHECKPOINT, Checkpoint, RunState
from arbora.training.reports import EpochReport, Watcher
from arbora.training.task import Stage, Step, Task

__all__ = ["run"]

Made = TypeVar("Made", bound=Component)


def run(
    task: Task[Made],
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    watcher: Watcher | None = None,
) -> Made:
    """Train what the task is for.

    ``checkpoint`` is a file that is written at the beginning and after every step, and removed at the end
    unless ``keep_checkpoint``; ``resume`` goes on from it, to the same bytes as if nothing had happened.
    """
    watcher = watcher or Watcher()
    if resume and checkpoint is None:
        raise ArboraError("there is nothing to resume without a checkpoint")
    kept = None if checkpoint is None else Checkpoint(os.fspath(checkpoint))
    for note in task.notes:
        watcher.on_note(note)
    state = _start(task, kept, resume)
    while state.stage < len(task.stages):
        _train_stage(task, state, kept, watcher)
    watcher.on_step("finishing")
    made = task.finish(state.history)
    if task.dev_data:
        made.add_to_report("dev_data", dict(task.dev_data))
    if kept is not None and not keep_checkpoint:
        kept.remove(task)
    return made


def _start(task: Task[Any], kept: Checkpoint | None, resume: bool) -> RunState:
    """The state at the beginning, or where the checkpoint says; the task is there too."""
    state = RunState(task.fingerprint())
    if kept is None:
        task.begin(task.stages[0])
        return state
    if resume:
        kept.check()
        state, snapshot = kept.load(task, state.fingerprint)
        with refusing(kept.path, CHECKPOINT):
            for stage, parts in zip(task.stages, state.done, strict=False):
                task.end(stage, parts)
            task.begin(task.stages[state.stage])
            task.restore(snapshot)
        kept.clean(task, resume=True)
        return state
    kept.clean(task, resume=False)
    task.begin(task.stages[0])
    kept.save(task, state)
    return state


def _train_stage(task: Task[Any], state: RunState, kept: Checkpoint | None, watcher: Watcher) -> None:
    """The rest of a stage; then the task and the state are at the beginning of the next one."""
    stage = task.stages[state.stage]
    steps, begun, first = max(1, stage.epochs), time.perf_counter(), state.epoch
    while state.epoch < steps and not (state.epoch and task.ends_early(stage, state.history)):
        report = _train_step(task, state, stage, kept, watcher)
        if kept is not None:
            kept.save(task, state)
            kept.within(stage.name).unlink()  # what it was for is part of this one now
        each = (time.perf_counter() - begun) / (state.epoch - first)
        report = replace(report, seconds_left=each * (steps - state.epoch), left_of=stage.name)
        watcher.on_report(report)  # whoever sees it may stop the run: nothing is lost
    assert state.best is not None
    state.done.append(state.best)
    state.history.kept[stage.name] = state.best_epoch
    task.end(stage, state.best)
    state.stage += 1
    state.epoch, state.best, state.best_epoch, state.best_score = 0, None, 0, None
    if state.stage < len(task.stages):
        task.begin(task.stages[state.stage])


def _train_step(
    task: Task[Any], state: RunState, stage: Stage, kept: Checkpoint | None, watcher: Watcher
) -> EpochReport:
    """One step; what it gave is kept if it is the best so far."""
    epoch = state.epoch + 1 if stage.epochs else 0
    watcher.on_step(stage.title(epoch))

    def run_within(inner: Task[Any]) -> Any:
        own = None if kept is None else kept.within(stage.name)
        return run(
            inner,
            checkpoint=None if own is None else own.path,
            resume=own is not None and own.exists(),
            keep_checkpoint=True,  # until this step is in our own
            watcher=watcher.within(stage.name),
        )

    started = time.perf_counter()
    trained = task.train(Step(stage, epoch, watcher, run_within))
    seconds = time.perf_counter() - started
    found = task.judge(stage)
    state.epoch += 1
    if found.score is None or state.best_score is None or found.score > state.best_score:
        state.best, state.best_epoch, state.best_score = found.parts, epoch, found.score
    report = EpochReport(
        stage.name,
        epoch,
        trained.loss,
        found.scores,
        stage.title(epoch),
        tuple(task.describe(stage, found.scores)),
        trained.units / max(seconds, 1e-9),
        task.unit,
    )
    state.history.reports.append(report)
    return report
