"""``arbora train pipeline``: tokenizer, tagger and parser in one file."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from arbora.cli.neural_options import DEFAULTS as NEURAL
from arbora.cli.neural_options import (
    Beta,
    Gamma,
    HeadRate,
    Layers,
    Loss,
    Mix,
    NeuralThreads,
    Patience,
    Precision,
    Rate,
    StepSize,
    given_only,
)
from arbora.cli.options import (
    AllowRoots,
    DevFraction,
    ModelOutput,
    Projective,
    Resume,
    available_cpus,
)
from arbora.cli.progress import training_progress
from arbora.dependency import PRESETS, preset_options
from arbora.errors import ArboraError
from arbora.neural.options import NeuralOptions
from arbora.pipeline import PipelineOptions
from arbora.training import train_file

DEFAULTS = PipelineOptions()
_TITLES = {"raw_text": "raw text", "gold_tokens": "gold tokens", "gold_tags": "gold tags"}


def train_pipeline_command(
    train: Annotated[
        str, typer.Argument(metavar="TRAIN", help="A treebank in CoNLL-U, with tags and trees.")
    ],
    output: ModelOutput,
    dev: Annotated[
        str | None,
        typer.Option(
            metavar="DEV",
            help="A treebank to choose the best epochs by, to make probabilities honest on, and to measure "
            "on. Without it some of TRAIN is held out (--dev-fraction).",
        ),
    ] = None,
    dev_fraction: DevFraction = None,
    preset: Annotated[
        str, typer.Option(metavar="NAME", help=f"The kind of parser: {', '.join(PRESETS)}.")
    ] = DEFAULTS.parser.preset,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="A neural parser on top of this pretrained encoder, in place of a linear one: a folder with "
            "config.json, model.safetensors and tokenizer.json, or the name of a package with one inside.",
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            help=f"Of the parser: passes over the treebank. {DEFAULTS.parser.epochs} if nothing is said, "
            f"{NEURAL.epochs} for a neural one."
        ),
    ] = None,
    projective: Projective = None,
    multi_root: AllowRoots = False,
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
    threads: NeuralThreads = None,
    resume: Resume = False,
    layers: Layers = None,
    patience: Patience = None,
    loss: Loss = None,
    beta: Beta = None,
    gamma: Gamma = None,
    rate: Rate = None,
    head_rate: HeadRate = None,
    batch: StepSize = None,
    mix: Mix = None,
    precision: Precision = None,
) -> None:
    """Train a pipeline: tokenizer, tagger and parser, from raw text to trees.

        arbora train pipeline train.conllu --dev dev.conllu --output xx.model

    Then `arbora parse --model xx.model "some text"`. The parser learns from tags as the tagger gives them.

    After every epoch all is kept in `MODEL.checkpoint`. If the run is killed, the same command with
    `--resume` goes on, and gives the same bytes as if nothing had happened. At the end a table tells how good
    the model is on dev: from raw text, from gold tokens and from gold tags.
    """
    given = given_only(
        layers=layers,
        patience=patience,
        loss=loss,
        beta=beta,
        gamma=gamma,
        rate=rate,
        head_rate=head_rate,
        batch=batch,
        mix=mix,
        precision=precision,
    )
    for name in given if encoder is None else ():
        option = f"--{name.replace('_', '-')}"
        raise ArboraError(f"{option} is of parsers on top of an encoder: give one with --encoder")
    linear = {
        "preset": preset != DEFAULTS.parser.preset,
        "folds": folds != DEFAULTS.folds,
        "compact": compact,
    }
    for name in (name for name, is_given in linear.items() if is_given and encoder is not None):
        raise ArboraError(f"--{name} is of linear parsers: it does not go with --encoder")
    trees: dict[str, Any] = {"seed": seed, "projective": projective, "single_root": not multi_root}
    neural = None
    if encoder is not None:
        neural = NeuralOptions(**given, epochs=NEURAL.epochs if epochs is None else epochs, **trees)
    parser = preset_options(preset, epochs=DEFAULTS.parser.epochs if epochs is None else epochs, **trees)
    with training_progress(resume) as watcher:
        trained = train_file(
            "pipeline",
            train,
            output,
            dev=dev,
            dev_fraction=dev_fraction,
            options=PipelineOptions(parser=parser, folds=folds, neural=neural),
            encoder=encoder,
            threads=available_cpus() if threads is None else threads,
            resume=resume,
            licence=licence,
            compact_weights=compact,
            compact_parser=compact,
            card={"language": language, "data": data, "licence": licence, "date": date},
            watcher=watcher,
        )
    if "scores" in trained.component.header["card"]:
        _print_scores(trained.component.header["card"]["scores"])
    typer.echo(f"{trained.file}: {trained.bytes:,} bytes")


def _print_scores(scores: dict[str, dict[str, float]]) -> None:
    table = Table("F1 on dev, from", *(_TITLES[kind] for kind in scores))
    for name in scores["raw_text"]:
        table.add_row(name, *(f"{own[name]:.2f}" if name in own else "" for own in scores.values()))
    Console().print(table)
