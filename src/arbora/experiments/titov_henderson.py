"""Feed-forward against mean-field inference: table 1 of Titov & Henderson (2007), on your treebank.

Both networks have the same variables, links and training; they differ in how the means of latent variables
are found. The epoch is chosen on the same dev that is scored. The paper trains on 9,753 sentences of at most
15 words of the Wall Street Journal, and tests on such.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from rich.table import Table

from arbora.constituency.isbn import IsbnOptions, train_isbn
from arbora.constituency.isbn.options import PAPER_INPUTS
from arbora.constituency.trees import prepared_trees, read_trees, tagged_words
from arbora.errors import ArboraError
from arbora.evaluation import compare_sums, evaluate_brackets, f1_of_sums
from arbora.evaluation.brackets import ALL, BracketEvaluation, group_name
from arbora.experiments.figure import line_chart

INFERENCES = ("feed-forward", "mean-field")
GROUPS = (group_name(15), ALL)
PAPER = {"feed-forward": (0.891, 0.892, 0.891), "mean-field": (0.893, 0.907, 0.900)}
"""Recall, precision and F1 of the paper's table 1."""


def run(
    train: str | None = None,
    dev: str | None = None,
    *,
    count: int = 3,
    seed: int = 1,
    epochs: int | None = None,
    width: int | None = None,
    inputs: str = "all",
    threads: int = 2,
    progress: Callable[[int, int], None] = lambda done, all_: None,
) -> dict[str, Any]:
    """Train both kinds with so many seeds, and parse dev: plain data."""
    if train is None or dev is None:
        raise ArboraError("the experiment titov-henderson-1 needs --train and --dev, two files of brackets")
    trees = read_trees(train)
    gold = prepared_trees(read_trees(dev))
    seeds = range(seed, seed + count)
    if inputs not in ("all", "paper"):
        raise ArboraError("--inputs must be all, what Arbora's parsers see, or paper, what the paper's saw")
    given: dict[str, Any] = {
        name: value for name, value in (("epochs", epochs), ("width", width)) if value is not None
    }
    if inputs == "paper":
        given["inputs"] = PAPER_INPUTS
    runs: dict[str, list[dict[str, Any]]] = {inference: [] for inference in INFERENCES}
    scores: dict[str, list[BracketEvaluation]] = {inference: [] for inference in INFERENCES}
    for number, own in enumerate(seeds):
        for at, inference in enumerate(INFERENCES):
            options = IsbnOptions(inference=inference, seed=own, **given)
            parser = train_isbn(trees, gold, options, threads=threads)
            found = parser.parse([tagged_words(tree) for tree in gold], threads=threads)
            scores[inference].append(evaluate_brackets(gold, [one.tree for one in found]))
            curve = [row["f1"] for row in parser.header["report"]["epochs"]]
            runs[inference].append({"seed": own, "curve": curve, **_scores(scores[inference][-1])})
            progress(2 * number + at + 1, 2 * len(seeds))
    return {
        "train": Path(train).name,
        "dev": Path(dev).name,
        "options": IsbnOptions(**given).as_dict(),
        "runs": runs,
        "comparison": _comparison(scores),
    }


def _scores(evaluation: BracketEvaluation) -> dict[str, Any]:
    return {name: evaluation.groups[name].brackets.as_dict() for name in GROUPS}


def _comparison(scores: dict[str, list[BracketEvaluation]]) -> dict[str, Any]:
    """Mean-field minus feed-forward, over the sentences of all seeds, and for each seed."""
    first, second = (scores[inference] for inference in reversed(INFERENCES))
    ours, theirs = ([row for one in each for row in one.counts] for each in (first, second))
    each = [asdict(compare_sums(a.counts, b.counts, f1_of_sums)) for a, b in zip(first, second, strict=True)]
    return {"pooled": asdict(compare_sums(ours, theirs, f1_of_sums)), "seeds": each}


def _spread(values: Sequence[float]) -> str:
    shown = f"{100 * mean(values):.2f}"
    return shown if len(values) < 2 else f"{shown} ± {100 * stdev(values):.2f}"


def table(result: dict[str, Any]) -> Table:
    """Recall, precision and F1, means over seeds and their deviations, the paper's beside."""
    shown = Table(
        "inference",
        "sentences",
        "recall",
        "precision",
        "F1",
        "the paper's R P F1 (WSJ, up to 15 words)",
        title=f"{result['dev']}, trained on {result['train']}",
        caption=_caption(result["comparison"]),
    )
    for inference, runs in result["runs"].items():
        for group in GROUPS:
            values = [_spread([run[group][name] for run in runs]) for name in ("recall", "precision", "f1")]
            paper = " ".join(f"{100 * number:.1f}" for number in PAPER[inference])
            shown.add_row(inference, group, *values, paper if group != ALL else "")
    return shown


def _caption(comparison: dict[str, Any]) -> str:
    pooled, seeds = comparison["pooled"], comparison["seeds"]
    each = ", ".join(f"{100 * one['difference']:+.2f} (p = {one['p_value']:.3f})" for one in seeds)
    return (
        f"mean-field minus feed-forward, all sentences: F1 {100 * pooled['difference']:+.2f}, "
        f"p = {pooled['p_value']:.3f} over all seeds; by seed {each}"
    )


def figure(result: dict[str, Any]) -> str:
    """Lines: F1 on dev by epoch, the mean over seeds."""
    series = {}
    for inference, runs in result["runs"].items():
        length = min(len(run["curve"]) for run in runs)
        series[inference] = [
            (float(epoch + 1), 100 * mean(run["curve"][epoch] for run in runs)) for epoch in range(length)
        ]
    return line_chart(f"F1 on {result['dev']}", ("epoch", "F1"), series)
