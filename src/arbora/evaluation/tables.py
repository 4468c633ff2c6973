"""Scores as plain text."""

from __future__ import annotations

from collections.abc import Sequence


def table_text(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A title, and columns below it: names at the left, the others at the right.

    >>> print(table_text("2 words", ["score", "all"], [["UAS", "50.00"]]))
    2 words
    score    all
    UAS    50.00
    """
    lines = [header, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(header))]

    def shown(line: Sequence[str]) -> str:
        first, *others = zip(line, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]).rstrip()

    return "\n".join([title, *map(shown, lines)])


def percent(share: float) -> str:
    """A share in percent, with two digits.

    >>> percent(0.5)
    '50.00'
    """
    return f"{100 * share:.2f}"
