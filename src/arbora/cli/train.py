"""``arbora train``: models from treebanks, by a command for every architecture."""

from __future__ import annotations

import typer

from arbora.cli.lazy import lazy_group
from arbora.models import architectures

COMMANDS = {one.command.name: one.command[1:] for one in architectures() if one.command is not None}

app = typer.Typer(
    cls=lazy_group(COMMANDS),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    help="Train a model on a treebank.\n\n"
    "Example: `arbora train parser train.conllu --dev dev.conllu --output en.model`",
)


@app.callback()
def _commands() -> None:
    pass  # with it, it is a group
