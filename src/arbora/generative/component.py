"""Generative parsers, for the registry of architectures."""

from __future__ import annotations

from typing import Any

from arbora.models import Architecture, TrainCommand


def _facts(header: dict[str, Any]) -> list[tuple[str, Any]]:
    options = header.get("options") or {}
    learned = "EM" if options.get("iterations") else "trees"
    return [
        ("model", f"{options.get('model')} over {options.get('units')}, learned from {learned}"),
        ("labels", len(header.get("labels") or ()) or None),
    ]


ARCHITECTURE = Architecture(
    name="generative-parser",
    title="generative parser",
    component="arbora.generative.parser:GenerativeParser",
    adds=("heads", "deprels"),
    needs=("words", "upos"),
    reads=("conllu", "conllx"),
    writes=("conllu", "conllx"),
    task="arbora.generative.task:GenerativeTask",
    command=TrainCommand(
        "generative", "arbora.cli.train_generative:train_generative", "Train a generative model of trees."
    ),
    facts=_facts,
)
