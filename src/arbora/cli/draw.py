"""``arbora draw``: the trees of a treebank file as text, SVG or HTML."""

from __future__ import annotations

from typing import Annotated

import typer

from arbora.cli.options import Style, colours_wanted
from arbora.draw.gallery import exhibits, write_html, write_svg, write_text
from arbora.errors import ArboraError
from arbora.pipeline.formats import output_format
from arbora.treebank import read
from arbora.treebank.files import display_name
from arbora.treebank.formats import find_format

DRAWN = ("text", "svg", "html")
"""What trees are drawn as."""


def draw(
    file: Annotated[
        str, typer.Argument(help="A treebank file: CoNLL-U, CoNLL-X or Penn brackets; `-` is standard input.")
    ],
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="text for the terminal, svg or html; told by the output's name if left out, text for `-`.",
        ),
    ] = None,
    style: Annotated[
        Style | None, typer.Option(help="Dependencies as text: arcs beside the words (default), or indented.")
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="Write to this file; with `{}` in its name, a file for each tree, with its number there.",
        ),
    ] = "-",
    sentence: Annotated[
        str | None, typer.Option(help="Only this sentence: its sent_id, or its number in the file from 1.")
    ] = None,
    first: Annotated[int | None, typer.Option(min=1, help="Only the first so many sentences.")] = None,
    input_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="conllu, conllx or brackets; told by the file's name if left out, conllu for `-`.",
        ),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities/--no-probabilities",
            help="Show how sure trees are, where the file says it: HeadProbability in MISC, or the comment "
            "constituent_probabilities.",
        ),
    ] = True,
    lenient: Annotated[
        bool,
        typer.Option(
            "--lenient", help="Leave out and count sentences that break the format or are no UTF-8."
        ),
    ] = False,
) -> None:
    """Draw the trees of a treebank, in the terminal or as pictures.

    A first look at a treebank, page by page:

        arbora draw en.conllu | less

    One sentence as a picture for a slide or a web page:

        arbora draw en.conllu --sentence arbora-en-005 --output tree.svg

    Several trees in one SVG stand one below the other; for a file each, put `{}` into the name:

        arbora draw brackets.mrg --first 10 --output tree-{}.svg
    """
    drawn = output_format(output, format, known=DRAWN) or "text"
    if drawn != "text" and style is not None:
        raise ArboraError(f"--style is for text; leave it out with --format {drawn}")
    if sentence is not None and first is not None:
        raise ArboraError("--sentence and --first exclude each other")
    read_as = find_format(file, input_format, option="--input-format", unnamed="conllu").name
    with read(file, read_as, lenient=lenient) as trees:
        shown = exhibits(trees, sentence, first, probabilities=probabilities)
        if drawn == "svg":
            write_svg(output, shown, title=display_name(file))
        elif drawn == "html":
            write_html(output, shown)
        else:
            write_text(output, shown, style or Style.arcs, coloured=output == "-" and colours_wanted())
        if trees.last_skipped:
            _print_skipped(trees.skipped, trees.last_skipped)


def _print_skipped(count: int, last: ArboraError) -> None:
    sentences = "sentence" if count == 1 else "sentences"
    typer.echo(f"arbora: {count} broken {sentences} skipped, the last: {last}", err=True)
