"""Options that several commands share, so that they are named and explained alike."""

from __future__ import annotations

import os
from typing import Annotated

import typer

MultiRoot = Annotated[
    bool | None,
    typer.Option(
        "--multi-root/--single-root",
        help="Whether a sentence may have several roots. By default not in CoNLL-U, and yes in CoNLL-X.",
    ),
]


def available_cpus() -> int:
    """How many CPUs this process may use, which a container or a batch system can make few."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
