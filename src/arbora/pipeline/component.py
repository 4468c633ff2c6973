"""Pipelines, for the registry of architectures."""

from __future__ import annotations

from typing import Any

from arbora.models import Architecture, TrainCommand


def _facts(header: dict[str, Any]) -> list[tuple[str, Any]]:
    components = header.get("components", [])
    named = [f"{own['name']} ({own['architecture']})" for own in components]
    scores = header["card"].get("scores", {})
    return [
        ("components", ", ".join(named) or None),
        *((name, value or None) for name, value in header["card"].items() if name != "scores"),
        *((f"dev, from {start.replace('_', ' ')}", own) for start, own in scores.items()),
    ]


ARCHITECTURE = Architecture(
    name="pipeline",
    title="pipeline",
    component="arbora.pipeline.pipeline:Pipeline",
    adds=("words", "upos", "xpos", "feats", "lemmas", "heads", "deprels"),
    needs=("text",),
    reads=("text", "horizontal", "vertical", "conllu", "conllx"),
    writes=("text", "conllu", "conllx", "json", "svg", "html"),
    task="arbora.pipeline.training:PipelineTask",
    command=TrainCommand(
        "pipeline",
        "arbora.cli.train_pipeline:train_pipeline_command",
        "Train a pipeline: tokenizer, tagger and parser, from raw text to trees.",
    ),
    facts=_facts,
)
