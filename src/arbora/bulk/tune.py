"""A search for options: a dependency parser is trained with every combination, and judged on dev."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import product
from statistics import mean
from typing import Any, BinaryIO

from arbora.bulk.manifest import digest_of
from arbora.bulk.tune_files import add, as_json, as_toml, journal, name_of
from arbora.dependency import TrainingOptions, preset_options, train
from arbora.dependency.recipe import check_recipe
from arbora.dependency.task import ParserTask
from arbora.errors import ArboraError, FileError
from arbora.executors import Crashed, Executor, Refused, answered, make_executor
from arbora.treebank.files import open_output

__all__ = ["Found", "Grid", "Row", "Run", "tune"]

DEFAULTS = TrainingOptions()
FIXED = ("bits", "projective", "single_root")
"""Options that may be given besides those that are searched: the same for all."""
ENDINGS = (".json", ".toml")


@dataclass(frozen=True, slots=True)
class Grid:
    """What is tried: every combination. None is what a preset has.

    >>> len(Grid(presets=("first-order", "second-order"), seeds=(1, 2, 3)).configurations())
    2
    """

    presets: tuple[str, ...] = (DEFAULTS.preset,)
    losses: tuple[str | None, ...] = (None,)
    epochs: tuple[int, ...] = (DEFAULTS.epochs,)
    seeds: tuple[int, ...] = (DEFAULTS.seed,)

    def configurations(self) -> list[dict[str, Any]]:
        """All but the seeds, in order, each once."""
        found = [
            {"preset": preset, "loss": loss, "epochs": epochs}
            for preset, loss, epochs in product(self.presets, self.losses, self.epochs)
        ]
        return [own for number, own in enumerate(found) if own not in found[:number]]


@dataclass(frozen=True, slots=True)
class Run:
    """One training run, for a worker: its number, the files, and the options."""

    number: int
    key: dict[str, Any]
    train: str
    dev: str
    options: TrainingOptions


@dataclass(slots=True)
class Row:
    """What a configuration is worth: ``las`` and ``uas`` are means over seeds, ``spread`` is of LAS.

    ``spread`` is the highest less the lowest; ``seconds`` are of a run, on average; ``seed`` is that of the
    best run. Shares, not percent.
    """

    preset: str
    loss: str
    epochs: int
    las: float
    uas: float
    spread: float
    seconds: float
    seed: int
    runs: list[dict[str, Any]]


@dataclass(slots=True)
class Found:
    """What a search found: rows, the best first, and ``best``, which is what the file has."""

    rows: list[Row]
    best: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


@dataclass(slots=True)
class Progress:
    """Is told of every run that is over: how many are, how many there are, and what it gave."""

    on_run: Callable[[int, int, dict[str, Any]], None] = field(default=lambda done, total, line: None)


def tune(
    source: str,
    dev: str,
    output: str,
    *,
    grid: Grid | None = None,
    fixed: Mapping[str, Any] | None = None,
    executor: str = "local",
    workers: int = 1,
    address: str | None = None,
    progress: Progress | None = None,
) -> Found:
    """Train a parser with every combination of a grid, and write the best configuration to a file.

    ``output`` ends in .json or .toml. ``fixed`` are options that all runs have (`FIXED`). Runs that are over
    are kept in ``output`` + ``.runs.jsonl`` and not done again; the grid may grow. Scores do not depend on
    the executor, nor on the number of workers, each of which trains on one thread.
    """
    grid, progress = grid or Grid(), progress or Progress()
    fixed = {name: value for name, value in (fixed or {}).items() if value is not None}
    if not output.endswith(ENDINGS):
        raise FileError(f"the name must end in {' or '.join(ENDINGS)}", file=output)
    runs = _plan(source, dev, grid, fixed)
    chosen = make_executor(executor, workers, address)
    settings = {"train": digest_of(source), "dev": digest_of(dev), "fixed": fixed}
    with journal(output + ".runs.jsonl", settings) as (stream, known):
        missing = [run for run in runs if name_of(run.key) not in known]
        crashed = _do(chosen, missing, len(runs), known, stream, progress)
    if crashed:
        raise ArboraError(
            f"{len(crashed)} of {len(runs)} runs could not be done ({crashed[0].reason}); the same command "
            "tries them again"
        )
    rows = _rows(grid, runs, known)
    best = _best(rows[0], source, dev, fixed, runs)
    with open_output(output) as file:
        file.write((as_toml(best) if output.endswith(".toml") else as_json(best)).encode())
    return Found(rows, best)


def _plan(source: str, dev: str, grid: Grid, fixed: Mapping[str, Any]) -> list[Run]:
    """All runs, in order; ArboraError if one of them could not begin."""
    wrong = set(fixed) - set(FIXED)
    if wrong:
        raise ArboraError(f"{sorted(wrong)[0]} cannot be fixed in a search: {', '.join(FIXED)} can")
    for path in (source, dev):
        if not os.path.isfile(path):
            raise FileError("there is no such file: a search reads its treebanks many times", file=path)
    found: list[Run] = []
    for key, seed in product(grid.configurations(), dict.fromkeys(grid.seeds)):
        # As `arbora train parser` does it: the perceptron loss goes with its learner.
        learner = "perceptron" if key["loss"] == "perceptron" else None
        own = {"loss": key["loss"], "learner": learner, "epochs": key["epochs"], "seed": seed, **fixed}
        options = preset_options(key["preset"], **own).check()
        check_recipe(options)
        place = os.path.abspath(source), os.path.abspath(dev)
        found.append(Run(len(found) + 1, {**key, "seed": seed}, *place, options))
    if not found:
        raise ArboraError("there is nothing to try: name at least one preset, loss, epochs and seed")
    return found


def train_one(run: Run) -> dict[str, Any]:
    """What a worker does: train a parser, and tell the scores of the epoch that is kept."""
    started = time.perf_counter()
    sentences = ParserTask.read(run.train, run.options, dev=False)
    others = ParserTask.read(run.dev, run.options, dev=True)
    report = train(sentences, others, run.options).header["report"]
    kept = next(row for row in report["epochs"] if row["epoch"] == report["kept"])
    if "las" not in kept:
        raise FileError(
            "no word of dev has a head and a relation: there is nothing to compare by", file=run.dev
        )
    return {
        **run.key,
        "number": run.number,
        "las": kept["las"],
        "uas": kept["uas"],
        "kept": report["kept"],
        "seconds": round(time.perf_counter() - started, 3),
    }


def _do(
    executor: Executor,
    missing: Sequence[Run],
    total: int,
    known: dict[str, dict[str, Any]],
    stream: BinaryIO,
    progress: Progress,
) -> list[Crashed]:
    """Do the runs, each of which is on the disk before the next answer is waited for."""
    crashed = []
    with closing(executor.run(partial(answered, train_one), iter(missing))) as answers:
        for answer in answers:
            if isinstance(answer, Refused):
                raise ArboraError(answer.reason)
            if isinstance(answer, Crashed):
                crashed.append(answer)
                continue
            line = {key: value for key, value in answer.items() if key != "number"}
            add(stream, {"kind": "run", **line})
            known[name_of(line)] = line
            done = total - sum(name_of(run.key) not in known for run in missing)
            progress.on_run(done, total, line)
    return crashed


def _rows(grid: Grid, runs: Sequence[Run], known: Mapping[str, dict[str, Any]]) -> list[Row]:
    """A row for each configuration, the best LAS first; of equal ones, the first that was named."""
    rows = []
    for configuration in grid.configurations():
        own = [run for run in runs if run.key == {**configuration, "seed": run.key["seed"]}]
        lines = [known[name_of(run.key)] for run in own]
        las = [line["las"] for line in lines]
        rows.append(
            Row(
                configuration["preset"],
                own[0].options.loss,
                configuration["epochs"],
                mean(las),
                mean(line["uas"] for line in lines),
                max(las) - min(las),
                mean(line["seconds"] for line in lines),
                max(lines, key=lambda line: line["las"])["seed"],
                lines,
            )
        )
    return sorted(rows, key=lambda row: -row.las)


def _best(row: Row, source: str, dev: str, fixed: Mapping[str, Any], runs: Sequence[Run]) -> dict[str, Any]:
    """The best configuration as plain data, without times: the same whoever did the work."""
    line = next(line for line in row.runs if line["seed"] == row.seed)
    options = next(run.options for run in runs if name_of(run.key) == name_of(line))
    words = ["arbora", "train", "parser", source, "--dev", dev, "--output", "best.arbora"]
    words += ["--preset", row.preset, *(["--loss", line["loss"]] if line["loss"] else [])]
    words += ["--epochs", str(row.epochs), "--seed", str(row.seed)]
    words += ["--bits", str(fixed["bits"])] if "bits" in fixed else []
    if "projective" in fixed:
        words.append("--projective" if fixed["projective"] else "--non-projective")
    words += ["--multi-root"] if fixed.get("single_root") is False else []
    return {
        "train": source,
        "dev": dev,
        "command": shlex.join(words),
        "las": line["las"],
        "uas": line["uas"],
        "kept": line["kept"],
        "mean_las": row.las,
        "spread": row.spread,
        "seeds": [own["seed"] for own in row.runs],
        "options": options.as_dict(),
    }
