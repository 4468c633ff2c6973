"""What a model thinks of trees that are there: how probable heads and labels are, and what it prefers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, Protocol

from arbora.errors import WrongTypeError, shown
from arbora.treebank import Sentence


@dataclass(frozen=True, slots=True)
class WordJudgement:
    """Of one word: how probable its head is, and its label on that arc; None where none is annotated.

    ``best_head`` and ``best_deprel`` are those of the tree that the parser prefers, ``best_probability`` is
    that of both together.
    """

    head_probability: float | None
    label_probability: float | None
    best_head: int
    best_deprel: str
    best_probability: float

    @property
    def probability(self) -> float | None:
        """That head and label are both right; None where no head is annotated."""
        if self.head_probability is None:
            return None
        return self.head_probability * (1 if self.label_probability is None else self.label_probability)


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What a word may have, the most probable first: heads, and labels given the annotated tree."""

    heads: list[tuple[int, float]]
    labels: list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A rule, with its place in its file, and the word where the tree breaks it."""

    rule: str
    word: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of one sentence.

    ``tree_log_probability`` is that of all heads and of the labels that are annotated: None if a head is not,
    or if the sentence is so long that it was parsed in pieces, and minus infinity if the parser can find no
    such tree. ``expected_errors`` is the sum, over annotated words, of the chance that head or label is
    wrong; ``disagreements`` counts the words whose head or label is not what the parser prefers.
    ``error`` says why there is nothing else.
    """

    words: list[WordJudgement] = field(default_factory=list)
    tree_log_probability: float | None = None
    expected_errors: float = 0.0
    disagreements: int = 0
    alternatives: list[Alternatives] | None = None
    broken_rules: list[BrokenRule] = field(default_factory=list)
    error: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON, which knows no infinite numbers: None is in their place."""
        log_probability = self.tree_log_probability
        if log_probability is not None and not isfinite(log_probability):
            log_probability = None
        data: dict[str, Any] = {
            "tree_log_probability": log_probability,
            "expected_errors": self.expected_errors,
            "disagreements": self.disagreements,
            "words": [_fields(word) for word in self.words],
            "broken_rules": [_fields(broken) for broken in self.broken_rules],
        }
        if self.alternatives is not None:
            data["alternatives"] = [
                {"heads": list(map(list, own.heads)), "labels": list(map(list, own.labels))}
                for own in self.alternatives
            ]
        return data | ({} if self.error is None else {"error": self.error})


class Judge(Protocol):
    """What can judge trees: a parser, or a pipeline, which fills in tags that are not there."""

    def judged(
        self, sentences: Iterable[Sentence], options: Any = None, *, alternatives: float | None = None
    ) -> Iterator[Judgement]:
        """A judgement for each sentence, in order, without rules."""


class Limits(Protocol):
    """What trees may break: `arbora.dependency.Rules`."""

    def violations(self, sentence: Sentence) -> Sequence[tuple[Any, int]]:
        """Rules, and words where the tree breaks them."""


def judge(
    sentences: Iterable[Sentence],
    model: Judge,
    *,
    alternatives: float | None = None,
    rules: Limits | None = None,
    options: Any = None,
) -> Iterator[Judgement]:
    """What a parser or a pipeline thinks of the trees of sentences, in order; no tree is changed.

    Trees may be partial: words without a head are not judged, and those without a label (``_``) by their head
    alone. Words keep their tags; a pipeline fills in those that are not there. The arcs of the tree count as
    possible even where the parser's pruning would leave them out. ``alternatives`` is the least probability
    of other heads and labels that are listed; None lists none. ``options`` are those of parsing
    (`arbora.dependency.ParseOptions`): which trees count, threads, words that are worked on together. What is
    wrong with a sentence is its judgement's ``error``, and the others are judged.

    >>> import arbora
    >>> sentence = Sentence(["Dogs", "bark", "."], upos=["NOUN", "VERB", "PUNCT"], heads=[2, 0, 1],
    ...                     deprels=["nsubj", "root", "punct"])
    >>> found = next(judge([sentence], arbora.load()))
    >>> found.disagreements, found.words[2].best_head, found.words[2].head_probability < 0.1
    (1, 2, True)
    """
    if not hasattr(model, "judged"):
        raise WrongTypeError(f"trees are judged by a parser or a pipeline, not by {shown(model)}")
    if rules is not None and not hasattr(rules, "violations"):
        raise WrongTypeError(f"rules are arbora.dependency.Rules, not {shown(rules)}")
    if rules is None:
        yield from model.judged(sentences, options, alternatives=alternatives)
        return
    waiting: list[Sentence] = []

    def remembered() -> Iterator[Sentence]:
        for sentence in sentences:
            waiting.append(sentence)
            yield sentence

    for found in model.judged(remembered(), options, alternatives=alternatives):
        sentence = waiting.pop(0)
        if found.error is not None:
            yield found
            continue
        broken = [BrokenRule(str(rule), token) for rule, token in rules.violations(sentence)]
        yield replace(found, broken_rules=broken)


def _fields(row: WordJudgement | BrokenRule) -> dict[str, Any]:
    return {name: getattr(row, name) for name in type(row).__slots__}
