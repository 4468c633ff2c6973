"""Attachment scores of a parsed treebank against the gold one, word by word on the same words.

The names and definitions are those of the CoNLL 2018 shared task's scorer: UAS counts right heads, LAS right
heads with the right relation, CLAS the same for content words only. That scorer ignores subtypes
(``nsubj:pass`` is ``nsubj``); here both are given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, TypeAlias

from arbora.errors import ArboraError
from arbora.evaluation.alignment import MismatchError
from arbora.evaluation.tables import percent, table_text
from arbora.treebank import Sentence
from arbora.treebank.given import blaming, each_sentence
from arbora.treebank.sentence import UNKNOWN

# What the CoNLL 2018 scorer calls content words: neither function words nor punctuation.
CONTENT_RELATIONS = frozenset(
    {
        "nsubj",
        "obj",
        "iobj",
        "csubj",
        "ccomp",
        "xcomp",
        "obl",
        "vocative",
        "expl",
        "dislocated",
        "advcl",
        "advmod",
        "discourse",
        "nmod",
        "appos",
        "nummod",
        "acl",
        "amod",
        "conj",
        "fixed",
        "flat",
        "compound",
        "list",
        "parataxis",
        "orphan",
        "goeswith",
        "reparandum",
        "root",
        "dep",
    }
)
Bins: TypeAlias = tuple[tuple[int, int | None], ...]
NO_HEAD = "no head"
SCORES = ("UAS", "LAS", "LAS with subtypes", "labels", "labels with subtypes", "CLAS")
"""The scores that are shown, in order."""
LENGTHS: Bins = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, None))
DISTANCES: Bins = ((1, 1), (2, 2), (3, 6), (7, None))


@dataclass(slots=True)
class Ratio:
    """``correct`` of ``gold`` things that should be found and ``system`` things that were.

    >>> ratio = Ratio(correct=3, gold=4, system=6)
    >>> ratio.recall, ratio.precision, ratio.f1
    (0.75, 0.5, 0.6)
    """

    correct: int = 0
    gold: int = 0
    system: int = 0

    @property
    def recall(self) -> float:
        """The share of what should be found; 0 if there is nothing."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def precision(self) -> float:
        """The share of what was found that is right; 0 if there is nothing."""
        return self.correct / self.system if self.system else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both, which is plain accuracy where the two counts agree."""
        total = self.gold + self.system
        return 2 * self.correct / total if total else 0.0

    def as_dict(self) -> dict[str, float]:
        """Plain data: the shares and the counts."""
        return {
            "f1": self.f1,
            "precision": self.precision,
            "recall": self.recall,
            "correct": self.correct,
            "gold": self.gold,
            "system": self.system,
        }

    def count(self, correct: bool, gold: bool = True, system: bool = True) -> None:
        """Count one word."""
        self.correct += correct
        self.gold += gold
        self.system += system


def _ratios() -> defaultdict[str, Ratio]:
    return defaultdict(Ratio)


@dataclass(slots=True, repr=False)
class Evaluation:
    """All scores of one comparison; its ``repr`` is a table of the most important.

    ``scores``: UAS, LAS, LAS with subtypes, label accuracy with and without subtypes, CLAS; all but CLAS also
    without punctuation (gold UPOS is PUNCT). ``labels``: by relation with its subtype, right head and
    relation. ``lengths``: LAS with subtypes by sentence length. ``distances``: UAS by the distance between
    head and word, ``root`` for the root's children. ``exact_heads`` and ``exact_trees`` count sentences.
    ``correct`` has the right heads, right heads with their full relations, and words of each sentence;
    ``right_heads`` and ``right_arcs`` (with their full relations) a truth value for each word.
    """

    sentences: int = 0
    words: int = 0
    exact_heads: int = 0
    exact_trees: int = 0
    scores: defaultdict[str, Ratio] = field(default_factory=_ratios)
    labels: defaultdict[str, Ratio] = field(default_factory=_ratios)
    lengths: defaultdict[str, Ratio] = field(default_factory=_ratios)
    distances: defaultdict[str, Ratio] = field(default_factory=_ratios)
    correct: list[tuple[int, int, int]] = field(default_factory=list)
    right_heads: list[bool] = field(default_factory=list)
    right_arcs: list[bool] = field(default_factory=list)

    def __repr__(self) -> str:
        """The table of scores, in percent."""
        rows = [
            [name, *(self._percent(own) for own in (name, f"{name}, no punctuation"))]
            for name in SCORES
            if name in self.scores
        ]
        for name, count in (("whole trees, heads", self.exact_heads), ("whole trees", self.exact_trees)):
            rows.append([name, percent(count / max(self.sentences, 1)), ""])
        title = f"{self.sentences} sentences, {self.words} words"
        return table_text(title, ["score", "all words", "no punctuation"], rows)

    def _percent(self, name: str) -> str:
        return percent(self.scores[name].f1) if name in self.scores else ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data, with all ratios as precision, recall, F1 and counts; lengths and distances in order."""

        def plain(ratios: dict[str, Ratio]) -> dict[str, dict[str, float]]:
            return {name: ratio.as_dict() for name, ratio in ratios.items()}

        def in_order(ratios: dict[str, Ratio], bins: Bins) -> dict[str, dict[str, float]]:
            names = ["root", *(_bin(low, bins) for low, _ in bins), NO_HEAD]
            return plain({name: ratios[name] for name in names if name in ratios})

        return {
            "sentences": self.sentences,
            "words": self.words,
            "exact_heads": self.exact_heads,
            "exact_trees": self.exact_trees,
            "scores": plain(self.scores),
            "labels": plain(self.labels),
            "lengths": in_order(self.lengths, LENGTHS),
            "distances": in_order(self.distances, DISTANCES),
        }


def evaluate(
    gold: Iterable[Sentence], system: Iterable[Sentence], *, annotated_only: bool = False
) -> Evaluation:
    """Compare parsed sentences with the gold ones; both must have the same words in the same order.

    ``annotated_only``: words without a gold head do not count, and those without a gold relation count for
    UAS alone; otherwise every gold word must have a head.

    >>> gold = Sentence(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> system = Sentence(["Dogs", "bark"], heads=[2, 0], deprels=["obj", "root"])
    >>> result = evaluate([gold], [system])
    >>> result.scores["UAS"].f1, result.scores["LAS"].f1
    (1.0, 0.5)
    >>> partial = Sentence(["Dogs", "bark"], heads=[2, None])
    >>> evaluate([partial], [system], annotated_only=True).words
    1
    """
    result = Evaluation()
    for number, (right, found) in enumerate(zip_longest(each_sentence(gold), each_sentence(system)), 1):
        with blaming(sentence for sentence in (right, found) if sentence is not None):
            _check_same_words(right, found, number)
            if not annotated_only:
                check_heads(right, number)
            _count_sentence(result, right, found, annotated_only)
    return result


def _check_same_words(gold: Sentence | None, system: Sentence | None, number: int) -> None:
    if gold is None or system is None:
        which = "gold" if gold is None else "system"
        raise MismatchError(f"the {which} file ends before sentence {number}, the other goes on")
    name = gold.sent_id or f"#{number}"
    for id, (right, found) in enumerate(zip_longest(gold.forms, system.forms), 1):
        if right != found:
            raise MismatchError(f"sentence {name}: word {id} is {right!r} in gold and {found!r} in system")


def check_heads(gold: Sentence, number: int) -> None:
    """ArboraError if a word of the gold sentence, which has this number, has no head."""
    if None in gold.heads:
        name, word = gold.sent_id or f"#{number}", gold.heads.index(None) + 1
        raise ArboraError(f"sentence {name}: {no_head(word)}")


def no_head(word: int) -> str:
    """What is wrong with a gold word that has no head.

    >>> no_head(2)
    'gold word 2 has no head; --annotated-only scores those that have one'
    """
    return f"gold word {word} has no head; --annotated-only scores those that have one"


def _count_sentence(result: Evaluation, gold: Sentence, system: Sentence, annotated_only: bool) -> None:
    """Words without a gold head are left out."""
    annotated = [id for id, head in enumerate(gold.heads, 1) if head is not None]
    if len(gold) and not annotated:
        return
    heads = relations = 0
    length = _bin(len(gold), LENGTHS)
    for id in annotated:
        if annotated_only and gold.deprels[id - 1] == UNKNOWN:
            head = relation = _count_head(result, gold, system, id)
        else:
            head, relation = _count_word(result, gold, system, id, length)
        heads += head
        relations += relation
        result.right_heads.append(head)
        result.right_arcs.append(relation)
    result.sentences += 1
    result.words += len(annotated)
    result.exact_heads += heads == len(annotated)
    result.exact_trees += relations == len(annotated)
    result.correct.append((heads, relations, len(annotated)))


def _count_head(result: Evaluation, gold: Sentence, system: Sentence, id: int) -> bool:
    """Of a word whose relation nobody knows."""
    head = gold.heads[id - 1] == system.heads[id - 1]
    result.scores["UAS"].count(head)
    if gold.upos[id - 1] != "PUNCT":
        result.scores["UAS, no punctuation"].count(head)
    return head


def _count_word(
    result: Evaluation, gold: Sentence, system: Sentence, id: int, length: str
) -> tuple[bool, bool]:
    """Whether the head, and the head with its full relation, is right."""
    place = id - 1
    right, found = gold.deprels[place], system.deprels[place]
    plain_right, plain_found = right.partition(":")[0], found.partition(":")[0]
    head = gold.heads[place] == system.heads[place]
    hits = {
        "UAS": head,
        "LAS": head and plain_right == plain_found,
        "LAS with subtypes": head and right == found,
        "labels": plain_right == plain_found,
        "labels with subtypes": right == found,
    }
    punctuation = gold.upos[place] == "PUNCT"
    for name, hit in hits.items():
        result.scores[name].count(hit)
        if not punctuation:
            result.scores[f"{name}, no punctuation"].count(hit)
    content, content_found = plain_right in CONTENT_RELATIONS, plain_found in CONTENT_RELATIONS
    result.scores["CLAS"].count(content and hits["LAS"], content, content_found)
    full = hits["LAS with subtypes"]
    result.labels[right].count(full, system=False)
    result.labels[found].count(False, gold=False)
    result.lengths[length].count(full)
    result.distances[_distance(id, gold.heads[place])].count(head, system=False)
    result.distances[_distance(id, system.heads[place])].count(False, gold=False)
    return head, full


def _distance(id: int, head: int | None) -> str:
    if head is None:
        return NO_HEAD
    return "root" if head == 0 else _bin(abs(id - head), DISTANCES)


def _bin(value: int, bins: Bins) -> str:
    for low, high in bins:
        if high is None or value <= high:
            return f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"
    raise AssertionError("the last bin is open")
