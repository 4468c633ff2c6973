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
    "accuracy": (
        "arbora.benchmarks.accuracy",
        "presets trained on the spot with several seeds: accuracy, training times, sizes, pruning",
    ),
    "bulk": (
        "arbora.benchmarks.bulk",
        "bulk runs by one and two workers and by Dask, against `arbora parse`: words a second, memory",
    ),
    "calibration": (
        "arbora.benchmarks.calibration",
        "pipelines trained on parts of a treebank: how honest their probabilities are on the rest",
    ),
    "constituency": (
        "arbora.benchmarks.constituency",
        "constituency parsers trained on the spot: F1, training and parsing speed, by length",
    ),
    "induction": (
        "arbora.benchmarks.induction",
        "EM for generative models: seconds of an iteration on a treebank, growth with length",
    ),
    "inference": (
        "arbora.benchmarks.inference",
        "factor graphs: growth of every propagator, cost of a message, against PGMax and numpy",
    ),
    "neural": (
        "arbora.benchmarks.neural",
        "raw text to trees by linear and neural models; encoders against ONNX Runtime and torch",
    ),
    "parse": (
        "arbora.benchmarks.parse",
        "presets trained for a few epochs: words a second, shares of the stages, proved trees",
    ),
    "parser": (
        "arbora.benchmarks.parser",
        "a first-order parser trained on the spot: accuracy, times, sizes, memory",
    ),
    "pipeline": (
        "arbora.benchmarks.pipeline",
        "raw text to trees with the shipped model, against UDPipe and spaCy",
    ),
    "serve": (
        "arbora.benchmarks.serve",
        "the server on the loopback interface: words a second over HTTP, waiting times, overload",
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
    train: Annotated[
        Path | None, typer.Option(help="Train on this file (all that train; pipeline: the peers).")
    ] = None,
    dev: Annotated[
        Path | None, typer.Option(help="Parse this file (all that train, bulk, neural, pipeline, serve).")
    ] = None,
    peers: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where the peers' models are, or will be once they are trained (pipeline); the encoder that "
            "peers run too (neural).",
        ),
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(metavar="FILES", help="With commas between: beside those that ship (neural only)."),
    ] = None,
    presets: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="With commas between (accuracy, constituency, parse); by default the main ones.",
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(help="How many, from 1 on (accuracy only); by default 3.")
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="How labels are found: joint, second-stage or both (parser only).")
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="Epochs of training (all that train).")] = None,
    projective: Annotated[
        bool | None,
        typer.Option(
            "--projective/--non-projective",
            help="Which trees there are (calibration only); otherwise the treebank decides.",
            show_default=False,
        ),
    ] = None,
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
    given = {
        "file": file,
        "train": train,
        "dev": dev,
        "peers": peers,
        "presets": None if presets is None else tuple(name.strip() for name in presets.split(",")),
        "models": None if models is None else tuple(name.strip() for name in models.split(",")),
        "seeds": None if seeds is None else tuple(range(1, seeds + 1)),
        "labels": labels,
        "epochs": epochs,
        "projective": projective,
        "quick": quick or None,
    }
    _refuse_others(name, given)
    options: dict[str, Any] = {option: value for option, value in given.items() if value is not None}
    if name == "treebank":
        options = {"path": file}
    module = import_module(BENCHMARKS[name][0])
    with Console(stderr=True).status(f"Measuring {name} ..."):
        result = module.measure(**options)
    if as_json:
        typer.echo(json.dumps(result))
    else:
        _print(module.table(result))


# Which options belong to which benchmark.
_OWN = {
    "accuracy": {"train", "dev", "presets", "seeds", "epochs"},
    "bulk": {"dev"},
    "calibration": {"train", "dev", "epochs", "projective"},
    "constituency": {"train", "dev", "presets", "epochs"},
    "induction": {"train"},
    "inference": {"quick"},
    "neural": {"dev", "peers", "models"},
    "parse": {"train", "dev", "presets", "epochs"},
    "parser": {"train", "dev", "labels", "epochs"},
    "pipeline": {"train", "dev", "peers"},
    "serve": {"dev"},
    "treebank": {"file"},
    "trees": {"quick"},
}


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
