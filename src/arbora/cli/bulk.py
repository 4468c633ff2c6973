"""``arbora bulk``: much text, from disk to disk, in shards that are done exactly once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from arbora.bulk import BulkOptions, BulkReport, Watcher, run_bulk
from arbora.bulk.lines import json_line
from arbora.bulk.report import FAILED
from arbora.bulk.shards import BYTES
from arbora.cli.bulk_reading import INCOMPLETE, cat, status
from arbora.cli.lazy import limit_width
from arbora.cli.options import available_cpus
from arbora.dependency import ParseOptions
from arbora.errors import ArboraError
from arbora.executors import EXECUTORS
from arbora.pipeline.shipped import DEFAULT

DEFAULTS = BulkOptions()
INPUTS, WORK = "What is read and written", "Who works, and on what"


class DefaultGroup(TyperGroup):
    """A group in which words that name no command are those of ``run``."""

    def parse_args(self, context: Any, args: list[str]) -> list[str]:
        """The arguments, with the name of the command in front."""
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = ["run", *args]
        return super().parse_args(context, args)

    def format_help(self, *context: Any) -> None:
        """Print the help."""
        limit_width()
        super().format_help(*context)


app = typer.Typer(
    cls=DefaultGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    help="Parse much text from disk to disk: in shards, each done exactly once, however often the run is "
    "ended.\n\n"
    "    arbora bulk books/ --output parsed --workers 2\n"
    "    arbora bulk status parsed\n"
    "    arbora bulk cat parsed > parsed.conllu\n\n"
    "`arbora bulk INPUT...` is short for `arbora bulk run INPUT...`, whose `--help` has all options.",
)


@app.command()
def run(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT...",
            help="Files, folders and patterns (such as 'news/*.jsonl.gz', in quotes) of one kind: text, "
            "conllu, jsonl or parquet; plain or .gz, .xz, .zst.",
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="A new folder, or that of a run to go on with."
        ),
    ],
    model: Annotated[
        str, typer.Option("--model", "-m", metavar="MODEL", help="As of `arbora parse`.")
    ] = DEFAULT,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Of this machine. By default one for each CPU.", show_default=False),
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            help="conllu, jsonl (an object a line for each sentence), either with .gz, .xz or .zst behind "
            "it, such as conllu.gz; or parquet (a row for each sentence).",
            rich_help_panel=INPUTS,
        ),
    ] = DEFAULTS.format,
    input_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="text, conllu, jsonl or parquet. If left out, the names tell.",
            rich_help_panel=INPUTS,
        ),
    ] = None,
    field: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Where records of jsonl and parquet have their text.",
            rich_help_panel=INPUTS,
        ),
    ] = DEFAULTS.field,
    id_field: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Where they have the name of the document; by default it is that of the file and the line.",
            rich_help_panel=INPUTS,
        ),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities", help="Say how sure the parser is of heads and labels.", rich_help_panel=INPUTS
        ),
    ] = False,
    keep_tags: Annotated[
        bool,
        typer.Option("--keep-tags", help="As of `arbora parse`; for conllu.", rich_help_panel=INPUTS),
    ] = False,
    constraints: Annotated[
        str | None,
        typer.Option(
            metavar="WHICH",
            help="from-input: heads and labels that the input has are kept; for conllu.",
            rich_help_panel=INPUTS,
        ),
    ] = None,
    decoder: Annotated[
        str, typer.Option(metavar="NAME", help="best or mbr, as of `arbora parse`.", rich_help_panel=INPUTS)
    ] = DEFAULTS.parsing.decoder,
    projective: Annotated[
        bool | None,
        typer.Option(
            "--projective/--non-projective",
            help="Whether arcs may cross. By default as in training.",
            rich_help_panel=INPUTS,
        ),
    ] = None,
    certificates: Annotated[
        bool,
        typer.Option("--certificates", help="As of `arbora parse`.", rich_help_panel=INPUTS),
    ] = False,
    executor: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"{', '.join(EXECUTORS)}: processes of this machine, or tasks of a cluster. All give the "
            "same bytes.",
            rich_help_panel=WORK,
        ),
    ] = "local",
    address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Of the scheduler of Dask (tcp://host:8786) or of a Ray cluster, which see the same "
            "files; without it, a cluster of this machine is begun.",
            rich_help_panel=WORK,
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Every N-th shard from the I-th on: N processes, such as those of a Slurm array, share a "
            "folder.",
            rich_help_panel=WORK,
        ),
    ] = None,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan", help="Cut the input into shards, and parse nothing yet.", rich_help_panel=WORK
        ),
    ] = False,
    shard_size: Annotated[
        str,
        typer.Option(
            metavar="BYTES",
            help="How large a shard of the input is, such as 8M or 500k.",
            rich_help_panel=WORK,
        ),
    ] = f"{BYTES >> 20}M",
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Read all that is there already, and do again what is not as the manifest says.",
            rich_help_panel=WORK,
        ),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="End at the first document that cannot be parsed.",
            rich_help_panel=WORK,
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print events as JSON, an object a line, for other programs.")
    ] = False,
) -> None:
    """Parse files into a folder; the same command goes on where a run was ended.

    FOLDER/manifest.jsonl says what is done, FOLDER/shards has the output, a file for each shard;
    `arbora bulk cat FOLDER` makes one of them. Another model, other options or other inputs need another
    folder. A document that cannot be parsed (a record; of text a paragraph, of a treebank a sentence) costs
    itself alone: it is listed in FOLDER/failed.jsonl with the reason, and the exit code is 3.

        arbora bulk books/ -o parsed --format jsonl.gz --probabilities
        arbora bulk 'news/*.jsonl.gz' -o parsed --field body --id-field url
        arbora bulk corpus/ -o parsed --executor dask --address tcp://10.0.0.1:8786
        arbora bulk corpus/ -o parsed --only $SLURM_ARRAY_TASK_ID/100
    """
    if constraints not in (None, "from-input"):
        raise ArboraError(f"there are no constraints {constraints!r}; there is from-input")
    options = BulkOptions(
        ParseOptions(
            decoder=decoder,
            projective=projective,
            probabilities=probabilities,
            constraints=constraints is not None,
            certificates=certificates,
        ),
        format,
        input_format,
        field,
        id_field,
        keep_tags,
        _bytes(shard_size),
        strict,
    )
    with _watched(as_json, plan) as watcher:
        report = run_bulk(
            inputs,
            output,
            model=model,
            options=options,
            workers=available_cpus() if workers is None else workers,
            executor=executor,
            address=address,
            part=None if only is None else _part(only),
            plan=plan,
            verify=verify,
            watcher=watcher,
        )
    if not as_json:
        _tell(report)
    if report.failed or report.crashed:
        raise typer.Exit(INCOMPLETE)


def _bytes(text: str) -> int:
    """A number of bytes.

    >>> _bytes("8M"), _bytes("500k"), _bytes("12")
    (8388608, 512000, 12)
    """
    units = {"": 0, "k": 10, "m": 20, "g": 30}
    plain = text.strip().lower().removesuffix("b")
    unit = plain[-1:] if plain[-1:] in "kmg" else ""
    number = plain.removesuffix(unit)
    if not number.isascii() or not number.isdigit():
        raise ArboraError(f"{text!r} is no number of bytes: say 32M, 500k or 1000000")
    return int(number) << units[unit]


def _part(text: str) -> tuple[int, int]:
    first, slash, count = text.partition("/")
    if not (slash and first.isascii() and first.isdigit() and count.isascii() and count.isdigit()):
        raise ArboraError(f"{text!r} is no part: say 1/8 to 8/8")
    return int(first), int(count)


@contextmanager
def _watched(as_json: bool, plan: bool) -> Iterator[Watcher]:
    """Events as JSON; or a bar on a terminal, and elsewhere a line for each shard."""
    if as_json:
        yield Watcher(lambda event: print(json_line(event.as_dict()).decode(), end="", flush=True))
        return
    from arbora.cli.bulk_progress import BulkProgress

    with BulkProgress(Console(stderr=True, highlight=False), plan) as progress:
        yield Watcher(progress.on_event, progress.on_start)


def _tell(report: BulkReport) -> None:
    err = Console(stderr=True, highlight=False, soft_wrap=True)
    speed = (
        f", {report.words / report.seconds:,.0f} words/s"
        if report.worked == report.done and report.words
        else ""
    )
    err.print(
        f"{report.done:,} of {report.shards:,} shards, {report.sentences:,} sentences, {report.words:,} "
        f"words; {report.worked:,} shards in this run, {report.seconds:,.1f} s{speed}"
    )
    if report.worked > 1:
        slow = ", ".join(f"{line['output']} {line['seconds']:.1f} s" for line in report.slowest)
        err.print(f"the slowest: {slow}")
    if report.crashed:
        err.print(f"{report.crashed:,} shards ended their workers; the same command tries them again")
    if report.failed or report.crashed:
        err.print(f"{report.failed:,} documents could not be parsed: {report.folder}/{FAILED} says why")


app.command()(status)
app.command()(cat)
