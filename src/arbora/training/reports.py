"""What a training run says of itself: a report for each epoch, to whoever watches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

__all__ = ["EpochReport", "Watcher"]


@dataclass(frozen=True, slots=True)
class EpochReport:
    """How an epoch went: the mean loss, the scores (on dev, if there is one), and the speed.

    A stage that is a single step is reported as epoch 0. ``unit`` is what the speed counts, ``title`` is what
    people call the step, and ``details`` are the scores in words: none of these belongs to the result.

    >>> report = EpochReport("upos", 1, 0.5, {"accuracy": 0.9}, "upos epoch 1/5", ("accuracy 90.00",), 1234.5)
    >>> report.line
    'upos epoch 1/5  loss 0.5000  accuracy 90.00  1,234 words/s'
    >>> report.as_row()
    {'stage': 'upos', 'epoch': 1, 'loss': 0.5, 'accuracy': 0.9}
    """

    stage: str
    epoch: int
    loss: float | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    title: str = field(default="", compare=False)
    details: tuple[str, ...] = field(default=(), compare=False)
    speed: float = field(default=0.0, compare=False)
    unit: str = field(default="words", compare=False)

    @property
    def line(self) -> str:
        """All of it in one line, for people."""
        parts = [self.title, *([] if self.loss is None else [f"loss {self.loss:.4f}"]), *self.details]
        return "  ".join([*parts, f"{self.speed:,.0f} {self.unit}/s"] if self.speed else parts)

    def as_row(self) -> dict[str, Any]:
        """What is known of the epoch without times: in a header, nothing may differ between two runs."""
        row: dict[str, Any] = {"stage": self.stage} if self.stage and self.epoch else {}
        row["epoch"] = self.epoch
        return {**row, **({} if self.loss is None else {"loss": self.loss}), **self.scores}


def _nothing(*_: Any) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Watcher:
    """Who is told how training gets on.

    ``on_step`` gets the title of every step that begins, ``on_batch`` how much of it is done and how much
    there is, ``on_report`` the report when it is over.

    >>> Watcher(on_report=print).on_batch(1, 2)
    """

    on_report: Callable[[EpochReport], None] = _nothing
    on_batch: Callable[[int, int], None] = _nothing
    on_step: Callable[[str], None] = _nothing

    @classmethod
    def of(
        cls,
        progress: Callable[[EpochReport], None] | None = None,
        on_batch: Callable[[int, int], None] | None = None,
    ) -> Self:
        """One of functions that may be None."""
        return cls(progress or _nothing, on_batch or _nothing)

    def within(self, name: str) -> Watcher:
        """For a run that is a step of another: titles begin with the name of the step."""
        return Watcher(
            lambda report: self.on_report(replace(report, title=f"{name} {report.title}")),
            self.on_batch,
            lambda title: self.on_step(f"{name} {title}"),
        )
