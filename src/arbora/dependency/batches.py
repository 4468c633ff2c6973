"""Batches on their way through a parser: worked on in order, with errors that name a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.dependency.output import no_tree
from arbora.errors import InfeasibleTreeError
from arbora.treebank import Sentence

Integers: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]
Result = TypeVar("Result")


@dataclass(slots=True)
class Work:
    """A batch on its way: sentences, what is known of them beforehand, what was found."""

    sentences: list[Sentence]
    encoded: _core.Encoded
    given_heads: Integers
    given_labels: Integers
    heads: Integers
    labels: Integers
    head_probabilities: Floats
    label_probabilities: Floats
    log_probabilities: Floats
    gaps: Floats
    tags: Integers
    tag_probabilities: Floats


def guarded(work: Work, run: Callable[[], Result]) -> Result:
    """What ``run`` gives; if no tree fits what is given, the error names the sentence."""
    try:
        return run()
    except InfeasibleTreeError as error:
        place, _, reason = str(error).partition(" of the batch: ")
        raise no_tree(work.sentences[int(place.removeprefix("sentence "))], reason) from None


def run_in_order(batches: Iterable[Work], run: Callable[[Work], Work], threads: int) -> Iterator[Work]:
    """Every batch parsed, in order; with several threads the next is read while one is worked on."""
    if threads == 1:
        for work in batches:
            yield guarded(work, lambda work=work: run(work))  # type: ignore[misc]
        return
    with ThreadPoolExecutor(1) as worker:
        running: tuple[Work, Future[Work]] | None = None
        for work in batches:
            started = (work, worker.submit(run, work))
            if running is not None:
                yield guarded(running[0], running[1].result)
            running = started
        if running is not None:
            yield guarded(running[0], running[1].result)
