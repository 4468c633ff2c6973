"""``arbora models``: what comes with Arbora."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from arbora.pipeline.shipped import shipped_models, speed_of


def models(
    as_json: Annotated[bool, typer.Option("--json", help="One object, for programs.")] = False,
) -> None:
    """List the models that come with Arbora.

    The table says how accurate they are, and how fast: that is measured now, on one core and a short text.
    A name of the list can be given to `arbora parse --model`, `arbora.load`, and `arbora inspect`, which
    tells more.
    """
    found = shipped_models()
    if as_json:
        rows = [
            {"name": m.name, "path": m.path, "bytes": m.bytes, "words_per_second": speed_of(m.name), **m.card}
            for m in found
        ]
        typer.echo(json.dumps(rows, indent=2))
        return
    table = Table("name", "language", "trained on", "LAS, raw text", "words/s", "size", "licence")
    for model in found:
        card = model.card
        las = card.get("scores", {}).get("raw_text", {}).get("LAS")
        table.add_row(
            model.name,
            card.get("language", ""),
            card.get("data", ""),
            "" if las is None else f"{las:.2f}",
            f"{speed_of(model.name):,.0f}",
            f"{model.bytes / 1e6:.1f} MB",
            card.get("licence", ""),
        )
    Console().print(table)
