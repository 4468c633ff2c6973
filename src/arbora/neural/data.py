"""A treebank as the network sees it: sub-words, numbers of heads, labels and tags, in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from arbora import _core
from arbora.neural.heads import TagInventory
from arbora.neural.network import Words
from arbora.neural.subwords import Subwords
from arbora.treebank import Sentence

Integers: TypeAlias = npt.NDArray[np.int32]

UNKNOWN = -1
"""Of heads, labels and tags."""
NEAR = 6
"""Sentences of lengths that differ by less come together at random."""


@dataclass(frozen=True)
class Example:
    """A sentence: sub-words of shape (m,), and for the root and each word, (n+1,), what is known.

    ``tags`` are columns of scores, of shape (n+1, 3).
    """

    ids: Integers
    shapes: Integers
    firsts: Integers
    heads: Integers
    labels: Integers
    tags: Integers


@dataclass(frozen=True)
class Batch:
    """Some sentences, padded; ``lengths`` are numbers of words."""

    words: Words
    lengths: list[int]
    heads: Integers
    labels: torch.Tensor
    tags: torch.Tensor


def make_examples(
    sentences: Sequence[Sentence],
    subwords: Subwords,
    labels: Sequence[str],
    tags: TagInventory | None,
    longest: int,
    *,
    threads: int = 1,
) -> list[Example]:
    """Examples of sentences of at most ``longest`` sub-words, marks included; longer ones are left out."""
    numbers = {name: number for number, name in enumerate(labels)}
    columns = _tag_columns(tags)
    forms = [list(sentence.forms) for sentence in sentences]
    flat = _core.neural_sequences(subwords.core, subwords.cls, subwords.sep, forms, threads)
    ids, shapes, ends, firsts = flat
    examples, begin, word = [], 0, 0
    for sentence, end in zip(sentences, ends.tolist(), strict=True):
        count = len(sentence) + 1
        if end - begin <= longest and count > 1:
            heads = [UNKNOWN, *(UNKNOWN if head is None else head for head in sentence.heads)]
            named = [UNKNOWN, *(numbers.get(label, UNKNOWN) for label in sentence.deprels)]
            rows = zip(sentence.upos, sentence.xpos, sentence.feats, strict=True)
            tagged = [
                [UNKNOWN] * 3,
                *([own.get(name, UNKNOWN) for own, name in zip(columns, row, strict=True)] for row in rows),
            ]
            examples.append(
                Example(
                    ids[begin:end],
                    shapes[begin:end].astype(np.int32),
                    firsts[word : word + count].astype(np.int32),
                    np.array(heads, np.int32),
                    np.array(named, np.int32),
                    np.array(tagged, np.int32),
                )
            )
        begin, word = end, word + count
    return examples


def _tag_columns(tags: TagInventory | None) -> list[dict[str, int]]:
    """For each of UPOS, XPOS and FEATS the numbers of its names."""
    if tags is None:
        return [{}, {}, {}]
    return [{name: number for number, name in enumerate(own)} for own in (tags.upos, tags.xpos, tags.feats)]


def batches(examples: Sequence[Example], size: int, seed: Sequence[int]) -> Iterator[Batch]:
    """All examples in batches of about ``size`` sub-words, padding included, in an order by the seed."""
    rng = np.random.default_rng(seed)
    lengths = np.array([len(example.ids) for example in examples])
    order = np.argsort(lengths + rng.random(len(examples)) * NEAR, kind="stable")
    groups: list[list[int]] = [[]]
    widest = 0
    for number in order.tolist():
        widest = max(widest, int(lengths[number]))
        if groups[-1] and widest * (len(groups[-1]) + 1) > size:
            groups.append([])
            widest = int(lengths[number])
        groups[-1].append(number)
    for place in rng.permutation(len(groups)).tolist():
        yield _padded([examples[number] for number in groups[place]])


def _padded(examples: Sequence[Example]) -> Batch:
    def joined(name: str, fill: int) -> npt.NDArray[Any]:
        arrays = [getattr(example, name) for example in examples]
        result = np.full((len(arrays), max(map(len, arrays)), *arrays[0].shape[1:]), fill, np.int32)
        for row, array in zip(result, arrays, strict=True):
            row[: len(array)] = array
        return result

    ids = joined("ids", 0)
    widths = np.array([len(example.ids) for example in examples])
    words = Words(
        torch.from_numpy(ids).long(),
        torch.from_numpy(joined("shapes", 0)).long(),
        torch.from_numpy(np.arange(ids.shape[1]) < widths[:, None]),
        torch.from_numpy(joined("firsts", 0)).long(),
    )
    return Batch(
        words,
        [len(example.heads) - 1 for example in examples],
        joined("heads", UNKNOWN),
        torch.from_numpy(joined("labels", UNKNOWN)).long(),
        torch.from_numpy(joined("tags", UNKNOWN)).long(),
    )
