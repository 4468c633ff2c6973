"""How fast each preset parses, where the time goes, and how many trees are proved, in one run.

Proofs are those of dual decomposition alone, and of AD3 with branch and bound, as `arbora parse` has it.
"""

from __future__ import annotations

import os
import shlex
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from arbora.benchmarks.parser import run_command
from arbora.dependency import PRESETS, DependencyParser, ParseOptions
from arbora.errors import ArboraError
from arbora.treebank import Sentence, read

STAGES = ("pruning", "features", "graphs", "inference", "labels")
ROUNDS = 5
MEASURED = tuple(name for name, preset in PRESETS.items() if not preset.options.get("joint_tags"))
"""The presets that need no tagger."""
PROVERS = {"dual-decomposition": 0, "ad3": None}
"""What proves trees, with how many nodes of branch and bound; None: as many as there are by default."""


def measure(
    train: str | os.PathLike[str] | None = None,
    dev: str | os.PathLike[str] | None = None,
    *,
    presets: Sequence[str] = MEASURED,
    epochs: int = 3,
    threads: int = 2,
) -> dict[str, Any]:
    """Train every preset for a few epochs on one file, and time it on the other: plain data.

    Words a second are those of CoNLL-U text in memory to CoNLL-U text, the fastest of five rounds, in which
    the presets take turns.
    """
    if train is None or dev is None:
        raise ArboraError("the benchmark parse needs --train and --dev, two CoNLL-U files")
    text, sentences = Path(dev).read_bytes(), list(read(dev, single_root=False))
    files = f"{shlex.quote(str(train))} --dev {shlex.quote(str(dev))}"
    with tempfile.TemporaryDirectory() as folder:
        parsers = {}
        for preset in presets:
            model = os.path.join(folder, f"{preset}.arbora")
            run_command(f"train parser {files} --output {model} --preset {preset} --epochs {epochs}")
            parsers[preset] = DependencyParser.load(model)
        best: dict[tuple[str, int], float] = {}
        words = 0
        for _ in range(ROUNDS):
            for preset, parser in parsers.items():
                for count in (1, threads):
                    started = time.perf_counter()
                    words = sum(p.words for p in parser.parse_conllu([text], ParseOptions(threads=count)))
                    seconds = time.perf_counter() - started
                    best[preset, count] = min(seconds, best.get((preset, count), seconds))
        return {
            "train": Path(train).name,
            "dev": Path(dev).name,
            "words": words,
            "epochs": epochs,
            "presets": {
                preset: {
                    "words_per_second": {str(count): words / best[preset, count] for count in (1, threads)},
                    "stages": parser.time_stages(sentences),
                    "certificates": {name: _certificates(parser, sentences, name) for name in PROVERS},
                }
                for preset, parser in parsers.items()
            },
        }


def _certificates(parser: DependencyParser, sentences: list[Sentence], solver: str) -> dict[str, float]:
    """The share of trees that are proved the best, and the time for a sentence."""
    options = ParseOptions(certificates=True, solver=solver, nodes=PROVERS[solver])
    copies = [sentence.copy() for sentence in sentences]
    started = time.perf_counter()
    proved = sum("# certificate = proved" in sentence.comments for sentence in parser.parse(copies, options))
    seconds = time.perf_counter() - started
    return {"proved": proved / len(copies), "milliseconds": 1000 * seconds / len(copies)}


def table(result: dict[str, Any]) -> Table:
    """The figures as a table."""
    shown = Table(title=f"{result['dev']}, {result['words']:,} words; trained for {result['epochs']} epochs")
    counts = list(next(iter(result["presets"].values()))["words_per_second"])
    names = [
        "preset",
        *(f"words/s, {count} thread(s)" for count in counts),
        *STAGES,
        *(f"{what} {name}" for name in PROVERS for what in ("proved by", "ms a sentence,")),
    ]
    for name in names:
        shown.add_column(name, justify="left" if name == "preset" else "right")
    for preset, row in result["presets"].items():
        total = sum(row["stages"].values())
        shown.add_row(
            preset,
            *(f"{speed:,.0f}" for speed in row["words_per_second"].values()),
            *(f"{100 * row['stages'][stage] / total:.0f} %" for stage in STAGES),
            *(
                text
                for found in row["certificates"].values()
                for text in (f"{100 * found['proved']:.1f} %", f"{found['milliseconds']:.2f}")
            ),
        )
    return shown
