"""``arbora parse``: trees for a text, or for the sentences of a file."""

from __future__ import annotations

from typing import Annotated

import typer

from arbora.cli.options import (
    SPEED,
    FileBatch,
    FileThreads,
    InputFile,
    OutputFile,
    Style,
    check_text,
    colours_wanted,
    tell_skipped,
)
from arbora.cli.progress import shown_progress
from arbora.dependency import ParseOptions, Rules
from arbora.dependency.options import CERTIFYING_NODES, CONSTRAINTS, GRAPH_SOLVERS, SOLVERS
from arbora.errors import ArboraError
from arbora.pipeline.files import parse_file
from arbora.pipeline.reports import ParsingReport
from arbora.pipeline.shipped import DEFAULT, find_model

DEFAULTS = ParseOptions()
ALLOWED, SEARCH = "Which trees are allowed", "How they are found"


def parse(
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="[TEXT]", help="A text to parse; a file is given by --input.", show_default=False
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help=f"One that comes with Arbora (see `arbora models`), or a file. By default {DEFAULT}.",
            show_default=False,
        ),
    ] = DEFAULT,
    input: InputFile = "-",
    output: OutputFile = "-",
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Of the output: conllu, conllx, brackets (constituents, a tree a line), json (a line for "
            "each sentence), text (drawn trees), svg or html. If left out, the file's name tells; for `-` it "
            "is that of a treebank that is read, or conllu, and text for a TEXT.",
        ),
    ] = None,
    input_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="text; horizontal (a sentence a line, words between spaces); vertical (a word a line); "
            "conllu, conllx or brackets. If left out, the file's name tells; `-` is text (not beginning as "
            "CoNLL-U does), or conllu with a model that is only a parser.",
        ),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            help="Say how sure the parser is: HeadProbability and LabelProbability in MISC, comments "
            "tree_log_probability, constituent_probabilities and constituents_log_probability (or "
            "constituents_joint_log_probability, with the words).",
        ),
    ] = False,
    kbest: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="The K most probable trees, each a sentence (`sent_id = s1-1`, `s1-2`, if it has one) "
            "with comments kbest_rank and tree_log_probability.",
        ),
    ] = None,
    keep_tags: Annotated[
        bool,
        typer.Option(
            "--keep-tags",
            help="Keep tags and lemmas of the input (conllu, conllx, brackets), and fill in those that are "
            "`_`, as goes best with them. With a model that is only a parser, this is always so, "
            "and nothing is filled in.",
        ),
    ] = False,
    lenient: Annotated[
        bool,
        typer.Option(
            "--lenient",
            help="Leave out and count sentences that break the format, that no tree fits or that are too "
            "long, and paragraphs of raw text that are no UTF-8.",
        ),
    ] = False,
    threads: FileThreads = DEFAULTS.threads,
    constraints: Annotated[
        str | None,
        typer.Option(
            metavar="WHICH",
            help="from-input: heads, labels, tags and lemmas of the input (not `_`) are kept, heads in "
            "`ForbiddenHeads=2,5` of MISC are none, and the rest is the best that goes with that.",
            rich_help_panel=ALLOWED,
        ),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Rules that all trees satisfy, one a line, such as `at most 1 nsubj under upos=VERB`, "
            "`root is upos=VERB,AUX`, `phrase 3-7 in sent_id=s12`. If no tree can, an error names rule and "
            "token.",
            rich_help_panel=ALLOWED,
        ),
    ] = None,
    projective: Annotated[
        bool | None,
        typer.Option(
            "--projective/--non-projective",
            help="Whether arcs may cross. By default as in training.",
            rich_help_panel=ALLOWED,
        ),
    ] = None,
    multi_root: Annotated[
        bool | None,
        typer.Option(
            "--multi-root/--single-root",
            help="Several roots, or one. By default as in training.",
            rich_help_panel=ALLOWED,
        ),
    ] = None,
    decoder: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="best, the default: the highest score. mbr: the most arcs expected to be right.",
            show_default=False,
            rich_help_panel=SEARCH,
        ),
    ] = DEFAULTS.decoder,
    certificates: Annotated[
        bool,
        typer.Option(
            "--certificates",
            help="A comment says whether a tree is proved to be the best (`certificate = proved`), or how "
            "far it may be from it (`gap`).",
            rich_help_panel=SEARCH,
        ),
    ] = False,
    nodes: Annotated[
        int | None,
        typer.Option(
            help="With --certificates: of branch and bound, where the solver proves nothing, at most. By "
            f"default {CERTIFYING_NODES}; 0 is none.",
            show_default=False,
            rich_help_panel=SEARCH,
        ),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What finds the best tree where arcs make parts: "
            f"{', '.join(SOLVERS)}; slower: {', '.join(GRAPH_SOLVERS)}. By default as in training.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(help="Of it, at most. By default as in training.", rich_help_panel=SEARCH),
    ] = None,
    propagations: Annotated[
        int | None,
        typer.Option(help="Of belief propagation, at most.", rich_help_panel=SEARCH),
    ] = None,
    constraint: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What makes a parse while a solver works, the weakest first: "
            f"{', '.join(CONSTRAINTS)}. The answer is a tree in any case.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    style: Annotated[
        Style,
        typer.Option(
            help="Drawn trees: arcs (default) or indented.", show_default=False, rich_help_panel=SPEED
        ),
    ] = Style.arcs,
    batch: FileBatch = DEFAULTS.batch,
) -> None:
    """Parse a text, or a file: every sentence gets a tree.

    Of a treebank all is kept but tags (without `--keep-tags`), trees and DEPS of words whose head is another
    one now. An old tree may be broken. Input may be endless: it is read, parsed and
    written as it comes. The output file gets its name only when all is written: there is no half of it.

        arbora parse "The door that you opened is green."
        arbora parse -i book.txt -o book.conllu --threads 2
        arbora parse -i tagged.conllu --keep-tags -o parsed.conllu
        zcat raw.txt.gz | arbora parse --probabilities > parsed.conllu
        arbora parse -i started.conllu --constraints from-input -o done.conllu
        arbora parse -i raw.conllu --rules guidelines.txt -o parsed.conllu
        arbora parse -m wsj.model -i dev.mrg --keep-tags -o parsed.mrg
    """
    if constraints not in (None, "from-input"):
        raise ArboraError(f"there are no constraints {constraints!r}; there is from-input")
    if kbest is not None and (probabilities or decoder != DEFAULTS.decoder):
        raise ArboraError(
            "--kbest ranks trees by their own probability: no --probabilities or --decoder with it"
        )
    if text is not None:
        if input != "-":
            raise ArboraError("give a TEXT or --input, not both")
        check_text(text, "arbora parse")
        if format is None and output == "-":
            format = "text"
        # Who looks at one tree wants to know how sure it is.
        probabilities = probabilities or (format == "text" and kbest is None and rules is None)
    elif rules == "-" == input:
        raise ArboraError("standard input is what is parsed: --rules needs a file")
    options = ParseOptions(
        decoder=decoder,
        single_root=None if multi_root is None else not multi_root,
        projective=projective,
        probabilities=probabilities,
        constraints=constraints is not None,
        certificates=certificates,
        nodes=nodes,
        solver=solver,
        iterations=iterations,
        propagations=propagations,
        constraint=constraint,
        threads=threads,
        batch=batch,
    )
    with shown_progress(output, "Parsing", _counts) as show:
        report = parse_file(
            find_model(model),
            input,
            output,
            options,
            text=text,
            source_format=input_format,
            target_format=format,
            kbest=kbest,
            rules=None if rules is None else Rules.read(rules),
            keep_tags=keep_tags,
            lenient=lenient,
            style=style,
            coloured=output == "-" and colours_wanted(),
            progress=show,
        )
    if report.lost:
        lost = ", ".join(f"{count} {what}" for what, count in report.lost.items())
        typer.echo(f"lost: {lost}", err=True)
    tell_skipped(report)
    if show is not None:
        speed = report.words / max(report.seconds, 1e-9)
        typer.echo(f"{_counts(report)}, {speed:,.0f} words/s", err=True)


def _counts(report: ParsingReport) -> str:
    return f"{report.sentences:,} sentences, {report.words:,} words"
