"""The one command, ``arbora``: one file per subcommand, each a thin wrapper of an importable function.

A subcommand is imported when it is called, so that no command waits for what only others need.

Exit codes: 0 all is well; 1 nobody reads the output any more (``| head``), which is worth no line; 2 the
input or the options are bad or the output cannot be written, and one line on standard error says why; 130
training was stopped by Ctrl-C, and the line says how to go on.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from typing import Annotated, Any, NoReturn

import typer

import arbora
from arbora.cli.lazy import lazy_group
from arbora.errors import ArboraError, ArboraWarning

# Where each command is, and the line about it in `arbora --help`: the first of its own help.
COMMANDS = {
    "train": ("arbora.cli.train:app", "Train a model on a treebank."),
    "tokenize": (
        "arbora.cli.tokenize:tokenize_command",
        "Cut a text into sentences, tokens and words, and write them as CoNLL-U.",
    ),
    "tag": (
        "arbora.cli.tag:tag",
        "Tag a file: every word gets UPOS, XPOS, FEATS and a lemma, in place of those it may have.",
    ),
    "parse": ("arbora.cli.parse:parse", "Parse a text, or a file: every sentence gets a tree."),
    "induce": (
        "arbora.cli.induce:induce",
        "Induce a grammar from text without trees, by expectation maximisation.",
    ),
    "score": (
        "arbora.cli.score:score",
        "Score sentences: the logarithm of each one's probability, all trees summed over, and perplexity.",
    ),
    "tune": (
        "arbora.cli.tune:tune_command",
        "Train parsers with many options, compare them on a dev set, and say which are the best.",
    ),
    "bulk": (
        "arbora.cli.bulk:app",
        "Parse much text from disk to disk: in shards, each done exactly once, however often the run is "
        "ended.",
    ),
    "serve": ("arbora.cli.serve:serve", "Serve parsers over HTTP, and the annotation page."),
    "models": ("arbora.cli.models:models", "List the models that come with Arbora."),
    "convert": ("arbora.cli.convert:convert", "Convert a treebank from one format to another."),
    "validate": (
        "arbora.cli.validate:validate",
        "Check treebank files and report every problem on a line of its own: file, line, sentence, reason.",
    ),
    "draw": ("arbora.cli.draw:draw", "Draw the trees of a treebank, in the terminal or as pictures."),
    "evaluate": (
        "arbora.cli.evaluate:evaluate_command",
        "Score a parsed treebank against the gold one: both must have the same text.",
    ),
    "suspects": (
        "arbora.cli.suspects:suspects_command",
        "List likely errors of annotation: heads and labels that a parser which has not seen them doubts.",
    ),
    "inspect": (
        "arbora.cli.inspect:inspect_command",
        "Show what is in a model file: what it is for, how it was trained, and its weights.",
    ),
    "experiment": (
        "arbora.cli.experiment:experiment",
        "Repeat an experiment of the papers, and print its table.",
    ),
    "bench": ("arbora.cli.bench:bench", "Measure Arbora and its peers in one run, and print the ratios."),
}

app = typer.Typer(
    name="arbora",
    cls=lazy_group(COMMANDS),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    help="Syntactic trees: train taggers and parsers and run them; check, convert, draw, compare treebanks."
    "\n\n"
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


def main() -> None:
    """Run the command line; an error of the user's becomes one line on standard error and exit code 2.

    So does a full disk behind standard output. Where nobody reads it any more, it ends quietly.
    """
    try:
        try:
            with warnings.catch_warnings():
                _show_warnings()
                app()
        finally:
            sys.stdout.flush()  # not when Python ends, where an error could not be told
    except ArboraError as error:
        _end(error.exit_code, str(error))
    except MemoryError:
        _end(ArboraError.exit_code, "there is not enough memory for this")
    except BrokenPipeError:
        _end(1)
    except OSError as error:
        _end(ArboraError.exit_code, f"{error.filename or 'standard output'}: {error.strerror or error}")


def _show_warnings() -> None:
    """Those of Arbora are a line each, and the run goes on."""
    others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
        if issubclass(category, ArboraWarning):
            print(f"arbora: warning: {message}", file=sys.stderr)
        else:
            others(message, category, *rest, **named)

    warnings.showwarning = show
    warnings.simplefilter("default", ArboraWarning)


def _end(code: int, reason: str | None = None) -> NoReturn:
    """End with this code; what could not be written is given up, lest Python try it again."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if reason is not None:
        with contextlib.suppress(OSError):
            print(f"arbora: {reason}", file=sys.stderr)
    sys.exit(code)
