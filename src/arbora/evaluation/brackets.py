"""Bracket scores of parsed trees against gold ones, as EVALB gives them with its usual parameter file.

Traces are taken out. Brackets are counted over the words that are left when punctuation is deleted; those
without such a word, and those of the labels TOP, S1, ROOT and none at all, do not count. Labels are compared
without function tags, ADVP and PRT are one label. A bracket of the system crosses if it and some gold one
share words and neither holds the other. The accuracy of tags leaves punctuation out, too. But lengths, which
decide who belongs to the short sentences, count every word that is no trace: EVALB's parameter file deletes
traces alone from them.

In one point this is not EVALB: which words are punctuation is told by the gold tags for both trees. EVALB
asks each tree for its own, and gives up on a sentence whose tagger took a comma for a noun.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, TypeAlias

from arbora.errors import WrongTypeError, shown
from arbora.evaluation.alignment import MismatchError
from arbora.evaluation.attachment import Ratio
from arbora.evaluation.tables import percent, table_text
from arbora.treebank import Constituent

PUNCTUATION = frozenset({",", ":", "``", "''", "."})
"""Tags of the words that are deleted."""
ROOTS = frozenset({"", "TOP", "S1", "ROOT"})
"""Labels that every tree has on its top, so that they say nothing."""
SAME = {"PRT": "ADVP"}
LENGTHS = (15, 40)
ALL = "all"

Bracket: TypeAlias = tuple[str, int, int]


@dataclass(slots=True)
class BracketScores:
    """The scores of some sentences.

    ``brackets`` and ``tags`` are ratios; the others count sentences, but ``crossing`` brackets.

    >>> BracketScores(sentences=4, exact=1, crossing=6).average_crossing
    1.5
    """

    sentences: int = 0
    brackets: Ratio = field(default_factory=Ratio)
    tags: Ratio = field(default_factory=Ratio)
    exact: int = 0
    crossing: int = 0
    without_crossing: int = 0
    at_most_two_crossing: int = 0

    @property
    def average_crossing(self) -> float:
        """How many brackets of a sentence cross gold ones."""
        return self.crossing / max(self.sentences, 1)

    def share(self, count: int) -> float:
        """So many sentences, as a share of all."""
        return count / max(self.sentences, 1)

    def as_dict(self) -> dict[str, Any]:
        """Plain data: shares of sentences, precision, recall and F1 of brackets, accuracy of tags."""
        return {
            "sentences": self.sentences,
            "words": self.tags.gold,
            "brackets": self.brackets.as_dict(),
            "exact_match": self.share(self.exact),
            "average_crossing": self.average_crossing,
            "no_crossing": self.share(self.without_crossing),
            "at_most_two_crossing": self.share(self.at_most_two_crossing),
            "tagging_accuracy": self.tags.recall,
        }


def _ratios() -> defaultdict[str, Ratio]:
    return defaultdict(Ratio)


@dataclass(slots=True, repr=False)
class BracketEvaluation:
    """All bracket scores of one comparison; its ``repr`` is a table of the most important.

    ``groups``: the scores of all sentences, and of those of up to 15 and 40 words. ``labels``: by label.
    ``counts`` has right, gold and found brackets of each sentence: what `arbora.evaluation.compare_sums`
    takes.
    """

    groups: dict[str, BracketScores]
    labels: defaultdict[str, Ratio] = field(default_factory=_ratios)
    counts: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def all(self) -> BracketScores:
        """The scores of all sentences."""
        return self.groups[ALL]

    def __repr__(self) -> str:
        """The table of scores, in percent."""
        shown = self.groups.values()
        rows = [
            ["sentences", *(str(own.sentences) for own in shown)],
            ["recall", *(percent(own.brackets.recall) for own in shown)],
            ["precision", *(percent(own.brackets.precision) for own in shown)],
            ["F1", *(percent(own.brackets.f1) for own in shown)],
            ["exact match", *(percent(own.share(own.exact)) for own in shown)],
            ["tags", *(percent(own.tags.recall) for own in shown)],
        ]
        return table_text("brackets", ["score", *self.groups], rows)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "groups": {name: scores.as_dict() for name, scores in self.groups.items()},
            "labels": {name: ratio.as_dict() for name, ratio in self.labels.items()},
        }


def evaluate_brackets(gold: Iterable[Constituent], system: Iterable[Constituent]) -> BracketEvaluation:
    """Compare parsed trees with the gold ones, which must have the same words: MismatchError if not.

    Trees of traces only are left out on both sides.

    >>> gold = Constituent.from_string("(S (NP (PRP I)) (VP (VBD saw) (NP (PRP it))) (. .))")
    >>> system = Constituent.from_string("(S (NP (PRP I)) (VP (VBD saw)) (NP (PRP it)) (. .))")
    >>> scores = evaluate_brackets([gold], [system]).all
    >>> scores.brackets.correct, scores.brackets.recall, scores.exact, scores.tags.recall
    (3, 0.75, 0, 1.0)
    """
    names = [ALL, *(group_name(longest) for longest in LENGTHS)]
    result = BracketEvaluation({name: BracketScores() for name in names})
    for right, found in zip_longest(_with_words(gold), _with_words(system)):
        if right is None or found is None:
            which, number = ("gold", found[0]) if right is None else ("system", right[0])
            raise MismatchError(f"the {which} file ends before tree {number}, the other goes on")
        _count_tree(result, right[0], right[1], found[1])
    return result


def group_name(longest: int) -> str:
    """What the group of sentences up to this length is called.

    >>> group_name(40)
    'up to 40 words'
    """
    return f"up to {longest} words"


def _with_words(trees: Iterable[Constituent]) -> Iterator[tuple[int, Constituent]]:
    if isinstance(trees, str) or not isinstance(trees, Iterable):
        raise WrongTypeError(f"many trees are needed, in a list or the like, not {shown(trees)}")
    for number, tree in enumerate(trees, 1):
        if not isinstance(tree, Constituent):
            raise WrongTypeError(f"an arbora.treebank.Constituent is needed, this is {shown(tree)}")
        bare = tree.without_traces()
        if bare is not None:
            yield number, bare


def _count_tree(result: BracketEvaluation, number: int, gold: Constituent, system: Constituent) -> None:
    words = gold.words()
    for place, (right, found) in enumerate(zip_longest(words, system.words()), 1):
        if right != found:
            raise MismatchError(f"tree {number}: word {place} is {right!r} in gold and {found!r} in system")
    kept = [leaf.label not in PUNCTUATION for leaf in gold.preterminals()]
    brackets = _brackets(gold, kept), _brackets(system, kept)
    matched = brackets[0] & brackets[1]
    counts = matched.total(), brackets[0].total(), brackets[1].total()
    crossing = sum(
        count
        for bracket, count in brackets[1].items()
        if any(_cross(bracket, other) for other in brackets[0])
    )
    leaves = zip(gold.preterminals(), system.preterminals(), kept, strict=True)
    right_tags = sum(one.label == other.label for one, other, counted in leaves if counted)
    for name in (ALL, *(group_name(longest) for longest in LENGTHS if len(words) <= longest)):
        _add(result.groups[name], counts, crossing, right_tags, sum(kept))
    for field_name, which in zip(("correct", "gold", "system"), (matched, *brackets), strict=True):
        for (label, _, _), count in which.items():
            ratio = result.labels[label]
            setattr(ratio, field_name, getattr(ratio, field_name) + count)
    result.counts.append(counts)


def _add(
    scores: BracketScores, counts: tuple[int, int, int], crossing: int, right_tags: int, words: int
) -> None:
    correct, gold, system = counts
    scores.sentences += 1
    scores.brackets.correct += correct
    scores.brackets.gold += gold
    scores.brackets.system += system
    scores.tags.correct += right_tags
    scores.tags.gold += words
    scores.tags.system += words
    scores.exact += correct == gold == system
    scores.crossing += crossing
    scores.without_crossing += crossing == 0
    scores.at_most_two_crossing += crossing <= 2


def _brackets(tree: Constituent, kept: list[bool]) -> Counter[Bracket]:
    """The brackets that count, in words that are no punctuation."""
    before = [0]  # words that count before each
    for counts in kept:
        before.append(before[-1] + counts)
    found: Counter[Bracket] = Counter()
    for label, start, end in tree.without_functions().spans():
        if label not in ROOTS and before[start] < before[end]:
            found[SAME.get(label, label), before[start], before[end]] += 1
    return found


def _cross(one: Bracket, other: Bracket) -> bool:
    (_, start, end), (_, other_start, other_end) = one, other
    return start < other_start < end < other_end or other_start < start < other_end < end
