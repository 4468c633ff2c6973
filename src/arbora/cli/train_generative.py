"""``arbora train generative``: a generative model from a treebank, by counting its trees."""

from __future__ import annotations

from typing import Annotated

import typer

from arbora.cli.generative_options import (
    Addend,
    Direction,
    Distance,
    GenerativeModelName,
    GenerativeMultiRoot,
    LeastCount,
    Longest,
    Projective,
    TagKind,
    UnitsName,
    summary,
)
from arbora.cli.options import DevFraction, Licence, ModelOutput, Resume, Threads, available_cpus
from arbora.cli.progress import training_progress
from arbora.generative.options import SMOOTHINGS, GenerativeOptions
from arbora.training import train_file


def train_generative(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="The treebank, in CoNLL-U or CoNLL-X.")],
    output: ModelOutput,
    dev: Annotated[
        str | None,
        typer.Option(
            metavar="DEV",
            help="A treebank on which weights of interpolation are fitted. Without it some of TRAIN is "
            "held out (--dev-fraction).",
        ),
    ] = None,
    dev_fraction: DevFraction = None,
    model: GenerativeModelName = "bigram",
    units: UnitsName = "tags-and-words",
    tags: TagKind = "upos",
    labels: Annotated[bool, typer.Option("--labels/--no-labels", help="Whether arcs have labels.")] = True,
    direction: Direction = True,
    distance: Distance = True,
    projective: Projective = False,
    multi_root: GenerativeMultiRoot = False,
    smoothing: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"{', '.join(SMOOTHINGS)}: the latter mixes in what is known of shorter contexts.",
        ),
    ] = "interpolated",
    addend: Addend = 0.1,
    least_count: LeastCount = 2,
    punctuation: Annotated[
        bool,
        typer.Option("--punctuation/--no-punctuation", help="Whether punctuation belongs to the trees."),
    ] = True,
    longest: Longest = 1000,
    threads: Threads = None,
    licence: Licence = "",
    resume: Resume = False,
) -> None:
    """Train a generative model of trees.

    It counts the trees of a treebank. A parser that is also a language model, in seconds:

        arbora train generative train.conllu --output en.generative
        arbora parse -m en.generative -i dev.conllu --decoder mbr --format conllu
        arbora score dev.conllu --model en.generative

    `--model bigram` draws every modifier given its head, `--model valence` also when a head stops. Words that
    are too rare are known by their shape and ending. To learn without trees, see `arbora induce`.
    """
    options = GenerativeOptions(
        model=model,
        units=units,
        tags=tags,
        labels=labels,
        direction=direction,
        distance=distance,
        projective=projective,
        single_root=not multi_root,
        smoothing=smoothing,
        addend=addend,
        least_count=least_count,
        punctuation=punctuation,
        longest=longest,
        iterations=0,
    )
    with training_progress(resume) as watcher:
        trained = train_file(
            "generative-parser",
            train,
            output,
            dev=dev,
            dev_fraction=dev_fraction,
            options=options,
            threads=available_cpus() if threads is None else threads,
            resume=resume,
            licence=licence,
            watcher=watcher,
        )
    typer.echo(summary(trained))
