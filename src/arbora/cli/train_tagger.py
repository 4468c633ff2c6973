"""``arbora train tagger``: a tagger from a treebank."""

from __future__ import annotations

from typing import Annotated

import typer

from arbora.cli.options import DevFraction, Licence, ModelOutput, Resume, Threads, available_cpus
from arbora.cli.progress import training_progress
from arbora.learning import LEARNERS, LOSSES
from arbora.text import TaggerOptions
from arbora.text.tagging.templates import TaggerTemplates
from arbora.text.tagging.training import tagger_scores
from arbora.training import train_file
from arbora.treebank.files import read_text

DEFAULTS = TaggerOptions()


def train_tagger(
    train: Annotated[
        str, typer.Argument(metavar="TRAIN", help="The treebank: CoNLL-U, every word with its UPOS tag.")
    ],
    output: ModelOutput,
    dev: Annotated[
        str | None,
        typer.Option(
            metavar="DEV",
            help="A treebank to choose the best epochs by, and to make probabilities honest on. Without it "
            "some of TRAIN is held out (--dev-fraction).",
        ),
    ] = None,
    dev_fraction: DevFraction = None,
    templates: Annotated[
        str | None, typer.Option(metavar="FILE", help="Your own templates, instead of the built-in ones.")
    ] = None,
    loss: Annotated[
        str, typer.Option(metavar="NAME", help=f"What is made small: {', '.join(LOSSES)}.")
    ] = DEFAULTS.loss,
    beta: Annotated[
        float | None,
        typer.Option(help="Another beta of the loss: small counts all rows of tags, `inf` the worst one."),
    ] = DEFAULTS.beta,
    gamma: Annotated[
        float | None, typer.Option(help="The gamma of the loss: how much a wrong tag costs.")
    ] = DEFAULTS.gamma,
    learner: Annotated[
        str, typer.Option(metavar="NAME", help=f"How steps are made: {', '.join(LEARNERS)}.")
    ] = DEFAULTS.learner,
    rate: Annotated[float | None, typer.Option(help="The length of steps, at most.")] = DEFAULTS.rate,
    epochs: Annotated[int, typer.Option(help="Passes over the treebank, for each stage.")] = DEFAULTS.epochs,
    batch: Annotated[
        int, typer.Option(help="Sentences between two changes of the weights.")
    ] = DEFAULTS.batch,
    seed: Annotated[int, typer.Option(help="Of the order of sentences.")] = DEFAULTS.seed,
    bits: Annotated[
        tuple[int, int, int],
        typer.Option(
            metavar="UPOS MORPH LEMMA",
            help="There are 2^BITS weights for UPOS, for XPOS with FEATS, and for lemmas.",
        ),
    ] = DEFAULTS.bits,
    threads: Threads = None,
    licence: Licence = "",
    resume: Resume = False,
) -> None:
    """Train a tagger: UPOS, XPOS, FEATS and lemmas.

    A treebank, a dev set, and a minute:

        arbora train tagger train.conllu --dev dev.conllu --output en.tagger

    There are three stages: UPOS; XPOS with FEATS; lemmas. Columns that the treebank leaves empty stay so.

    After every epoch all is kept in `MODEL.checkpoint`. If the run is killed, the same command with
    `--resume` goes on, and gives the same bytes as if nothing had happened.

    The same treebank, options and seed give the same model on any number of threads.
    """
    options = TaggerOptions(
        loss=loss,
        beta=beta,
        gamma=gamma,
        learner=learner,
        rate=rate,
        epochs=epochs,
        batch=batch,
        seed=seed,
        bits=bits,
    )
    own = None if templates is None else TaggerTemplates.parse(read_text(templates), name=templates)
    with training_progress(resume) as watcher:
        trained = train_file(
            "tagger",
            train,
            output,
            dev=dev,
            dev_fraction=dev_fraction,
            options=options,
            templates=own,
            threads=available_cpus() if threads is None else threads,
            resume=resume,
            licence=licence,
            watcher=watcher,
        )
    parts = [f"{trained.bytes:,} bytes", *tagger_scores(trained.report.get("dev", {}))]
    typer.echo(f"{trained.file}: {', '.join(parts)}")
