"""How good, fast and small a first-order parser is that is trained here and now; every figure in one run.

Training and the stream of a million words run in processes of their own, so that their memory can be told.
"""

from __future__ import annotations

import gc
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from rich.table import Table

from arbora.dependency import DependencyParser, ParseOptions
from arbora.errors import ArboraError
from arbora.evaluation import calibrate, evaluate
from arbora.treebank import Sentence, read, write
from arbora.treebank.findings import head_probabilities

STREAM_WORDS = 1_000_000

# Runs a command of Arbora's in a process of its own and says how long it took and how much memory it had.
_CHILD = """
import json, re, resource, sys, time
from arbora.cli import app
start = time.perf_counter()
try:
    app(json.loads(sys.argv[1]), standalone_mode=False)
finally:
    try:  # getrusage counts what the parent had when it forked
        peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": time.perf_counter() - start, "megabytes": peak}))
"""


def measure(
    train: str | os.PathLike[str] | None = None,
    dev: str | os.PathLike[str] | None = None,
    *,
    labels: str = "joint",
    epochs: int = 10,
    threads: int = 2,
    stream_words: int = STREAM_WORDS,
) -> dict[str, Any]:
    """Train on one file, parse the other: accuracy, times, sizes, memory, as plain data.

    Parsing is timed in this process on sentences that are there already (``words_per_second``; the fastest of
    five rounds, one thread and ``threads``), and as the whole command from file to file (``command``).
    """
    if train is None or dev is None:
        raise ArboraError("the benchmark parser needs --train and --dev, two CoNLL-U files")
    gold: list[Sentence] = list(read(dev, single_root=False))
    with tempfile.TemporaryDirectory() as folder:
        model, small = os.path.join(folder, "model.arbora"), os.path.join(folder, "compact.arbora")
        files = f"{shlex.quote(str(train))} --dev {shlex.quote(str(dev))} --output {model}"
        training = run_command(
            f"train parser {files} --labels {labels} --epochs {epochs} --threads {threads}"
        )
        start = time.perf_counter()
        parser = DependencyParser.load(model)
        load_seconds = time.perf_counter() - start
        parser.save(small, compact_weights=True)
        result = {
            "train": Path(train).name,
            "dev": Path(dev).name,
            "labels": labels,
            "words": sum(map(len, gold)),
            "training": training,
            "pruner": parser.header["report"]["epochs"][0],
            "load_seconds": load_seconds,
            "bytes": os.path.getsize(model),
            "scores": score(parser, gold, ParseOptions()),
            "mbr": score(parser, gold, ParseOptions(decoder="mbr")),
            "calibration_error": calibration_error(parser, gold),
            "compact": {
                "bytes": os.path.getsize(small),
                "scores": score(DependencyParser.load(small), gold, ParseOptions()),
            },
            "words_per_second": _speeds(parser, gold, threads),
        }
        stream = os.path.join(folder, "stream.conllu")
        words = _write_stream(stream, gold, stream_words)
        parsed = os.path.join(folder, "parsed.conllu")
        result["stream"] = {
            str(count): {"words": words}
            | run_command(f"parse --model {model} --input {stream} --output {parsed} --threads {count}")
            for count in (1, threads)
        }
    return result


def run_command(command: str) -> dict[str, float]:
    """Run a command of Arbora's in a process of its own: its seconds and megabytes."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, json.dumps(shlex.split(command))],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ArboraError(done.stderr.strip().splitlines()[-1])
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _parsed(parser: DependencyParser, gold: list[Sentence], options: ParseOptions) -> list[Sentence]:
    return list(parser.parse([sentence.copy() for sentence in gold], options))


def score(parser: DependencyParser, gold: list[Sentence], options: ParseOptions) -> dict[str, float]:
    """UAS, and LAS with subtypes, over all words."""
    scores = evaluate(gold, _parsed(parser, gold, options)).as_dict()["scores"]
    return {"UAS": scores["UAS"]["f1"], "LAS": scores["LAS with subtypes"]["f1"]}


def calibration_error(parser: DependencyParser, gold: list[Sentence]) -> float:
    """The expected calibration error of the heads of least-risk trees."""
    found = _parsed(parser, gold, ParseOptions(decoder="mbr", probabilities=True))
    probabilities = [each for sentence in found for each in head_probabilities(sentence) or []]
    return calibrate(probabilities, evaluate(gold, found).right_heads).error


def _speeds(parser: DependencyParser, gold: list[Sentence], threads: int) -> dict[str, dict[str, float]]:
    """Words a second by decoder and number of threads, measured in turns."""
    settings = [(decoder, count) for decoder in ("best", "mbr") for count in (1, threads)]
    best = dict.fromkeys(settings, float("inf"))
    words = sum(map(len, gold))
    for _ in range(5):
        for setting in settings:
            sentences = [sentence.copy() for sentence in gold]
            options = ParseOptions(decoder=setting[0], threads=setting[1])
            gc.collect()
            gc.freeze()  # a stream would not hold all these sentences for the collector to look at
            start = time.perf_counter()
            for _ in parser.parse(sentences, options):
                pass
            best[setting] = min(best[setting], time.perf_counter() - start)
    gc.unfreeze()
    result: dict[str, dict[str, float]] = {"best": {}, "mbr": {}}
    for (decoder, count), seconds in best.items():
        result[decoder][str(count)] = words / seconds
    return result


def _write_stream(path: str, gold: list[Sentence], words: int) -> int:
    rounds = -(-words // max(sum(map(len, gold)), 1))
    write(path, islice(cycle(gold), rounds * len(gold)))
    return rounds * sum(map(len, gold))


def table(result: dict[str, Any]) -> Table:
    """The figures as a table."""
    shown = Table(title=f"{result['train']}, {result['dev']} ({result['words']:,} words), {result['labels']}")
    shown.add_column("what")
    shown.add_column("measured", justify="right")
    for name, key in (("best tree", "scores"), ("least risk", "mbr")):
        shown.add_row(f"UAS / LAS, {name}", _pair(result[key]))
    shown.add_row("UAS / LAS, compact", _pair(result["compact"]["scores"]))
    shown.add_row("expected calibration error of heads", f"{result['calibration_error']:.4f}")
    pruner = result["pruner"]
    if "heads" in pruner:
        lost = f"{pruner['heads']:.2f}, {100 * pruner['lost']:.2f} % of gold arcs lost"
        shown.add_row("candidate heads a word", lost)
    shown.add_row(
        "training", f"{result['training']['seconds']:.1f} s, {result['training']['megabytes']:.0f} MB"
    )
    shown.add_row(
        "model file", f"{result['bytes'] / 1e6:.1f} MB, compact {result['compact']['bytes'] / 1e6:.1f} MB"
    )
    shown.add_row("loading", f"{1000 * result['load_seconds']:.1f} ms")
    for decoder, speeds in result["words_per_second"].items():
        (_, one), (count, many) = speeds.items()
        shown.add_row(
            f"words a second, {decoder}", f"{one:,.0f}; {count} threads {many:,.0f} ({many / one:.2f}x)"
        )
    for count, run in result["stream"].items():
        speed = run["words"] / run["seconds"]
        shown.add_row(
            f"command, {run['words']:,} words, {count} thread(s)",
            f"{speed:,.0f} words a second, {run['megabytes']:.0f} MB",
        )
    return shown


def _pair(scores: dict[str, float]) -> str:
    return f"{100 * scores['UAS']:.2f} / {100 * scores['LAS']:.2f}"
