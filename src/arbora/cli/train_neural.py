"""``arbora train neural``: a parser and tagger on top of a pretrained encoder."""

from __future__ import annotations

from typing import Annotated

import typer

from arbora.cli.options import DevFraction, Licence, ModelOutput, Projective, Resume, Threads, available_cpus
from arbora.cli.progress import training_progress
from arbora.dependency.task import parser_scores
from arbora.learning import LOSSES
from arbora.neural.options import PRECISIONS, NeuralOptions
from arbora.neural.training import check_torch
from arbora.training import train_file

DEFAULTS = NeuralOptions()


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
    layers: Annotated[
        int | None, typer.Option(help="Of the encoder: its first so many. All of them if this is not given.")
    ] = None,
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
    loss: Annotated[
        str, typer.Option(metavar="NAME", help=f"What is made small, of trees: {', '.join(LOSSES)}.")
    ] = DEFAULTS.loss,
    beta: Annotated[
        float | None,
        typer.Option(help="Another beta of the loss: small counts all trees, `inf` the worst one."),
    ] = DEFAULTS.beta,
    gamma: Annotated[
        float | None, typer.Option(help="The gamma of the loss: how much a wrong head costs.")
    ] = DEFAULTS.gamma,
    rate: Annotated[
        float, typer.Option(help="The encoder's greatest learning rate: less for large encoders.")
    ] = DEFAULTS.rate,
    head_rate: Annotated[
        float, typer.Option(help="The greatest learning rate of all that begins at random.")
    ] = DEFAULTS.head_rate,
    batch: Annotated[int, typer.Option(help="Sub-words of a step.")] = DEFAULTS.batch,
    mix: Annotated[
        bool, typer.Option("--mix", help="A learned sum of all layers, in place of what the last one gives.")
    ] = DEFAULTS.mix,
    precision: Annotated[
        str, typer.Option(metavar="NAME", help=f"Of the model's weights: {', '.join(PRECISIONS)}.")
    ] = DEFAULTS.precision,
    projective: Projective = None,
    multi_root: Annotated[
        bool, typer.Option("--multi-root", help="Trees may have several roots, as outside of UD.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of all that is random.")] = DEFAULTS.seed,
    threads: Threads = None,
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
        layers=layers,
        epochs=epochs,
        loss=loss,
        beta=beta,
        gamma=gamma,
        rate=rate,
        head_rate=head_rate,
        batch=batch,
        mix=mix,
        precision=precision,
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
