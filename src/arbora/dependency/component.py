"""Dependency parsers, for the registry of architectures."""

from __future__ import annotations

from typing import Any

from arbora.models import Architecture, TrainCommand


def _facts(header: dict[str, Any]) -> list[tuple[str, Any]]:
    return [
        ("preset", header.get("preset")),
        ("labels", len(header["labels"]) if isinstance(header.get("labels"), list) else None),
        ("features of arcs and parts", _features(header.get("features"))),
    ]


def _features(counts: dict[str, int] | None) -> str | None:
    """How many features candidates have for each that gold trees have (Martins et al. 2010, table 2)."""
    if not counts or not counts["supported"]:
        return None
    complete, supported, sentences = (counts[key] for key in ("complete", "supported", "sentences"))
    return (
        f"{complete:,} in {sentences:,} sentences, {complete / supported:.1f} times the {supported:,} "
        "supported ones"
    )


def _tables(header: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    return {"Heaviest templates": [_with_percent(row) for row in header.get("heaviest", [])]}


def _with_percent(row: dict[str, Any]) -> dict[str, Any]:
    """A row in the order of reading, its mass in percent."""
    return {"section": row["section"], "template": row["template"], "mass": f"{100 * row['mass']:.2f} %"}


ARCHITECTURE = Architecture(
    name="dependency-parser",
    title="parser",
    component="arbora.dependency.parser:DependencyParser",
    adds=("heads", "deprels"),
    needs=("words", "upos"),
    reads=("conllu", "conllx"),
    writes=("conllu", "conllx"),
    task="arbora.dependency.task:ParserTask",
    command=TrainCommand("parser", "arbora.cli.train_parser:train_parser", "Train a dependency parser."),
    facts=_facts,
    tables=_tables,
)
