"""Parsers trained in a moment, on the treebanks among the examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbora.dependency import DependencyParser, ParseOptions, TrainingOptions, train
from arbora.treebank import Sentence, read

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "treebank"
SMALL = TrainingOptions(epochs=2, bits=14, pruner_bits=12, pruner_epochs=1, batch=3, projective=False)


def changed(**options) -> TrainingOptions:
    return TrainingOptions(**{**SMALL.as_dict(), **options})


def treebank(language: str = "en") -> list[Sentence]:
    return list(read(EXAMPLES / f"{language}.conllu"))


def check_same_bytes(folder: Path, data: list[Sentence] | None = None, **options) -> None:
    """Any threads, and a run that was killed, give the same model file; another seed gives another."""
    data = data or treebank()

    def file_of(seed: int = 1, **more) -> bytes:
        train(data, data[:5], changed(**options, seed=seed), **more).save(folder / "model")
        return (folder / "model").read_bytes()

    def kill(report):
        if report.epoch == 1:
            raise InterruptedError

    first = file_of()
    assert file_of(threads=3) == first
    assert file_of(seed=2) != first
    with pytest.raises(InterruptedError):
        file_of(checkpoint=folder / "checkpoint", progress=kill)
    assert file_of(checkpoint=folder / "checkpoint", resume=True) == first


def las(parser: DependencyParser, sentences: list[Sentence], options: ParseOptions | None = None) -> float:
    right = words = 0
    for gold, found in zip(sentences, parser.parse((s.copy() for s in sentences), options), strict=True):
        for expected, got in zip(zip(gold.heads, gold.deprels, strict=True),
                                 zip(found.heads, found.deprels, strict=True), strict=True):  # fmt: skip
            right += expected == got
            words += 1
    return right / words
