"""EM for generative models: seconds of an iteration on a treebank, and growth with the number of words."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from arbora import trees
from arbora.errors import ArboraError
from arbora.generative.corpus import Item
from arbora.generative.data import choose_sentences, encode_corpus, read_corpus
from arbora.generative.estimation import ExpectedCounts, uniform_start
from arbora.generative.kinds import make_model
from arbora.generative.options import GenerativeOptions
from arbora.generative.units import Units

LENGTHS = (10, 20, 40, 80)
KINDS = {
    "bigram": GenerativeOptions(),
    "bigram, projective": GenerativeOptions(projective=True),
    "valence": GenerativeOptions(model="valence"),
}
ROUNDS = 3


def measure(train: str | os.PathLike[str] | None = None, *, threads: int = 2) -> dict[str, Any]:
    """Time iterations of EM on the tags of a treebank, up to 40 words: plain data."""
    if train is None:
        raise ArboraError("the benchmark induction needs --train, a treebank with tags")
    options = next(iter(KINDS.values()))
    sentences = choose_sentences(read_corpus(str(train), options), options).sentences
    units = Units.of(sentences, options)
    items = encode_corpus(sentences, units, [], trees=False)
    return {
        "train": Path(train).name,
        "sentences": len(items),
        "words": sum(item.length for item in items),
        "threads": threads,
        "kinds": {
            name: {
                "iteration_seconds": _iteration(own, units, items, threads),
                "by_length": {str(n): _growth(own, units, n) for n in LENGTHS},
            }
            for name, own in KINDS.items()
        },
    }


def _iteration(options: GenerativeOptions, units: Units, items: list[Item], threads: int) -> float:
    """E-step and M-step; the best of some."""
    expected = ExpectedCounts(make_model(options, units, 1), items, threads=threads)
    expected.set_counts(expected.begin(uniform_start))

    def iterate() -> None:
        counts, _ = expected.expect()
        expected.set_counts(counts)

    return min(_seconds(iterate) for _ in range(ROUNDS))


def _growth(options: GenerativeOptions, units: Units, n: int) -> dict[str, float]:
    """Microseconds of a sentence of n words on one thread; in turns, those of `trees.expectations`."""
    rng, count = np.random.default_rng(n), max(4, 8000 // n**2)
    none = np.full(n + 1, -1, np.int32)
    items = [
        Item(
            np.array([0, *rng.integers(1, units.tag_count, n)], np.int32),
            np.zeros(n + 1, np.int32),
            none,
            none,
        )
        for _ in range(count)
    ]
    expected = ExpectedCounts(make_model(options, units, 1), items)
    expected.set_counts(expected.begin(uniform_start))
    scores = [rng.normal(size=(n + 1, n + 1)) for _ in range(count)]
    _, projective = options.trees
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(_seconds(expected.expect))
        theirs.append(_seconds(lambda: trees.expectations(scores, projective=projective)))
    return {"em": 1e6 * min(ours) / count, "trees": 1e6 * min(theirs) / count}


def _seconds(call: Callable[[], Any]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def table(result: dict[str, Any]) -> Table:
    """A row for each kind of model."""
    shown = Table(
        "model",
        "an iteration",
        *(f"n = {n}" for n in LENGTHS),
        title=f"EM on the tags of {result['train']}: {result['sentences']:,} sentences of up to 40 words, "
        f"{result['words']:,} words, {result['threads']} threads",
        caption="Then microseconds of a sentence of n words on one thread, and how many times those of the "
        "sums over trees alone (arbora.trees) that is.",
    )
    for name, row in result["kinds"].items():
        each = (f"{one['em']:,.0f}  {one['em'] / one['trees']:.2f}x" for one in row["by_length"].values())
        shown.add_row(name, f"{row['iteration_seconds']:.2f} s", *each)
    return shown
