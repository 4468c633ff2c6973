"""``arbora tag``: tags and lemmas for the words of a file."""

from __future__ import annotations

from typing import Annotated

import typer

from arbora.cli.options import (
    FileBatch,
    FileThreads,
    InputFile,
    OutputFile,
    StrayFile,
    check_stray,
    tell_skipped,
)
from arbora.cli.progress import shown_progress
from arbora.pipeline.shipped import DEFAULT
from arbora.pipeline.tagging import find_tagger
from arbora.pipeline.writers import JSON
from arbora.text import TagOptions
from arbora.text.tagging.files import TAGGED, TaggingReport, tag_file

DEFAULTS = TagOptions()
WRITTEN = TAGGED | {"json": JSON}


def tag(
    stray: StrayFile = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="A model of `arbora train tagger` or `train pipeline`, or the name of one that is there.",
        ),
    ] = DEFAULT,
    input: InputFile = "-",
    output: OutputFile = "-",
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Format of the output: conllu, conllx or json (a line for each sentence); told by its name "
            "if left out, conllu for `-`.",
        ),
    ] = None,
    input_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="conllu, conllx, horizontal (a sentence a line, words between spaces) or vertical (a word a "
            "line); told by the file's name if left out, conllu for `-`.",
        ),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            help="Say how sure the tagger is, in MISC: UposProbability, MorphProbability (of XPOS and FEATS, "
            "given UPOS), LemmaProbability (given all tags).",
        ),
    ] = False,
    candidates: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="List in MISC, as UposCandidates, the UPOS tags that a word may have, at most N: a parser "
            "of the preset joint chooses among them.",
        ),
    ] = DEFAULTS.candidates,
    keep_tags: Annotated[
        bool,
        typer.Option(
            "--keep-tags",
            help="Tags and lemmas that the input has (not `_`) are kept; the others are those that go best "
            "with them.",
        ),
    ] = False,
    lenient: Annotated[
        bool,
        typer.Option(
            "--lenient",
            help="Leave out and count sentences that break the format or are no UTF-8.",
        ),
    ] = False,
    threads: FileThreads = DEFAULTS.threads,
    batch: FileBatch = DEFAULTS.batch,
) -> None:
    """Tag a file: every word gets UPOS, XPOS, FEATS and a lemma, in place of those it may have.

    The words must be there, one a line. All else is kept as it is: comments, multiword tokens, empty nodes,
    heads and relations, MISC.

        arbora tag --input words.conllu --output tagged.conllu
        arbora tag --input started.conllu --keep-tags --output tagged.conllu
        arbora tag --model my.tagger --input words.conllu --output tagged.conllu

    In a pipe, before a parser:

        arbora tag -m en.tagger -i words.conllu | arbora parse -m en.model > parsed.conllu

    Input may be endless: it is read, tagged and written as it comes. The output file gets its name only when
    all is written; after an error there is no half of it.
    """
    check_stray(stray, "arbora tag")
    options = TagOptions(
        probabilities=probabilities,
        candidates=candidates,
        keep_tags=keep_tags,
        threads=threads,
        batch=batch,
    ).check()
    with shown_progress(output, "Tagging", _counts) as show:
        report = tag_file(
            find_tagger(model),
            input,
            output,
            options,
            source_format=input_format,
            target_format=format,
            writes=WRITTEN,
            lenient=lenient,
            progress=show,
        )
    tell_skipped(report)
    if show is not None:
        speed = report.words / max(report.seconds, 1e-9)
        typer.echo(f"{_counts(report)}, {speed:,.0f} words/s", err=True)


def _counts(report: TaggingReport) -> str:
    return f"{report.sentences:,} sentences, {report.words:,} words"
