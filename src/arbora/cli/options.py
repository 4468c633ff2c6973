"""Options that several commands share, so that they are named and explained alike."""

from __future__ import annotations

import os
import shlex
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from arbora.errors import ArboraError

if TYPE_CHECKING:
    from arbora.treebank.skipping import Skipped

MultiRoot = Annotated[
    bool | None,
    typer.Option(
        "--multi-root/--single-root",
        help="Whether a sentence may have several roots. By default not in CoNLL-U, and yes in CoNLL-X.",
    ),
]

ModelOutput = Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")]
Threads = Annotated[
    int | None,
    typer.Option(metavar="N", help="By default one for each CPU; the model is the same."),
]
DevFraction = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="The share of TRAIN held out without --dev, in whole documents (`# newdoc`) if there are "
        "some: 0.1.",
        show_default=False,
    ),
]
Licence = Annotated[str, typer.Option(metavar="TEXT", help="Of the treebank, to be kept in the model.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on where a run was killed.")]
FileThreads = Annotated[
    int, typer.Option(metavar="N", help="By default 1; the output stays the same.", show_default=False)
]
SPEED = "Looks and speed"
"""The panel of help for what changes nothing of what is found."""
FileBatch = Annotated[
    int,
    typer.Option(
        metavar="WORDS",
        help="Words worked on together, about. By default 8192; the output stays the same.",
        show_default=False,
        rich_help_panel=SPEED,
    ),
]
InputFile = Annotated[
    str,
    typer.Option(
        "--input",
        "-i",
        metavar="FILE",
        help="What to read; standard input if left out.",
        show_default=False,
    ),
]
OutputFile = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="What to write; standard output if left out.",
        show_default=False,
    ),
]


StrayFile = Annotated[str | None, typer.Argument(metavar="", hidden=True, show_default=False)]
"""A file that is given where it should be an ``--input``."""


def check_stray(file: str | None, command: str) -> None:
    """ArboraError if there is a file without ``--input``."""
    if file is not None:
        raise ArboraError(f"a file is given by --input: say `{command} --input {shlex.quote(file)}`")


def tell_skipped(report: Skipped) -> None:
    """Say on standard error how much was left out, and why the first of it was."""
    for reason in report.reasons:
        typer.echo(f"arbora: skipped: {reason}", err=True)
    for count, what in ((report.skipped_paragraphs, "paragraph"), (report.skipped, "sentence")):
        if count:
            typer.echo(f"arbora: {count} {what}{'s' * (count > 1)} skipped", err=True)


class Style(StrEnum):
    """How dependencies look as text."""

    arcs = "arcs"
    indented = "indented"


def check_text(text: str, command: str) -> None:
    """ArboraError if a text is the name of a file: somebody forgot ``--input``."""
    if os.path.isfile(text):
        name = shlex.quote(text)
        raise ArboraError(
            f"the text {text!r} is the name of a file: for what is in it, say `{command} --input {name}`; "
            f"for the name itself, `echo {name} | {command} --input-format text`"
        )


def colours_wanted() -> bool:
    """Whether standard output is a terminal that shows colours, and nobody asked for none."""
    from rich.console import Console  # commands that draw nothing do not wait for it

    console = Console()
    return console.is_terminal and not console.no_color and console.color_system is not None


def available_cpus() -> int:
    """How many CPUs this process may use, which a container or a batch system can make few."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


AllowRoots = Annotated[
    bool,
    typer.Option("--multi-root", help="Allow several roots.", rich_help_panel="Trees"),
]
Projective = Annotated[
    bool | None,
    typer.Option(
        "--projective/--non-projective",
        help="Whether arcs may cross; if not, probabilities are exact up to second order. By default the "
        "treebank decides.",
        show_default=False,
        rich_help_panel="Trees",
    ),
]
