"""How good a pipeline is on a treebank: from raw text, from gold tokens, and from gold tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arbora.dependency import ParseOptions
from arbora.dependency.treebanks import whole_trees
from arbora.evaluation import calibrations, evaluate, evaluate_raw_text
from arbora.pipeline.pipeline import Pipeline
from arbora.text.tokenizing.running_text import paragraphs_of, running_text
from arbora.treebank import Sentence
from arbora.treebank.conllu import scan

SHOWN = {
    "raw_text": ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS"),
    "gold_tokens": ("UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS"),
    "gold_tags": ("UAS", "LAS"),
}
"""From what, and which of the CoNLL 2018 metrics tell something then."""


def measure_pipeline(
    pipeline: Pipeline, gold: Sequence[Sentence], *, threads: int = 1
) -> dict[str, dict[str, float]]:
    """F1 of the CoNLL 2018 metrics, in percent: from raw text, from gold tokens, and from gold tags.

    The raw text is that of the treebank, its sentences joined by spaces and its paragraphs by blank lines.
    Words whose gold head or relation is not known do not count for UAS and LAS.
    """
    options = ParseOptions(threads=threads)
    text = running_text(paragraphs_of(gold)).text.encode()
    found = {
        "raw_text": list(scan((piece.data for piece in pipeline.parse_text([text], options)), False)),
        "gold_tokens": list(pipeline.annotate(map(_untagged, gold), options)),
        "gold_tags": list(pipeline.parser.parse((sentence.copy() for sentence in gold), options)),
    }
    return {kind: _scores(gold, system, SHOWN[kind]) for kind, system in found.items()}


def measure_calibration(
    pipeline: Pipeline, gold: Sequence[Sentence], *, threads: int = 1
) -> dict[str, float]:
    """Expected calibration errors of heads, labels and labelled arcs, from gold tokens of whole trees."""
    whole = whole_trees(gold)
    options = ParseOptions(probabilities=True, threads=threads)
    found = list(pipeline.annotate(map(_untagged, whole), options))
    result = evaluate(whole, found)
    errors = calibrations(found, result.right_heads, result.right_arcs)
    return {name: round(own.error, 4) for name, own in errors.items()}


def _untagged(sentence: Sentence) -> Sentence:
    copy = sentence.copy()
    for column in ("lemmas", "upos", "xpos", "feats", "deprels"):
        setattr(copy, column, ["_"] * len(copy))
    copy.heads = [None] * len(copy)
    return copy


def _scores(gold: Sequence[Sentence], system: Any, names: tuple[str, ...]) -> dict[str, float]:
    found = evaluate_raw_text(gold, system, annotated_only=True).scores
    return {name: round(100 * found[name].f1, 2) for name in names if found[name].gold}
