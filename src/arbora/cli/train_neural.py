"""``arbora train neural``: a parser and tagger on top of a pretrained encoder."""

from __future__ import annotations

from typing import Annotated

import typer

from arbora.cli.neural_options import (
    DEFAULTS,
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
    Licence,
    ModelOutput,
    Projective,
    Resume,
    available_cpus,
)
from arbora.cli.progress import training_progress
from arbora.dependency.task import parser_scores
from arbora.neural.options import NeuralOptions
from arbora.neural.training import check_torch
from arbora.training import train_file


def train_neural_command(
    train: Annotated[
        str, typer.Argument(metavar="TRAIN", help="The treebank: CoNLL-U, with tags and trees.")
    ],
    output: ModelOutput,
    encoder: Annotated[
        str,
        typer.Option(
            metavar="FOLDER",
            help="The encoder: a folder with config.json, model.safetensors and tokenizer.json (BERT, "
            "RoBERTa or XLM-R), or the name of an installed package that has one inside.",
        ),
    ],
    layers: Layers = None,
    dev: Annotated[
        str | None,
        typer.Option(
            metavar="DEV",
            help="A treebank to choose the best epoch by, and to make probabilities honest on. Without it "
            "some of TRAIN is held out (--dev-fraction).",
        ),
    ] = None,
    dev_fraction: DevFraction = None,
    epochs: Annotated[int, typer.Option(help="Passes over the treebank.")] = DEFAULTS.epochs,
    patience: Patience = None,
    loss: Loss = None,
    beta: Beta = None,
    gamma: Gamma = None,
    rate: Rate = None,
    head_rate: HeadRate = None,
    batch: StepSize = None,
    mix: Mix = None,
    precision: Precision = None,
    projective: Projective = None,
    multi_root: AllowRoots = False,
    seed: Annotated[int, typer.Option(help="Of all that is random.")] = DEFAULTS.seed,
    threads: NeuralThreads = None,
    licence: Licence = "",
    resume: Resume = False,
) -> None:
    """Train a parser and tagger on top of a pretrained encoder.

        arbora train neural train.conllu --dev dev.conllu --encoder FOLDER --layers 3 --output en.neural

    Training takes torch (`pip install "arbora[neural]"`); parsing with the model does not. For raw text,
    `arbora train pipeline --encoder FOLDER` trains a tokenizer and a lemmatizer too.

    After every epoch all is kept in `MODEL.checkpoint`. If the run is killed, the same command with
    `--resume` goes on, and gives the same bytes as if nothing had happened, on the same machine with as many
    threads.
    """
    check_torch()
    options = NeuralOptions(
        **given_only(
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
        ),
        epochs=epochs,
        single_root=not multi_root,
        projective=projective,
        seed=seed,
    )
    with training_progress(resume) as watcher:
        trained = train_file(
            "neural-parser",
            train,
            output,
            dev=dev,
            dev_fraction=dev_fraction,
            options=options,
            threads=available_cpus() if threads is None else threads,
            resume=resume,
            licence=licence,
            encoder=encoder,
            watcher=watcher,
        )
    parts = [f"{trained.bytes:,} bytes", *parser_scores(trained.kept)]
    typer.echo(f"{trained.file}: {', '.join(parts)}")
