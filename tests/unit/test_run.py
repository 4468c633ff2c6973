"""A training run of a task that does nothing but count: which epoch is kept, and where runs end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from arbora.errors import ArboraError, FileError
from arbora.models import Component, Parts, Tensors
from arbora.training import Candidate, EpochReport, History, Stage, Step, Task, Trained, Watcher, run


class Made(Component):
    architecture = "counter"

    def __init__(self, header: dict[str, Any]) -> None:
        self.header = header

    @classmethod
    def from_parts(cls, header: dict[str, Any], tensors: Tensors) -> Made:
        return cls(header)

    def to_parts(self, *, compact_weights: bool = False) -> Parts:
        return self.header, {}


@dataclass(frozen=True)
class Nothing:
    def check(self) -> Nothing:
        return self

    def as_dict(self) -> dict[str, Any]:
        return {}


@dataclass
class Counting(Task[Made]):
    """Each epoch has the score that is said; what it gives is its number."""

    scores: dict[str, list[float | None]]
    patience: int = 99
    within: Task[Made] | None = None
    seen: list[str] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)
    epoch: int = 0

    architecture = "counter"
    options = Nothing()

    def __post_init__(self) -> None:
        self.stages = [Stage(name, len(scores)) for name, scores in self.scores.items()]

    def fingerprint(self) -> int:
        return 7

    def begin(self, stage: Stage) -> None:
        self.epoch = 0

    def train(self, step: Step) -> Trained:
        self.epoch += 1
        assert step.epoch == self.epoch
        self.seen.append(step.stage.title(step.epoch))
        if self.within is not None:
            step.run(self.within)
        return Trained(loss=1 / self.epoch, units=1)

    def judge(self, stage: Stage) -> Candidate:
        return Candidate(({"epoch": self.epoch}, {}), {}, self.scores[stage.name][self.epoch - 1])

    def ends_early(self, stage: Stage, history: History) -> bool:
        return self.epoch >= self.patience

    def end(self, stage: Stage, parts: Parts) -> None:
        self.kept[stage.name] = parts[0]["epoch"]

    def finish(self, history: History) -> Made:
        assert history.kept == self.kept
        return Made({"kept": self.kept, "epochs": history.rows()})

    def snapshot(self) -> Parts:
        return {"epoch": self.epoch}, {}

    def restore(self, parts: Parts) -> None:
        self.epoch = parts[0]["epoch"]


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        ([0.1, 0.5, 0.3], 2),
        ([0.5, 0.5, 0.5], 1),  # the first of equal ones
        ([0.0, -1.0], 1),
        ([-3.0, -2.0, -9.0], 2),  # log-likelihoods have no lowest
        ([None, None, None], 3),
    ],
)
def test_the_best_epoch_is_kept(scores, kept):
    assert run(Counting({"a": scores, "b": [None]})).header["kept"] == {"a": kept, "b": 1}


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_stage_may_end_early_also_in_a_run_that_goes_on(tmp_path, after):
    scores = {"a": [0.1] * 9, "b": [0.2] * 9}
    whole = run(Counting(scores, patience=2)).header
    assert [row["epoch"] for row in whole["epochs"]] == [1, 2, 1, 2]
    reports = []

    def stop(report):
        reports.append(report)
        if len(reports) == after:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        run(Counting(scores, patience=2), checkpoint=tmp_path / "c", watcher=Watcher(on_report=stop))
    task = Counting(scores, patience=2)
    assert run(task, checkpoint=tmp_path / "c", resume=True).header == whole
    assert len(task.seen) == 4 - after
    assert not (tmp_path / "c").exists()


def test_runs_within_runs_have_titles_and_checkpoints_of_their_own(tmp_path):
    titles, files = [], []

    def step(title):
        titles.append(title)
        files.append(sorted(path.name for path in tmp_path.iterdir()))

    outer = Counting({"outer": [None]}, within=Counting({"inner": [None, None]}))
    run(outer, checkpoint=tmp_path / "c", watcher=Watcher(on_step=step))
    assert titles == [
        "outer epoch 1/1",
        "outer inner epoch 1/2",
        "outer inner epoch 2/2",
        "outer finishing",
        "finishing",
    ]
    assert files == [["c"], *[["c", "c.outer"]] * 3, ["c"]]
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_resumed(tmp_path):
    with pytest.raises(ArboraError, match="nothing to resume without a checkpoint"):
        run(Counting({"a": [None]}), resume=True)
    with pytest.raises(FileError, match="there is no checkpoint to go on from"):
        run(Counting({"a": [None]}), checkpoint=tmp_path / "c", resume=True)


def test_time_left_is_an_estimate_of_the_stage():
    """From the epochs that are over; the last has none left, and a step within another says whose it is."""
    seen: list[EpochReport] = []
    run(Counting({"outer": [None] * 3}, within=Counting({"": [None] * 2})), watcher=Watcher(seen.append))
    inner, outer = seen[:2], seen[2::3]
    assert inner[0].left_of == "outer"
    assert "  about 1 s left of outer" in inner[0].line
    assert "left" not in inner[1].line
    assert [bool(report.seconds_left) for report in outer] == [True, True, False]
    assert outer[0].seconds_left > outer[1].seconds_left > 0
    assert "about 3 min left of upos" in EpochReport("upos", 1, seconds_left=200, left_of="upos").line
