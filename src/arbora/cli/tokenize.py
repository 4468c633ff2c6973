"""``arbora tokenize``: sentences and words of a text."""

from __future__ import annotations

from typing import Annotated

import typer

from arbora.cli.options import FileThreads, InputFile, OutputFile, StrayFile, check_stray, tell_skipped
from arbora.cli.progress import shown_progress
from arbora.pipeline.shipped import DEFAULT, find_component
from arbora.text.tokenizing.files import PRETOKENIZED, TEXT, TokenizingReport, tokenize_file


def tokenize_command(
    stray: StrayFile = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="A model of `arbora train tokenizer` or `train pipeline`, or the name of one that is there.",
        ),
    ] = DEFAULT,
    input: InputFile = "-",
    output: OutputFile = "-",
    input_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help=f"{TEXT}, the default, or one whose words stay as they are and that needs no model: "
            f"{', '.join(PRETOKENIZED)}.",
        ),
    ] = None,
    ranges: Annotated[
        bool,
        typer.Option("--ranges", help="Each token's place in the text, as TokenRange=start:end in MISC."),
    ] = False,
    lenient: Annotated[
        bool,
        typer.Option(
            "--lenient",
            help="Leave out and count paragraphs that are no UTF-8, or sentences that break another format.",
        ),
    ] = False,
    threads: FileThreads = 1,
) -> None:
    """Cut a text into sentences, tokens and words, and write them as CoNLL-U.

        arbora tokenize --input raw.txt --output words.conllu
        arbora tokenize --model my.tokenizer --input raw.txt --output words.conllu

    No character is lost: forms are what the text has, and MISC keeps the spaces. Nothing there means one
    space, `SpaceAfter=No` none, `SpacesAfter=` others (`\\s` space, `\\t` tab, `\\n` line feed, `\\r`
    carriage return, `\\uXXXX` any other). Blank lines end sentences, other line ends may or may
    not. Places are counted in characters (code points) from 0.

    Input may be endless: it is read, cut and written as it comes, in pieces of 64 KB. Words that are known
    already, a sentence a line, can be given too:

        arbora tokenize --input-format horizontal --input words.txt --output words.conllu
    """
    check_stray(stray, "arbora tokenize")
    with shown_progress(output, "Tokenizing", _counts) as show:
        report = tokenize_file(
            find_component(model, adds="words") if input_format in (None, TEXT) else None,
            input,
            output,
            source_format=input_format,
            ranges=ranges,
            threads=threads,
            lenient=lenient,
            progress=show,
        )
    tell_skipped(report)
    if show is not None:
        typer.echo(_counts(report), err=True)


def _counts(report: TokenizingReport) -> str:
    return f"{report.sentences:,} sentences, {report.tokens:,} tokens, {report.words:,} words"
