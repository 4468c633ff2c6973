"""What rules are about: words by their columns, labels, and how many arcs of some kind a tree may have.

Every kind of rule says two things of a sentence, each by itself: which words break it in a given tree
(``broken_at``), and the limits that a tree must keep to satisfy it (``limits``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arbora.treebank.sentence import UNKNOWN, Sentence, Token

Arc = tuple[int, int]
"""A head and a modifier; 0 is the root."""
COLUMNS = ("upos", "xpos", "form", "lemma", "feats", "id")
"""What words are selected by."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Some labels; ``nsubj:*`` is nsubj with all its subtypes. ``outside``: all labels but these.

    >>> Labels(("obj", "nsubj:*")).match("nsubj:pass"), Labels(("obj",)).match("obj:lvc")
    (True, False)
    """

    names: tuple[str, ...]
    outside: bool = False

    def match(self, label: str) -> bool:
        """Whether a label is one of these."""
        return any(_is_a(label, name) for name in self.names) != self.outside


def _is_a(label: str, name: str) -> bool:
    general = name.removesuffix(":*")
    return label == general or (general != name and label.startswith(general + ":"))


@dataclass(frozen=True, slots=True)
class Term:
    """A column of a word and the values that it must have one of, or none of if it is ``negated``."""

    column: str
    values: tuple[str, ...]
    negated: bool = False

    def match(self, word: Token) -> bool:
        """Whether the word is one of these."""
        return any(self._has(word, value) for value in self.values) != self.negated

    def _has(self, word: Token, value: str) -> bool:
        if self.column != "feats":
            return bool(str(getattr(word, self.column)) == value)
        name, _, wanted = value.partition("=")
        own = word.features.get(name)
        return own is not None and (own == wanted or wanted in own.split(","))


@dataclass(frozen=True, slots=True)
class Selector:
    """Words that all terms fit; without a term, any word.

    >>> sentence = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"])
    >>> Selector((Term("upos", ("VERB", "AUX")),)).ids(sentence)
    [2]
    """

    terms: tuple[Term, ...] = ()

    def ids(self, sentence: Sentence) -> list[int]:
        """The words of a sentence that it selects."""
        return [word.id for word in sentence if all(term.match(word) for term in self.terms)]


@dataclass(frozen=True, slots=True)
class Limit:
    """Of these arcs, with such labels (None: with any), a tree has at least ``low`` and at most ``high``.

    ``token`` is the word that it is about, 0 the root.
    """

    rule: Rule
    token: int
    arcs: tuple[Arc, ...]
    high: int | None = None
    low: int = 0
    labels: Labels | None = None

    def is_kept(self, heads: Sequence[int], labels: Sequence[str]) -> bool:
        """Whether a tree keeps it."""
        count = sum(
            heads[modifier - 1] == head and (self.labels is None or self.labels.match(labels[modifier - 1]))
            for head, modifier in self.arcs
        )
        return self.low <= count and (self.high is None or count <= self.high)


@dataclass(frozen=True, slots=True)
class Rule(ABC):
    """A rule as it stands in its file; it is for all sentences, for ``these`` or for all but these."""

    text: str
    file: str
    line: int
    these: tuple[str, ...]
    all_but: bool

    def __str__(self) -> str:
        """Where it stands, and what it says."""
        return f"{self.file}:{self.line}: {self.text}"

    def concerns(self, sentence: Sentence) -> bool:
        """Whether it is for this sentence."""
        return len(sentence) > 0 and (not self.these or (sentence.sent_id in self.these) != self.all_but)

    @abstractmethod
    def broken_at(self, sentence: Sentence) -> Iterator[int]:
        """The words where the sentence's tree breaks it; unknown heads and labels break nothing."""

    @abstractmethod
    def limits(self, sentence: Sentence) -> Iterator[Limit]:
        """What it means for the sentence's trees."""


@dataclass(frozen=True, slots=True)
class CountRule(Rule):
    """A word that ``heads`` selects has from ``low`` to ``high`` children with such labels."""

    labels: Labels | None
    low: int
    high: int | None
    heads: Selector

    def broken_at(self, sentence: Sentence) -> Iterator[int]:
        """The heads with too many children or too few."""
        pairs = list(zip(sentence.heads, sentence.deprels, strict=True))
        unknown = sum(head is None for head, _ in pairs)
        for id in self.heads.ids(sentence):
            own = [label for head, label in pairs if head == id]
            sure = sum(self._counts(label) for label in own)
            unsure = unknown + (sum(label == UNKNOWN for label in own) if self.labels else 0)
            if sure + unsure < self.low or (self.high is not None and sure > self.high):
                yield id

    def _counts(self, label: str) -> bool:
        return self.labels is None or (label != UNKNOWN and self.labels.match(label))

    def limits(self, sentence: Sentence) -> Iterator[Limit]:
        """One for each head."""
        for id in self.heads.ids(sentence):
            arcs = _arcs([id], _words(sentence))
            yield Limit(self, id, arcs, self.high, self.low, self.labels)


@dataclass(frozen=True, slots=True)
class RootRule(Rule):
    """What hangs from the root is one of ``words``."""

    words: Selector

    def broken_at(self, sentence: Sentence) -> Iterator[int]:
        """The roots that are no such words."""
        right = set(self.words.ids(sentence))
        return (id for id in sentence.roots if id not in right)

    def limits(self, sentence: Sentence) -> Iterator[Limit]:
        """No arc from the root to another word."""
        others = set(_words(sentence)) - set(self.words.ids(sentence))
        yield Limit(self, 0, _arcs([0], sorted(others)), 0)


@dataclass(frozen=True, slots=True)
class HeadRule(Rule):
    """The head of each of ``words`` is one of ``heads``, or the root if ``or_root``."""

    words: Selector
    heads: Selector
    or_root: bool

    def broken_at(self, sentence: Sentence) -> Iterator[int]:
        """The words with another head."""
        right = self._right(sentence)
        for id in self.words.ids(sentence):
            head = sentence.heads[id - 1]
            if head is not None and head not in right:
                yield id

    def _right(self, sentence: Sentence) -> set[int]:
        return {*self.heads.ids(sentence), *([0] if self.or_root else [])}

    def limits(self, sentence: Sentence) -> Iterator[Limit]:
        """For each word, no arc from another head."""
        wrong = [id for id in (0, *_words(sentence)) if id not in self._right(sentence)]
        for id in self.words.ids(sentence):
            yield Limit(self, id, _arcs(wrong, [id]), 0)


@dataclass(frozen=True, slots=True)
class LabelRule(Rule):
    """The label of each of ``words`` is one of ``labels``."""

    words: Selector
    labels: Labels

    def broken_at(self, sentence: Sentence) -> Iterator[int]:
        """The words with another label."""
        for id in self.words.ids(sentence):
            label = sentence.deprels[id - 1]
            if label != UNKNOWN and not self.labels.match(label):
                yield id

    def limits(self, sentence: Sentence) -> Iterator[Limit]:
        """For each word, no arc with another label."""
        others = Labels(self.labels.names, outside=True)
        for id in self.words.ids(sentence):
            yield Limit(self, id, _arcs([0, *_words(sentence)], [id]), 0, labels=others)


@dataclass(frozen=True, slots=True)
class ArcRule(Rule):
    """None of ``words`` hangs from one of ``heads``."""

    heads: Selector
    words: Selector

    def broken_at(self, sentence: Sentence) -> Iterator[int]:
        """The words that do."""
        wrong = set(self.heads.ids(sentence))
        return (id for id in self.words.ids(sentence) if sentence.heads[id - 1] in wrong)

    def limits(self, sentence: Sentence) -> Iterator[Limit]:
        """For each word, no arc from such a head."""
        for id in self.words.ids(sentence):
            yield Limit(self, id, _arcs(self.heads.ids(sentence), [id]), 0)


@dataclass(frozen=True, slots=True)
class SpanRule(Rule):
    """Of the words ``first`` to ``last``, one has its head outside; ``closed``: and none outside in them.

    A sentence with fewer words breaks it at its last.
    """

    first: int
    last: int
    closed: bool

    def broken_at(self, sentence: Sentence) -> Iterator[int]:
        """The words beyond the first whose heads are outside, then words outside that hang from inside."""
        if len(sentence) < self.last:
            yield len(sentence)
            return
        inside = range(self.first, self.last + 1)
        known = [(id, head) for id, head in enumerate(sentence.heads, 1) if head is not None]
        yield from [id for id, head in known if id in inside and head not in inside][1:]
        if self.closed:
            yield from (id for id, head in known if id not in inside and head in inside)

    def limits(self, sentence: Sentence) -> Iterator[Limit]:
        """At most one arc inwards, as there are no cycles; perhaps none outwards."""
        if len(sentence) < self.last:
            yield Limit(self, len(sentence), (), low=1)
            return
        inside = range(self.first, self.last + 1)
        outside = [id for id in _words(sentence) if id not in inside]
        yield Limit(self, self.first, _arcs([0, *outside], inside), 1)
        if self.closed:
            yield Limit(self, self.first, _arcs(inside, outside), 0)


def _words(sentence: Sentence) -> range:
    return range(1, len(sentence) + 1)


def _arcs(heads: Iterable[int], modifiers: Iterable[int]) -> tuple[Arc, ...]:
    heads = list(heads)
    return tuple((head, modifier) for modifier in modifiers for head in heads if head != modifier)
