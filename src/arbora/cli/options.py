"""Options that several commands share, so that they are named and explained alike."""

from __future__ import annotations

from typing import Annotated

import typer

MultiRoot = Annotated[
    bool | None,
    typer.Option(
        "--multi-root/--single-root",
        help="Whether a sentence may have several roots. By default not in CoNLL-U, and yes in CoNLL-X.",
    ),
]
