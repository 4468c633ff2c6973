"""A dependency tree as plain checked columns, which every drawing of it starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arbora.draw.characters import visible
from arbora.draw.errors import DrawingError


@dataclass(frozen=True)
class Dependencies:
    """Words 0 to n-1 with their heads: -1 is the root, None an unknown head.

    >>> tree = Dependencies.of(["Birds", "sing"], [2, 0], ["nsubj", "root"])
    >>> tree.heads, tree.dependents()
    ([1, -1], [[], [0]])
    """

    forms: list[str]
    heads: list[int | None]
    labels: list[str]
    tags: list[str] | None
    probabilities: list[float | None] | None

    @classmethod
    def of(
        cls,
        forms: Sequence[str],
        heads: Sequence[int | None],
        labels: Sequence[str | None],
        tags: Sequence[str | None] | None = None,
        probabilities: Sequence[float | None] | None = None,
    ) -> Dependencies:
        """Check the columns and make them safe to print; a bad one is a `DrawingError`.

        >>> Dependencies.of(["Go"], [0, 0], ["root"])
        Traceback (most recent call last):
        arbora.draw.errors.DrawingError: 1 forms need 1 heads, not 2
        """
        columns = {"heads": heads, "labels": labels, "tags": tags, "probabilities": probabilities}
        for name, column in columns.items():
            if column is not None and len(column) != len(forms):
                raise DrawingError(f"{len(forms)} forms need {len(forms)} {name}, not {len(column)}")
        for word, head in enumerate(heads, start=1):
            if head is not None and not 0 <= head <= len(forms):
                raise DrawingError(f"word {word}: head {head} is not between 0 and {len(forms)}")
            if head == word:
                raise DrawingError(f"word {word} is its own head")
        return cls(
            forms=[visible(form) for form in forms],
            heads=[None if head is None else int(head) - 1 for head in heads],
            labels=[visible(label or "") for label in labels],
            tags=None if tags is None else [visible(tag or "") for tag in tags],
            probabilities=None if probabilities is None else list(probabilities),
        )

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.forms)

    def dependents(self) -> list[list[int]]:
        """Return for each word the words that depend on it, in order."""
        dependents: list[list[int]] = [[] for _ in self.forms]
        for word, head in enumerate(self.heads):
            if head is not None and head >= 0:
                dependents[head].append(word)
        return dependents

    def top_down(self) -> tuple[list[int], list[int]]:
        """Return where to start (roots, unknown heads, one word of each cycle) and all words, heads first.

        >>> Dependencies.of(["a", "b", "c"], [2, 0, None], ["", "", ""]).top_down()
        ([1, 2], [1, 2, 0])
        """
        dependents = self.dependents()
        starts = [word for word, head in enumerate(self.heads) if head is None or head < 0]
        order, seen = _reached_from(starts, dependents, [False] * len(self))
        # Words that no root reaches hang on a cycle: enter each at a word of the cycle itself.
        for word in range(len(self)):
            if not seen[word]:
                entry = self._on_cycle_above(word)
                starts.append(entry)
                order += _reached_from([entry], dependents, seen)[0]
        return starts, order

    def _on_cycle_above(self, word: int) -> int:
        passed = set()
        while word not in passed:
            passed.add(word)
            head = self.heads[word]
            assert head is not None  # otherwise a start would have reached this word
            word = head
        return word

    def probability_text(self, word: int) -> str:
        """Return the probability of a word's arc with two digits, or nothing when there is none.

        >>> Dependencies.of(["Go"], [0], ["root"], probabilities=[0.981]).probability_text(0)
        '0.98'
        """
        probability = self.probabilities[word] if self.probabilities else None
        return "" if probability is None else f"{probability:.2f}"


def _reached_from(
    starts: list[int], dependents: list[list[int]], seen: list[bool]
) -> tuple[list[int], list[bool]]:
    order = list(starts)
    for start in starts:
        seen[start] = True
    for word in order:  # grows while it is read: breadth first
        for dependent in dependents[word]:
            if not seen[dependent]:
                seen[dependent] = True
                order.append(dependent)
    return order, seen
