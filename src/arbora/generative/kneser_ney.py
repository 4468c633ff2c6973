"""N-gram models from text, by interpolated modified Kneser-Ney smoothing (Chen and Goodman 1999).

With c(hw) for the count of an n-gram, w for its last word, h for the words before that, and h' for h without
its first word,

```text
p(w | h) = (c(hw) - D(c(hw))) / c(h) + b(h) p(w | h')      c(h): the sum of c(hw) over w
b(h)     = (D1 N1(h) + D2 N2(h) + D3 N3(h)) / c(h)         Nk(h): how many w have c(hw) = k; N3: 3 or more
```

and below all a uniform distribution. The longest n-grams, and those that begin with ``<s>``, have the counts
of the text; the others have the numbers of different words that come before them. The discounts of an order
come from how many of its n-grams have the counts 1, 2, 3 and 4 (n1 to n4):

```text
Y = n1 / (n1 + 2 n2)     D1 = 1 - 2 Y n2 / n1     D2 = 2 - 3 Y n3 / n2     D3 = 3 - 4 Y n4 / n3
```

A discount Dk that cannot be computed so, or is not between 0 and k, is k / 2, as in a text that is too short.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from arbora.errors import ArboraError
from arbora.generative.ngrams import BEGIN, END, MARKS, UNKNOWN, NgramModel, NgramTable

Gram: TypeAlias = tuple[int, ...]

_UNKNOWN, _BEGIN, _END = (MARKS.index(mark) for mark in (UNKNOWN, BEGIN, END))  # words come after the marks


def train_ngrams(sentences: Iterable[Sequence[str]], order: int = 3, *, least_count: int = 1) -> NgramModel:
    """The model of n-grams of up to ``order`` words, by interpolated modified Kneser-Ney smoothing.

    Words that come less often than ``least_count`` times count as ``<unk>``. After every context the
    probabilities of all words, of ``<unk>`` and of ``</s>`` sum to 1, and none of them is 0. The order of the
    sentences does not matter. ArboraError if there are no sentences, or no such order.

    >>> model = train_ngrams([["the", "dog", "barks"], ["the", "cat", "sleeps"]])
    >>> model.counts
    (8, 7, 6)
    >>> round(model.conditional("dog", ["<s>", "the"]), 3), round(model.conditional("dog", ["a"]), 3)
    (0.363, 0.134)
    >>> train_ngrams([])
    Traceback (most recent call last):
    arbora.errors.ArboraError: a language model needs sentences to learn from, and there are none
    """
    if order < 1:
        raise ArboraError(f"n-grams have at least one word: their order cannot be {order}")
    texts = [list(sentence) for sentence in sentences]
    if not texts:
        raise ArboraError("a language model needs sentences to learn from, and there are none")
    frequencies = Counter(word for words in texts for word in words)
    for mark in MARKS:  # which are not words, even where a text has them
        frequencies.pop(mark, None)
    known = sorted(word for word, count in frequencies.items() if count >= least_count)
    _check_words(known)
    numbers = {word: number for number, word in enumerate(known, len(MARKS))}
    padded = [(_BEGIN, *(numbers.get(word, _UNKNOWN) for word in words), _END) for words in texts]
    words = [*MARKS, *known]

    lower: dict[Gram, float] = {(): 1 / (len(words) - 1)}  # the uniform distribution, over all but <s>
    levels: list[dict[Gram, float]] = []
    weights: dict[Gram, float] = {}
    for length, counts in enumerate(_adjusted_counts(padded, order), 1):
        discounts = _discounts(counts.values())
        totals, freed = _sums(counts, discounts)
        own = {context: mass / totals[context] for context, mass in freed.items()}
        level = {}
        for gram, count in counts.items():
            context = gram[:-1]
            kept = (count - discounts[min(count, 3)]) / totals[context]
            level[gram] = kept + own[context] * lower[gram[1:]]
        if length == 1:
            for number in range(len(words)):
                level.setdefault((number,), own[()] * lower[()])
            level[_BEGIN,] = 0.0
        weights.update(own)
        levels.append(level)
        lower = level
    return NgramModel(words, [_table(level, weights, length) for length, level in enumerate(levels, 1)])


def _check_words(words: Iterable[str]) -> None:
    """ArboraError if a model file could not hold one of these words."""
    for word in words:
        if "\n" in word or any("\ud800" <= letter <= "\udfff" for letter in word):
            raise ArboraError(
                f"a word of a language model is text without line breaks, which {word!r} is not"
            )


def _adjusted_counts(padded: Sequence[Gram], order: int) -> list[dict[Gram, int]]:
    """The counts of n-grams by order: of the text, or of different words before them."""
    counts = Counter(
        gram for text in padded for gram in zip(*(text[first:] for first in range(order)), strict=False)
    )
    found: list[dict[Gram, int]] = [counts]
    for length in range(order - 1, 0, -1):
        counts = Counter(gram[1:] for gram in counts)
        counts.update(text[:length] for text in padded if len(text) >= length)  # nothing is before <s>
        found.append(counts)
    found[-1].pop((_BEGIN,), None)  # which is not predicted
    return found[::-1]


def _discounts(counts: Iterable[int]) -> tuple[float, float, float, float]:
    """What is taken from counts of 0, 1, 2, and of 3 or more."""
    frequencies = Counter(counts)
    found = [0.0]
    for count in (1, 2, 3):
        discount = math.nan
        if frequencies[1] and frequencies[count]:
            share = frequencies[1] / (frequencies[1] + 2 * frequencies[2])
            discount = count - (count + 1) * share * frequencies[count + 1] / frequencies[count]
        found.append(discount if 0 < discount < count else count / 2)
    return found[0], found[1], found[2], found[3]


def _sums(
    counts: dict[Gram, int], discounts: tuple[float, float, float, float]
) -> tuple[dict[Gram, int], dict[Gram, float]]:
    """By context, the sum of all counts, and of all that is taken from them."""
    totals: dict[Gram, int] = {}
    kinds: dict[Gram, list[int]] = {}
    for gram, count in counts.items():
        context = gram[:-1]
        totals[context] = totals.get(context, 0) + count
        kinds.setdefault(context, [0, 0, 0, 0])[min(count, 3)] += 1
    # Whole numbers are summed first, so that the order of the sentences does not show in the last digit.
    return totals, {
        context: sum(discount * number for discount, number in zip(discounts, numbers, strict=True))
        for context, numbers in kinds.items()
    }


def _table(level: dict[Gram, float], weights: dict[Gram, float], length: int) -> NgramTable:
    """The n-grams of an order, sorted."""
    rows = [(gram, _log(level[gram]), _log(weights.get(gram, 1.0))) for gram in sorted(level)]
    return NgramTable.of(rows, length)


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
