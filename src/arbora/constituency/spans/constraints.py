"""What a user demands of a tree: brackets that it must have, brackets that it must not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from arbora.constituency.spans.symbols import Symbols
from arbora.errors import ArboraError

Bracket: TypeAlias = tuple[int, int] | tuple[int, int, str]
"""Start, end (counted in words from 0, the end is not inside), and perhaps a label."""


@dataclass(frozen=True, slots=True)
class SpanConstraints:
    """What the trees of one sentence must obey.

    ``given``: there is a constituent over these words, with this label if one is named. ``forbidden``: there
    is none, or none with this label. ``labels``: if there is a constituent over these words, it has this
    label.

    >>> SpanConstraints(given=[(0, 2, "NP")], forbidden=[(1, 3)]).given
    [(0, 2, 'NP')]
    """

    given: Sequence[Bracket] = ()
    forbidden: Sequence[Bracket] = ()
    labels: Sequence[tuple[int, int, str]] = ()

    def compile(self, symbols: Symbols, words: int) -> list[tuple[int, int, bool, list[int]]]:
        """As the core takes them; ArboraError if a bracket is none, or a label is not known."""
        return list(self._compiled(symbols, words))

    def _compiled(self, symbols: Symbols, words: int) -> Iterator[tuple[int, int, bool, list[int]]]:
        others = [1, *[0] * len(symbols.chains), *[1] * len(symbols.pieces)]  # what is no constituent
        for kind in ("given", "forbidden", "labels"):
            for bracket in getattr(self, kind):
                start, end, label = _checked(bracket, symbols, words)
                has = [label is None or label in chain for chain in symbols.chains]
                allowed = list(others) if kind != "given" else [0] * len(symbols)
                for number, is_there in enumerate(has, 1):
                    allowed[number] = int(is_there != (kind == "forbidden"))
                yield start, end, kind == "given", allowed


def _checked(bracket: Bracket, symbols: Symbols, words: int) -> tuple[int, int, str | None]:
    start, end, *rest = bracket
    label = str(rest[0]) if rest else None
    if not 0 <= start < end <= words:
        raise ArboraError(f"there is no bracket from {start} to {end} in a sentence of {words} words")
    if label is not None and label not in symbols.labels:
        raise ArboraError(
            f"the parser knows no label {label!r}; it knows {', '.join(filter(None, symbols.labels))}"
        )
    return start, end, label
