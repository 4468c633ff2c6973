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
    people call the step, and ``details`` are the scores in words; ``seconds_left`` is an estimate of what the
    other epochs of the stage ``left_of`` will take: none of these belongs to the result.

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
    seconds_left: float = field(default=0.0, compare=False)
    left_of: str = field(default="", compare=False)

    @property
    def line(self) -> str:
        """All of it in one line, for people."""
        parts = [self.title, *([] if self.loss is None else [f"loss {self.loss:.4f}"]), *self.details]
        parts += [f"{self.speed:,.0f} {self.unit}/s"] if self.speed else []
        if self.seconds_left:
            whose = f" of {self.left_of}" if self.left_of else ""
            parts.append(f"about {_duration(self.seconds_left)} left{whose}")
        return "  ".join(parts)

    def as_row(self) -> dict[str, Any]:
        """What is known of the epoch without times: in a header, nothing may differ between two runs."""
        row: dict[str, Any] = {"stage": self.stage} if self.stage and self.epoch else {}
        row["epoch"] = self.epoch
        return {**row, **({} if self.loss is None else {"loss": self.loss}), **self.scores}


def _duration(seconds: float) -> str:
    """A time as people say it.

    >>> _duration(0.3), _duration(99), _duration(200), _duration(7501)
    ('1 s', '99 s', '3 min', '2 h 5 min')
    """
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def _nothing(*_: Any) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Watcher:
    """Who is told how training gets on.

    ``on_step`` gets the title of every step that begins, ``on_batch`` how much of it is done and how much
    there is, ``on_report`` the report when it is over; ``on_note`` a line that
    people should read, before it begins.

    >>> Watcher(on_report=print).on_batch(1, 2)
    """

    on_report: Callable[[EpochReport], None] = _nothing
    on_batch: Callable[[int, int], None] = _nothing
    on_step: Callable[[str], None] = _nothing
    on_note: Callable[[str], None] = _nothing

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
            lambda report: self.on_report(
                replace(report, title=f"{name} {report.title}", left_of=f"{name} {report.left_of}".strip())
            ),
            self.on_batch,
            lambda title: self.on_step(f"{name} {title}"),
            self.on_note,
        )
