"""What a training run is given: a task, which knows all that differs from one architecture to the next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from arbora.models import Component, Parts
from arbora.training.reports import EpochReport, Watcher

__all__ = ["Candidate", "History", "Options", "Stage", "Step", "Task", "Trained"]

Made = TypeVar("Made", bound=Component)


class Options(Protocol):
    """Everything that a model depends on, besides its data."""

    def check(self) -> Self:
        """Raise ArboraError if an option makes no sense; returns itself."""

    def as_dict(self) -> dict[str, Any]:
        """The options as plain data."""


class Stage(NamedTuple):
    """A part of a run with so many epochs, of which the best is kept; with 0 epochs, it is a single step.

    The name may be empty where there is no other stage with epochs. ``unit`` is what people call an epoch.
    """

    name: str
    epochs: int = 0
    unit: str = "epoch"

    def title(self, epoch: int) -> str:
        """What people call a step of it.

        >>> Stage("upos", 5).title(1), Stage("", 5).title(2), Stage("pruner").title(0)
        ('upos epoch 1/5', 'epoch 2/5', 'pruner')
        """
        return f"{self.name} {self.unit} {epoch}/{self.epochs}".strip() if epoch else self.name


class Step(NamedTuple):
    """An epoch of a stage, from 1, or the only step of one, 0.

    ``run`` trains another task within this step, which then has a checkpoint of its own.
    """

    stage: Stage
    epoch: int
    watcher: Watcher
    run: Callable[[Task[Any]], Any]


class Trained(NamedTuple):
    """What a step cost: the mean loss, and how many units (words, characters) were seen, for the speed."""

    loss: float | None = None
    units: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """What could be kept of a stage: its parts, what is known of it, and the score by which epochs compare.

    Without a score, the latest epoch counts as the best.
    """

    parts: Parts
    scores: Mapping[str, float] = field(default_factory=dict)
    score: float | None = None


@dataclass(slots=True)
class History:
    """The reports so far, and which epoch was kept of each stage that is over."""

    reports: list[EpochReport] = field(default_factory=list)
    kept: dict[str, int] = field(default_factory=dict)

    def rows(self) -> list[dict[str, Any]]:
        """The reports, for a header."""
        return [report.as_row() for report in self.reports]

    def since_best(self, stage: str, score: str) -> int:
        """How many epochs of a stage came after the best by this score; 0 where it is not known.

        >>> scores = [0.5, 0.7, 0.7, 0.6]
        >>> reports = [EpochReport("", n, None, {"las": own}) for n, own in enumerate(scores, 1)]
        >>> History(reports).since_best("", "las")
        2
        """
        found = [report.scores.get(score) for report in self.reports if report.stage == stage]
        known = [own for own in found if own is not None]
        if not known or len(known) < len(found):
            return 0
        return len(known) - 1 - known.index(max(known))


class Task(ABC, Generic[Made]):
    """A model in training: what it learns from, and where it is.

    A run calls, for each stage: `begin`; then for each epoch `train` and `judge`; then `end` with the parts
    of the best epoch; and after all of them `finish`. A run that goes on after a kill calls `end` with what
    was kept of the stages that are over, `begin` of the one it was in, and `restore` with the last
    `snapshot`. From then on all must be as if nothing had happened: the model has the same bytes.
    """

    architecture: ClassVar[str]
    """The name of what it trains."""
    unit: ClassVar[str] = "words"
    """What the speed counts."""
    may_change: ClassVar[Collection[str]] = ()
    """Options in which a run that goes on may differ from how it began."""

    options: Options
    stages: Sequence[Stage]
    dev_data: Mapping[str, Any] = MappingProxyType({})
    """What a model's report says of the dev data (`arbora.training.dev_data`)."""
    notes: Sequence[str] = ()
    """Lines that people should read before it begins: on the data, and on what was decided for them."""

    @abstractmethod
    def fingerprint(self) -> int:
        """A checksum of the data, and of all else that is not among the options."""

    def begin(self, stage: Stage) -> None:
        """Make ready for the stage's first epoch."""

    @abstractmethod
    def train(self, step: Step) -> Trained:
        """Do the step: one pass over the data."""

    @abstractmethod
    def judge(self, stage: Stage) -> Candidate:
        """What the stage would give if it ended now, and how good that is."""

    def ends_early(self, stage: Stage, history: History) -> bool:
        """Whether no more epochs of the stage are needed; asked before each, also by a run that goes on."""
        return False

    def end(self, stage: Stage, parts: Parts) -> None:
        """The stage is over, and these are the parts of its best candidate."""

    @abstractmethod
    def finish(self, history: History) -> Made:
        """The model, when all stages are over."""

    def snapshot(self) -> Parts:
        """What `restore` needs in the middle of a stage; nothing if stages are single steps."""
        return {}, {}

    def restore(self, parts: Parts) -> None:
        """Go to where a snapshot was taken, from the beginning of the same stage."""

    def describe(self, stage: Stage, scores: Mapping[str, float]) -> list[str]:
        """The scores in words."""
        return []


class FileTask(Task[Made]):
    """A task that knows how to read what it learns from: what `arbora.training.train_file` needs.

    ``own`` is what a task takes besides what all take.
    """

    @abstractmethod
    def __init__(
        self,
        sentences: Sequence[Any],
        dev: Sequence[Any] | None,
        options: Any,
        *,
        threads: int = 1,
        licence: str = "",
        **own: Any,
    ) -> None:
        """All that is wrong with the data is found here."""

    @classmethod
    @abstractmethod
    def default_options(cls) -> Any:
        """The options if none are given."""

    @classmethod
    @abstractmethod
    def check(cls, options: Any, **own: Any) -> None:
        """ArboraError if something is wrong with the options that can be told before anything is read."""

    @classmethod
    def without_dev(cls, options: Any) -> str:
        """What happens without dev data, for people; empty if dev data would change nothing."""
        return "the last epoch is kept, and probabilities are not calibrated"

    @classmethod
    @abstractmethod
    def read(cls, path: str, options: Any, *, dev: bool) -> Sequence[Any]:
        """The sentences (or trees, or texts) of a file; FileError if they cannot be learned from."""
