"""The slow twin of a tagger's stage: hashes of words, scores and gradients, from their definitions.

Nothing here asks the core; letters are those of Python.
"""

from __future__ import annotations

import math

import numpy as np

from oracles.lattices import Lattice
from oracles.words import WIDE, hash_text, join, mix

ATOMS = [
    "form", "lower", "prefix1", "prefix2", "prefix3", "prefix4", "prefix5",
    "suffix1", "suffix2", "suffix3", "suffix4", "suffix5", "suffix6",
    "shape", "kind", "tags", "upos", "morph",
]  # fmt: skip
NEGLIGIBLE = 1e-3


def seed_of(name: str) -> int:
    return mix(ATOMS.index(name) + 101)


def chained(seed: int, text: str) -> int:
    for letter in text:
        seed = join(seed, ord(letter))
    return seed


def is_upper(letter: str) -> bool:
    return letter.lower() != letter


def shape_of(form: str) -> str:
    shape = ""
    for c in form:
        kind = "X" if is_upper(c) else "x" if c.isalpha() else "d" if "0" <= c <= "9" else c
        if shape[-2:] != kind * 2:
            shape += kind
    return shape


def kind_of(form: str) -> int:
    others = [c for c in form if not c.isalpha() and not "0" <= c <= "9" and c != "-"]
    answers = [
        any("0" <= c <= "9" for c in form),
        "-" in form,
        any(map(is_upper, form)),
        any(c.isalpha() and not is_upper(c) for c in form),
        bool(others),
        is_upper(form[:1]),
    ]
    return sum(answer << bit for bit, answer in enumerate(answers)) + (
        (4 if len(form) > 12 else len(form) // 3) << 6
    )


def atoms_of(form: str) -> dict[str, int]:
    lower = form.lower()
    atoms = dict.fromkeys(ATOMS, 0)
    atoms["form"] = hash_text(form, seed_of("form"))
    atoms["lower"] = chained(seed_of("lower"), lower)
    atoms["shape"] = chained(seed_of("shape"), shape_of(form))
    atoms["kind"] = join(seed_of("kind"), kind_of(form))
    for k in range(1, 6):
        atoms[f"prefix{k}"] = chained(seed_of("prefix1"), lower[:k]) if len(lower) >= k else 0
    for k in range(1, 7):
        atoms[f"suffix{k}"] = chained(seed_of("suffix1"), lower[::-1][:k]) if len(lower) >= k else 0
    return atoms


def number(value: int) -> int:
    return mix(value + 1)


class Words:
    """The atoms of a sentence; numbers are those that stages found, by atom."""

    def __init__(self, forms: list[str], **numbers: list[int]) -> None:
        self.forms = forms
        self.rows = [atoms_of(form) for form in forms]
        for name, values in numbers.items():
            for row, value in zip(self.rows, values, strict=True):
                row[name] = number(value)

    def atom(self, place: int, name: str) -> int:
        if 0 <= place < len(self.rows):
            return self.rows[place][name]
        return mix(1) if place < 0 else mix(2)

    def hash(self, template: tuple[int, list[tuple[int, int]]], place: int) -> int:
        value = mix(template[0])
        for offset, atom in template[1]:
            value = join(value, self.atom(place + offset, ATOMS[atom]))
        return value


def after(value: int, label: int) -> int:
    return join(value, label * 0xD6E8FEB86659FD93 + 1 & WIDE)


class Stage:
    """``templates``: labels, bigrams, trigrams; ``candidates`` of every word; ``pieces`` of every label."""

    def __init__(self, templates, pieces, candidates) -> None:
        self.labels, self.bigrams, self.trigrams = templates[:3]
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
