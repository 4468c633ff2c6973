"""What a network knows by number: labels, tags and tag-words; and derivations in these numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from arbora import _core
from arbora.constituency.trees import NO_LABEL, TaggedWords, some_labels, tagged_words, tree_of_spans
from arbora.errors import ArboraError
from arbora.models.checking import a_list, a_text, a_whole, some_names
from arbora.treebank import Constituent

Decisions: TypeAlias = list[tuple[int, int, int, int]]
"""(action, label, tag, tag-word): actions are shift, project, attach, end; what an action has not is -1."""

ACTIONS = ("shift", "project", "attach", "end")
UNKNOWN = ""
"""The word of a tag that stands for all that are not frequent enough."""


def signature(word: str) -> str:
    """A class of unknown words: capital, digit, hyphen, and the ending.

    >>> signature("unhappily"), signature("Re-established"), signature("1,000")
    ('\\x01ly', '\\x01C-ed', '\\x01d')
    """
    marks = "C" * word[:1].isupper() + "-" * ("-" in word) + "d" * any(map(str.isdigit, word))
    ending = next(
        (e for e in ("ing", "ion", "ity", "est", "ed", "ly", "er", "al", "s") if word.endswith(e)), ""
    )
    return f"\x01{marks}{ending}"


@dataclass(slots=True)
class Vocabulary:
    """The symbols of a treebank.

    ``words`` has for each tag its words, the unknown one first. ``root_label`` is the label that all trees
    have at the top; None if they differ, and are below a root that is not shown. ``longest_chain`` is the
    greatest number of constituents over the same words. A tag that was never seen counts as ``common_tag``,
    the most frequent one: taggers know more tags than a small treebank has.
    """

    labels: list[str]
    tags: list[str]
    words: list[list[str]]
    root_label: str | None
    longest_chain: int
    common_tag: str
    _labels: dict[str, int] = field(init=False, repr=False)
    _tags: dict[str, int] = field(init=False, repr=False)
    _words: list[dict[str, int]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Number everything; ValueError if something comes twice."""
        self._labels = {label: number for number, label in enumerate(self.labels)}
        self._tags = {tag: number for number, tag in enumerate(self.tags)}
        self._words, begin = [], 0
        for words in self.words:
            self._words.append({word: begin + number for number, word in enumerate(words)})
            begin += len(words)
        if self.common_tag not in self._tags:
            raise ValueError("the common tag is none of the tags")
        if len(self._labels) < len(self.labels) or len(self._tags) < len(self.tags):
            raise ValueError("a label or tag comes twice")
        if any(
            own.get(UNKNOWN) is None or len(own) < len(words)
            for own, words in zip(self._words, self.words, strict=True)
        ):
            raise ValueError("a tag lacks its unknown word, or a word comes twice")

    @classmethod
    def of(cls, trees: Sequence[Constituent], least_count: int, signatures: bool) -> Vocabulary:
        """That of a treebank.

        >>> tree = Constituent.from_string("(TOP (S (NP (NNS Dogs)) (VP (VBP bark))))")
        >>> Vocabulary.of([tree], 1, False).words
        [['', 'Dogs'], ['', 'bark']]
        """
        tops = {tree.label for tree in trees}
        root = tops.pop() if len(tops) == 1 and not any(tree.is_preterminal for tree in trees) else None
        labels = Counter(label for tree in trees for label, _, _ in _inner_spans(tree, root))
        pairs = Counter(pair for tree in trees for pair in zip(*tagged_words(tree), strict=True))
        tags = sorted({tag for _, tag in pairs})
        frequent = {tag: [UNKNOWN] for tag in tags}
        for word, tag in sorted(pair for pair, count in pairs.items() if count >= least_count):
            frequent[tag].append(word)
        if signatures:
            rare: Counter[tuple[str, str]] = Counter()
            for (word, tag), count in pairs.items():
                if count < least_count:
                    rare[signature(word), tag] += count
            for word, tag in sorted(pair for pair, count in rare.items() if count >= least_count):
                frequent[tag].append(word)
        chains = (_longest_chain(_inner_spans(tree, root)) for tree in trees)
        if not labels:
            raise ArboraError("the trees have no constituents")
        counts = Counter(tag for tree in trees for tag in tagged_words(tree).tags)
        common = min(counts, key=lambda tag: (-counts[tag], tag))
        return cls(sorted(labels), tags, [frequent[tag] for tag in tags], root, max(chains), common)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Vocabulary:
        """That of a header; KeyError or ValueError if it is none."""
        root = data["root_label"]
        return cls(
            some_labels(data["labels"], "labels"),
            some_names(data["tags"], "tags", NO_LABEL),
            [
                [a_text(word, "a word") for word in a_list(own, "words")]
                for own in a_list(data["words"], "words")
            ],
            None if root is None else some_labels([root], "root_label")[0],
            a_whole(data["longest_chain"], "longest_chain", 1),
            a_text(data["common_tag"], "common_tag"),
        )

    def as_dict(self) -> dict[str, Any]:
        """It as plain data, for a header."""
        return {
            "labels": self.labels,
            "tags": self.tags,
            "words": self.words,
            "root_label": self.root_label,
            "longest_chain": self.longest_chain,
            "common_tag": self.common_tag,
        }

    def numbers(self, sentence: TaggedWords) -> tuple[list[int], list[int]]:
        """The tags and the tag-words of a sentence."""
        common = self._tags[self.common_tag]
        tags = [self._tags.get(tag, common) for tag in sentence.tags]
        return tags, [self._word(tag, word) for tag, word in zip(tags, sentence.words, strict=True)]

    def _word(self, tag: int, word: str) -> int:
        own = self._words[tag]
        found = own.get(word) if word != UNKNOWN else None
        if found is None:
            found = own.get(signature(word), own[UNKNOWN])
        return found

    def decisions(self, tree: Constituent) -> Decisions:
        """The derivation of a tree; ArboraError if it has a label that was never seen."""
        spans = _inner_spans(tree, self.root_label)
        unseen = next((label for label, _, _ in spans if label not in self._labels), None)
        if unseen is not None:
            raise ArboraError(f"the parser has never seen the label {unseen!r}")
        tags, words = self.numbers(tagged_words(tree))
        return _core.isbn_decisions(
            [(self._labels[label], start, end) for label, start, end in spans], tags, words
        )

    def tree(self, decisions: Decisions, sentence: TaggedWords) -> Constituent:
        """The tree of a derivation, with the words as they are."""
        spans = [(self.labels[label], start, end) for label, start, end in _core.isbn_spans(decisions)]
        if self.root_label is not None:
            spans.insert(0, (self.root_label, 0, len(sentence.words)))
        if not spans:
            return Constituent(sentence.tags[0], [sentence.words[0]])
        return tree_of_spans(spans, sentence)

    def describe(self, decisions: Decisions) -> list[str]:
        """A derivation in words.

        >>> tree = Constituent.from_string("(TOP (S (NP (NNS Dogs)) (VP (VBP bark))))")
        >>> vocabulary = Vocabulary.of([tree], 1, False)
        >>> vocabulary.describe(vocabulary.decisions(tree))[:3]
        ['shift NNS Dogs', 'project NP', 'project S']
        """
        flat = [word for words in self.words for word in words]
        return [
            " ".join(
                [ACTIONS[action]]
                + ([self.labels[label]] if label >= 0 else [])
                + ([self.tags[tag], flat[word] or "(unknown)"] if tag >= 0 else [])
            )
            for action, label, tag, word in decisions
        ]


def _inner_spans(tree: Constituent, root: str | None) -> list[tuple[str, int, int]]:
    """The constituents below the root."""
    spans = tree.spans()
    if root is None:
        return spans
    if tree.label != root:
        raise ArboraError(f"a tree has {tree.label!r} at its top, where others have {root!r}")
    return spans[1:]


def _longest_chain(spans: Iterable[tuple[str, int, int]]) -> int:
    return max(Counter((start, end) for _, start, end in spans).values(), default=0)
