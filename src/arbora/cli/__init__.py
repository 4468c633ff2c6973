"""The one command, ``arbora``: one file per subcommand, each a thin wrapper of an importable function.

Exit codes: 0 all is well; 2 the input or the options are bad, and one line on standard error says why.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import arbora
from arbora.cli import bench, convert, draw, evaluate, inspect, parse, train, validate
from arbora.errors import ArboraError

app = typer.Typer(
    name="arbora",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    help="Syntactic trees: train parsers and parse with them; check, convert, draw and compare treebanks.\n\n"
    "Files may be `-` (standard input or output), `.gz` or `.xz`. Bad input is one line and exit code 2.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"arbora {arbora.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    pass


app.add_typer(train.app, name="train")
app.command("parse")(parse.parse)
app.command("convert")(convert.convert)
app.command("validate")(validate.validate)
app.command("draw")(draw.draw)
app.command("evaluate")(evaluate.evaluate_command)
app.command("inspect")(inspect.inspect_command)
app.command("bench")(bench.bench)


def main() -> None:
    """Run the command line; an error of the user's becomes one line on standard error and exit code 2."""
    try:
        app()
    except ArboraError as error:
        print(f"arbora: {error}", file=sys.stderr)
        sys.exit(2)
