"""What words are to a generative model: numbers of tags and of words, rare words by their signature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.generative.options import GenerativeOptions
from arbora.treebank import Sentence

Integers: TypeAlias = npt.NDArray[np.int32]

ROOT = 0
"""The number of the root, which heads have; 1 is what is unknown altogether."""
UNKNOWN = "<unknown>"


def signature(word: str, suffix: int = 3) -> str:
    """The class of a word that is too rare to be known: its shape, and its last letters.

    >>> signature("Walking"), signature("1984"), signature("NATO"), signature("!?")
    ('<Aa-ing>', '<0>', '<A-ato>', '<.>')
    """
    kinds = []
    for letter in word:
        kind = "A" if letter.isupper() else "a" if letter.isalpha() else "0" if letter.isdigit() else "."
        if kind not in kinds:
            kinds.append(kind)
    ending = word.lower()[-suffix:] if suffix and word[-1:].isalpha() else ""
    return f"<{''.join(kinds)}-{ending}>" if ending else f"<{''.join(kinds)}>"


@dataclass(frozen=True, slots=True)
class Units:
    """The tags and words that a model knows, in the order of their numbers, which begin with 2.

    Words are forms in lower case, and signatures of those that were too rare. What is neither is number 1.

    >>> units = Units.of([Sentence(["the", "cat", "the"], upos=["DET", "NOUN", "DET"])], GenerativeOptions())
    >>> units.tags, units.words, units.symbols(Sentence(["the", "Dog"], upos=["DET", "NOUN"]))
    (('DET', 'NOUN'), (), ['DET', 'NOUN'])
    """

    options: GenerativeOptions
    tags: tuple[str, ...]
    words: tuple[str, ...]
    _tags: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)
    _words: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._tags.update({tag: number for number, tag in enumerate(self.tags, 2)})
        self._words.update({word: number for number, word in enumerate(self.words, 2)})

    @classmethod
    def of(cls, sentences: Iterable[Sentence], options: GenerativeOptions) -> Units:
        """Those of a corpus."""
        tags: set[str] = set()
        counts: Counter[str] = Counter()
        for sentence in sentences:
            if has_tags(options):
                tags.update(getattr(sentence, options.tags))
            if has_words(options):
                counts.update(sentence.forms)
        known: Counter[str] = Counter()
        for form, count in counts.items():
            known[form.lower()] += count
        words = {word for word, count in known.items() if count >= options.least_count}
        rare = {signature(form, options.suffix) for form in counts if form.lower() not in words}
        return cls(options, tuple(sorted(tags)), tuple(sorted(words)) + tuple(sorted(rare - words)))

    @property
    def tag_count(self) -> int:
        """How many numbers of tags there are, the root's and the unknown's with them."""
        return len(self.tags) + 2

    @property
    def word_count(self) -> int:
        """How many numbers of words there are, the root's and the unknown's with them."""
        return len(self.words) + 2

    def encode(self, sentence: Sentence) -> tuple[Integers, Integers]:
        """The numbers of tags and of words, each with n+1 places, the root's first."""
        size = len(sentence) + 1
        tags, words = np.zeros(size, np.int32), np.zeros(size, np.int32)
        if has_tags(self.options):
            tags[1:] = [self._tags.get(tag, 1) for tag in getattr(sentence, self.options.tags)]
        if has_words(self.options):
            words[1:] = [self._word(form) for form in sentence.forms]
        return tags, words

    def symbols(self, sentence: Sentence) -> list[str]:
        """What the model sees of every word, as text: for other models of the same strings."""
        tags, words = self.encode(sentence)
        named = [
            [("", UNKNOWN, *names)[number] for number in numbers[1:]]
            for names, numbers in ((self.words, words), (self.tags, tags))
        ]
        if self.options.units == "tags-and-words":
            return ["/".join(pair) for pair in zip(*named, strict=True)]
        return named[0] if has_words(self.options) else named[1]

    def _word(self, form: str) -> int:
        known = self._words.get(form.lower())
        return self._words.get(signature(form, self.options.suffix), 1) if known is None else known


def has_tags(options: GenerativeOptions) -> bool:
    """Whether the model looks at tags."""
    return options.units != "words"


def has_words(options: GenerativeOptions) -> bool:
    """Whether the model looks at words."""
    return options.units != "tags"


def kept_words(sentence: Sentence, options: GenerativeOptions) -> Sequence[int]:
    """The words that belong to the tree, from 1: all, or all but punctuation, if there are others.

    >>> kept_words(Sentence(["Oh", ",", "no"], upos=["INTJ", "PUNCT", "INTJ"]), GenerativeOptions())
    [1, 3]
    """
    everything = list(range(1, len(sentence) + 1))
    if options.punctuation:
        return everything
    kept = [word for word in everything if sentence.upos[word - 1] != "PUNCT"]
    return kept or everything
