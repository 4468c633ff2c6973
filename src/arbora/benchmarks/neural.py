"""Raw text to trees by the models that ship, linear and neural, and others; the encoder beside its peers."""

from __future__ import annotations

import os
import shlex
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.table import Table

from arbora.benchmarks.parser import run_command
from arbora.dependency import ParseOptions
from arbora.errors import ArboraError
from arbora.evaluation import calibrations, evaluate
from arbora.pipeline import Pipeline, shipped_models
from arbora.pipeline.measuring import measure_pipeline
from arbora.text.tokenizing.running_text import paragraphs_of, running_text
from arbora.treebank import Sentence, read

ROUNDS = 5
PUBLISHED = 878
"""Words a second that Stanza's authors report for a processor."""
SCORES = ("UPOS", "XPOS", "UFeats", "Lemmas", "LAS")


def measure(
    dev: str | os.PathLike[str] | None = None,
    *,
    models: Sequence[str] = (),
    peers: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Words a second, accuracy and memory of pipelines on one core: plain data.

    ``models`` are files beside the shipped models. Words a second are of the fastest of five rounds in turns,
    from a text in memory to CoNLL-U in memory. ``peers`` is the folder, or the package, of the encoder that
    neural ones began with: then its layers are run by ONNX Runtime and torch too, if these are there, and
    networks of Stanza's sizes by torch.
    """
    if dev is None:
        raise ArboraError("the benchmark neural needs --dev, a CoNLL-U file")
    gold: list[Sentence] = list(read(dev, single_root=False))
    text = running_text(paragraphs_of(gold)).text
    files = {model.name: model.path for model in shipped_models()} | {
        Path(name).stem: name for name in models
    }
    pipelines = {name: _load(path) for name, path in files.items()}
    runs = {name: _runner(nlp, text) for name, (nlp, _) in pipelines.items()}
    if peers is not None and find_spec("torch"):
        from arbora.benchmarks.stanza_sizes import stanza_like

        for name, language_models in (("Stanza's sizes", True), ("Stanza's, small", False)):
            runs[name] = stanza_like(gold, language_models=language_models)
    seconds = _in_turns(runs)
    words = sum(map(len, gold))
    return {
        "dev": Path(dev).name,
        "words": words,
        "speeds": {name: words / own for name, own in seconds.items()},
        "models": {
            name: {
                "bytes": os.path.getsize(files[name]),
                "load_seconds": loading,
                "megabytes": _memory(text, files[name]),
                **_accuracy(nlp, gold),
            }
            for name, (nlp, loading) in pipelines.items()
        },
        "encoders": [] if peers is None else _encoders(peers, dev, pipelines),
    }


def _load(path: str | os.PathLike[str]) -> tuple[Pipeline, float]:
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        nlp = Pipeline.load(path)
        best = min(best, time.perf_counter() - started)
    return nlp, best


def _runner(nlp: Pipeline, text: str) -> Callable[[], int]:
    def run() -> int:
        return sum(piece.words for piece in nlp.parse_text([text.encode()], ParseOptions()))

    return run


def _in_turns(runs: dict[str, Callable[[], int]]) -> dict[str, float]:
    best = dict.fromkeys(runs, float("inf"))
    for turn in range(ROUNDS):
        for name, run in runs.items():
            if turn and best[name] > 20:  # a slow one is measured well enough
                continue
            started = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def _accuracy(nlp: Pipeline, gold: list[Sentence]) -> dict[str, Any]:
    """F1 from raw text and from gold tokens, and the calibration error of heads, with gold tokens."""
    found = measure_pipeline(nlp, gold)
    bare = [Sentence(sentence.forms) for sentence in gold]
    parsed = list(nlp.annotate(bare, ParseOptions(probabilities=True)))
    right = evaluate(gold, parsed)
    found_error = calibrations(parsed, right.right_heads, right.right_arcs)["heads"].error
    return {
        "raw_text": found["raw_text"],
        "gold_tokens": found["gold_tokens"],
        "calibration_error": found_error,
    }


def _memory(text: str, model: str) -> float:
    """Of the whole command in a process of its own, in megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "text.txt"), Path(folder, "trees.conllu")
        source.write_text(text, encoding="utf-8")
        names = (shlex.quote(str(name)) for name in (source, target, model))
        return run_command("parse --input {} --output {} --model {} --threads 1".format(*names))["megabytes"]


def _encoders(
    encoder: str | os.PathLike[str], dev: str | os.PathLike[str], pipelines: dict[str, tuple[Pipeline, float]]
) -> list[dict[str, Any]]:
    """The encoder's layers by us and by its peers, as many as the models have."""
    from arbora.benchmarks import encoder_peers

    name = os.fspath(encoder)
    sequences = encoder_peers.treebank_sequences(name, os.fspath(dev))
    parsers = [nlp.parser for nlp, _ in pipelines.values()]
    depths = {parser.encoder.shape.layers for parser in parsers if hasattr(parser, "encoder")}
    return [encoder_peers.measure(name, sequences, layers=layers) for layers in sorted(depths)]


def table(result: dict[str, Any]) -> list[Table]:
    """The figures as tables."""
    models = result["models"]
    shown = Table(title=f"{result['dev']}, {result['words']:,} words; one core; F1 in percent")
    shown.add_column("what")
    for name in models:
        shown.add_column(name, justify="right")
    shown.add_row("words a second", *(f"{result['speeds'][name]:,.0f}" for name in models))
    shown.add_row(
        f"times Stanza's published {PUBLISHED}",
        *(f"{result['speeds'][name] / PUBLISHED:.1f}" for name in models),
    )
    for kind in ("raw_text", "gold_tokens"):
        for score in SCORES:
            cells = (f"{own[kind][score]:.2f}" for own in models.values())
            shown.add_row(f"{score}, from {kind.replace('_', ' ')}", *cells)
    errors = (f"{own['calibration_error']:.3f}" for own in models.values())
    shown.add_row("calibration error of heads", *errors)
    shown.add_row("memory of the command", *(f"{own['megabytes']:.0f} MB" for own in models.values()))
    shown.add_row("file", *(f"{own['bytes'] / 1e6:.1f} MB" for own in models.values()))
    shown.add_row("loading", *(f"{own['load_seconds']:.2f} s" for own in models.values()))
    tables = [shown]
    others = {name: speed for name, speed in result["speeds"].items() if name not in models}
    if others:
        peers = Table("networks with random weights, in torch", "words a second")
        for name, speed in others.items():
            peers.add_row(name, f"{speed:,.0f}")
        tables.append(peers)
    for own in result["encoders"]:
        encoders = Table(
            "program", "words a second", "difference", title=f"The encoder alone, {own['layers']} layers"
        )
        for name, row in own["runs"].items():
            encoders.add_row(name, f"{row['words_per_second']:,.0f}", f"{row['difference']:.1e}")
        tables.append(encoders)
    return tables
