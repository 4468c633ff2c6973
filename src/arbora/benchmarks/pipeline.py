"""From raw text to trees with the model that ships: speed, memory and accuracy, beside UDPipe and spaCy.

The peers are trained on the file that the shipped model was trained on, once: their models stay in a folder.
"""

from __future__ import annotations

import os
import shlex
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.table import Table

from arbora.benchmarks import pipeline_peers
from arbora.benchmarks.parser import run_command
from arbora.dependency import ParseOptions
from arbora.errors import ArboraError
from arbora.evaluation import evaluate_raw_text
from arbora.pipeline import Pipeline, shipped_models
from arbora.pipeline.shipped import DEFAULT
from arbora.text.tokenizing.running_text import paragraphs_of, running_text
from arbora.treebank import Sentence, read
from arbora.treebank.conllu import scan

ROUNDS = 5
METRICS = ("Tokens", "Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS")


def measure(
    train: str | os.PathLike[str] | None = None,
    dev: str | os.PathLike[str] | None = None,
    *,
    peers: str | os.PathLike[str] | None = None,
    threads: int = 2,
) -> dict[str, Any]:
    """Turn the raw text of a treebank into trees, in turns with each program: plain data.

    A program's words a second are those of the treebank by the fastest of five rounds, from a text in memory
    to CoNLL-U in memory. Peers take part if a folder for their models is given; those that are not in it are
    trained on ``train``.
    """
    if dev is None:
        raise ArboraError("the benchmark pipeline needs --dev, a CoNLL-U file")
    gold: list[Sentence] = list(read(dev, single_root=False))
    text = running_text(paragraphs_of(gold)).text
    model = next(model for model in shipped_models() if model.name == DEFAULT)
    nlp, seconds = _load(model.path)
    runs: dict[str, Callable[[], str]] = {
        "arbora": lambda: _annotate(nlp, text, 1),
        f"arbora, {threads} threads": lambda: _annotate(nlp, text, threads),
    }
    told: dict[str, str] = {}
    if peers is not None:
        if train is None:
            raise ArboraError("the peers need --train, the CoNLL-U file that the shipped model learned from")
        Path(peers).mkdir(parents=True, exist_ok=True)
        for name in pipeline_peers.available():
            annotate, told[name] = pipeline_peers.load(name, Path(peers), Path(train), Path(dev))
            runs[name] = lambda annotate=annotate: annotate(text)  # type: ignore[misc]
    times = _in_turns(runs)
    words = sum(map(len, gold))
    return {
        "model": model.name,
        "dev": Path(dev).name,
        "words": words,
        "load_seconds": seconds,
        "command": _command(text, threads),
        "programs": {
            name: {
                "words_per_second": words / times[name],
                "ratio": times[name] / times["arbora"],
                "trained": told.get(name),
                "scores": _scores(gold, run()),
            }
            for name, run in runs.items()
        },
    }


def _annotate(nlp: Pipeline, text: str, threads: int) -> str:
    options = ParseOptions(threads=threads)
    return b"".join(piece.data for piece in nlp.parse_text([text.encode()], options)).decode()


def _in_turns(runs: dict[str, Callable[[], str]]) -> dict[str, float]:
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(ROUNDS):
        for name, run in runs.items():
            started = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def _load(path: str | os.PathLike[str]) -> tuple[Pipeline, float]:
    """The pipeline, and the seconds that it takes to load by the fastest of several rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        nlp = Pipeline.load(path)
        best = min(best, time.perf_counter() - started)
    return nlp, best


def _command(text: str, threads: int) -> dict[str, float]:
    """The whole command in a process of its own, from file to file: its time and memory."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "text.txt"), Path(folder, "trees.conllu")
        source.write_text(text, encoding="utf-8")
        files = f"--input {shlex.quote(str(source))} --output {shlex.quote(str(target))}"
        return run_command(f"parse {files} --threads {threads}")


def _scores(gold: list[Sentence], conllu: str) -> dict[str, float]:
    system: Any = list(scan([conllu.encode()], False))  # nothing broken is let through
    found = evaluate_raw_text(gold, system).scores
    return {name: round(100 * found[name].f1, 2) for name in METRICS}


def table(result: dict[str, Any]) -> list[Table]:
    """The figures as tables."""
    programs = result["programs"]
    shown = Table(title=f"Raw text of {result['dev']}, {result['words']:,} words; F1 in percent")
    shown.add_column("what")
    for name in programs:
        shown.add_column(name, justify="right")
    shown.add_row("words a second", *(f"{row['words_per_second']:,.0f}" for row in programs.values()))
    shown.add_row("time, arbora = 1", *(f"{row['ratio']:.2f}" for row in programs.values()))
    for metric in METRICS:
        shown.add_row(metric, *(f"{row['scores'][metric]:.2f}" for row in programs.values()))
    others = Table(title=f"Model {result['model']}")
    others.add_column("what")
    others.add_column("measured", justify="right")
    others.add_row("loading", f"{1000 * result['load_seconds']:.0f} ms")
    command = result["command"]
    others.add_row("arbora parse", f"{command['seconds']:.1f} s, {command['megabytes']:.0f} MB")
    for name, row in programs.items():
        if row["trained"]:
            others.add_row(f"{name} was trained with", row["trained"])
    return [shown, others]
