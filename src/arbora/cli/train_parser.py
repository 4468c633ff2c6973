"""``arbora train parser``: a dependency parser from a treebank."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated

import typer

from arbora.cli.options import (
    AllowRoots,
    DevFraction,
    Licence,
    ModelOutput,
    Projective,
    Resume,
    Threads,
    available_cpus,
)
from arbora.cli.progress import training_progress
from arbora.dependency import PRESETS, TrainingOptions, preset_options
from arbora.dependency.options import CONSTRAINTS, LABELS, OUTER_SETS, SOLVERS
from arbora.dependency.task import parser_scores
from arbora.errors import ArboraError
from arbora.executors import executor_at
from arbora.features import PARTS, Templates
from arbora.learning import LEARNERS, LOSSES
from arbora.training import train_file
from arbora.treebank.files import read_text

DEFAULTS = TrainingOptions()
LEARNING, WEIGHTS, SEVERAL_ARCS = "Learning", "Features, labels and weights", "Parts of several arcs"
HIGHER = preset_options("second-order")
_RATES = ", ".join(f"{learner.rate:g} for {name}" for name, learner in LEARNERS.items())


def train_parser(
    train: Annotated[
        str,
        typer.Argument(metavar="TRAIN", help="CoNLL-U or CoNLL-X; heads and labels may be missing."),
    ],
    output: ModelOutput,
    dev: Annotated[
        str | None,
        typer.Option(
            metavar="DEV",
            help="A treebank to choose the best epoch and make probabilities honest by. Without it some of "
            "TRAIN is held out.",
        ),
    ] = None,
    dev_fraction: DevFraction = None,
    preset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"The kind of parser: {', '.join(PRESETS)}. By default {DEFAULTS.preset}.",
            show_default=False,
        ),
    ] = DEFAULTS.preset,
    epochs: Annotated[
        int,
        typer.Option(help=f"Passes over the treebank. By default {DEFAULTS.epochs}.", show_default=False),
    ] = DEFAULTS.epochs,
    projective: Projective = None,
    multi_root: AllowRoots = False,
    compact: Annotated[
        bool, typer.Option("--compact", help="8-bit weights: smaller, hardly less exact.")
    ] = False,
    licence: Licence = "",
    threads: Threads = None,
    resume: Resume = False,
    loss: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"What is made small: {', '.join(LOSSES)}. By default {DEFAULTS.loss}, or that of the "
            "learner perceptron.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(
            help="Of the loss: small counts all trees, `inf` only the worst.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(help="Of the loss: how much a wrong arc costs.", rich_help_panel=LEARNING),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"How steps are made: {', '.join(LEARNERS)}. By default {DEFAULTS.learner}, or that of the "
            "loss perceptron.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(help=f"The length of steps, at most. By default {_RATES}.", rich_help_panel=LEARNING),
    ] = None,
    batch: Annotated[
        int,
        typer.Option(
            help=f"Sentences between two steps. By default {DEFAULTS.batch}.",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = DEFAULTS.batch,
    seed: Annotated[
        int,
        typer.Option(
            help=f"Of the order of sentences. By default {DEFAULTS.seed}.",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = DEFAULTS.seed,
    shards: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Learn from N parts of the treebank apart, and mix weights after each epoch: it takes more "
            "of them. The model depends on N.",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = DEFAULTS.shards,
    workers: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Who does the shards: a number of processes, dask://HOST:PORT or ray://HOST:PORT; the model "
            "is the same.",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None,
    templates: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Feature templates instead of the preset's.",
            rich_help_panel=WEIGHTS,
        ),
    ] = None,
    features: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="complete, the default: features of any arc get a weight. supported: only those of gold "
            "trees, a smaller model when compact.",
            show_default=False,
            rich_help_panel=WEIGHTS,
        ),
    ] = DEFAULTS.features,
    bits: Annotated[
        int | None,
        typer.Option(
            help=f"There are 2^BITS weights, 2 bytes each. By default {DEFAULTS.bits}, or {HIGHER.bits} "
            "where arcs make parts.",
            rich_help_panel=WEIGHTS,
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help=f"{', '.join(LABELS)}: labels are found with the tree, after it, or both. By default the "
            "preset's.",
            rich_help_panel=WEIGHTS,
        ),
    ] = None,
    pruning: Annotated[
        float | None,
        typer.Option(
            help="A quick first model drops improbable arcs, and at most this share of the right ones. More "
            f"is faster; 0 keeps all. By default {DEFAULTS.pruning:g}, or {HIGHER.pruning:g} where arcs make "
            "parts.",
            rich_help_panel=WEIGHTS,
        ),
    ] = None,
    parts: Annotated[
        str | None,
        typer.Option(
            metavar="KINDS",
            help=f"Instead of the preset's, with commas between: {', '.join(PARTS)}. Templates come along.",
            rich_help_panel=SEVERAL_ARCS,
        ),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"What finds the best tree: {', '.join(SOLVERS)} (for losses with probabilities). "
            f"By default {HIGHER.solver}.",
            rich_help_panel=SEVERAL_ARCS,
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            help=f"Of the solver, at most. By default {DEFAULTS.iterations}.", rich_help_panel=SEVERAL_ARCS
        ),
    ] = None,
    propagations: Annotated[
        int | None,
        typer.Option(
            help=f"Of belief propagation, at most. By default {DEFAULTS.propagations}.",
            rich_help_panel=SEVERAL_ARCS,
        ),
    ] = None,
    constraint: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"What makes a parse while learning, the weakest first: {', '.join(CONSTRAINTS)}.",
            rich_help_panel=SEVERAL_ARCS,
        ),
    ] = None,
    outer: Annotated[
        str | None,
        typer.Option(
            metavar="SET",
            help=f"Learn beyond trees: {', '.join(OUTER_SETS)}; that is from fractions that dual "
            "decomposition leaves, or from what each automaton takes alone. By default the preset's.",
            rich_help_panel=SEVERAL_ARCS,
        ),
    ] = None,
    latent_roles: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Every arc has one of N hidden roles, which are summed out: by a loss with probabilities "
            "(by default crf), with second-stage labels.",
            rich_help_panel=SEVERAL_ARCS,
        ),
    ] = None,
    latent_tags: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Every word has one of N hidden tags, which are summed out by bp and a loss with "
            "probabilities (by default crf).",
            rich_help_panel=SEVERAL_ARCS,
        ),
    ] = None,
) -> None:
    """Train a dependency parser.

        arbora train parser train.conllu --dev dev.conllu --output en.model

    The parser sees words and the tags that the treebank has (UPOS, XPOS, FEATS, LEMMA): parse input with the
    same ones. After every epoch all is kept in `MODEL.checkpoint`: if the run is killed, the same command
    with `--resume` goes on, to the same bytes. The same treebank, options and seed give the same model on any
    number of threads.
    """
    perceptron = "perceptron" in (loss, learner)  # one name is enough for both
    if latent_roles:  # which leave no choice of labels, and little of losses
        labels, loss = labels or "second-stage", loss or "crf"
    if latent_tags:
        solver, loss = solver or "bp", loss or "crf"
    options = preset_options(
        preset,
        labels=labels,
        loss=loss or ("perceptron" if perceptron else None),
        beta=beta,
        gamma=gamma,
        learner=learner or ("perceptron" if perceptron else None),
        rate=rate,
        epochs=epochs,
        batch=batch,
        seed=seed,
        bits=bits,
        features=features,
        pruning=pruning,
        single_root=not multi_root,
        projective=projective,
        parts=None if parts is None else tuple(part.strip() for part in parts.split(",")),
        solver=solver,
        iterations=iterations,
        propagations=propagations,
        constraint=constraint,
        latent_roles=latent_roles,
        latent_tags=latent_tags,
        outer=outer,
        shards=shards,
    )
    own = None if templates is None else Templates.parse(read_text(templates), name=templates)
    if workers is not None and shards < 2:
        raise ArboraError(
            "workers have shards to share: say how many with --shards, which is part of the model"
        )
    executor = None if workers is None else executor_at(workers)
    with executor or nullcontext(), training_progress(resume) as watcher:
        trained = train_file(
            "dependency-parser",
            train,
            output,
            dev=dev,
            dev_fraction=dev_fraction,
            options=options,
            templates=own,
            threads=available_cpus() if threads is None else threads,
            resume=resume,
            licence=licence,
            compact_weights=compact,
            watcher=watcher,
            executor=executor,
        )
    scores = [f"epoch {trained.kept['epoch']} of {epochs} kept", *parser_scores(trained.kept)]
    typer.echo(f"{trained.file}: {', '.join(scores)}, {trained.bytes:,} bytes")
