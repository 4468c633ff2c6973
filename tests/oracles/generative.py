"""The slow twin of the generative models: every tree is written out, and told as a story of decisions.

A word is a pair of texts, its tag and its form; an event is a decision, its context and its outcome, all in
plain words. Probabilities come from a dictionary of counts, and every answer is a sum over the list of trees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import fsum, log, prod

from oracles.trees import all_trees

ROOT, UNKNOWN = "the root", "what is unknown"
Word = tuple[str, str]
Context = tuple[tuple[str, object], ...]
Event = tuple[str, Context, object]
Tree = tuple[tuple[int, ...], tuple[int, ...]]
"""Heads and labels of words 1..n."""


def bin_of(distance: int) -> str:
    if distance >= 7:
        return "7+"
    return "3-6" if distance >= 3 else str(distance)


@dataclass(frozen=True)
class Given:
    """A sentence, and what is known of its tree; None where nothing is."""

    words: tuple[Word, ...]
    heads: tuple[int | None, ...] = ()
    labels: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class Twin:
    """What kind of model; ``outcomes``: how many each decision has."""

    model: str
    units: str
    labels: int
    outcomes: Mapping[str, int]
    direction: bool = True
    distance: bool = False
    single_root: bool = True
    projective: bool = False
    known: dict[object, list[Event]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Pieces of stories: trees of the same words share most of theirs."""

    def trees(self, given: Given) -> list[Tree]:
        """All labelled trees that have what is given."""
        n = len(given.words)
        known_heads, known_labels = given.heads or (None,) * n, given.labels or (None,) * n
        projective = self.projective or self.model == "valence"
        choices = [range(self.labels) if label is None else [label] for label in known_labels]
        found = []
        for row in all_trees(n, self.single_root, projective)[:, 1:].tolist():
            if all(known in (None, head) for known, head in zip(known_heads, row, strict=True)):
                found += [(tuple(row), labels) for labels in product(*choices)]
        return found

    def shared(self, n: int) -> float:
        """What the model says of a tree before there are words: the bigram model's are all alike."""
        return 1 / len(all_trees(n, self.single_root, self.projective)) if self.model == "bigram" else 1.0

    def story(self, words: Sequence[Word], tree: Tree) -> list[Event]:
        """Everything that was decided for these words to come about with this tree."""
        words, found = tuple(words), []
        for modifier, (head, label) in enumerate(zip(*tree, strict=True), 1):
            found += self._piece(self._arc, words, head, modifier, label)
        if self.model == "valence":
            for head in range(1 if self.single_root else 0, len(words) + 1):
                children = tuple(place for place, above in enumerate(tree[0], 1) if above == head)
                found += self._piece(self._stops, words, head, children)
        return found

    def _piece(self, tell: Callable[..., Iterator[Event]], *of: object) -> list[Event]:
        key = (tell.__name__, *of)
        if key not in self.known:
            self.known[key] = list(tell(*of))
        return self.known[key]

    def _seen(self, words: Sequence[Word], head: int) -> Context:
        tag, form = words[head - 1] if head else (ROOT, ROOT)
        return {
            "tags": (("head_tag", tag),),
            "words": (("head_word", form),),
            "tags-and-words": (("head_tag", tag), ("head_word", form)),
        }[self.units]

    def _arc(self, words: Sequence[Word], head: int, modifier: int, label: int) -> Iterator[Event]:
        tag, form = words[modifier - 1]
        seen = self._seen(words, head)
        side = "root" if head == 0 else "left" if modifier < head else "right"
        far = "1" if head == 0 else bin_of(abs(head - modifier))
        place = ("place", (side if self.direction else "", far if self.distance else ""))
        if self.labels > 1:
            yield "label", (*seen, place), label
        labelled = ("label", label)
        if self.units == "words":
            yield "word", (labelled, *seen, place), form
            return
        yield "tag", (labelled, *seen, place), tag
        if self.units == "tags-and-words":
            yield "word", (("tag", tag), labelled, seen[1]), form

    def _stops(self, words: Sequence[Word], head: int, children: Sequence[int]) -> Iterator[Event]:
        """Side by side: before each modifier it goes on, after the last one it stops."""
        sides = {"left": [child for child in children if child < head]}
        sides["right"] = [child for child in children if child > head]
        for side, own in sides.items():
            if head == 0 and side == "left":
                continue
            context = (*self._seen(words, head), ("side", side))
            for place, _ in enumerate(own):
                yield "stop", (*context, ("has_child", place > 0)), False
            yield "stop", (*context, ("has_child", bool(own))), True


class Chances:
    """p(outcome | context) = (c + a) / (C + a K), from a dictionary; 1 / K where nothing is known."""

    def __init__(self, twin: Twin, counts: Mapping[Event, float], addend: float) -> None:
        self.twin, self.counts, self.addend = twin, counts, addend
        totals: dict[tuple[str, Context], list[float]] = {}
        for (name, context, _), count in counts.items():
            totals.setdefault((name, context), []).append(count)
        self.totals = {key: fsum(own) for key, own in totals.items()}
        self.found: dict[Event, float] = {}

    def __call__(self, event: Event) -> float:
        if event not in self.found:
            outcomes = self.twin.outcomes[event[0]]
            total = self.totals.get(event[:2], 0.0) + self.addend * outcomes
            share = (self.counts.get(event, 0.0) + self.addend) / total if total else 1 / outcomes
            self.found[event] = share
        return self.found[event]


@dataclass
class Told:
    """All trees of one sentence that are possible, with p(words, labels, tree), by enumeration."""

    twin: Twin
    trees: list[Tree] = field(default_factory=list)
    stories: list[list[Event]] = field(default_factory=list)
    chances: list[float] = field(default_factory=list)
    """Without what the model says of trees before there are words."""
    shared: float = 1.0

    @classmethod
    def of(cls, twin: Twin, given: Given, chances: Chances | None = None) -> Told:
        """With no chances at all, every tree is like another."""
        found = cls(twin, shared=twin.shared(len(given.words)))
        for tree in twin.trees(given):
            story = twin.story(given.words, tree)
            chance = 1.0 if chances is None else prod(map(chances, story))
            if chance > 0:
                found.trees.append(tree)
                found.stories.append(story)
                found.chances.append(chance)
        return found

    def value(self, exponent: float = 1.0) -> float:
        """The log-likelihood; with an exponent b, log(sum of p^b) / b."""
        return log(fsum(chance**exponent for chance in self.chances)) / exponent + log(self.shared)

    def posterior(self, exponent: float = 1.0) -> list[float]:
        total = fsum(chance**exponent for chance in self.chances)
        return [chance**exponent / total for chance in self.chances]

    def expected(self, exponent: float = 1.0) -> Counter[Event]:
        """The expected number of uses of every event."""
        found: Counter[Event] = Counter()
        for story, weight in zip(self.stories, self.posterior(exponent), strict=True):
            for event in story:
                found[event] += weight
        return found

    def best_value(self) -> float:
        return log(max(self.chances)) + log(self.shared)

    def best_trees(self) -> list[int]:
        """The places of those that are as good as the best."""
        highest = max(self.chances)
        return [place for place, chance in enumerate(self.chances) if chance >= highest * (1 - 1e-12)]

    def arcs(self) -> Counter[tuple[int, int]]:
        """p(head, modifier | words)."""
        found: Counter[tuple[int, int]] = Counter()
        for (heads, _), weight in zip(self.trees, self.posterior(), strict=True):
            for modifier, head in enumerate(heads, 1):
                found[head, modifier] += weight
        return found


def one_update(
    twin: Twin, corpus: Sequence[Given], chances: Chances | None, addend: float
) -> tuple[Chances, float]:
    """One iteration of EM, in closed form: expected counts over expected counts of contexts.

    McDonald & Satta 2007, section 4.4.2; also the log-likelihood before it. Without chances, it is the start
    from all trees being alike.
    """
    counts: Counter[Event] = Counter()
    value = 0.0
    for given in corpus:
        told = Told.of(twin, given, chances)
        value += told.value()
        counts.update(told.expected())
    return Chances(twin, counts, addend), value
