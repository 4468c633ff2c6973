"""The slow twin of the core's hashes and of the atoms of words, from a sentence's columns."""

from __future__ import annotations

from arbora.treebank import Sentence

ATOMS = [
    "form", "lower", "lemma", "upos", "xpos", "mark", "feats",
    "prefix1", "prefix2", "prefix3", "suffix1", "suffix2", "suffix3", "suffix4",
    "shape", "opener", "closer", "verb-rank", "mark-rank", "feat",
]  # fmt: skip
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


def hash_text(text: str, seed: int) -> int:
    raw = text.encode()
    value = mix(seed + 0x2545F4914F6CDD1D * (len(raw) + 1) & WIDE)
    whole = len(raw) // 8 * 8
    for start in range(0, whole, 8):
        value = combine(value, int.from_bytes(raw[start : start + 8], "little"))
    return combine(value, int.from_bytes(raw[whole:], "little")) or 1


# ---- words ----


def shape_of(form: str) -> str:
    """Upper case X, lower case and everything beyond ASCII x, digits d; of a run at most two."""
    shape = ""
    for c in form:
        kind = (
            "X"
            if "A" <= c <= "Z"
            else "x"
            if "a" <= c <= "z" or c > "\x7f"
            else "d"
            if "0" <= c <= "9"
            else c
        )
        if shape[-2:] != kind * 2:
            shape += kind
    return shape


def class_of(upos: str) -> str:
    classes = {"VERB": "verb", "AUX": "verb", "PUNCT": "mark", "CCONJ": "conjunction", "SCONJ": "conjunction"}
    return "adposition" if upos == "ADP" else classes.get(upos, "other")


class Words:
    """The atoms of a sentence's words, counted from 1: name to hash, 0 where there is none."""

    def __init__(self, sentence: Sentence) -> None:
        self.n = len(sentence)
        columns = zip(
            sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, strict=True
        )
        self.classes = [class_of(upos) for upos in sentence.upos]
        self.atoms = [self._own(*row) for row in columns]
        self.sets = [self._feats(feats) for feats in sentence.feats]
        self.forms = sentence.forms
        self.tags = [
            TAGS.index(upos) if upos in TAGS else 17 + atoms["upos"] % 15
            for upos, atoms in zip(sentence.upos, self.atoms, strict=True)
        ]
        for place in range(self.n):
            self._add_surroundings(place)
        self.present = {name for atoms in self.atoms for name, value in atoms.items() if value}
        if any(self.sets):
            self.present.add("feat")

    @staticmethod
    def _own(form: str, lemma: str, upos: str, xpos: str, feats: str) -> dict[str, int]:
        lower = "".join(c.lower() if "A" <= c <= "Z" else c for c in form)
        texts = {"form": form, "lemma": lemma, "upos": upos, "xpos": xpos, "feats": feats}
        texts["mark"] = form if upos == "PUNCT" else upos
        if form not in ("", "_"):
            texts |= {"lower": lower, "shape": shape_of(form)}
            texts |= {f"prefix{k}": lower[:k] for k in (1, 2, 3)}
            texts |= {f"suffix{k}": lower[-k:] for k in (1, 2, 3, 4)}
        return {
            name: hash_text(texts[name], ATOMS.index(name) + 1) if texts.get(name, "") not in ("", "_") else 0
            for name in ATOMS[:-1]
        }

    @staticmethod
    def _feats(feats: str) -> list[int]:
        return (
            []
            if feats in ("", "_")
            else [hash_text(one, ATOMS.index("feat") + 1) for one in feats.split("|")]
        )

    def _add_surroundings(self, place: int) -> None:
        """Ranks among verbs and marks, and the function words that open and close the phrase."""
        if not self.atoms[place]["upos"]:
            return
        before, after = self.classes[:place], self.classes[place + 1 :]
        for name, counted in (("verb-rank", "verb"), ("mark-rank", "mark")):
            rank = min(before.count(counted), 3) * 4 + min(after.count(counted), 3)
            self.atoms[place][name] = combine(ATOMS.index(name) + 1, rank) | 1
        for name, others in (("opener", range(place - 1, -1, -1)), ("closer", range(place + 1, self.n))):
            met = next((other for other in others if self.classes[other] != "other"), None)
            edge = 0
            if met is not None:
                function = self.classes[met] in ("adposition", "conjunction")
                edge = self.atoms[met]["lower" if function else "upos"]
            self.atoms[place][name] = combine(ATOMS.index(name) + 1, edge) | 1

    def values(self, word: int, name: str) -> list[int]:
        """All values of an atom of word 1..n."""
        if name == "feat":
            return self.sets[word - 1]
        return [value for value in [self.atoms[word - 1][name]] if value]
