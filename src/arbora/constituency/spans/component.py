"""Span parsers, for the registry of architectures."""

from __future__ import annotations

from typing import Any

from arbora.constituency.presets import COMMAND
from arbora.models import Architecture


def _facts(header: dict[str, Any]) -> list[tuple[str, Any]]:
    symbols = header.get("symbols") or {}
    return [
        ("constituents and unary chains", len(symbols.get("chains", ())) or None),
        ("intermediate symbols", len(symbols.get("pieces", ())) or None),
    ]


ARCHITECTURE = Architecture(
    name="span-parser",
    title="span parser",
    component="arbora.constituency.spans.parser:SpanParser",
    adds=("constituents",),
    needs=("words", "xpos"),
    reads=("brackets", "conllu"),
    writes=("brackets",),
    task="arbora.constituency.spans.training:SpanTask",
    command=COMMAND,
    facts=_facts,
)
