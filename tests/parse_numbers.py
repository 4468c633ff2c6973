"""All that a parse says of sentences, as flat arrays, with all their digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arbora.dependency import DependencyParser, ParseOptions
from arbora.treebank import Sentence


@dataclass
class Numbers:
    """Of words and of sentences; what was not asked for is empty. Labels and tags are the model's numbers."""

    sentences: list[Sentence]
    heads: np.ndarray
    labels: np.ndarray
    tags: np.ndarray
    head_probabilities: np.ndarray
    label_probabilities: np.ndarray
    tag_probabilities: np.ndarray
    log_probabilities: np.ndarray
    gaps: np.ndarray


def _known(parser: DependencyParser, sentence: Sentence) -> Sentence:
    """The sentence without labels that the parser does not know: they bind nothing, and would be kept."""
    copy = sentence.copy()
    copy.deprels = [name if name in parser.labels else "_" for name in copy.deprels]
    return copy


def parse_numbers(parser: DependencyParser, sentences: Sequence[Sentence], options: ParseOptions) -> Numbers:
    """What `DependencyParser.parse` finds; sentences without words are sure of that."""
    found = list(parser.parse([_known(parser, sentence) for sentence in sentences], options))
    labels = {name: number for number, name in enumerate(parser.labels)}
    tags = {name: number for number, name in enumerate(parser.tags)}

    def of_words(name: str) -> np.ndarray:
        own = [sentence.findings[name] for sentence in found if name in (sentence.findings or {})]
        return np.concatenate(own) if own else np.empty(0)

    def of_sentences(name: str) -> np.ndarray:
        own = [(sentence.findings or {}).get(name) for sentence in found]
        return (
            np.array([value or 0.0 for value in own])
            if any(value is not None for value in own)
            else np.empty(0)
        )

    return Numbers(
        found,
        np.array([head for sentence in found for head in sentence.heads], np.int32),
        np.array([labels.get(name, -1) for sentence in found for name in sentence.deprels], np.int32),
        np.array([tags.get(name, -1) for sentence in found for name in sentence.upos], np.int32),
        of_words("HeadProbability"),
        of_words("LabelProbability"),
        of_words("UposProbability"),
        of_sentences("tree_log_probability"),
        of_sentences("certificate"),
    )
