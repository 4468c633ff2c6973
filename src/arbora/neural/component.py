"""Neural parsers, for the registry of architectures."""

from __future__ import annotations

from typing import Any

from arbora.models import Architecture, TrainCommand


def _facts(header: dict[str, Any]) -> list[tuple[str, Any]]:
    encoder = header.get("encoder") or {}
    tags = header.get("tags") or {}
    told = header.get("pretrained") or {}
    return [
        (
            "encoder",
            f"{encoder.get('layers')} layers of {encoder.get('hidden')} numbers ({encoder.get('kind')})",
        ),
        ("pretrained as", " ".join(filter(None, (told.get("name"), told.get("licence")))) or None),
        ("labels", len(header.get("labels") or ()) or None),
        (
            "tags",
            f"{len(tags['upos'])} UPOS, {len(tags['xpos'])} XPOS, {len(tags['feats'])} FEATS"
            if tags
            else None,
        ),
    ]


ARCHITECTURE = Architecture(
    name="neural-parser",
    title="neural parser",
    component="arbora.neural.parser:NeuralParser",
    adds=("upos", "xpos", "feats", "heads", "deprels"),
    needs=("words",),
    reads=("conllu", "conllx"),
    writes=("conllu", "conllx"),
    task="arbora.neural.task:NeuralTask",
    command=TrainCommand(
        "neural",
        "arbora.cli.train_neural:train_neural_command",
        "Train a parser and tagger on top of a pretrained encoder.",
    ),
    facts=_facts,
)
