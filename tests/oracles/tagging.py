"""The slow twin of a tagger's stage: hashes of words, scores and gradients, from their definitions.

Nothing here asks the core; letters are those of Python.
"""

from __future__ import annotations

import math

import numpy as np

from oracles.lattices import Lattice
from oracles.words import AFTER, BEFORE, WIDE, atoms_of, join, mix

NEGLIGIBLE = 1e-3


class Words:
    """The atoms of a sentence by their forms, and those that models found, by name."""

    def __init__(self, forms: list[str], **found: list[int]) -> None:
        self.forms = forms
        self.rows = [atoms_of(form) for form in forms]
        for name, values in found.items():
            for row, own in zip(self.rows, values, strict=True):
                row[name.replace("_", "-")] = own

    def atom(self, place: int, name: str) -> int:
        if 0 <= place < len(self.rows):
            return self.rows[place][name]
        return BEFORE if place < 0 else AFTER

    def hash(self, template: tuple[int, list[tuple[str, int, str]], list[str]], place: int) -> int:
        total = mix(template[0])
        for _, offset, name in template[1]:
            total = join(total, self.atom(place + offset, name))
        return total


def after(value: int, label: int) -> int:
    return join(value, label * 0xD6E8FEB86659FD93 + 1 & WIDE)


class Stage:
    """``templates`` by what they are for; ``candidates`` of every word; ``pieces`` of every label."""

    def __init__(self, templates, pieces, candidates) -> None:
        self.labels, self.bigrams, self.trigrams = (
            templates[kind] for kind in ("labels", "bigrams", "trigrams")
        )
        self.pieces = pieces
        self.is_chain = bool(self.bigrams or self.trigrams)
        self.candidates = [*candidates, [len(pieces) + 1]] if self.is_chain else candidates

    def size(self, place: int) -> int:
        return 1 if place < 0 else len(self.candidates[place])

    def label(self, place: int, candidate: int) -> int:
        return len(self.pieces) if place < 0 else self.candidates[place][candidate]

    def features(self, words: Words, mask: int, part: tuple[int, ...]) -> list[int]:
        """The weights of a candidate (place, v), or of a triple (place, s, u, v)."""
        place, v = part[0], self.label(part[0], part[-1])
        if len(part) == 2:
            is_word = place < len(words.forms) and self.size(place) > 1
            hashes = [words.hash(template, place) for template in self.labels] if is_word else []
            return [(value & mask) + piece for value in hashes for piece in self.pieces[v]]
        s, u = self.label(place - 2, part[1]), self.label(place - 1, part[2])
        if self.size(place - 2) * self.size(place - 1) * self.size(place) == 1:
            return []
        pairs = [after(words.hash(template, place), u) for template in self.bigrams]
        threes = [after(after(words.hash(template, place), s), u) for template in self.trigrams]
        return [(value & mask) + v for value in [*pairs, *threes]]

    def lattice(self, words: Words, weights: np.ndarray, mask: int) -> Lattice:
        def score(*part: int) -> float:
            return float(sum(weights[index] for index in self.features(words, mask, part)))

        places = range(len(self.candidates))
        local = [np.array([score(i, v) for v in range(self.size(i))]) for i in places]
        if not self.is_chain:
            return Lattice(local, None)
        triples = [np.zeros((self.size(i - 2), self.size(i - 1), self.size(i))) for i in places]
        for i in places:
            for s, u, v in np.ndindex(triples[i].shape):
                triples[i][s, u, v] = score(i, s, u, v)
        return Lattice(local, triples)

    def gradient(
        self, words: Words, weights: np.ndarray, mask: int, gold: list[int], gamma: float
    ) -> np.ndarray:
        """Of the loss with beta = 1 and this gamma, by enumeration."""
        lattice = self.lattice(words, weights, mask)
        row = [labels.index(label) for labels, label in zip(self.candidates, gold, strict=False)]
        row += [0] * (len(self.candidates) - len(row))
        for place, right in enumerate(row):
            lattice.local[place] += gamma * (np.arange(self.size(place)) != right)
        result = np.zeros(len(weights))
        rows = lattice.rows()
        top = max(score for _, score in rows)
        total = math.fsum(math.exp(score - top) for _, score in rows)
        for other, score in [*rows, (tuple(row), None)]:
            by = -1 if score is None else math.exp(score - top) / total
            for i, s, u, v in lattice.parts(other):
                for part in ((i, v), (i, s, u, v)) if self.is_chain else ((i, v),):
                    for index in self.features(words, mask, part):
                        result[index] += by
        return result
