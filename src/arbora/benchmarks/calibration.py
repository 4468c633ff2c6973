"""How honest the probabilities of pipelines are on words that they have not seen, and what that takes.

A treebank is cut into thirty runs of neighbours. In turn, every sixth of them is kept for measuring, the one
behind each is dev, and the others are learned from: so every word is measured once, by a pipeline that has
neither learned nor been calibrated on it.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from rich.table import Table

from arbora.dependency import ParseOptions
from arbora.errors import ArboraError
from arbora.evaluation import calibrate, evaluate_raw_text
from arbora.evaluation.calibration import judged_probabilities
from arbora.pipeline.measuring import untagged
from arbora.pipeline.options import PipelineOptions
from arbora.pipeline.pipeline import Pipeline
from arbora.pipeline.training import train_pipeline
from arbora.text.tokenizing.running_text import paragraphs_of, running_text
from arbora.training import EpochReport
from arbora.treebank import Sentence, read

RUNS, FOLDS = 30, 6
DRAWS = 20
CALIBRATING = ("parser calibration", "raw text")
"""The stages that make probabilities of scores, by their titles."""


def measure(
    train: str | os.PathLike[str] | None = None,
    dev: str | os.PathLike[str] | None = None,
    *,
    epochs: int | None = None,
    projective: bool | None = None,
    threads: int = 2,
    folds: int = FOLDS,
) -> dict[str, Any]:
    """Train a pipeline for every fold of a treebank, of which ``dev`` is the end, if it is given: plain data.

    ``errors`` has the expected calibration errors of heads, of labels and of labelled arcs, from gold tokens
    and from raw text, in the mean of folds and the worst, and what the mean would be if the probabilities
    were just right: it is not 0 on few words. ``share`` is that of calibration in the seconds of training.
    """
    if train is None:
        raise ArboraError("the benchmark calibration needs --train, a CoNLL-U file")
    files = [train] + ([] if dev is None else [dev])
    treebank = [sentence for file in files for sentence in read(file, single_root=False)]
    if len(treebank) < FOLDS:
        raise ArboraError(f"the benchmark calibration needs at least {FOLDS} sentences")
    options = PipelineOptions()
    parser = replace(options.parser, projective=projective)
    if epochs is not None:
        parser = replace(parser, epochs=epochs)
    edges = np.linspace(0, len(treebank), min(RUNS, len(treebank)) + 1).round().astype(int).tolist()
    runs = [treebank[start:end] for start, end in pairwise(edges)]
    rows = []
    for fold in range(folds):
        parts: defaultdict[int, list[Sentence]] = defaultdict(list)
        for number, run in enumerate(runs):
            parts[min((number - fold) % FOLDS, 2)] += run
        rows.append(_fold(parts[2], parts[1], parts[0], replace(options, parser=parser), threads))
    return {
        "treebank": [Path(file).name for file in files],
        "words": mean(row["words"] for row in rows),
        "projective": rows[0]["projective"],
        "folds": rows,
        "errors": {
            name: {
                "mean": mean(row["errors"][name] for row in rows),
                "worst": max(row["errors"][name] for row in rows),
                "least": mean(row["least"][name] for row in rows),
            }
            for name in rows[0]["errors"]
        },
        "share": sum(row["calibrating"] for row in rows) / sum(row["seconds"] for row in rows),
    }


def _fold(
    learned: list[Sentence], dev: list[Sentence], kept: list[Sentence], options: PipelineOptions, threads: int
) -> dict[str, Any]:
    spent: defaultdict[str, float] = defaultdict(float)
    before = time.perf_counter()

    def progress(report: EpochReport) -> None:
        nonlocal before
        now = time.perf_counter()
        spent[report.title] += now - before
        before = now

    pipeline = train_pipeline(learned, dev, options, threads=threads, progress=progress)
    found = _found(pipeline, kept, threads)
    return {
        "words": sum(map(len, kept)),
        "projective": pipeline.parser.header["options"]["projective"],
        "seconds": sum(spent.values()),
        "calibrating": sum(spent[title] for title in CALIBRATING),
        "errors": {name: calibrate(*own).error for name, own in found.items()},
        "least": {name: least_error(own[0]) for name, own in found.items()},
    }


def _found(
    pipeline: Pipeline, gold: list[Sentence], threads: int
) -> dict[str, tuple[list[float], list[bool]]]:
    """Probabilities, and what is right: of what, and found in what."""
    options = ParseOptions(probabilities=True, threads=threads)
    text = running_text(paragraphs_of(gold)).text
    found: dict[str, Sequence[Sentence]] = {
        "gold tokens": list(pipeline.annotate(map(untagged, gold), options)),
        "raw text": pipeline(text, options).sentences,
    }
    result = {}
    for source, sentences in found.items():
        judged = evaluate_raw_text(gold, sentences)
        heads = [bool(right) for right in judged.right_heads]
        arcs = [bool(right) for right in judged.right_arcs]
        for kind, own in judged_probabilities(sentences, heads, arcs).items():
            result[f"{kind}, {source}"] = own
    return result


def least_error(probabilities: Iterable[float]) -> float:
    """The calibration error to be expected if every one of the probabilities is just right.

    >>> round(least_error([0.5] * 10_000), 2), least_error([1.0] * 10)
    (0.0, 0.0)
    """
    p = np.fromiter(probabilities, float)
    draw = np.random.default_rng(0)
    return mean(calibrate(p, draw.random(len(p)) < p).error for _ in range(DRAWS))


def table(result: dict[str, Any]) -> Table:
    """The figures as a table."""
    trees = "projective trees" if result["projective"] else "trees with crossing arcs"
    share = f"calibration took {100 * result['share']:.1f} % of training"
    shown = Table(
        title=f"{', '.join(result['treebank'])}: {len(result['folds'])} pipelines of {trees}, each measured "
        f"on {result['words']:,.0f} words; {share}"
    )
    shown.add_column("calibration error of")
    for name in ("mean", "worst", "if just right"):
        shown.add_column(name, justify="right")
    for name, row in result["errors"].items():
        shown.add_row(name, *(f"{row[key]:.4f}" for key in ("mean", "worst", "least")))
    return shown
