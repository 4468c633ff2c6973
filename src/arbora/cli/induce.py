"""``arbora induce``: a grammar from text without trees, by EM."""

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
from arbora.cli.options import Licence, ModelOutput, Resume, Threads, available_cpus
from arbora.cli.progress import training_progress
from arbora.errors import ArboraError
from arbora.generative.data import read_corpus
from arbora.generative.options import EXPECTATIONS, STARTS, GenerativeOptions
from arbora.training import train_file

DEFAULTS = GenerativeOptions(model="valence")


def induce(
    raw: Annotated[
        str,
        typer.Argument(
            metavar="RAW",
            help="CoNLL-U or CoNLL-X with tags, or plain text: a sentence a line, words between spaces.",
        ),
    ],
    output: ModelOutput,
    dev: Annotated[
        str | None,
        typer.Option(metavar="DEV", help="Sentences whose perplexity is shown after each iteration."),
    ] = None,
    dev_fraction: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Without --dev, this share of RAW is held out in its place; by default nothing, for dev "
            "changes nothing of EM.",
            show_default=False,
        ),
    ] = 0.0,
    trees: Annotated[
        str | None,
        typer.Option(metavar="TREEBANK", help="A treebank to learn from as well: its heads are kept."),
    ] = None,
    constraints: Annotated[
        str | None,
        typer.Option(
            metavar="WHICH",
            help="from-input: heads (and with --labels labels) that RAW has are kept, and the rest is summed "
            "over. Without it, all that RAW has of trees is ignored.",
        ),
    ] = None,
    model: GenerativeModelName = DEFAULTS.model,
    units: UnitsName = DEFAULTS.units,
    tags: TagKind = DEFAULTS.tags,
    labels: Annotated[
        bool, typer.Option("--labels/--no-labels", help="Whether arcs have labels, as given trees do.")
    ] = DEFAULTS.labels,
    direction: Direction = DEFAULTS.direction,
    distance: Distance = DEFAULTS.distance,
    projective: Projective = DEFAULTS.projective,
    multi_root: GenerativeMultiRoot = not DEFAULTS.single_root,
    start: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"Where EM begins: {', '.join(STARTS)}. harmonic: near words are likelier heads; "
            "supervised: whole trees that are given.",
        ),
    ] = DEFAULTS.start,
    expectations: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"{', '.join(EXPECTATIONS)}: over all trees, or the best tree alone (hard EM).",
        ),
    ] = DEFAULTS.expectations,
    iterations: Annotated[int, typer.Option(min=1, help="At most.")] = DEFAULTS.iterations,
    tolerance: Annotated[
        float, typer.Option(help="EM ends when its objective rises by less than so many times its size.")
    ] = DEFAULTS.tolerance,
    temperature: Annotated[
        float, typer.Option(help="Below 1, EM is annealed: it begins with probabilities to this power.")
    ] = DEFAULTS.temperature,
    cooling: Annotated[
        float, typer.Option(help="What that power is multiplied by after each iteration, until it is 1.")
    ] = DEFAULTS.cooling,
    addend: Addend = DEFAULTS.addend,
    least_count: LeastCount = DEFAULTS.least_count,
    punctuation: Annotated[
        bool,
        typer.Option(
            "--punctuation/--no-punctuation",
            help="Whether words tagged PUNCT belong to trees; if not, they hang from the word before.",
        ),
    ] = DEFAULTS.punctuation,
    longest: Longest = DEFAULTS.longest,
    seed: Annotated[int, typer.Option(min=0, help="Of the random start.")] = DEFAULTS.seed,
    threads: Threads = None,
    licence: Licence = "",
    resume: Resume = False,
) -> None:
    """Induce a grammar from text without trees, by expectation maximisation.

    From the tags of a file, whatever trees it has:

        arbora induce tagged.conllu --output xx.induced --longest 10 --expectations best
        arbora parse -m xx.induced -i tagged.conllu --decoder mbr

    From plain words, a sentence a line:

        arbora induce words.txt --units words --output xx.induced

    With some trees, or some heads, which are kept while the rest is summed over:

        arbora induce tagged.conllu --trees few.conllu --start supervised --output xx.induced
        arbora induce started.conllu --constraints from-input --output xx.induced

    The likelihood of the sentences, with what smoothing adds to it, never falls from one iteration to the
    next; that is checked. After every iteration all is kept in `MODEL.checkpoint`. If the run is killed, the
    same command with `--resume` goes on, and gives the same bytes as if nothing had happened.
    """
    if constraints not in (None, "from-input"):
        raise ArboraError(f"there are no constraints {constraints!r}; there is from-input")
    options = GenerativeOptions(
        model=model,
        units=units,
        tags=tags,
        labels=labels,
        direction=direction,
        distance=distance,
        projective=projective,
        single_root=not multi_root,
        addend=addend,
        least_count=least_count,
        iterations=iterations,
        start=start,
        expectations=expectations,
        temperature=temperature,
        cooling=cooling,
        tolerance=tolerance,
        longest=longest,
        constraints=constraints is not None,
        punctuation=punctuation,
        seed=seed,
    ).check()
    given = [] if trees is None else read_corpus(trees, options)
    with training_progress(resume) as watcher:
        trained = train_file(
            "generative-parser",
            raw,
            output,
            dev=dev,
            dev_fraction=dev_fraction,
            options=options,
            threads=available_cpus() if threads is None else threads,
            resume=resume,
            licence=licence,
            watcher=watcher,
            trees=given,
        )
    typer.echo(summary(trained))
