"""``arbora tune``: which options make the best parser."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from arbora.bulk.tune import Found, Grid, Progress, tune
from arbora.cli.options import Projective, available_cpus
from arbora.dependency import PRESETS
from arbora.errors import ArboraError
from arbora.executors import EXECUTORS
from arbora.learning import LOSSES

DEFAULTS = Grid()
WORK = "Who works"


def tune_command(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="The treebank to learn from.")],
    dev: Annotated[str, typer.Option(metavar="DEV", help="The treebank to compare parsers on.")],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The best configuration: a name that ends in .json or .toml.",
        ),
    ],
    presets: Annotated[
        str, typer.Option(metavar="NAMES", help=f"With commas between: {', '.join(PRESETS)}.")
    ] = DEFAULTS.presets[0],
    losses: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help=f"With commas between: {', '.join(LOSSES)}. By default that of each preset.",
            show_default=False,
        ),
    ] = None,
    epochs: Annotated[
        str, typer.Option(metavar="NUMBERS", help="Such as 5,10; each is a run of its own.")
    ] = str(DEFAULTS.epochs[0]),
    seeds: Annotated[
        str,
        typer.Option(metavar="NUMBERS", help="Such as 1,2,3; the table has means over them, and the spread."),
    ] = str(DEFAULTS.seeds[0]),
    bits: Annotated[
        int | None,
        typer.Option(help="As of `arbora train parser`, for all runs. By default that of each preset."),
    ] = None,
    multi_root: Annotated[
        bool,
        typer.Option("--multi-root", help="A sentence may have several roots.", rich_help_panel="Trees"),
    ] = False,
    projective: Projective = None,
    executor: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"{', '.join(EXECUTORS)}: processes of this machine, or tasks of a cluster.",
            rich_help_panel=WORK,
        ),
    ] = "local",
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Of this machine; each trains on one thread. By default one for each CPU.",
            show_default=False,
            rich_help_panel=WORK,
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Of the scheduler of Dask or of a Ray cluster, which see the same files.",
            rich_help_panel=WORK,
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of a table.")
    ] = False,
) -> None:
    """Train parsers with many options, compare them on a dev set, and say which are the best.

    Every combination of presets, losses, epochs and seeds is trained once. The table has the best LAS first;
    FILE gets the best configuration, with the command that trains it again. Runs that are over are kept in
    FILE.runs.jsonl: the same command goes on where a search was ended, and one with more seeds or losses does
    those alone. No score depends on who did the work.

        arbora tune train.conllu --dev dev.conllu -o best.json --losses svm,crf --epochs 5,10 --seeds 1,2,3
    """
    grid = Grid(
        tuple(_words(presets, "--presets")),
        (None,) if losses is None else tuple(_words(losses, "--losses")),
        _numbers(epochs, "--epochs"),
        _numbers(seeds, "--seeds"),
    )
    fixed = {"bits": bits, "projective": projective, "single_root": False if multi_root else None}
    found = tune(
        train,
        dev,
        output,
        grid=grid,
        fixed=fixed,
        executor=executor,
        workers=available_cpus() if workers is None else workers,
        address=address,
        progress=Progress(_tell),
    )
    if as_json:
        print(json.dumps(found.as_dict(), ensure_ascii=False))
    else:
        _show(found, output)


def _words(text: str, option: str) -> list[str]:
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise ArboraError(f"{option} {text!r}: there is an empty name between commas")
    return words


def _numbers(text: str, option: str) -> tuple[int, ...]:
    words = _words(text, option)
    for word in words:
        if not (word.isascii() and word.isdigit()):
            raise ArboraError(f"{option} {text!r}: {word!r} is no number")
    return tuple(map(int, words))


def _tell(done: int, total: int, line: dict[str, Any]) -> None:
    loss = f" {line['loss']}" if line["loss"] else ""
    epochs = "1 epoch" if line["epochs"] == 1 else f"{line['epochs']} epochs"
    typer.echo(
        f"{done}/{total}  {line['preset']}{loss}, {epochs}, seed {line['seed']}  "
        f"LAS {100 * line['las']:.2f}  {line['seconds']:,.1f} s",
        err=True,
    )


def _show(found: Found, output: str) -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("preset", "loss"):
        table.add_column(name)
    for name in ("epochs", "LAS", "spread", "UAS", "seeds", "seconds"):
        table.add_column(name, justify="right")
    for row in found.rows:
        shares = [f"{100 * share:.2f}" for share in (row.las, row.spread, row.uas)]
        table.add_row(
            row.preset, row.loss, str(row.epochs), *shares, str(len(row.runs)), f"{row.seconds:,.1f}"
        )
    Console(highlight=False).print(table)
    print(f"{output}: {found.best['command']}")
