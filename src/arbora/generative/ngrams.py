"""Language models of n-grams with back-off: how probable a word is after the few words before it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
"""What stands for every word that a model does not know, for the begin of a sentence, and for its end."""
MARKS = (UNKNOWN, BEGIN, END)


class NgramTable(NamedTuple):
    """The n-grams of one order.

    ``grams`` has a row of word numbers for each, ``probabilities`` the natural logarithms of the probability
    of its last word after the others, ``backoffs`` those of the weight that shorter contexts have where it
    is the context itself. ``-inf`` is the logarithm of 0.

    >>> NgramTable.of([((0, 1), -0.5, 0.0)], 2).grams
    array([[0, 1]], dtype=int32)
    """

    grams: NDArray[np.int32]
    probabilities: NDArray[np.float64]
    backoffs: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Sequence[tuple[tuple[int, ...], float, float]], order: int) -> NgramTable:
        """That of n-grams, each with its two logarithms."""
        return cls(
            np.array([gram for gram, _, _ in rows], np.int32).reshape(len(rows), order),
            np.array([probability for _, probability, _ in rows], np.float64),
            np.array([backoff for _, _, backoff in rows], np.float64),
        )


class NgramModel:
    """A language model of n-grams, which backs off to shorter ones where it has not seen the longer.

    The probability of a word after a context is that of the longest n-gram which the model has for both,
    times the back-off weights of the contexts that are longer. A sentence begins with one ``<s>``, which is
    never predicted, and ends with ``</s>``, which is. Every word that the model does not know counts as
    ``<unk>``; so do the three marks where they are words of a sentence. A model does not change, and serves
    any number of threads.

    ``words`` are all words by their numbers, the three marks among them, and ``tables`` are the n-grams order
    by order; the unigrams are the words, in their order. ValueError if that makes no model.

    >>> from arbora.generative.kneser_ney import train_ngrams
    >>> model = train_ngrams([["dogs", "bark"], ["dogs", "sleep"]], 2)
    >>> model
    NgramModel(order=2, counts=(6, 5))
    >>> model.log_probability(["dogs", "bark"]) > model.log_probability(["bark", "dogs"])
    True
    """

    def __init__(self, words: Sequence[str], tables: Sequence[NgramTable]) -> None:
        """From words and tables; `arbora.generative.train_ngrams` and `read_arpa` are the usual ways here."""
        self._words = tuple(words)
        self._tables = tuple(NgramTable(*(_own(array) for array in table)) for table in tables)
        _check(self._words, self._tables)
        self._numbers = {word: number for number, word in enumerate(words)}
        self._unknown, self._begin, self._end = (self._numbers[mark] for mark in MARKS)
        self._known = {word: number for word, number in self._numbers.items() if word not in MARKS}
        self._entries: dict[tuple[int, ...], tuple[float, float]] = {}
        for table in self._tables:
            logarithms = zip(table.probabilities.tolist(), table.backoffs.tolist(), strict=True)
            self._entries.update(zip(map(tuple, table.grams.tolist()), logarithms, strict=True))
        if len(self._entries) < sum(self.counts):
            raise ValueError("an n-gram comes twice")

    def __repr__(self) -> str:
        return f"NgramModel(order={self.order}, counts={self.counts})"

    @property
    def order(self) -> int:
        """The number of words in its longest n-grams.

        >>> from arbora.generative.kneser_ney import train_ngrams
        >>> train_ngrams([["dogs", "bark"]], 2).order
        2
        """
        return len(self._tables)

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of its n-grams, those of one word first; the three marks are such.

        >>> from arbora.generative.kneser_ney import train_ngrams
        >>> train_ngrams([["dogs", "bark"]], 2).counts
        (5, 3)
        """
        return tuple(len(table.grams) for table in self._tables)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The words that it knows, without the three marks.

        >>> from arbora.generative.kneser_ney import train_ngrams
        >>> train_ngrams([["dogs", "bark"]], 2).vocabulary
        ('bark', 'dogs')
        """
        return tuple(self._known)

    @property
    def words(self) -> tuple[str, ...]:
        """All words by their numbers, with the three marks.

        >>> from arbora.generative.kneser_ney import train_ngrams
        >>> train_ngrams([["dogs", "bark"]], 2).words
        ('<unk>', '<s>', '</s>', 'bark', 'dogs')
        """
        return self._words

    @property
    def tables(self) -> tuple[NgramTable, ...]:
        """Its n-grams order by order, read-only.

        >>> from arbora.generative.kneser_ney import train_ngrams
        >>> train_ngrams([["dogs", "bark"]], 2).tables[1].grams.tolist()
        [[1, 4], [3, 2], [4, 3]]
        """
        return self._tables

    def conditional(self, word: str, context: Sequence[str]) -> float:
        """The probability of a word, or of ``</s>``, after these words.

        The context begins with ``<s>`` if it goes back to the begin of the sentence; of a context that is
        longer than the model can use the last words count.

        >>> from arbora.generative.kneser_ney import train_ngrams
        >>> model = train_ngrams([["a", "a", "b"]], 1)
        >>> [round(model.conditional(word, []), 9) for word in ["a", "b", "</s>", "other", "<s>"]]
        [0.375, 0.25, 0.25, 0.125, 0.0]
        """
        numbers = [self._numbers.get(other, self._unknown) for other in (*context, word)]
        return math.exp(self._log_conditional(numbers[-1], self._used(numbers[:-1])))

    def log_probability(self, words: Sequence[str], *, end: bool = True) -> float:
        """The natural logarithm of the probability of a sentence.

        By default it is that among sentences of all lengths: the product over the words and the end. Without
        ``end`` it is that among sentences of as many words: at each word it is given that the sentence does
        not end there, so the probability of the word is divided by that of not ending.

        >>> from math import exp
        >>> from arbora.generative.kneser_ney import train_ngrams
        >>> model = train_ngrams([["a", "a", "b"]], 1)
        >>> round(exp(model.log_probability(["a"])), 9)  # 0.375 * 0.25
        0.09375
        >>> round(exp(model.log_probability(["a"], end=False)), 9)  # 0.375 / (1 - 0.25)
        0.5
        """
        total, context = 0.0, self._used([self._begin])
        for word in words:
            number = self._known.get(word, self._unknown)
            total += self._log_conditional(number, context)
            if not end:
                ending = math.exp(self._log_conditional(self._end, context))
                if ending >= 1:
                    return -math.inf
                total -= math.log1p(-ending)
            context = self._used([*context, number])
        return total + self._log_conditional(self._end, context) if end else total

    def log_probabilities(
        self, sentences: Iterable[Sequence[str]], *, end: bool = True
    ) -> NDArray[np.float64]:
        """What `log_probability` says of each sentence.

        >>> from arbora.generative.kneser_ney import train_ngrams
        >>> model = train_ngrams([["a", "a", "b"]], 1)
        >>> model.log_probabilities([["a"], ["b", "a"]], end=False).round(3)
        array([-0.693, -1.792])
        """
        found = (self.log_probability(words, end=end) for words in sentences)
        return np.fromiter(found, np.float64)

    def _used(self, context: Sequence[int]) -> tuple[int, ...]:
        """What the model can use of a context."""
        return tuple(context[max(0, len(context) - self.order + 1) :])

    def _log_conditional(self, word: int, context: tuple[int, ...]) -> float:
        weight = 0.0
        while True:
            found = self._entries.get((*context, word))
            if found is not None:  # at the latest when there is no context: every word is a unigram
                return weight + found[0]
            own = self._entries.get(context)
            if own is not None:
                weight += own[1]
            context = context[1:]


def _own(array: NDArray[Any]) -> NDArray[Any]:
    """The array, which nobody can change through the model."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def _check(words: tuple[str, ...], tables: tuple[NgramTable, ...]) -> None:
    """ValueError if these are no words and n-grams of a model."""
    if len(set(words)) < len(words) or not set(words).issuperset(MARKS):
        raise ValueError("a word comes twice, or one of <unk>, <s> and </s> is missing")
    if any("\n" in word for word in words):
        raise ValueError("a word has a line break in it")
    "\n".join(words).encode()  # UnicodeEncodeError, which is a ValueError, for half of a character
    if not tables:
        raise ValueError("there are no n-grams")
    for order, (grams, probabilities, backoffs) in enumerate(tables, 1):
        if grams.dtype != np.int32 or grams.ndim != 2 or grams.shape[1] != order:
            raise ValueError(f"the {order}-grams are no rows of {order} numbers")
        if ((grams < 0) | (grams >= len(words))).any():
            raise ValueError(f"the {order}-grams have numbers that are no words")
        for name, values in (("probabilities", probabilities), ("back-off weights", backoffs)):
            if values.dtype != np.float64 or values.shape != grams.shape[:1]:
                raise ValueError(f"the {name} of {order}-grams are not one number for each")
            if not (values < np.inf).all():
                raise ValueError(f"the {name} of {order}-grams have nan or infinity in them")
        if (probabilities > 0).any():
            raise ValueError(f"the probabilities of {order}-grams exceed 1")
    if not np.array_equal(tables[0].grams[:, 0], np.arange(len(words))):
        raise ValueError("the unigrams are not the words in their order")
