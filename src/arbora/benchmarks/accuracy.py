"""How good each preset is: the mean over seeds, with times, sizes, and what pruning loses, in one run."""

from __future__ import annotations

import os
import shlex
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from rich.table import Table

from arbora.benchmarks.parser import calibration_error, run_command, score
from arbora.dependency import PRESETS, DependencyParser, ParseOptions
from arbora.errors import ArboraError
from arbora.treebank import Sentence, read

SEEDS = (1, 2, 3)
DEFAULT = ("first-order", "second-order", "third-order")


def measure(
    train: str | os.PathLike[str] | None = None,
    dev: str | os.PathLike[str] | None = None,
    *,
    presets: Sequence[str] = DEFAULT,
    seeds: Sequence[int] = SEEDS,
    epochs: int = 10,
    threads: int = 2,
) -> dict[str, Any]:
    """Train every preset with every seed on one file, and parse the other: plain data."""
    if train is None or dev is None:
        raise ArboraError("the benchmark accuracy needs --train and --dev, two CoNLL-U files")
    unknown = [name for name in presets if name not in PRESETS]
    if unknown:
        raise ArboraError(f"there is no preset {unknown[0]!r}; there are {', '.join(PRESETS)}")
    gold: list[Sentence] = list(read(dev, single_root=False))
    files = f"{shlex.quote(str(train))} --dev {shlex.quote(str(dev))}"
    result: dict[str, Any] = {
        "train": Path(train).name,
        "dev": Path(dev).name,
        "words": sum(map(len, gold)),
        "epochs": epochs,
        "presets": {},
    }
    with tempfile.TemporaryDirectory() as folder:
        for preset in presets:
            runs = []
            for seed in seeds:
                model = os.path.join(folder, f"{preset}-{seed}.arbora")
                training = run_command(
                    f"train parser {files} --output {model} --preset {preset} --seed {seed} "
                    f"--epochs {epochs} --threads {threads}"
                )
                runs.append({"seed": seed, "training": training, **_judge(model, gold)})
                os.unlink(model)
            result["presets"][preset] = {"runs": runs, **_means(runs)}
    return result


def _judge(model: str, gold: list[Sentence]) -> dict[str, Any]:
    started = time.perf_counter()
    parser = DependencyParser.load(model)
    loading = time.perf_counter() - started
    pruner = parser.header["report"]["epochs"][0]
    return {
        **score(parser, gold, ParseOptions()),
        "heads": pruner.get("heads"),
        "lost": pruner.get("lost"),
        "bytes": os.path.getsize(model),
        "load_seconds": loading,
        "calibration_error": calibration_error(parser, gold),
    }


def _means(runs: list[dict[str, Any]]) -> dict[str, float]:
    return {
        "UAS": mean(run["UAS"] for run in runs),
        "LAS": mean(run["LAS"] for run in runs),
        "seconds": mean(run["training"]["seconds"] for run in runs),
    }


def table(result: dict[str, Any]) -> Table:
    """The figures as a table."""
    seeds = len(next(iter(result["presets"].values()))["runs"])
    shown = Table(
        title=f"{result['train']}, {result['dev']}: mean of {seeds} seed(s), {result['epochs']} epochs"
    )
    columns = (
        "preset",
        "UAS",
        "LAS",
        "heads a word",
        "gold lost",
        "training",
        "memory",
        "file",
        "loading",
        "ECE",
    )
    for name in columns:
        shown.add_column(name, justify="left" if name == "preset" else "right")
    for name, row in result["presets"].items():
        first = row["runs"][0]
        shown.add_row(
            name,
            f"{100 * row['UAS']:.2f}",
            f"{100 * row['LAS']:.2f}",
            "" if first["heads"] is None else f"{first['heads']:.2f}",
            "" if first["lost"] is None else f"{100 * first['lost']:.2f} %",
            f"{row['seconds']:.0f} s",
            f"{max(run['training']['megabytes'] for run in row['runs']):.0f} MB",
            f"{first['bytes'] / 1e6:.1f} MB",
            f"{1000 * first['load_seconds']:.0f} ms",
            f"{mean(run['calibration_error'] for run in row['runs']):.4f}",
        )
    return shown
