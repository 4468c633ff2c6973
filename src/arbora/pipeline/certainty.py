"""How far heads may be trusted that are found in raw text, where words and sentences may be cut wrongly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.dependency import ParseOptions
from arbora.evaluation import evaluate_raw_text
from arbora.learning.chances import most_likely
from arbora.pipeline.pipeline import Pipeline
from arbora.text import Tokenizer
from arbora.text.tokenizing.running_text import paragraphs_of, running_text
from arbora.treebank import Sentence
from arbora.treebank.findings import CERTAINTY

Floats: TypeAlias = npt.NDArray[np.float64]

MOST_WORDS, LEAST_WORDS = 10_000, 1_500
SHARE = 1 / 75
"""Words that are judged, for each word that a parser learns from."""
BLOCK = 20
"""Sentences that stay together, so that most have the neighbours that they have in the text."""
LEAST_DOUBT = 1e-6
PENALTY = 1.0
ENDS_ALONE = {"words": 0.0, "ends": 1.0}
"""With it, minus the logarithm of a sentence's certainty is the doubt about its ends."""


def fit_certainty(
    pipeline: Pipeline, gold: Sequence[Sentence], learned: int, *, threads: int = 1
) -> dict[str, float]:
    """What a sentence's certainty is made of, by some of the treebank's text.

    A head that is right with the probability p if the text was cut rightly is right with ``p exp(- words -
    ends doubt)``, where the doubt about a sentence is minus the logarithm of the probability that the
    tokenizer gives its two ends; the ends of a text or a paragraph are certain. Returns ``words`` and
    ``ends``, neither below 0, by which the heads of the sample are most likely to be as right as they are.
    ``learned`` is how many words a parser learns from, an epoch's times their number.
    """
    sample = _sample(gold, max(LEAST_WORDS, min(MOST_WORDS, SHARE * learned)))
    text = running_text(paragraphs_of(sample)).text
    options = ParseOptions(probabilities=True, threads=threads)
    document = with_certainty(pipeline, ENDS_ALONE)(text, options)
    rights = evaluate_raw_text(sample, document.sentences, annotated_only=True).right_heads
    found = [
        (probability / certainty, -np.log(certainty))
        for sentence in document.sentences
        for certainty in [(sentence.findings or {}).get(CERTAINTY, 1.0)]
        for probability in sentence.head_probabilities()
    ]
    judged = [(*own, right) for own, right in zip(found, rights, strict=True) if right is not None]
    probabilities, doubts, right = np.array(judged, np.float64).reshape(-1, 3).T
    words, ends = fit_doubts(probabilities, doubts, right > 0)
    return {"words": words, "ends": ends}


def fit_doubts(probabilities: Floats, doubts: Floats, right: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """The two numbers of `fit_certainty`, by the likelihood less a small penalty for being above 0.

    >>> never, always = np.zeros(100), np.ones(100, np.bool_)
    >>> fit_doubts(np.full(100, 0.9), never, always)
    (0.0, 0.0)
    """
    certain = np.clip(probabilities, LEAST_DOUBT, 1 - LEAST_DOUBT)
    columns = np.stack([np.ones_like(doubts), doubts], axis=1)

    def chances(found: Floats) -> tuple[Floats, Floats, Floats]:
        good = np.maximum(certain * np.exp(-columns @ found), LEAST_DOUBT)
        return good, 1 - good, -good[:, None] * columns

    def penalty(found: Floats) -> tuple[float, Floats]:
        return PENALTY * float(found.sum()), np.full(2, PENALTY)

    nothing = np.zeros(2)
    words, ends = most_likely(chances, right, nothing, nothing, np.full(2, np.inf), penalty)
    return float(words), float(ends)


def with_certainty(pipeline: Pipeline, certainty: Mapping[str, float]) -> Pipeline:
    """The same pipeline, with a tokenizer that doubts so much."""

    def changed(component: object) -> object:
        return component.with_certainty(certainty) if isinstance(component, Tokenizer) else component

    return Pipeline(((name, changed(own)) for name, own in pipeline.components.items()), pipeline.card)  # type: ignore[misc]


def certainty_scores(certainty: Mapping[str, float]) -> list[str]:
    """What was learned, in words.

    >>> certainty_scores({"words": 0.0123, "ends": 0.25})
    ['doubt of words 0.012', 'of sentence ends 0.250']
    """
    return [f"doubt of words {certainty['words']:.3f}", f"of sentence ends {certainty['ends']:.3f}"]


def _sample(sentences: Sequence[Sentence], words: float) -> list[Sentence]:
    """Blocks from all over, of about so many words in all."""
    stride = max(1, round(sum(map(len, sentences)) / words))
    places = range(0, len(sentences), BLOCK * stride)
    return [sentence for place in places for sentence in sentences[place : place + BLOCK]]
