"""ISBN parsers, for the registry of architectures."""

from __future__ import annotations

from typing import Any

from arbora.constituency.presets import COMMAND
from arbora.models import Architecture


def _facts(header: dict[str, Any]) -> list[tuple[str, Any]]:
    vocabulary, options = header.get("vocabulary", {}), header.get("options", {})
    return [
        ("inference", options.get("inference")),
        ("width", options.get("width")),
        ("labels", len(vocabulary.get("labels", []))),
        ("tag-words", sum(map(len, vocabulary.get("words", [])))),
    ]


ARCHITECTURE = Architecture(
    name="isbn-parser",
    title="ISBN parser",
    component="arbora.constituency.isbn.parser:IsbnParser",
    adds=("constituents",),
    needs=("words", "xpos"),
    reads=("brackets", "conllu"),
    writes=("brackets",),
    task="arbora.constituency.isbn.task:IsbnTask",
    command=COMMAND,
    facts=_facts,
)
