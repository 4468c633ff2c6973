"""``arbora train constituency``: a constituency parser from a treebank in brackets."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arbora.cli.options import DevFraction, Licence, ModelOutput, Resume, Threads, available_cpus
from arbora.cli.progress import training_progress
from arbora.constituency.presets import PRESETS, find_preset, preset_options
from arbora.errors import ArboraError
from arbora.training import train_file

_PRESETS = "; ".join(f"{name}: {preset.summary}" for name, preset in PRESETS.items())


def train_constituency(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="The treebank, in Penn brackets.")],
    output: ModelOutput,
    dev: Annotated[
        str | None,
        typer.Option(
            metavar="DEV",
            help="A treebank to choose the best epoch by. Without it some of TRAIN is held out "
            "(--dev-fraction).",
        ),
    ] = None,
    dev_fraction: DevFraction = None,
    preset: Annotated[
        str, typer.Option(metavar="NAME", help=f"The kind of parser. {_PRESETS}.")
    ] = "mean-field",
    epochs: Annotated[
        int | None, typer.Option(help="Passes over the treebank, at most. By default as the preset has it.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the order of sentences, and of first weights.")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Another option of the preset's parser, such as `width=40` of mean-field; may be repeated. "
            "A name that it has not is an error that lists those it has.",
        ),
    ] = None,
    threads: Threads = None,
    licence: Licence = "",
    resume: Resume = False,
) -> None:
    """Train a constituency parser.

    A treebank, a dev set, and some minutes:

        arbora train constituency train.mrg --dev dev.mrg --output wsj.model
        arbora train constituency train.mrg --dev dev.mrg --output wsj.model --preset span

    Traces and function tags are taken off. The parser sees words and the tags that the treebank has: parse
    input with the same ones.

    After every epoch all is kept in `MODEL.checkpoint`. If the run is killed, the same command with
    `--resume` goes on, and gives the same bytes as if nothing had happened.

    The same treebank, options and seed give the same model on any number of threads.
    """
    changes: dict[str, object] = dict(map(_named_value, option or []))
    changes |= {name: value for name, value in (("epochs", epochs), ("seed", seed)) if value is not None}
    options = preset_options(preset, changes)
    with training_progress(resume) as watcher:
        trained = train_file(
            find_preset(preset).architecture,
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
    scores = _scores(trained.report)
    typer.echo(f"{trained.file}: {', '.join(scores)}, {trained.bytes:,} bytes")


def _scores(report: dict[str, Any]) -> list[str]:
    """Which epoch of the last stage was kept, and how good it is."""
    rows = report["epochs"]
    stage = rows[-1].get("stage", "")
    own = [row for row in rows if row.get("stage", "") == stage]
    kept = report["kept"][stage] if isinstance(report["kept"], dict) else report["kept"]
    row = next(row for row in own if row["epoch"] == kept)
    said = [f"epoch {kept} of {len(own)} kept"]
    return [*said, f"dev F1 {100 * row['f1']:.2f}"] if "f1" in row else said


def _named_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ArboraError(f"--option takes NAME=VALUE, not {text!r}")
    return name.strip().replace("-", "_"), value.strip()
