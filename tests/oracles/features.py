"""The slow twin of the core's features: from a sentence's columns to the places of its weights, one by one.

Everything is a plain integer: hashes are 64 bits wide, the sums that find a weight 32 bits. A feature is a
place in the weight table; a score is the sum of the weights at the places of its features.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from arbora.features import Template, Templates
from arbora.treebank import Sentence
from oracles.parts import Piece
from oracles.words import AFTER, BEFORE, NONE, ROOT, SHORT, WIDE, Words, combine, hash_text, join, mix

ARC_ATOMS = ["verbs-between", "marks-between", "conjunctions-between", "tags-between", "brackets-between"]
RELATIVES = {"first-child": "modifier", "last-child": "modifier", "grandparent": "head"}
"""Relatives in the tree, and on whose side they are."""
ROLES = ["head", "modifier", "between", "third", "fourth"]
OTHER_WORDS = {
    "consecutive-siblings": {"sibling": "third"},
    "all-siblings": {"sibling": "third"},
    "grandparents": {"grandparent": "third"},
    "grand-siblings": {"sibling": "third", "grandparent": "fourth"},
    "head-bigrams": {"other-head": "third"},
    "crossings": {"other": "third"},
    "tri-siblings": {"sibling": "third", "earlier-sibling": "fourth"},
    "valencies": {},
    "nonprojective-arcs": {},
}
"""What a section of parts calls the words beside head and modifier."""


def words_of(section: str) -> list[str]:
    """The names of the words that a section of parts knows; valencies know the head alone."""
    return ["head"] if section == "valencies" else ["head", "modifier", *OTHER_WORDS[section]]


LACKING = 0x8F1BBCDC  # stands for the hash of a side where a word of a part lacks a value
LEFT_CODE, RIGHT_CODE, ROOT_CODE = 13, 14, 15


# ---- arcs ----


def direction_code(head: int, modifier: int) -> int:
    return ROOT_CODE if head == 0 else LEFT_CODE if modifier < head else RIGHT_CODE


def distance_code(head: int, modifier: int) -> int:
    """The root's; 1 to 6 to the left, 7 to 12 to the right: 1, 2, 3, up to 6, up to 12, more."""
    if head == 0:
        return ROOT_CODE
    far = abs(head - modifier)
    bins = [far <= 1, far <= 2, far <= 3, far <= 6, far <= 12, True]
    return 1 + bins.index(True) + (6 if head < modifier else 0)


def between_atom(words: Words, name: str, head: int, modifier: int) -> int:
    inside = range(min(head, modifier), max(head, modifier) - 1)  # places, which are words less one
    counted = {"verbs-between": "verb", "marks-between": "mark", "conjunctions-between": "conjunction"}
    if name in counted:
        return min([words.classes[place] for place in inside].count(counted[name]), 3)
    if name == "tags-between":
        return sum(1 << tag for tag in {words.tags[place] for place in inside})
    forms = [words.forms[place] for place in inside]
    opened = sum(form in ("(", "[", "{", "-LRB-", "-LSB-") for form in forms)
    closed = sum(form in (")", "]", "}", "-RRB-", "-RSB-") for form in forms)
    quotes = sum(form in ('"', "''", "``", "\u201c", "\u201d", "\u00ab", "\u00bb") for form in forms)
    return (1 if opened > closed else 2 if opened < closed else 0) + 3 * (quotes % 2)


def arc_hash(words: Words, names: list[str], head: int, modifier: int) -> int:
    value = 17
    for name in names:
        value = join(value, hash_text(name) + between_atom(words, name, head, modifier))
    value = value * 0xD6E8FEB86659FD93 & WIDE
    return (value ^ value >> 32) & SHORT


# ---- templates ----


class Part:
    """A template taken apart: (offset or relative, atom) per role, arc atoms, seed."""

    def __init__(self, template: Template, section: str) -> None:
        self.sides: dict[str, list[tuple[int | str, str]]] = {role: [] for role in ROLES}
        self.arc: list[str] = []
        self.variants = template.qualifiers
        for text in template.atoms:
            place, _, name = text.partition(".")
            if place == "arc":
                self.arc.append(name)
                continue
            others = OTHER_WORDS.get(section, {})
            word = next((word for word in others if place.startswith(word)), None)
            if word is not None:
                self.sides[others[word]].append((int(place.removeprefix(word) or 0), name))
                continue
            if place in RELATIVES:
                self.sides[RELATIVES[place]].append((place, name))
                continue
            role = next(role for role in self.sides if place.startswith(role))
            self.sides[role].append((int(place.removeprefix(role) or 0), name))
        self.seed = mix(hash_text(section + ": " + " & ".join(template.atoms), 0)) & SHORT


def follow(words: Words, heads: list[int] | None, word: int, offset: int | str) -> int:
    """Where an offset from a word leads: 1..n, 0 if there is no such relative, -1 before and n+1 after."""
    if isinstance(offset, int):
        return word + offset if 1 <= word + offset <= words.n else -1 if word + offset < 1 else words.n + 1
    assert heads is not None
    children = [child for child, head in enumerate(heads, 1) if head == word]
    if offset == "grandparent":
        return heads[word - 1]
    return 0 if not children else children[0] if offset == "first-child" else children[-1]


def side_hashes(
    words: Words, heads: list[int] | None, role: str, side: list[tuple[int | str, str]], word: int
) -> list[int]:
    """Hashes of a side of a template at a word, one for each value of a set; [0] without a side."""
    if not side:
        return [0]
    key = (role, *side, word)
    if heads is not None:
        return _side_hashes(words, heads, role, side, word)
    if key not in words.sides:
        words.sides[key] = _side_hashes(words, None, role, side, word)
    return words.sides[key]


def _side_hashes(
    words: Words, heads: list[int] | None, role: str, side: list[tuple[int | str, str]], word: int
) -> list[int]:
    if any(name not in words.present for _, name in side):
        return []
    seed = hash_text(role)
    for offset, name in side:
        far = offset + 64 if isinstance(offset, int) else hash_text(offset.replace("grand", ""))
        seed = combine(combine(seed, far), hash_text(name))
    # The set comes last, wherever it is written.
    ordered = sorted(side, key=lambda reference: reference[1] == "feat")
    choices = []
    for offset, name in ordered:
        to = 0 if word == 0 else follow(words, heads, word, offset)
        if word == 0:
            choices.append([ROOT])
        elif 1 <= to <= words.n:
            choices.append(words.values(to, name))
        else:
            choices.append([NONE if to == 0 else BEFORE if to < 0 else AFTER])
    found = []
    for values in product(*choices):
        value = seed
        for one in values:
            value = join(value, one)
        found.append(value & SHORT)
    return found


def bases(
    words: Words, part: Part, head: int, modifier: int, heads: list[int] | None = None
) -> Iterator[int]:
    """The sums of hashes, 32 bits wide, that a template has at an arc, before its variants are told apart."""
    own = [
        side_hashes(words, heads, "head", part.sides["head"], head),
        side_hashes(words, heads, "modifier", part.sides["modifier"], modifier),
    ]
    arc = arc_hash(words, part.arc, head, modifier) if part.arc else 0
    inside = range(min(head, modifier) + 1, max(head, modifier)) if part.sides["between"] else [None]
    for word in inside:
        third = [0] if word is None else side_hashes(words, heads, "between", part.sides["between"], word)
        for values in product(*own, third):
            yield part.seed + arc + sum(values) & SHORT


def codes(part: Part, head: int, modifier: int) -> list[int]:
    """The codes of a template's variants; 0 is alone."""
    direction = direction_code(head, modifier)
    if part.sides["between"] and head == 0:
        direction = RIGHT_CODE
    known = {"alone": 0, "direction": direction, "distance": distance_code(head, modifier)}
    return [known[name] for name in part.variants]


def arc_features(words: Words, parts: list[Part], mask: int, head: int, modifier: int) -> list[int]:
    """The places of an arc's features, as often as it has them."""
    return [
        base & mask ^ code
        for part in parts
        for base in bases(words, part, head, modifier)
        for code in codes(part, head, modifier)
    ]


def part_features(words: Words, parts: list[Part], mask: int, piece: Piece) -> list[int]:
    """The places of the features of a part of several arcs, as often as it has them.

    A template counts if the sentence has all its columns; a word that lacks a value counts as one of its own.
    """
    found = []
    for part in parts:
        if any(name not in words.present for side in part.sides.values() for _, name in side):
            continue
        base = part.seed
        for role, word in (
            ("head", piece.head),
            ("modifier", piece.modifier),
            ("third", piece.third),
            ("fourth", piece.fourth),
        ):
            base += next(iter(side_hashes(words, None, role, part.sides[role], word)), LACKING)
        known = {"alone": 0, "direction": piece.direction, "distance": piece.distance}
        found += [base & mask ^ known[name] for name in part.variants]
    return found


def _spread(code: int) -> int:
    return code * 0x9E3779B1 & SHORT


def label_blocks(
    words: Words, parts: list[Part], mask: int, head: int, modifier: int, heads: list[int] | None
) -> list[int]:
    """Where the blocks of an arc's features begin, at multiples of 32; label l is l places further."""
    return [
        base + _spread(code) & mask & ~31
        for part in parts
        for base in bases(words, part, head, modifier, heads)
        for code in codes(part, head, modifier)
    ]


def sibling_blocks(
    words: Words, parts: list[Part], mask: int, head: int, previous: int, heads: list[int] | None
) -> list[int]:
    """Where the blocks of what follows the label ``previous`` begin; they see the head only."""
    return [
        part.seed + value + _spread(previous + 1) & mask
        for part in parts
        for value in side_hashes(words, heads, "head", part.sides["head"], head)
    ]


# ---- scores ----


class Twin:
    """Scores and feature vectors of sentences, for a weight table of 2^bits and a block more."""

    def __init__(self, templates: Templates, labels: int, bits: int) -> None:
        self.parts = {
            section: [Part(template, section) for template in templates.of(section)]
            for section in (
                "pruner",
                "arcs",
                "labels",
                "labeler",
                "siblings",
                "roles",
                "tags",
                "tag-links",
                "tag-bigrams",
                "tag-trigrams",
                *OTHER_WORDS,
            )
        }
        self.labels, self.mask = labels, (1 << bits) - 1

    def arcs(self, sentence: Sentence, weights: np.ndarray, section: str = "arcs") -> np.ndarray:
        """Scores of all arcs, (n+1) x (n+1); 0 where there is none."""
        words = Words.of(sentence)
        scores = np.zeros((words.n + 1, words.n + 1))
        for head, modifier in all_arcs(words.n):
            places = arc_features(words, self.parts[section], self.mask, head, modifier)
            scores[head, modifier] = weights[places].astype(np.float64).sum()
        return scores

    def arc_labels(
        self, sentence: Sentence, weights: np.ndarray, section: str, arcs: list[tuple[int, int]], heads=None
    ) -> np.ndarray:
        """Scores of every label of some arcs, arcs x labels."""
        return self.arc_rows(sentence, weights, section, arcs, self.labels, heads)

    def arc_rows(
        self,
        sentence: Sentence,
        weights: np.ndarray,
        section: str,
        arcs: list[tuple[int, int]],
        count: int,
        heads=None,
    ) -> np.ndarray:
        """Scores of so many values of some arcs: labels, roles, tags of (0, word), pairs of tags."""
        words, scores = Words.of(sentence), np.zeros((len(arcs), count))
        for row, (head, modifier) in zip(scores, arcs, strict=True):
            for at in label_blocks(words, self.parts[section], self.mask, head, modifier, heads):
                row += weights[at : at + count]
        return scores

    def siblings(self, sentence: Sentence, weights: np.ndarray, head: int, heads: list[int]) -> np.ndarray:
        """Scores of neighbouring labels below a head, (labels+1) x (labels+1)."""
        words, states = Words.of(sentence), self.labels + 1
        scores = np.zeros((states, states))
        for previous in range(states):
            for at in sibling_blocks(words, self.parts["siblings"], self.mask, head, previous, heads):
                scores[previous] += weights[at : at + states]
        return scores

    def pieces(
        self, sentence: Sentence, weights: np.ndarray, section: str, pieces: list[Piece]
    ) -> list[float]:
        """Scores of parts of several arcs."""
        words = Words.of(sentence)
        return [
            float(weights[part_features(words, self.parts[section], self.mask, piece)].astype(float).sum())
            for piece in pieces
        ]

    # Gradients: adds (gradient of a score) * (its feature vector) to ``total``.

    def add_arc(self, sentence: Sentence, total: np.ndarray, arc: tuple[int, int], by: float, section="arcs"):
        for place in arc_features(Words.of(sentence), self.parts[section], self.mask, *arc):
            total[place] += by

    def add_label(
        self, sentence: Sentence, total, section: str, arc, label: int, by: float, heads=None
    ) -> None:
        for at in label_blocks(Words.of(sentence), self.parts[section], self.mask, *arc, heads):
            total[at + label] += by

    def add_piece(self, sentence: Sentence, total: np.ndarray, section: str, piece: Piece, by: float) -> None:
        for place in part_features(Words.of(sentence), self.parts[section], self.mask, piece):
            total[place] += by

    def add_siblings(
        self, sentence: Sentence, total, head: int, gradient: np.ndarray, heads: list[int]
    ) -> None:
        for previous, row in enumerate(gradient):
            for at in sibling_blocks(
                Words.of(sentence), self.parts["siblings"], self.mask, head, previous, heads
            ):
                total[at : at + len(row)] += row


def all_arcs(n: int) -> list[tuple[int, int]]:
    """Every arc of a sentence, by modifier and then head."""
    return [(head, modifier) for modifier in range(1, n + 1) for head in range(n + 1) if head != modifier]
