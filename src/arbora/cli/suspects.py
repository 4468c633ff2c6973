"""``arbora suspects``: where a treebank is likely to be wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

import arbora
from arbora.cli.options import OutputFile, Threads, available_cpus
from arbora.dependency import PRESETS, ParseOptions, TrainingOptions, preset_options
from arbora.dependency.suspects import Suspect, Suspects, find_suspects, highlighted, judge_unseen
from arbora.errors import ArboraError
from arbora.evaluation import Judgement, judge
from arbora.training import EpochReport
from arbora.treebank import FORMATS, Sentence, read, write
from arbora.treebank.files import display_name
from arbora.treebank.formats import find_format

DEFAULTS = TrainingOptions()
READ = {name: FORMATS[name] for name in ("conllu", "conllx")}
JACKKNIFE = "Jackknifing"
LEAST_WIDTH = 120
"""Of a table that goes to a file: nothing of it is cut off."""


class Shape(StrEnum):
    """How suspects are told."""

    table = "table"
    json = "json"
    conllu = "conllu"


def suspects_command(
    gold: Annotated[
        str,
        typer.Argument(
            metavar="GOLD",
            help="The treebank, `-` for standard input; words without a head (`_`) are not looked at.",
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", metavar="M", help="A parser or a pipeline that has not learned from GOLD."
        ),
    ] = None,
    jackknife: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="Train K parsers instead, each on all of GOLD but a part, in whole documents (`# newdoc`) "
            "if there are enough; it judges that part.",
            rich_help_panel=JACKKNIFE,
        ),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            metavar="NAME", help=f"The kind of parser: {', '.join(PRESETS)}.", rich_help_panel=JACKKNIFE
        ),
    ] = DEFAULTS.preset,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Passes over the treebank.", rich_help_panel=JACKKNIFE)
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Where random numbers begin.", rich_help_panel=JACKKNIFE)
    ] = 1,
    most: Annotated[
        str, typer.Option(metavar="N", help="How many words to list, or which share: 100, 5%, all.")
    ] = "100",
    format: Annotated[
        Shape, typer.Option(help="How to tell: a table, JSON, or the treebank with the words marked.")
    ] = Shape.table,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object: --format json.")] = False,
    input_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="conllu or conllx; told by the file's name if left out, conllu for `-`.",
            show_default=False,
        ),
    ] = None,
    output: OutputFile = "-",
    threads: Threads = None,
) -> None:
    """List likely errors of annotation: heads and labels that a parser which has not seen them doubts.

    Words rank by how much less probable head and label are than those that the parser prefers. The table has
    the line, what is annotated with its probabilities, and what the parser prefers.

    `--format conllu` writes GOLD with a comment for ConlluEditor, `# highlight deprels = 3 7`, and in MISC
    `HeadProbability`, `LabelProbability`, `BestHead` and `BestDeprel` of the words that are listed.

    Examples: `arbora suspects mine.conllu --model en --most 5%`,
    `arbora suspects mine.conllu --jackknife 5 --preset second-order --format conllu -o marked.conllu`
    """
    shape = Shape.json if as_json else format
    count = _count(most)
    if (model is None) == (jackknife is None):
        raise ArboraError("say who judges: --model M that has not seen GOLD, or --jackknife K")
    if shape is not Shape.conllu and output != "-":
        raise ArboraError("--output is for --format conllu; tables and JSON go to standard output")
    read_as = find_format(gold, input_format, known=READ, option="--input-format", unnamed="conllu").name
    sentences: list[Sentence] = list(read(gold, read_as))
    threads = threads or available_cpus()
    if model is not None:
        judges = arbora.load(model)
        if not hasattr(judges, "judged"):
            raise ArboraError(f"{model} gives no trees: a parser or a pipeline is needed")
        judgements: Sequence[Judgement] = list(
            judge(sentences, judges, options=ParseOptions(threads=threads))
        )
    else:
        changes = {"seed": seed} if epochs is None else {"seed": seed, "epochs": epochs}
        judgements = _jackknifed(sentences, jackknife or 0, preset_options(preset, **changes), threads)
    found = find_suspects(sentences, judgements)
    _tell(gold, sentences, found, found.most(count) if count is not None else found.words, shape, output)


def _count(most: str) -> float | None:
    """How many, or the share; None is all."""
    if most == "all":
        return None
    try:
        count = float(most.removesuffix("%")) / 100 if most.endswith("%") else int(most)
    except ValueError:
        count = 0
    if not count > 0 or (most.endswith("%") and count > 1):
        raise ArboraError(f"--most is a number such as 100, a share such as 5%, or all, not {most!r}")
    return None if count == 1 and most.endswith("%") else count


def _jackknifed(
    sentences: list[Sentence], folds: int, training: TrainingOptions, threads: int
) -> list[Judgement]:
    console = Console(stderr=True)
    options = ParseOptions(threads=threads)
    columns = (TextColumn("{task.description}"), BarColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        epochs = training.epochs + 1
        task = bar.add_task("jackknifing", total=folds * epochs)

        def show(fold: int, folds: int, report: EpochReport | None) -> None:
            done = fold * epochs if report is None else (fold - 1) * epochs + report.epoch
            bar.update(task, description=f"fold {fold} of {folds}", completed=done)
            if report is None and not console.is_terminal:
                typer.echo(f"fold {fold} of {folds} is judged", err=True)

        return judge_unseen(
            sentences, folds, training, options, seed=training.seed, threads=threads, progress=show
        )


def _tell(
    gold: str, sentences: list[Sentence], found: Suspects, listed: list[Suspect], shape: Shape, output: str
) -> None:
    for place, reason in list(found.errors.items())[:3]:
        typer.echo(
            f"arbora: not judged: sentence {sentences[place].sent_id or place + 1}: {reason}", err=True
        )
    if len(found.errors) > 3:
        typer.echo(f"arbora: {len(found.errors)} sentences could not be judged", err=True)
    if shape is Shape.conllu:
        write(output, highlighted(sentences, listed), format="conllu" if output == "-" else None)
    elif shape is Shape.json:
        data = {
            "file": gold,
            "words": len(found.words),
            "not_judged": {str(place): reason for place, reason in found.errors.items()},
            "suspects": [suspect.to_dict() for suspect in listed],
        }
        typer.echo(json.dumps(data, ensure_ascii=False))
    else:
        console = Console()
        if not console.is_terminal:
            console = Console(width=max(console.width, LEAST_WIDTH))
        console.print(_table(gold, found, listed))


def _table(gold: str, found: Suspects, listed: list[Suspect]) -> Table:
    table = Table(title=f"{display_name(gold)}: {len(listed)} of {len(found.words)} annotated words")
    for column in ("line", "sentence", "word", "annotated", "P(head)", "P(label)", "preferred", "P"):
        table.add_column(
            column, justify="right" if column in ("line", "P(head)", "P(label)", "P") else "left"
        )
    for suspect in listed:
        label = suspect.label_probability
        table.add_row(
            str(suspect.line or ""),
            suspect.sent_id or f"#{suspect.sentence + 1}",
            f"{suspect.word} {suspect.form}",
            f"{suspect.head} {suspect.deprel}",
            f"{suspect.head_probability:.4f}",
            "" if label is None else f"{label:.4f}",
            f"{suspect.best_head} {suspect.best_deprel}",
            f"{suspect.best_probability:.2f}",
        )
    return table
