"""``arbora train pipeline``: tokenizer, tagger and parser in one file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from arbora.cli.options import available_cpus
from arbora.dependency import PRESETS, preset_options
from arbora.dependency.files import read_gold
from arbora.models import check_model_name
from arbora.pipeline import PipelineOptions, Step, train_pipeline
from arbora.pipeline.training import STEPS
from arbora.pipeline.training import Progress as OnStep

DEFAULTS = PipelineOptions()
_TITLES = {"raw_text": "raw text", "gold_tokens": "gold tokens", "gold_tags": "gold tags"}


def train_pipeline_command(
    train: Annotated[
        str, typer.Argument(metavar="TRAIN", help="A treebank in CoNLL-U, with tags and trees.")
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")],
    dev: Annotated[
        str,
        typer.Option(metavar="DEV", help="A treebank to choose the best epochs by, and to measure on."),
    ],
    preset: Annotated[
        str, typer.Option(metavar="NAME", help=f"The kind of parser: {', '.join(PRESETS)}.")
    ] = DEFAULTS.parser.preset,
    epochs: Annotated[
        int, typer.Option(help="Of the parser: passes over the treebank.")
    ] = DEFAULTS.parser.epochs,
    projective: Annotated[
        bool,
        typer.Option(
            "--projective",
            help="Only trees whose arcs do not cross: probabilities and k best trees of parsers up to second "
            "order are then exact, and sooner there.",
        ),
    ] = False,
    folds: Annotated[
        int,
        typer.Option(
            help="The parser learns from predicted tags: the treebank is cut into so many parts, each tagged "
            "by a tagger that has not seen it."
        ),
    ] = DEFAULTS.folds,
    seed: Annotated[int, typer.Option(help="Of all that is random.")] = DEFAULTS.parser.seed,
    language: Annotated[str, typer.Option(metavar="TEXT", help="For the model's card.")] = "",
    data: Annotated[str, typer.Option(metavar="TEXT", help="What it is trained on, for the card.")] = "",
    licence: Annotated[
        str,
        typer.Option(metavar="TEXT", help="The licence of the treebank and so of the model, for the card."),
    ] = "",
    date: Annotated[str, typer.Option(metavar="TEXT", help="For the card.")] = "",
    compact: Annotated[
        bool,
        typer.Option("--compact", help="8-bit weights in the parser: a smaller file, hardly less exact."),
    ] = False,
    threads: Annotated[
        int | None,
        typer.Option(metavar="N", help="By default one for each CPU. The model does not depend on it."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where a killed run of the same options stopped.")
    ] = False,
) -> None:
    """Train a pipeline: tokenizer, tagger and parser, from raw text to trees.

        arbora train pipeline train.conllu --dev dev.conllu --output xx.model

    Then `arbora parse --model xx.model "some text"`. The parser learns from tags as the tagger gives them.

    What is done is kept in `MODEL.run` until the model is written. If the run is killed, the same command
    with `--resume` goes on. At the end a table tells how good the model is on dev: from raw text, from gold
    tokens and from gold tags.
    """
    check_model_name(output, [train, dev])
    parser = preset_options(preset, epochs=epochs, seed=seed, projective=projective)
    options = PipelineOptions(parser=parser, folds=folds).check()
    folder = output + ".run"
    card = {"language": language, "data": data, "licence": licence, "date": date}
    with _progress(options) as tell:
        pipeline = train_pipeline(
            read_gold(train, single_root=True),
            read_gold(dev, single_root=False),
            options,
            threads=available_cpus() if threads is None else threads,
            folder=folder,
            resume=resume,
            compact_weights=compact,
            card=card,
            progress=tell,
        )
    pipeline.save(output, compact_weights=compact)
    shutil.rmtree(folder, ignore_errors=True)
    _print_scores(output, pipeline.card["scores"])


@contextmanager
def _progress(options: PipelineOptions) -> Iterator[OnStep]:
    """On a terminal, a bar for each step; elsewhere a line for each report."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield lambda step: typer.echo(_line(step), err=True)
        return
    columns = (
        TextColumn("{task.description:10}"),
        BarColumn(),
        TextColumn("{task.fields[text]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as bars:
        tasks = {name: bars.add_task(name, total=None, start=False, text="") for name in STEPS}
        running: list[str] = []

        def tell(step: Step) -> None:
            if step.name not in running:
                if running:
                    bars.update(tasks[running[-1]], total=1, completed=1)
                bars.start_task(tasks[step.name])
                running.append(step.name)
            if step.all:
                bars.update(tasks[step.name], total=step.all, completed=step.done, text=step.text)

        yield tell


def _line(step: Step) -> str:
    counted = f" {step.done}/{step.all}" if step.all else ""
    return f"{step.name}{counted}" + (f"  {step.text}" if step.text else "")


def _print_scores(output: str, scores: dict[str, dict[str, float]]) -> None:
    table = Table("F1 on dev, from", *(_TITLES[kind] for kind in scores))
    for name in scores["raw_text"]:
        table.add_row(name, *(f"{own[name]:.2f}" if name in own else "" for own in scores.values()))
    Console().print(table)
    typer.echo(f"{output}: {os.path.getsize(output):,} bytes")
