"""Grammars from tags alone: what EM finds of trees that it never saw, by model, start and length limit.

Models learn from the UPOS tags of sentences of up to so many words, without punctuation, and parse such
sentences of dev by minimum risk. Beside them: trees that branch to one side, models as they are right after
their start, and models that are counted from the trees, which is what their independence assumptions allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from arbora.dependency import ParseOptions
from arbora.errors import ArboraError, FileError
from arbora.experiments.figure import line_chart
from arbora.generative.corpus import reduced
from arbora.generative.data import read_corpus
from arbora.generative.options import EXPECTATIONS, PUNCTUATION, GenerativeOptions
from arbora.generative.parser import GenerativeParser
from arbora.generative.task import GenerativeTask
from arbora.training import run as run_training
from arbora.treebank import Sentence

MODELS = (("bigram", True), ("bigram", False), ("valence", True))
"""Each model, and whether its trees are projective."""
STARTS = ("harmonic", "uniform", "random")
UNTRAINED, COUNTED, NONE = ("uniform", "harmonic"), "counted from trees", "none"
SHORT = 10
"""Up to this length, there is a second limit, of twice as many words."""
COLUMNS = ("model", "trees", "start", "EM", "up to", "iterations", "log_likelihood", "directed", "undirected")
HEADINGS = (*COLUMNS[:5], "iter.", "log-lik.", "dir.", "undir.")


def run(
    train: str | None = None,
    dev: str | None = None,
    *,
    length: int = 10,
    epochs: int = 40,
    seed: int = 1,
    limits: Sequence[int] | None = None,
    threads: int = 2,
    progress: Callable[[int, int], None] = lambda done, all_: None,
) -> dict[str, Any]:
    """Train all models on sentences of up to each of ``limits`` words, and parse those of dev: plain data.

    ``log_likelihood`` is that of the training sentences under the model, per word, all trees summed over;
    bigram models give it for words whose number is known. Each of ``curves`` belongs to the row at its place,
    and has what every iteration began with; that of hard EM is of the best trees alone.
    """
    if train is None or dev is None:
        raise ArboraError("the experiment induction needs --train and --dev, two files in CoNLL-U")
    learned, gold = _read(train), [one for one in _read(dev) if len(one) <= length]
    if not gold:
        raise FileError(f"no sentence has up to {length} words, so that there is nothing to parse", file=dev)
    if any(None in sentence.heads for sentence in gold):
        raise FileError("words without heads: attachment is counted against trees", file=dev)
    if limits is None:
        limits = (length, 2 * length) if length <= SHORT else (length,)
    rows = [_row({"start": name}, gold, heads) for name, heads in _branching(gold).items()]
    curves = [_curve([], 1) for _ in rows]
    planned = list(_planned(limits, epochs, seed))
    for done, (em, options) in enumerate(planned, 1):
        seen = [sentence for sentence in learned if len(sentence) <= options.longest]
        parser = _learn(seen, em, options, threads)
        curves.append(_curve(_iterations(parser), sum(map(len, seen))))
        rows.append(_row(_about(parser, em, seen, threads), gold, _parse(parser, gold, threads)))
        progress(done, len(planned))
    about = {"train": Path(train).name, "dev": Path(dev).name, "length": length, "limits": list(limits)}
    about |= {"epochs": epochs, "seed": seed, "sentences": len(gold), "words": sum(map(len, gold))}
    return {**about, "rows": rows, "curves": curves}


def _read(path: str) -> list[Sentence]:
    """The sentences of a file without punctuation, but none that has nothing else."""
    options = GenerativeOptions()
    found = (reduced(sentence, options) for sentence in read_corpus(path, options))
    return [sentence for sentence in found if len(sentence) and PUNCTUATION not in sentence.upos]


def _branching(gold: Sequence[Sentence]) -> dict[str, list[list[int]]]:
    """Heads if every word hangs from the next, the last from the root, and if each does from the previous."""
    return {
        "left-branching": [[*range(2, len(sentence) + 1), 0] for sentence in gold],
        "right-branching": [list(range(len(sentence))) for sentence in gold],
    }


def _planned(limits: Iterable[int], epochs: int, seed: int) -> Iterator[tuple[str, GenerativeOptions]]:
    """What is trained, in order: how EM takes its expectations, or what is in its place, and the options."""
    for limit, (model, projective) in product(limits, MODELS):
        shared: dict[str, Any] = {"model": model, "projective": projective, "longest": limit, "seed": seed}
        for start in UNTRAINED:
            yield NONE, GenerativeOptions(start=start, iterations=1, **shared)
        for start, em in product(STARTS, EXPECTATIONS):
            yield em, GenerativeOptions(start=start, expectations=em, iterations=epochs, **shared)
        yield COUNTED, GenerativeOptions(start="supervised", iterations=0, **shared)


def _learn(seen: Sequence[Sentence], em: str, options: GenerativeOptions, threads: int) -> GenerativeParser:
    """The model that these options make, or as it is right after the start."""
    task = GenerativeTask(seen, None, options, threads=threads)
    if em != NONE:
        return run_training(task)
    task.begin(task.stages[0])
    return GenerativeParser.from_parts(*task.judge(task.stages[0]).parts)


def _parse(parser: GenerativeParser, gold: Iterable[Sentence], threads: int) -> list[list[int]]:
    """Heads by minimum risk."""
    found = parser.parse(gold, ParseOptions(decoder="mbr", threads=threads))
    return [[head for head in sentence.heads if head is not None] for sentence in found]


def _iterations(parser: GenerativeParser) -> list[dict[str, Any]]:
    """The reports of EM: none if there was none."""
    return [row for row in parser.header.get("report", {}).get("epochs", []) if "log_likelihood" in row]


def _about(parser: GenerativeParser, em: str, seen: Sequence[Sentence], threads: int) -> dict[str, Any]:
    """What a row says of a model, besides how it parses."""
    options = parser.model.options
    total = float(parser.log_probabilities(seen, threads=threads).sum())
    return {
        "model": options.model,
        "trees": "projective" if options.trees[1] else "any",
        "start": em if em == COUNTED else options.start,
        "EM": NONE if em == COUNTED else em,
        "up to": options.longest,
        "iterations": len(_iterations(parser)),
        "log_likelihood": total / sum(map(len, seen)),
    }


def _row(about: dict[str, Any], gold: Sequence[Sentence], found: Sequence[Sequence[int]]) -> dict[str, Any]:
    directed, undirected = attachment([sentence.heads for sentence in gold], found)
    return {**dict.fromkeys(COLUMNS), **about, "directed": directed, "undirected": undirected}


def attachment(gold: Iterable[Sequence[int | None]], found: Iterable[Sequence[int]]) -> tuple[float, float]:
    """The percentage of words with the right head, and of those whose arc is right in one direction or other.

    >>> attachment([[0, 1]], [[2, 0]])
    (0.0, 50.0)
    """
    words = directed = undirected = 0
    for right, heads in zip(gold, found, strict=True):
        for word, (wanted, head) in enumerate(zip(right, heads, strict=True), 1):
            words += 1
            directed += wanted == head
            undirected += wanted == head or (head > 0 and right[head - 1] == word)
    return 100 * directed / words, 100 * undirected / words


def _curve(epochs: Sequence[dict[str, Any]], words: int) -> dict[str, list[float]]:
    """What EM makes greater, per word, before each iteration; ``objective`` is with the prior."""
    return {name: [row[name] / words for row in epochs] for name in ("log_likelihood", "objective")}


def table(result: dict[str, Any]) -> Table:
    """A row for each model."""
    shown = Table(
        box=SIMPLE_HEAD,
        padding=0,
        title=f"Attachment in {result['sentences']} sentences ({result['words']} words) of up to "
        f"{result['length']} words of {result['dev']}, by grammars from {result['train']}, in %",
        caption="log-lik.: of the sentences that a model learned from, per word, at the end",
    )
    for place, heading in enumerate(HEADINGS):
        shown.add_column(heading, justify="left" if place < COLUMNS.index("up to") else "right")
    for row in result["rows"]:
        shown.add_row(*(_cell(name, row[name]) for name in COLUMNS))
    return shown


def _cell(name: str, value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}" if name == "log_likelihood" else f"{value:.1f}"
    return "" if value is None else str(value)


def figure(result: dict[str, Any]) -> str:
    """Lines: the log-likelihood per word by iteration of soft EM, up to the first limit of length.

    The first iteration, whose model is the start itself, is left out: it would press the others together.
    """
    series = {
        f"{row['model']}{'' if row['trees'] == 'projective' else ' *'}, {row['start']}": list(
            enumerate(curve["log_likelihood"], 1)
        )[1:]
        for row, curve in zip(result["rows"], result["curves"], strict=True)
        if row["EM"] == "sum" and row["up to"] == result["limits"][0]
    }
    axes = ("iteration (*: trees may cross)", "log-likelihood per word")
    return line_chart(f"EM on {result['train']}", axes, series, from_zero=False)
