"""Scores from raw text, by the definitions of the CoNLL 2018 shared task: tokenizations may differ.

What is found counts as precision, what should be found as recall. Tokens and sentences are right if they have
the same characters; words as `arbora.evaluation.alignment` says. A tag or a head can be right only on a word
that is: a head is right if it is aligned with the head in gold. Subtypes of relations, and features that are
not universal, do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

from arbora.evaluation.alignment import Layout, align, check_same_text, lay_out
from arbora.evaluation.attachment import CONTENT_RELATIONS, Ratio, check_heads
from arbora.evaluation.tables import percent, table_text
from arbora.treebank import Sentence
from arbora.treebank.given import blaming, each_sentence
from arbora.treebank.sentence import UNKNOWN

FUNCTIONAL_RELATIONS = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})
UNIVERSAL_FEATURES = frozenset(
    {
        "PronType",
        "NumType",
        "Poss",
        "Reflex",
        "Foreign",
        "Abbr",
        "Gender",
        "Animacy",
        "Number",
        "Case",
        "Definite",
        "Degree",
        "VerbForm",
        "Mood",
        "Tense",
        "Aspect",
        "Voice",
        "Evident",
        "Polarity",
        "Person",
        "Polite",
    }
)
METRICS = (
    "Tokens",
    "Sentences",
    "Words",
    "UPOS",
    "XPOS",
    "UFeats",
    "AllTags",
    "Lemmas",
    "UAS",
    "LAS",
    "CLAS",
    "MLAS",
    "BLEX",
)
"""The metrics in the order of the shared task."""


@dataclass(frozen=True, slots=True, repr=False)
class RawTextEvaluation:
    """``scores``: a ratio for each of the `METRICS`. ``aligned``: words that are the same on both sides.

    ``right_heads`` and ``right_arcs`` (with their full relations) have a truth value for each word that was
    found: it is wrong if it is no word of gold, and None if gold does not know. Its ``repr`` is the table of
    scores.
    """

    aligned: int
    scores: dict[str, Ratio] = field(default_factory=dict)
    right_heads: list[bool | None] = field(default_factory=list)
    right_arcs: list[bool | None] = field(default_factory=list)

    def __repr__(self) -> str:
        """The table of scores, in percent."""
        rows = [[name, *map(percent, (r.precision, r.recall, r.f1))] for name, r in self.scores.items()]
        title = f"from raw text; {self.aligned} words are the same"
        return table_text(title, ["score", "precision", "recall", "F1"], rows)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "aligned_words": self.aligned,
            "scores": {name: ratio.as_dict() for name, ratio in self.scores.items()},
        }


def evaluate_raw_text(
    gold: Iterable[Sentence], system: Iterable[Sentence], *, annotated_only: bool = False
) -> RawTextEvaluation:
    """Compare what was made of raw text with gold; sentences and words may be cut differently.

    ``annotated_only``: words whose gold has no head, relation or UPOS tag, and those aligned with them, do
    not count where that is compared; otherwise every gold word must have a head. MismatchError if the
    characters are not the same.

    >>> gold = [Sentence(["Dogs", "bark", "."], heads=[2, 0, 2], deprels=["nsubj", "root", "punct"])]
    >>> system = [Sentence(["Dogs", "bark."], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> scores = evaluate_raw_text(gold, system).scores
    >>> scores["Tokens"].f1, scores["Sentences"].f1, scores["UAS"].correct
    (0.4, 1.0, 0)
    """
    gold, system = list(each_sentence(gold)), list(each_sentence(system))
    with blaming([*gold, *system]):
        right, found = lay_out(gold), lay_out(system)
    check_same_text(right, found)
    if not annotated_only:
        for number, sentence in enumerate(gold, 1):
            check_heads(sentence, number)
    sides = _Side(right, right), _Side(found, right)
    pairs = align(right, found)
    sides[0].match = {place: place for place in range(len(right.words))}
    sides[1].match = {b: a for a, b in pairs}
    scores = {
        "Tokens": _span_ratio(right.tokens, found.tokens),
        "Sentences": _span_ratio(right.sentences, found.sentences),
        "Words": Ratio(len(pairs), len(right.words), len(found.words)),
    }
    for name, (key, content_only) in _KEYS.items():
        hidden = _unannotated(sides[0], name) if annotated_only else frozenset()
        scores[name] = _ratio(sides, pairs, key, content_only, hidden)
    return RawTextEvaluation(len(pairs), scores, *_judged_words(*sides))


def _judged_words(gold: _Side, system: _Side) -> tuple[list[bool | None], list[bool | None]]:
    """Whether the head of each word that was found is right, and whether its arc is."""
    heads: list[bool | None] = []
    arcs: list[bool | None] = []
    for place in range(len(system.layout.words)):
        match = system.match.get(place)
        head = match is not None and gold.head(match) == system.head(place)
        arc = head and match is not None and gold.column(match, "deprels") == system.column(place, "deprels")
        known = match is None or gold.head_place(match) is not None
        named = match is None or gold.column(match, "deprels") != UNKNOWN
        heads.append(head if known else None)
        arcs.append(arc if known and named else None)
    return heads, arcs


def _span_ratio(gold: list[tuple[int, int]], system: list[tuple[int, int]]) -> Ratio:
    return Ratio(len(set(gold) & set(system)), len(gold), len(system))


class _Side:
    """The words of one side, seen from gold: ``match`` is the place in gold of each word that has one."""

    def __init__(self, layout: Layout, gold: Layout) -> None:
        self.layout, self.gold = layout, gold
        self.match: dict[int, int] = {}
        self.start_of = [place - word.id + 1 for place, word in enumerate(layout.words)]
        self.functional = self._functional_children()

    def _functional_children(self) -> dict[int, list[int]]:
        children: dict[int, list[int]] = {}
        for place in range(len(self.layout.words)):
            head = self.head_place(place)
            if head is not None and head >= 0 and self.relation(place) in FUNCTIONAL_RELATIONS:
                children.setdefault(head, []).append(place)
        return children

    def head_place(self, place: int) -> int | None:
        """The place of the head among all words, -1 for the root, None if it is not known."""
        word = self.layout.words[place]
        head = word.sentence.heads[word.id - 1]
        return head if head is None else head - 1 + (self.start_of[place] if head else 0)

    def head(self, place: int) -> Hashable:
        """The head as a place in gold; a head that is not aligned is no word of gold."""
        found = self.head_place(place)
        if found is None:
            return "unknown"
        return found if found < 0 else self.match.get(found, "not aligned")

    def relation(self, place: int) -> str:
        return self.column(place, "deprels").partition(":")[0]

    def column(self, place: int, name: str) -> str:
        word = self.layout.words[place]
        value: str = getattr(word.sentence, name)[word.id - 1]
        return value

    def features(self, place: int) -> str:
        parts = self.column(place, "feats").split("|")
        return "|".join(sorted(part for part in parts if part.partition("=")[0] in UNIVERSAL_FEATURES))

    def lemma(self, place: int) -> str:
        """Where gold has no lemma, none can be wrong."""
        gold = self.gold.words[self.match[place]]
        known = gold.sentence.lemmas[gold.id - 1] != "_"
        return self.column(place, "lemmas") if known else "_"

    def function_words(self, place: int) -> Hashable:
        return tuple(
            (self.match.get(c, "not aligned"), self.relation(c), self.column(c, "upos"), self.features(c))
            for c in self.functional.get(place, ())
        )


Key = Callable[[_Side, int], Hashable]
# What must be equal for a pair of aligned words to be right, and whether content words alone count.
_KEYS: dict[str, tuple[Key, bool]] = {
    "UPOS": (lambda side, p: side.column(p, "upos"), False),
    "XPOS": (lambda side, p: side.column(p, "xpos"), False),
    "UFeats": (lambda side, p: side.features(p), False),
    "AllTags": (lambda side, p: (side.column(p, "upos"), side.column(p, "xpos"), side.features(p)), False),
    "Lemmas": (lambda side, p: side.lemma(p), False),
    "UAS": (lambda side, p: side.head(p), False),
    "LAS": (lambda side, p: (side.head(p), side.relation(p)), False),
    "CLAS": (lambda side, p: (side.head(p), side.relation(p)), True),
    "MLAS": (
        lambda side, p: (
            side.head(p),
            side.relation(p),
            side.column(p, "upos"),
            side.features(p),
            side.function_words(p),
        ),
        True,
    ),
    "BLEX": (lambda side, p: (side.head(p), side.relation(p), side.lemma(p)), True),
}


def _unannotated(gold: _Side, metric: str) -> frozenset[int]:
    """The places in gold of which it is not known what a metric compares."""

    def is_known(place: int) -> bool:
        if metric in ("UPOS", "AllTags"):
            return gold.column(place, "upos") != UNKNOWN
        if metric in ("XPOS", "UFeats", "Lemmas"):
            return True
        return gold.head_place(place) is not None and (metric == "UAS" or gold.relation(place) != UNKNOWN)

    return frozenset(place for place in range(len(gold.layout.words)) if not is_known(place))


def _ratio(
    sides: tuple[_Side, _Side],
    pairs: list[tuple[int, int]],
    key: Key,
    content_only: bool,
    hidden: frozenset[int],
) -> Ratio:
    """Words that match ``hidden`` places of gold do not count."""

    def counts(side: _Side, place: int) -> bool:
        if side.match.get(place) in hidden:
            return False
        return not content_only or side.relation(place) in CONTENT_RELATIONS

    gold, system = sides
    totals = [sum(counts(side, place) for place in range(len(side.layout.words))) for side in sides]
    correct = sum(counts(gold, a) and key(gold, a) == key(system, b) for a, b in pairs)
    return Ratio(correct, *totals)
