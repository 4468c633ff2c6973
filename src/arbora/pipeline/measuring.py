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
        "gold_tokens": list(pipeline.annotate(map(untagged, gold), options)),
        "gold_tags": list(pipeline.parser.parse((sentence.copy() for sentence in gold), options)),
    }
    return {kind: _scores(gold, system, SHOWN[kind]) for kind, system in found.items()}


def measure_calibration(
    pipeline: Pipeline, gold: Sequence[Sentence], *, threads: int = 1
) -> dict[str, float]:
    """Expected calibration errors of heads, labels and labelled arcs, of whole trees.

    They are those from gold tokens, and from raw text that of heads: of all words that are found there, those
    that are none of gold have a wrong head.
    """
    whole = whole_trees(gold)
    if not any(map(len, whole)):
        return {}
    options = ParseOptions(probabilities=True, threads=threads)
    found = list(pipeline.annotate(map(untagged, whole), options))
    result = evaluate(whole, found)
    errors = calibrations(found, result.right_heads, result.right_arcs)
    from_text = pipeline(running_text(paragraphs_of(whole)).text, options).sentences
    judged = evaluate_raw_text(whole, from_text)
    heads, arcs = list(map(bool, judged.right_heads)), list(map(bool, judged.right_arcs))
    errors["heads, raw text"] = calibrations(from_text, heads, arcs)["heads"]
    return {name: round(own.error, 4) for name, own in errors.items()}


def untagged(sentence: Sentence) -> Sentence:
    """A copy that has no more than the words."""
    copy = sentence.copy()
    for column in ("lemmas", "upos", "xpos", "feats", "deprels"):
        setattr(copy, column, ["_"] * len(copy))
    copy.heads = [None] * len(copy)
    return copy


def _scores(gold: Sequence[Sentence], system: Any, names: tuple[str, ...]) -> dict[str, float]:
    found = evaluate_raw_text(gold, system, annotated_only=True).scores
    return {name: round(100 * found[name].f1, 2) for name in names if found[name].gold}
