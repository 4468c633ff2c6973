"""Bracket scores, for ``arbora evaluate``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from rich.table import Table

from arbora.errors import FileError
from arbora.evaluation import compare_sums, evaluate_brackets, f1_of_sums
from arbora.treebank import Constituent, read
from arbora.treebank.files import display_name

SHARES = {
    "exact match": "exact_match",
    "no crossing": "no_crossing",
    "2 or less crossing": "at_most_two_crossing",
    "tagging accuracy": "tagging_accuracy",
}


def evaluate_trees(
    formats: Mapping[str, str], gold: str, system: str, other: str | None = None
) -> dict[str, Any]:
    """Bracket scores as plain data; ``other`` is a second parse to compare it with, by F1."""

    def trees(file: str) -> Iterator[Constituent]:
        return _trees(file, formats[file])

    right = list(trees(gold))
    result = evaluate_brackets(right, trees(system))
    report = result.as_dict()
    if other is not None:
        counts = evaluate_brackets(right, trees(other)).counts
        report["comparison"] = {"F1": asdict(compare_sums(result.counts, counts, f1_of_sums))}
    return report


def _trees(file: str, format: str) -> Iterator[Constituent]:
    """The trees of a file in brackets, or those that its sentences carry."""
    with read(file, format, single_root=False) as items:
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
