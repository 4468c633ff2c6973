"""Parsers trained in a moment, on the treebanks among the examples."""

from __future__ import annotations

from pathlib import Path

from arbora.dependency import DependencyParser, ParseOptions, TrainingOptions
from arbora.treebank import Sentence, read

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "treebank"
SMALL = TrainingOptions(epochs=2, bits=14, pruner_bits=12, pruner_epochs=1, batch=3)


def changed(**options) -> TrainingOptions:
    return TrainingOptions(**{**SMALL.as_dict(), **options})


def treebank(language: str = "en") -> list[Sentence]:
    return list(read(EXAMPLES / f"{language}.conllu"))


def las(parser: DependencyParser, sentences: list[Sentence], options: ParseOptions | None = None) -> float:
    right = words = 0
    for gold, found in zip(sentences, parser.parse((s.copy() for s in sentences), options), strict=True):
        for expected, got in zip(zip(gold.heads, gold.deprels, strict=True),
                                 zip(found.heads, found.deprels, strict=True), strict=True):  # fmt: skip
            right += expected == got
            words += 1
    return right / words
