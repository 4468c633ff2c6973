"""Interpolated modified Kneser-Ney, word by word from the recursive definition; only counts are stored."""

from __future__ import annotations

from collections.abc import Sequence


class SlowKneserNey:
    """p(w | h) of a text, for any context: its own discounted count, and a share of the shorter context."""

    def __init__(self, sentences: Sequence[Sequence[str]], order: int, least_count: int = 1) -> None:
        flat = [word for sentence in sentences for word in sentence]
        self.order = order
        self.known = {word for word in flat if flat.count(word) >= least_count} - {"<unk>", "<s>", "</s>"}
        self.outcomes = [*sorted(self.known), "<unk>", "</s>"]
        self.texts = [["<s>", *map(self.spelled, sentence), "</s>"] for sentence in sentences]
        self.raw: dict[tuple[str, ...], int] = {}
        for text in self.texts:
            for begin in range(len(text)):
                for end in range(begin + 1, min(begin + order, len(text)) + 1):
                    gram = tuple(text[begin:end])
                    self.raw[gram] = self.raw.get(gram, 0) + 1
        self.counts: dict[tuple[str, ...], int] = {}

    def spelled(self, word: str) -> str:
        return word if word in self.known else "<unk>"

    def count(self, gram: tuple[str, ...]) -> int:
        """That of the text, or the number of different words before it."""
        if gram == ("<s>",):
            return 0
        if gram not in self.counts:
            if len(gram) == self.order or gram[0] == "<s>":
                self.counts[gram] = self.raw.get(gram, 0)
            else:
                before = ["<s>", *self.outcomes]
                self.counts[gram] = sum((word, *gram) in self.raw for word in before)
        return self.counts[gram]

    def discount(self, length: int, count: int) -> float:
        if count == 0:
            return 0.0
        k = min(count, 3)
        counts = [self.count(gram) for gram in self.raw if len(gram) == length]
        n = {value: counts.count(value) for value in (1, 2, 3, 4)}
        if n[1] == 0 or n[k] == 0:
            return k / 2
        y = n[1] / (n[1] + 2 * n[2])
        found = k - (k + 1) * y * n[k + 1] / n[k]
        return found if 0 < found < k else k / 2

    def probability(self, word: str, context: Sequence[str]) -> float:
        """That of a word of ``outcomes`` after words of ``outcomes``, the first of which may be ``<s>``."""
        used = tuple(context)[max(0, len(context) - self.order + 1) :]
        shorter = self.probability(word, used[1:]) if used else 1 / len(self.outcomes)
        counts = {other: self.count((*used, other)) for other in self.outcomes}
        total = sum(counts.values())
        if total == 0:
            return shorter
        discounts = {other: self.discount(len(used) + 1, count) for other, count in counts.items()}
        return (counts[word] - discounts[word]) / total + sum(discounts.values()) / total * shorter
