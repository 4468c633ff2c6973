"""Sentences to learn a generative model from: read, checked, cut to what the model wants of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from arbora import trees
from arbora.dependency.treebanks import known_labels
from arbora.errors import ArboraError, FileError, InfeasibleTreeError
from arbora.generative.corpus import Item, encode, list_arcs, reduced
from arbora.generative.options import GenerativeOptions
from arbora.generative.units import Units, has_tags
from arbora.treebank import Sentence, read
from arbora.treebank.checks import line_of
from arbora.treebank.formats import find_format
from arbora.treebank.sentence import UNKNOWN

PLAIN = "horizontal"
"""The format of a file whose name tells none: a sentence a line, words between spaces."""


def read_corpus(path: str, options: GenerativeOptions) -> list[Sentence]:
    """The sentences of a file: CoNLL-U, CoNLL-X, or plain words; FileError if they cannot be learned from."""
    try:
        format = find_format(path).name
    except ArboraError:
        format = PLAIN
    if format == "brackets":
        raise FileError("brackets have no dependencies: give conllu, conllx, or plain words", file=path)
    with read(path, format, single_root=False) as reader:
        found: list[Sentence] = list(reader)
    try:
        check_corpus(found, options)
    except FileError as error:
        error.file = path
        raise
    return found


def check_corpus(sentences: Sequence[Sentence], options: GenerativeOptions) -> None:
    """ArboraError if there are no words, or tags are missing that the model needs."""
    if not any(map(len, sentences)):
        raise FileError("there are no sentences with words here")
    if not has_tags(options):
        return
    for number, sentence in enumerate(sentences, 1):
        tags = getattr(sentence, options.tags)
        if UNKNOWN in tags:
            name, words = sentence.sent_id or f"#{number}", " ".join(sentence.forms[:5])
            place, kind = tags.index(UNKNOWN) + 1, options.tags.upper()
            line, _, has_word_lines = sentence._place
            raise FileError(
                f"word {place} has no {kind} tag; "
                "tag the file first (`arbora tag`), or learn with --units words",
                line=line_of(sentence, line, str(place)) if has_word_lines and line else line or None,
                sentence=f"{name} ({words!r})",
            )


class Chosen(NamedTuple):
    """The sentences that a model can learn from, and how many were left out, by the reason."""

    sentences: list[Sentence]
    left_out: dict[str, int]


def choose_sentences(sentences: Iterable[Sentence], options: GenerativeOptions) -> Chosen:
    """Sentences without what does not belong to trees, as far as they are not empty or too long."""
    kept, empty, long = [], 0, 0
    for sentence in sentences:
        own = reduced(sentence, options)
        if not len(own):
            empty += 1
        elif len(own) > options.longest:
            long += 1
        else:
            kept.append(own)
    return Chosen(kept, {"empty": empty, "longer": long})


def encode_corpus(
    sentences: Sequence[Sentence],
    units: Units,
    labels: Sequence[str],
    *,
    trees: bool,
) -> list[Item]:
    """Sentences in numbers; with what they have of trees, if that is wanted."""
    numbers = {label: number for number, label in enumerate(labels)}
    return [
        encode(sentence, units, numbers, with_trees=trees, with_labels=bool(labels)) for sentence in sentences
    ]


def label_names(sentences: Iterable[Sentence], options: GenerativeOptions) -> list[str]:
    """The labels that a model with labels learns, in order; none without."""
    if not options.labels:
        return []
    return known_labels(list(sentences))


def is_whole(item: Item, labels: int) -> bool:
    """Whether all of its tree is known."""
    return item.is_whole and (labels <= 1 or bool((item.labels[1:] >= 0).all()))


def fitting(items: Sequence[Item], options: GenerativeOptions, labels: int) -> list[Item]:
    """Those that have a tree of the wanted kind with what is given of them."""
    single_root, projective = options.trees
    found = []
    for item in items:
        if (item.heads[1:] >= 0).any():
            arcs = list_arcs([item], max(labels, 1))
            try:
                trees.mst(
                    arcs.scores(np.zeros(len(arcs.places)))[0], single_root=single_root, projective=projective
                )
            except InfeasibleTreeError:
                continue
        found.append(item)
    return found
