"""Treebanks that a parser can learn from: read, checked, and as the core sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.dependency.linear_model import encode
from arbora.dependency.options import MOST_NAMED_TAGS, TrainingOptions
from arbora.errors import ArboraError, FileError
from arbora.treebank import Sentence, read
from arbora.treebank.formats import find_format

Integers: TypeAlias = npt.NDArray[np.int32]


@dataclass(slots=True)
class TrainingData:
    """A treebank as the core sees it."""

    encoded: _core.Encoded
    heads: Integers
    labels: Integers
    tags: Integers | None = None  # where each word's own stands among those that it may have
    upos: Integers | None = None  # the same as numbers of tags, -1 if there is no such

    def __len__(self) -> int:
        return len(self.encoded)

    def first(self, count: int) -> TrainingData:
        """So many sentences from the beginning, or all if there are fewer."""
        count = min(count, len(self))
        words = sum(self.encoded.lengths()[:count])
        return TrainingData(self.encoded.first(count), self.heads[:words], self.labels[:words])

    def checksum(self) -> bytes:
        """Of all of it."""
        columns = [self.heads, self.labels, *([] if self.upos is None else [self.upos])]
        return b"".join([self.encoded.checksum().to_bytes(8, "little"), *(c.tobytes() for c in columns)])


def encode_trees(sentences: Sequence[Sentence], labels: Mapping[str, int], tags: list[str]) -> TrainingData:
    """A treebank as the core sees it; labels that have no number are -1."""
    heads = np.array([head for sentence in sentences for head in sentence.heads], np.int32)
    numbers = [labels.get(label, -1) for sentence in sentences for label in sentence.deprels]
    data = TrainingData(encode(sentences, tags), heads, np.array(numbers, np.int32))
    if tags:
        data.tags, data.upos = gold_tags(sentences, tags)
    return data


def read_trees(path: str, *, single_root: bool) -> list[Sentence]:
    """The sentences of a treebank that has some words."""
    try:
        with read(path, word_format(path, None), single_root=single_root) as reader:
            found: list[Sentence] = list(reader)
    except FileError as error:
        if error.reason.startswith("two roots"):
            error.reason += "; --multi-root allows that"
        raise
    if not any(map(len, found)):
        raise FileError("there are no words in this treebank", file=path)
    return found


def word_format(path: str, name: str | None) -> str:
    """The name of the file's format, which must be one of words and heads."""
    found = find_format(path, name).name
    if found not in ("conllu", "conllx"):
        raise FileError(f"the format {found} has no heads: it must be conllu or conllx", file=path)
    return found


def tag_names(sentences: Sequence[Sentence]) -> list[str]:
    """The UPOS tags among which a parser will choose; ArboraError if there is nothing to learn that from."""
    key = _core.candidates_key
    if not any(key in misc for sentence in sentences for misc in sentence.misc):
        raise ArboraError(
            f"a parser that chooses tags learns from lists of a tagger ({key} in MISC) beside gold UPOS: "
            "`arbora train pipeline --preset joint` sees to both"
        )
    names = sorted({tag for sentence in sentences for tag in sentence.upos if tag != "_"})
    if len(names) > MOST_NAMED_TAGS:
        raise ArboraError(
            f"there are {len(names)} UPOS tags; a parser chooses among {MOST_NAMED_TAGS} at the most"
        )
    odd = [name for name in names if set(name) & set(";|")]
    if odd:
        raise ArboraError(f"the tag {odd[0]!r} has no place in a list of tags, which has ; and | between")
    return names


def gold_tags(
    sentences: Sequence[Sentence], names: list[str]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Where each word's UPOS stands among the tags that it may have, and its number.

    Where a list has not the right tag, the tagger's own is what can be learned: it stands first.
    """
    numbers = {name: number for number, name in enumerate(names)}
    places, upos = [], []
    for sentence in sentences:
        listed = _core.candidate_tags(names, sentence.upos, sentence.misc)[1]
        for own, tag in zip(listed, sentence.upos, strict=True):
            number = numbers.get(tag, -1)
            choices = [choice for choice, _ in own] or list(range(len(names)))
            places.append(choices.index(number) if number in choices else 0)
            upos.append(number)
    return np.array(places, np.int32), np.array(upos, np.int32)


def check_trees(sentences: Sequence[Sentence], options: TrainingOptions, name: str) -> None:
    """Every sentence must be a whole tree of the wanted kind."""
    for number, sentence in enumerate(sentences, 1):
        place = f"{name} sentence {number} ({' '.join(sentence.forms[:5])!r})"
        if None in sentence.heads:
            word = sentence.heads.index(None) + 1
            raise ArboraError(f"{place}: word {word} has no head, and training needs whole trees")
        if "_" in sentence.deprels:
            word = sentence.deprels.index("_") + 1
            raise ArboraError(f"{place}: word {word} has no relation, and training needs whole trees")
        if not all(head is not None and 0 <= head <= len(sentence) for head in sentence.heads):
            raise ArboraError(f"{place}: a head is not in the sentence")
        if _core.head_cycles(sentence.heads):
            raise ArboraError(f"{place}: the heads form a cycle")
        if options.single_root and sentence.heads.count(0) != 1:
            raise ArboraError(
                f"{place} has {sentence.heads.count(0)} roots; allow that in training (--multi-root)"
            )


def usable_trees(sentences: Sequence[Sentence], options: TrainingOptions) -> tuple[list[Sentence], int]:
    """The sentences that can be learned from, and how many others there are."""
    found = [sentence for sentence in sentences if len(sentence)]
    if not found:
        raise ArboraError("the training data has no words")
    check_trees(found, options, "training")
    if not options.projective:
        return found, 0
    # A gold tree that is not among the trees would have no probability.
    projective = [sentence for sentence in found if not _core.nonprojective_words(sentence.heads)]
    if not projective:
        raise ArboraError("no sentence of the training data is projective; train without --projective")
    return projective, len(found) - len(projective)
