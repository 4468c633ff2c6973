"""Constituency parsers trained on the spot: accuracy, training and parsing speed, growth with length."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from rich.table import Table

from arbora.constituency.parser import ConstituencyParser
from arbora.constituency.presets import PRESETS, find_preset, preset_options
from arbora.constituency.trees import TaggedWords, prepared_trees, read_trees, tagged_words
from arbora.errors import ArboraError
from arbora.evaluation import evaluate_brackets
from arbora.models import find_architecture
from arbora.training import EpochReport, Watcher, run
from arbora.treebank import Constituent

LENGTHS = ((1, 15), (16, 30), (31, 60))


def measure(
    train: str | os.PathLike[str] | None = None,
    dev: str | os.PathLike[str] | None = None,
    *,
    presets: Sequence[str] = tuple(PRESETS),
    epochs: int | None = None,
    threads: int = 2,
) -> dict[str, Any]:
    """Train every preset on one file and parse the other: plain data."""
    if train is None or dev is None:
        raise ArboraError("the benchmark constituency needs --train and --dev, two files of brackets")
    trees = read_trees(str(train))
    gold = prepared_trees(read_trees(str(dev)))
    changes = {} if epochs is None else {"epochs": epochs}
    result: dict[str, Any] = {
        "train": Path(train).name,
        "dev": Path(dev).name,
        "sentences": len(trees),
        "threads": threads,
        "presets": {},
    }
    for name in presets:
        result["presets"][name] = _measure_one(name, trees, gold, changes, threads)
    return result


def _measure_one(
    name: str, trees: list[Constituent], gold: list[Constituent], changes: dict[str, Any], threads: int
) -> dict[str, Any]:
    task = resolve_name(find_architecture(find_preset(name).architecture).task)
    reports: list[EpochReport] = []
    started = time.perf_counter()
    in_training = task(trees, gold, preset_options(name, changes), threads=threads)
    parser: ConstituencyParser = run(in_training, watcher=Watcher(on_report=reports.append))
    seconds = time.perf_counter() - started
    sentences = [tagged_words(tree) for tree in gold]
    scores = evaluate_brackets(gold, [one.tree for one in parser.parse(sentences, threads=threads)])
    words = sum(len(tree.words()) for tree in trees)
    speeds = [report.speed for report in reports if report.speed]
    return {
        "f1": {group: found.brackets.f1 for group, found in scores.groups.items()},
        "training_seconds": seconds,
        "training_sentences_per_second": max(speeds, default=0.0) * len(trees) / words,
        "parsing": _parse_speed(parser, sentences),
        "by_length": {
            f"{low}-{high}": _parse_speed(parser, [one for one in sentences if low <= len(one.words) <= high])
            for low, high in LENGTHS
        },
    }


def _parse_speed(parser: ConstituencyParser, sentences: list[TaggedWords]) -> dict[str, float]:
    """Sentences and words a second on one core; the better of two runs."""
    if not sentences:
        return {"sentences_per_second": 0.0, "words_per_second": 0.0}
    times = []
    for _ in range(2):
        started = time.perf_counter()
        parser.parse(sentences)
        times.append(time.perf_counter() - started)
    words = sum(len(sentence.words) for sentence in sentences)
    return {"sentences_per_second": len(sentences) / min(times), "words_per_second": words / min(times)}


def table(result: dict[str, Any]) -> Table:
    """A row for each preset."""
    shown = Table(
        "preset",
        "F1",
        "F1, up to 15 words",
        "training",
        "learned/s",
        "parsed/s",
        "words/s",
        *(f"{low}-{high}" for low, high in LENGTHS),
        title=f"{result['dev']}, trained on {result['train']}, {result['sentences']:,} sentences; gold tags",
        caption=f"Sentences a second, learned on {result['threads']} threads and parsed on one; then words "
        "parsed a second, of all sentences and by their length.",
    )
    for name, row in result["presets"].items():
        by_length = (f"{one['words_per_second']:,.0f}" for one in row["by_length"].values())
        shown.add_row(
            name,
            f"{100 * row['f1']['all']:.2f}",
            f"{100 * row['f1']['up to 15 words']:.2f}",
            f"{row['training_seconds']:.0f} s",
            f"{row['training_sentences_per_second']:,.0f}",
            f"{row['parsing']['sentences_per_second']:,.0f}",
            f"{row['parsing']['words_per_second']:,.0f}",
            *by_length,
        )
    return shown
