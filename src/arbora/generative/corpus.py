"""Sentences as generative models see them: numbers of words, what is given of trees, all arcs in arrays."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.generative.options import GenerativeOptions
from arbora.generative.units import Units, kept_words
from arbora.treebank import Sentence

Integers: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]

LEFT, RIGHT, FROM_ROOT = 0, 1, 2
"""The side of a head that a modifier is on."""
DISTANCES = (2, 3, 7)
"""Where bins of distances begin, after the first: 1, 2, 3 to 6, more."""
CHUNK = 1 << 21
"""So many arcs are worked on together, or those of one sentence."""


@dataclass(frozen=True, slots=True)
class Item:
    """A sentence: numbers of tags and words, heads and labels (-1: not known), with n+1 places each."""

    tags: Integers
    words: Integers
    heads: Integers
    labels: Integers

    @property
    def length(self) -> int:
        """The number of words."""
        return len(self.tags) - 1

    @property
    def is_whole(self) -> bool:
        """Whether all heads are known."""
        return bool((self.heads[1:] >= 0).all())


def reduced(sentence: Sentence, options: GenerativeOptions) -> Sentence:
    """The words that belong to trees, as a sentence; those whose head is left out hang from its head.

    >>> sentence = Sentence(["(", "a", ")"], upos=["PUNCT", "X", "PUNCT"], heads=[2, 0, 1])
    >>> reduced(sentence, GenerativeOptions()).heads
    [0]
    """
    kept = kept_words(sentence, options)
    if len(kept) == len(sentence):
        return sentence
    new = {0: 0, **{word: place for place, word in enumerate(kept, 1)}}
    heads: list[int | None] = []
    for word in kept:
        head, steps = sentence.heads[word - 1], 0
        while head is not None and head not in new:
            head, steps = sentence.heads[head - 1], steps + 1
            if steps > len(sentence):  # a cycle of what is left out
                head = None
        heads.append(None if head is None else new[head])
    names = ("forms", "upos", "xpos", "deprels")
    forms, upos, xpos, deprels = ([getattr(sentence, name)[word - 1] for word in kept] for name in names)
    return Sentence(forms, upos=upos, xpos=xpos, heads=heads, deprels=deprels)


def encode(
    sentence: Sentence, units: Units, labels: Mapping[str, int], *, with_trees: bool, with_labels: bool
) -> Item:
    """A sentence in numbers, with what it has of a tree if that is wanted; unknown labels are not known."""
    tags, words = units.encode(sentence)
    heads, own = np.full(len(tags), -1, np.int32), np.full(len(tags), -1, np.int32)
    if with_trees:
        heads[1:] = [-1 if head is None else head for head in sentence.heads]
        if with_labels:
            own[1:] = [labels.get(label, -1) for label in sentence.deprels]
    return Item(tags, words, heads, own)


@dataclass(frozen=True, slots=True)
class Arcs:
    """The arcs, with labels, that trees of some sentences may have, one after the other.

    ``lengths`` of the sentences; a sentence has (n+1)^2 times ``labels`` places in a flat array of scores,
    and ``places`` (arcs,) says where each arc is. ``features`` (arcs,) by name.
    """

    lengths: list[int]
    labels: int
    places: npt.NDArray[np.int64]
    features: dict[str, Integers]

    def scores(self, values: Floats) -> list[Floats]:
        """A number for each arc as arrays, (n+1, n+1) or (n+1, n+1, labels); -inf where there is none."""
        flat = np.full(sum((n + 1) ** 2 for n in self.lengths) * self.labels, -np.inf)
        flat[self.places] = values
        return self.arrays(flat)

    def arrays(self, flat: Floats) -> list[Floats]:
        """A flat array as one for each sentence, which look at it."""
        found, start = [], 0
        for n in self.lengths:
            end = start + (n + 1) ** 2 * self.labels
            shape = (n + 1, n + 1) if self.labels == 1 else (n + 1, n + 1, self.labels)
            found.append(flat[start:end].reshape(shape))
            start = end
        return found

    def empty(self) -> Floats:
        """A flat array for a number of each place."""
        return np.zeros(sum((n + 1) ** 2 for n in self.lengths) * self.labels)


def list_arcs(items: Sequence[Item], labels: int) -> Arcs:
    """All arcs of sentences with all labels, but where heads or labels are known those alone."""
    places, starts, which = [], [], []
    start = offset = 0
    for item in items:
        n = item.length
        heads, modifiers = _pairs(n)
        own = heads * (n + 1) + modifiers
        known = item.heads[modifiers]
        if (item.heads[1:] >= 0).any():
            own = own[(known < 0) | (known == heads)]
        places.append(own)
        starts.append(np.full(len(own), start, np.int64))
        which.append(np.full(len(own), offset, np.int64))
        start += (n + 1) ** 2
        offset += n + 1
    inside, begin, words = _joined(places), _joined(starts), _joined(which)
    lengths = [item.length for item in items]
    widths = np.repeat(np.array(lengths, np.int64) + 1, [len(own) for own in places])
    heads, modifiers = words + inside // widths, words + inside % widths
    flat = begin + inside
    label = np.zeros(len(flat), np.int32)
    if labels > 1:
        flat = (flat[:, None] * labels + np.arange(labels)).ravel()
        label = np.tile(np.arange(labels, dtype=np.int32), len(heads))
        heads, modifiers, words = (np.repeat(each, labels) for each in (heads, modifiers, words))
        known = np.concatenate([item.labels for item in items])[modifiers] if len(items) else label
        fits = (known < 0) | (known == label)
        flat, label, heads, modifiers, words = (each[fits] for each in (flat, label, heads, modifiers, words))
    return Arcs(lengths, labels, flat, _features(items, heads, modifiers, words, label))


def _features(
    items: Sequence[Item], heads: Any, modifiers: Any, roots: Any, label: Integers
) -> dict[str, Integers]:
    tags, words = _joined([item.tags for item in items]), _joined([item.words for item in items])
    distance = modifiers - heads
    from_root = heads == roots
    side = np.where(from_root, FROM_ROOT, np.where(distance < 0, LEFT, RIGHT)).astype(np.int32)
    far = np.where(from_root, 0, np.digitize(np.abs(distance), DISTANCES)).astype(np.int32)
    return {
        "label": label,
        "head_tag": tags[heads],
        "head_word": words[heads],
        "tag": np.maximum(tags[modifiers] - 1, 0),
        "word": np.maximum(words[modifiers] - 1, 0),
        "side": side,
        "distance": far,
        "steps": np.where(from_root, 0, np.abs(distance)).astype(np.int32),
        "modifier": np.asarray(modifiers, np.int32),
    }


def chunks(items: Sequence[Item], labels: int, size: int = CHUNK) -> Iterator[slice]:
    """Sentences in pieces, so that each has about so many arcs."""
    start = taken = 0
    for place, item in enumerate(items):
        taken += (item.length + 1) ** 2 * labels
        if taken >= size:
            yield slice(start, place + 1)
            start, taken = place + 1, 0
    if start < len(items):
        yield slice(start, len(items))


def checksum(items: Sequence[Item], before: int = 0) -> int:
    """Of all that models see of sentences."""
    for item in items:
        for array in (item.tags, item.words, item.heads, item.labels):
            before = zlib.crc32(array.tobytes(), before)
    return before


@lru_cache(maxsize=256)
def _pairs(n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Heads and modifiers of all arcs over n words."""
    heads, modifiers = np.divmod(np.arange((n + 1) ** 2, dtype=np.int64), n + 1)
    arcs = (heads != modifiers) & (modifiers > 0)
    return heads[arcs], modifiers[arcs]


def _joined(arrays: Sequence[npt.NDArray[Any]]) -> Any:
    return np.concatenate(arrays) if len(arrays) else np.empty(0, np.int64)
