"""The slow twin of the core's hashes and of the inventory of atoms, from a sentence's columns.

Letters are those of Python's ``unicodedata``; nothing here asks the core.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache

from arbora.treebank import Sentence

TAGS = [
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM",
    "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X",
]  # fmt: skip
WIDE, SHORT = (1 << 64) - 1, (1 << 32) - 1


# ---- hashes ----


def mix(x: int) -> int:
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93 & WIDE
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93 & WIDE
    return x ^ x >> 32


def combine(value: int, following: int) -> int:
    return mix(value * 0x9E3779B97F4A7C15 + following + 0x632BE59BD9B4E019 & WIDE)


def join(value: int, following: int) -> int:
    value = (value + following) * 0x9E3779B97F4A7C15 & WIDE
    return value ^ value >> 32


@cache
def hash_text(text: str, seed: int = 0) -> int:
    raw = text.encode()
    value = mix(seed + 0x2545F4914F6CDD1D * (len(raw) + 1) & WIDE)
    whole = len(raw) // 8 * 8
    for start in range(0, whole, 8):
        value = combine(value, int.from_bytes(raw[start : start + 8], "little"))
    return combine(value, int.from_bytes(raw[whole:], "little")) or 1


def chained(text: str) -> int:
    value = 0
    for letter in text:
        value = join(value, ord(letter))
    return value


# ---- letters ----


def is_mark(c: str) -> bool:
    return unicodedata.category(c)[0] == "M"


def is_upper(c: str) -> bool:
    return c.lower() != c


def is_letter(c: str) -> bool:
    return unicodedata.category(c)[0] == "L"


def is_digit(c: str) -> bool:
    return unicodedata.category(c) == "Nd"


def lower_of(form: str) -> str:
    """Python's, but for dotted capital I, which is a plain i: Python makes two characters of it."""
    return form.replace("\u0130", "i").lower()


def characters_of(text: str) -> list[str]:
    """Letters with the marks that follow them."""
    found: list[str] = []
    for c in text:
        if is_mark(c) and found:
            found[-1] += c
        else:
            found.append(c)
    return found


def shape_of(form: str) -> str:
    """Upper case X, other letters x, digits d, no marks; of a run at most two."""
    shape = ""
    for c in form:
        if is_mark(c):
            continue
        kind = "X" if is_upper(c) else "x" if is_letter(c) else "d" if is_digit(c) else c
        if shape[-2:] != kind * 2:
            shape += kind
    return shape


def kind_of(form: str) -> int:
    """Answers as bits, and the number of characters in steps of three."""
    letters = [c for c in form if not is_mark(c)]
    answers = [
        any(map(is_digit, letters)),
        "-" in letters,
        any(map(is_upper, letters)),
        any(is_letter(c) and not is_upper(c) for c in letters),
        any(not is_letter(c) and not is_upper(c) and not is_digit(c) and c != "-" for c in letters),
        is_upper(form[0]),
    ]
    length = 4 if len(letters) > 12 else len(letters) // 3
    return sum(answer << bit for bit, answer in enumerate(answers)) + (length << 6)


# ---- words ----


def known(text: str) -> int:
    return hash_text(text) if text not in ("", "_") else 0


def class_of(upos: str) -> str:
    classes = {"VERB": "verb", "AUX": "verb", "PUNCT": "mark", "CCONJ": "conjunction", "SCONJ": "conjunction"}
    return "adposition" if upos == "ADP" else classes.get(upos, "other")


class Word:
    """The columns of a word."""

    def __init__(
        self, form: str, lemma: str = "_", upos: str = "_", xpos: str = "_", feats: str = "_"
    ) -> None:
        self.form, self.lemma, self.upos, self.xpos, self.feats = form, lemma, upos, xpos, feats
        self.has_form = form not in ("", "_")
        self.lower = lower_of(form)
        self.characters = characters_of(self.lower)
        self.word_class = class_of(upos)

    def prefix(self, count: int) -> int:
        own = "".join(self.characters[:count])
        return (
            0
            if not self.has_form
            else chained(own)
            if len(self.characters) >= count
            else hash_text("shorter")
        )

    def suffix(self, count: int) -> int:
        own = "".join(self.characters[-count:])[::-1]
        return (
            0
            if not self.has_form
            else chained(own)
            if len(self.characters) >= count
            else hash_text("shorter")
        )

    def morph(self) -> int:
        columns = [known(column) for column in (self.upos, self.xpos, self.feats)]
        return combine(combine(columns[0], columns[1]), columns[2]) if any(columns) else 0

    def edge(self) -> int:
        function = self.word_class in ("adposition", "conjunction")
        return (chained(self.lower) if self.has_form else 0) if function else known(self.upos)


def rank(words: list[Word], place: int, counted: str) -> int:
    classes = [word.word_class for word in words]
    before, after = classes[:place].count(counted), classes[place + 1 :].count(counted)
    return mix(min(before, 3) * 4 + min(after, 3) + 1) if known(words[place].upos) else 0


def phrase_edge(words: list[Word], others: range, place: int) -> int:
    met = next((words[other] for other in others if words[other].word_class != "other"), None)
    return combine(1, met.edge() if met else 0) if known(words[place].upos) else 0


BY_WORD: dict[str, Callable[[Word], int]] = {
    "form": lambda word: known(word.form),
    "lower": lambda word: chained(word.lower) if word.has_form else 0,
    "shape": lambda word: combine(chained(shape_of(word.form)), 0) if word.has_form else 0,
    "kind": lambda word: mix(kind_of(word.form) + 1) if word.has_form else 0,
    **{f"prefix{k}": lambda word, k=k: word.prefix(k) for k in range(1, 6)},
    **{f"suffix{k}": lambda word, k=k: word.suffix(k) for k in range(1, 7)},
    "lemma": lambda word: known(word.lemma),
    "upos": lambda word: known(word.upos),
    "xpos": lambda word: known(word.xpos),
    "feats": lambda word: known(word.feats),
    "mark": lambda word: known(word.form if word.upos == "PUNCT" else word.upos),
    "morph": lambda word: word.morph(),
}
"""What a word has by its own columns."""
BY_SENTENCE: dict[str, Callable[[list[Word], int], int]] = {
    "opener": lambda words, place: phrase_edge(words, range(place - 1, -1, -1), place),
    "closer": lambda words, place: phrase_edge(words, range(place + 1, len(words)), place),
    "verb-rank": lambda words, place: rank(words, place, "verb"),
    "mark-rank": lambda words, place: rank(words, place, "mark"),
}
"""What it has by the words around it, too."""
SINGLE = [*BY_WORD, *BY_SENTENCE]
ATOMS = [*SINGLE, "feat"]
"""All that a parser can ask of a word; the last is a set."""
ROOT, BEFORE, AFTER, NONE = (
    hash_text(name) for name in ("the root", "before the sentence", "after the sentence", "no relative")
)


def value(name: str, found: int) -> int:
    """An atom by its name and what was found; 0 if that is nothing."""
    return join(hash_text(name), found) | 1 if found else 0


def number(name: str, count: int) -> int:
    return value(name, mix(count + 1))


def atoms_of(form: str, **columns: str) -> dict[str, int]:
    """The atoms that a word has by its own columns."""
    word = Word(form, **columns)
    return {name: value(name, found(word)) for name, found in BY_WORD.items()}


class Words:
    """The atoms of a sentence's words, counted from 1: name to hash, 0 where there is none."""

    def __init__(self, sentence: Sentence) -> None:
        self.n = len(sentence)
        columns = zip(
            sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, strict=True
        )
        words = [Word(*row) for row in columns]
        self.classes = [word.word_class for word in words]
        self.atoms = [{name: value(name, found(word)) for name, found in BY_WORD.items()} for word in words]
        for place, atoms in enumerate(self.atoms):
            atoms |= {name: value(name, found(words, place)) for name, found in BY_SENTENCE.items()}
        self.sets = [
            [value("feat", hash_text(one)) for one in word.feats.split("|")] if known(word.feats) else []
            for word in words
        ]
        self.forms = sentence.forms
        self.sides: dict[tuple[object, ...], list[int]] = {}  # hashes that many arcs ask for
        self.tags = [TAGS.index(upos) if upos in TAGS else 17 + known(upos) % 15 for upos in sentence.upos]
        self.present = {name for atoms in self.atoms for name, found in atoms.items() if found}
        if any(self.sets):
            self.present.add("feat")

    @staticmethod
    def of(sentence: Sentence) -> Words:
        """Those of a sentence with these columns; remembered, since every arc and every part asks."""
        columns = sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats
        return _words_of(*map(tuple, columns))

    def values(self, word: int, name: str) -> list[int]:
        """All values of an atom of word 1..n."""
        if name == "feat":
            return self.sets[word - 1]
        return [found for found in [self.atoms[word - 1][name]] if found]


@lru_cache(maxsize=64)
def _words_of(*columns: tuple[str, ...]) -> Words:
    return Words(Sentence(*map(list, columns)))
