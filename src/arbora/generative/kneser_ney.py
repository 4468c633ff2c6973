"""N-gram models from text, by interpolated modified Kneser-Ney smoothing (Chen and Goodman 1999).

With c(g) for the count of an n-gram g, w for its last word, h for the words before it and h' for h without its
first word,

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


def train_ngrams(
    sentences: Iterable[Sequence[str]], order: int = 3, *, least_count: int = 1
) -> NgramModel:
    """The model of n-grams of up to ``order`` words, by interpolated modified Kneser-Ney smoothing.

    Words that come less often than ``least_count`` times count as ``<unk>``. After every context the
    probabilities of all words, of ``<unk>`` and of ``</s>`` sum to 1, and none of them is 0. The order of the
    sentences does not matter. ArboraError if there are no sentences, or no such order.

    >>> model = train_ngrams([["the", "dog", "barks"], ["the", "cat", "sleeps"]])
    >>> model.counts
    (8, 7, 6)
    >>> round(model.conditional("dog", ["<s>", "the"]), 3), round(model.conditional("dog", ["a"]), 3)
    (0.427, 0.143)
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

    probabilities: dict[Gram, float] = {(number,): 0.0 for number in range(len(MARKS) + len(known))}
    uniform = 1 / (len(probabilities) - 1)  # over all but <s>
    tables: list[dict[Gram, float]] = []
    backoffs: list[dict[Gram, float]] = []
    for counts in _adjusted_counts(padded, order):
        weights, discounts = _backoff_weights(counts), _discounts(counts)
        lower, probabilities = probabilities, {}
        ...
    return _model(known, tables, backoffs)
