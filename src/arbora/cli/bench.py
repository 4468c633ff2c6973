"""``arbora bench``: ratios against peers, measured in one run."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from arbora.errors import ArboraError

# Name -> module with measure(...) -> plain data and table(data) -> rich tables, and what it measures.
BENCHMARKS = {
    "inference": (
        "arbora.benchmarks.inference",
        "factor graphs: growth of every propagator, cost of a message, against PGMax and numpy",
    ),
    "parser": (
        "arbora.benchmarks.parser",
        "a first-order parser trained on the spot: accuracy, times, sizes, memory",
    ),
    "treebank": (
        "arbora.benchmarks.treebank",
        "reading and writing treebank files, against pyconll and conllu",
    ),
    "trees": ("arbora.benchmarks.trees", "spanning trees, against ufal.chu_liu_edmonds and numpy's LAPACK"),
}


def bench(
    name: Annotated[
        str | None, typer.Argument(help="What to measure; without it, a list of what there is.")
    ] = None,
    file: Annotated[Path | None, typer.Option(help="Measure on this file (treebank only).")] = None,
    train: Annotated[Path | None, typer.Option(help="Train on this file (parser only).")] = None,
    dev: Annotated[Path | None, typer.Option(help="Parse this file (parser only).")] = None,
    labels: Annotated[
        str, typer.Option(help="How labels are found: joint, second-stage or both (parser only).")
    ] = "joint",
    epochs: Annotated[int, typer.Option(help="Epochs of training (parser only).")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quick: Annotated[
        bool, typer.Option(help="A tiny run that only shows what comes out (inference, trees).")
    ] = False,
) -> None:
    """Measure Arbora and its peers in one run, and print the ratios."""
    if name is None:
        _list(as_json)
        return
    if name not in BENCHMARKS:
        raise ArboraError(f"there is no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    given = {"file": file, "train": train, "dev": dev, "quick": quick or None}
    _refuse_others(name, given)
    options: dict[str, Any] = {"quick": quick} if name in ("inference", "trees") else {"path": file}
    if name == "parser":
        options = {"train": train, "dev": dev, "labels": labels, "epochs": epochs}
    module = import_module(BENCHMARKS[name][0])
    with Console(stderr=True).status(f"Measuring {name} ..."):
        result = module.measure(**options)
    if as_json:
        typer.echo(json.dumps(result))
    else:
        _print(module.table(result))


# Which options belong to which benchmark.
_OWN = {"inference": {"quick"}, "treebank": {"file"}, "trees": {"quick"}, "parser": {"train", "dev"}}


def _refuse_others(name: str, given: dict[str, Any]) -> None:
    """What the user gave and does not fit the benchmark is an error, not ignored."""
    for option, value in given.items():
        if value is not None and option not in _OWN[name]:
            raise ArboraError(f"the benchmark {name} takes no --{option}")


def _list(as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({name: about for name, (_, about) in BENCHMARKS.items()}))
        return
    shown = Table("name", "measures", title="arbora bench NAME")
    for name, (_, about) in BENCHMARKS.items():
        shown.add_row(name, about)
    _print(shown)


def _print(tables: Any) -> None:
    console = Console()
    for shown in tables if isinstance(tables, list | tuple) else [tables]:
        console.print(shown)
