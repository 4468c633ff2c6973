"""``arbora experiment``: a table or figure of the papers."""

from __future__ import annotations

import json
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from arbora.errors import ArboraError, FileError

# Name -> module with run(...), table(result) and figure(result), and what it shows.
EXPERIMENTS = {
    "random-instances": (
        "arbora.experiments.random_instances",
        "how often LP, ILP, dual decomposition and AD3 prove their answers on random models",
    ),
    "titov-henderson-1": (
        "arbora.experiments.titov_henderson",
        "feed-forward against mean-field inference in ISBN parsers, on --train and --dev",
    ),
    "bethe-gap": (
        "arbora.experiments.bethe_gap",
        "how far BP marginals and Bethe values are from exact ones, by strength of pairs and schedule",
    ),
    "suspects": (
        "arbora.experiments.suspects",
        "how many heads and labels of --dev that were corrupted are found by parsers trained on --train",
    ),
    "induction": (
        "arbora.experiments.induction",
        "grammars from tags alone, by EM: attachment by model, start and length limit, on --train and --dev",
    ),
}


def experiment(
    name: Annotated[
        str | None, typer.Argument(help="Which one; without it, a list of what there is.")
    ] = None,
    length: Annotated[
        int | None, typer.Option(min=1, help="Words in a sentence; induction: at most.")
    ] = None,
    count: Annotated[int | None, typer.Option(min=1, help="How many instances, or seeds.")] = None,
    train: Annotated[
        str | None, typer.Option(help="Train on this file (titov-henderson-1: brackets; induction: CoNLL-U).")
    ] = None,
    dev: Annotated[
        str | None, typer.Option(help="Parse this file (titov-henderson-1: brackets; induction: CoNLL-U).")
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(min=1, help="Of training (titov-henderson-1), or iterations of EM (induction)."),
    ] = None,
    inputs: Annotated[
        str | None, typer.Option(help="What states see: all, or paper (titov-henderson-1).")
    ] = None,
    width: Annotated[int | None, typer.Option(min=1, help="Latent variables (titov-henderson-1).")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Where random numbers begin.")] = 1,
    output: Annotated[Path | None, typer.Option(help="Write the result to this file, as JSON.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw it into this file, as SVG.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, not a table.")] = False,
) -> None:
    """Repeat an experiment of the papers, and print its table.

    Example: `arbora experiment random-instances --count 20 --figure proved.svg`
    """
    if name is None:
        _list()
        return
    if name not in EXPERIMENTS:
        raise ArboraError(f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    for path in (output, figure):
        if path is not None and not path.absolute().parent.is_dir():
            raise FileError("its directory does not exist: make it first", file=str(path))
    module = import_module(EXPERIMENTS[name][0])
    options: dict[str, Any] = {"seed": seed}
    given = {
        "length": length,
        "count": count,
        "train": train,
        "dev": dev,
        "epochs": epochs,
        "width": width,
        "inputs": inputs,
    }
    options |= {key: value for key, value in given.items() if value is not None}
    unfit = next((key for key in options if key not in signature(module.run).parameters), None)
    if unfit is not None:
        raise ArboraError(f"the experiment {name} takes no --{unfit}")
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name)
        result = module.run(
            **options, progress=lambda done, all_: bar.update(task, completed=done, total=all_)
        )
    if output is not None:
        output.write_text(json.dumps(result, indent=2) + "\n")
    if figure is not None:
        figure.write_text(module.figure(result))
    if as_json:
        typer.echo(json.dumps(result))
    else:
        Console().print(module.table(result))


def _list() -> None:
    shown = Table("experiment", "what it shows")
    for name, (_, about) in EXPERIMENTS.items():
        shown.add_row(name, about)
    Console().print(shown)
