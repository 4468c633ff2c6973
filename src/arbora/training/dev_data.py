"""Dev data: what epochs are chosen by and probabilities are calibrated on. Without any, some is held out.

One mechanism for every architecture: `make_task` divides what there is and makes the task of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from arbora.errors import ArboraError
from arbora.models import Component
from arbora.training.reports import Watcher
from arbora.training.task import FileTask
from arbora.treebank import Constituent, Sentence
from arbora.treebank.comments import begins

__all__ = ["DEV_FRACTION", "DevData", "check_dev_fraction", "divide", "make_task"]

Made = TypeVar("Made", bound=Component)

DEV_FRACTION = 0.1
"""The share of the training data that is held out if there is no dev data."""
MOST_IN_BLOCK = 10
"""So many sentences stay together at the most where documents tell nothing."""


@dataclass(frozen=True, slots=True)
class DevData:
    """What is learned from, and what is not; ``held_out``: the share that was asked for, 0 if none was.

    ``documents`` are those held out, or blocks of sentences if ``by_documents`` is not so. ``repeated``: how
    many dev sentences have the words of one that is learned from.
    """

    sentences: Sequence[Any]
    dev: Sequence[Any] | None
    held_out: float = 0.0
    documents: int = 0
    by_documents: bool = False
    repeated: int = 0

    def as_dict(self) -> dict[str, Any]:
        """What a model's report says of it; nothing without dev data."""
        if not self.dev:
            return {}
        found: dict[str, Any] = {"sentences": len(self.dev), "in_training": self.repeated}
        if self.held_out:
            found |= {
                "held_out": self.held_out,
                "documents" if self.by_documents else "blocks": self.documents,
            }
        return found

    def lines(self, without_dev: str) -> Iterator[str]:
        """What people should know of it, a line each; ``without_dev`` is what happens if there is none."""
        if self.dev is None:
            if without_dev:
                yield f"Warning: there is no dev data: {without_dev}."
            return
        count = len(self.dev)
        if self.held_out:
            kind = ("document" if self.by_documents else "block") + "s" * (self.documents != 1)
            yield (
                f"There is no --dev: {count:,} of {len(self.sentences) + count:,} sentences, in "
                f"{self.documents:,} {kind}, are held out in its place. --dev-fraction changes how many; "
                "with 0 all are learned from."
            )
        if self.repeated:
            share = f"{100 * self.repeated / count:.0f} %"
            yield (
                f"Warning: {self.repeated:,} of {count:,} dev sentences ({share}) are in "
                "the training data too; scores on dev will look better than they are."
            )


def check_dev_fraction(fraction: float | None) -> None:
    """ArboraError if it is no share."""
    if fraction is not None and not 0 <= fraction < 1:
        raise ArboraError("the dev fraction must be at least 0 and below 1")


def divide(sentences: Sequence[Any], dev: Sequence[Any] | None, fraction: float = DEV_FRACTION) -> DevData:
    """Dev data as given or, without any, about this share of the sentences.

    It is taken from everywhere, in whole documents (``# newdoc``); where there are too few of them to come
    near the share, in blocks of neighbours. It depends on nothing else. If there are too few sentences, none
    is held out.

    >>> data = divide([Sentence([word]) for word in "abcdefghijklmnopqrst"], None)
    >>> [sentence.forms[0] for sentence in data.dev], len(data.sentences)
    (['e', 'o'], 18)
    """
    check_dev_fraction(fraction)
    if dev:
        return DevData(sentences, dev, repeated=_count_repeated(sentences, dev))
    for groups, by_documents in ((documents_of(sentences), True), (blocks_of(sentences), False)):
        held = _spread([len(group) for group in groups], fraction)
        kept, others = (
            [one for number, group in enumerate(groups) if (number in held) is own for one in group]
            for own in (False, True)
        )
        if fraction / 2 < len(others) / max(1, len(sentences)) < min(2 * fraction, 1):
            repeated = _count_repeated(kept, others)
            return DevData(kept, others, fraction, len(held), by_documents, repeated)
    return DevData(sentences, None)


def make_task(
    kind: type[FileTask[Made]],
    sentences: Sequence[Any],
    dev: Sequence[Any] | None,
    options: Any,
    *,
    dev_fraction: float | None = None,
    watcher: Watcher | None = None,
    **own: Any,
) -> FileTask[Made]:
    """A task of some kind with dev data, which is held out if there is none; the watcher is told.

    ``dev_fraction``: None is a tenth, or nothing where dev data would change nothing.
    """
    without_dev = kind.without_dev(kind.default_options() if options is None else options)
    if dev_fraction is None:
        dev_fraction = DEV_FRACTION if without_dev else 0.0
    data = divide(sentences, dev, dev_fraction)
    task = kind(data.sentences, data.dev, options, **own)
    task.dev_data = data.as_dict()
    for line in data.lines(without_dev):
        (watcher or Watcher()).on_note(line)
    return task


def documents_of(sentences: Sequence[Any]) -> list[list[Any]]:
    """The sentences by documents: each begins with ``# newdoc``."""
    groups: list[list[Any]] = []
    for one in sentences:
        if not groups or (isinstance(one, Sentence) and begins(one, "newdoc")):
            groups.append([])
        groups[-1].append(one)
    return groups


def blocks_of(sentences: Sequence[Any]) -> list[Sequence[Any]]:
    """Neighbours that stay together where documents tell nothing: a hundred blocks, if sentences suffice."""
    size = min(MOST_IN_BLOCK, max(1, len(sentences) // 100))
    return [sentences[start : start + size] for start in range(0, len(sentences), size)]


def _spread(sizes: Sequence[int], fraction: float) -> set[int]:
    """Which groups to take so that at every place about this share of what came before is taken.

    >>> sorted(_spread([1] * 20, 0.1)), sorted(_spread([3, 30, 4, 3], 0.1))
    ([4, 14], [2])
    """
    found, due = set(), 0.0
    for number, size in enumerate(sizes):
        due += fraction * size
        if due > 0 and due >= size / 2 - 1e-9:
            found.add(number)
            due -= size
    return found


def _count_repeated(sentences: Sequence[Any], dev: Sequence[Any]) -> int:
    known = set(map(_words_of, sentences))
    return sum(bool(words) and words in known for words in map(_words_of, dev))


def _words_of(one: Sentence | Constituent) -> tuple[str, ...]:
    return tuple(one.words() if isinstance(one, Constituent) else one.forms)
