"""Bracket scores, for ``arbora evaluate``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.table import Table

from arbora.errors import FileError
from arbora.evaluation import compare_sums, evaluate_brackets, f1_of_sums
from arbora.treebank import Constituent, read
from arbora.treebank.files import display_name
from arbora.treebank.formats import find_format

SHARES = {
    "exact match": "exact_match",
    "no crossing": "no_crossing",
    "2 or less crossing": "at_most_two_crossing",
    "tagging accuracy": "tagging_accuracy",
}


def have_trees(*files: str | None) -> bool:
    """Whether one of the files is in brackets, by its name."""
    return any(file is not None and find_format(file).name == "brackets" for file in files)


def evaluate_trees(gold: str, system: str, other: str | None = None) -> dict[str, Any]:
    """Bracket scores as plain data; ``other`` is a second parse to compare it with, by F1."""
    result = evaluate_brackets(_trees(gold), _trees(system))
    report = result.as_dict()
    if other is not None:
        counts = evaluate_brackets(_trees(gold), _trees(other)).counts
        report["comparison"] = {"F1": asdict(compare_sums(result.counts, counts, f1_of_sums))}
    return report


def _trees(file: str) -> Iterator[Constituent]:
    """The trees of a file in brackets, or those that its sentences carry."""
    with read(file, single_root=False) as items:
        for number, item in enumerate(items, 1):
            tree = item if isinstance(item, Constituent) else item.constituents
            if tree is None:
                raise FileError(
                    "it has no constituents, which bracket scores are made of",
                    file=display_name(file),
                    sentence=item.sent_id or f"#{number}",
                )
            yield tree


def bracket_table(report: dict[str, Any]) -> Table:
    """The scores of all sentences and of short ones."""
    groups = report["groups"]
    everything = groups["all"]
    table = Table(
        title=f"{everything['sentences']} sentences, {everything['words']} words without punctuation"
    )
    table.add_column("score")
    for name in groups:
        table.add_column(name, justify="right")
    table.add_row("sentences", *(str(own["sentences"]) for own in groups.values()))
    for name in ("recall", "precision", "f1"):
        shares = (own["brackets"][name] for own in groups.values())
        table.add_row({"f1": "F1"}.get(name, name), *(f"{100 * share:.2f}" for share in shares))
    for name, key in SHARES.items():
        table.add_row(name, *(f"{100 * own[key]:.2f}" for own in groups.values()))
    table.add_row("average crossing", *(f"{own['average_crossing']:.2f}" for own in groups.values()))
    return table
