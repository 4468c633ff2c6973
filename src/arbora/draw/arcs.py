"""Dependency trees as text: one word a line, arcs in box-drawing characters at its left."""

from __future__ import annotations

from arbora.draw.characters import direction_mark, display_width
from arbora.draw.dependencies import Dependencies
from arbora.draw.paint import Painter

# Which box-drawing character reaches in which directions: (up, down, left, right).
_JUNCTIONS = {
    (False, True, False, True): "╭",
    (True, False, False, True): "╰",
    (True, True, False, True): "├",
    (False, True, True, True): "┬",
    (True, False, True, True): "┴",
    (True, True, True, True): "┼",
}


def arcs_text(tree: Dependencies, painter: Painter) -> str:
    """Draw a checked tree; `arbora.draw.dependency_text` is the public way to it.

    Every head has one vertical line, its spine, to which its dependents are joined; a spine stands to the
    right of the spine of its own head. In a projective tree no lines cross. Where they must cross, the
    horizontal line passes behind the vertical one.

    >>> tree = Dependencies.of(["Tom", "sleeps", "well"], [2, 0, 2], ["nsubj", "root", "advmod"])
    >>> print(arcs_text(tree, Painter(False)))
     ╭─▶ Tom     nsubj
    ─┼─▶ sleeps  root
     ╰─▶ well    advmod
    """
    spines = _spines(tree)
    columns = _columns(tree, spines)
    drawn = _drawn_arcs(tree, spines, columns)
    return "\n".join(
        direction_mark(fields) + painter.dim(arcs) + " " + fields
        for arcs, fields in zip(drawn, _fields(tree, painter), strict=True)
    )


def _spines(tree: Dependencies) -> list[tuple[int, int] | None]:
    """Return for each word the first and last row of its spine, or None when nothing depends on it."""
    return [
        (min(word, below[0]), max(word, below[-1])) if below else None
        for word, below in enumerate(tree.dependents())
    ]


def _columns(tree: Dependencies, spines: list[tuple[int, int] | None]) -> list[int]:
    """Give each spine the leftmost column right of its head's spine in which no other spine shares a row."""
    columns = [-1] * len(tree)
    rows_taken: list[int] = []  # a bit mask of rows for each column
    for word in tree.top_down()[1]:
        spine = spines[word]
        if spine is None:
            continue
        head = tree.heads[word]
        rows = ((1 << (spine[1] - spine[0] + 1)) - 1) << spine[0]
        column = columns[head] + 1 if head is not None and head >= 0 else 0
        while column < len(rows_taken) and rows_taken[column] & rows:
            column += 1
        if column == len(rows_taken):
            rows_taken.append(0)
        rows_taken[column] |= rows
        columns[word] = column
    return columns


def _drawn_arcs(tree: Dependencies, spines: list[tuple[int, int] | None], columns: list[int]) -> list[str]:
    """Return the box-drawing part of every row."""
    width = max(columns, default=-1) + 1
    starting: list[list[int]] = [[] for _ in range(len(tree))]
    for word, spine in enumerate(spines):
        if spine is not None:
            starting[spine[0]].append(word)
    standing: dict[int, int] = {}  # column -> the word whose spine stands there at this row
    rows = []
    for row in range(len(tree)):
        for word in starting[row]:
            standing[columns[word]] = word
        rows.append(_drawn_row(tree, row, width, columns, standing, spines))
        standing = {column: word for column, word in standing.items() if _ends_after(spines[word], row)}
    return rows


def _ends_after(spine: tuple[int, int] | None, row: int) -> bool:
    return spine is not None and spine[1] > row


def _drawn_row(
    tree: Dependencies,
    row: int,
    width: int,
    columns: list[int],
    standing: dict[int, int],
    spines: list[tuple[int, int] | None],
) -> str:
    head = tree.heads[row]
    joined = {columns[row]}  # the columns in which this row's line meets a spine
    if head is not None and head >= 0:
        joined.add(columns[head])
    joined.discard(-1)
    # A root's line comes in from the left edge; a word with neither head nor dependents has no line at all.
    line_from = -1 if head == -1 else min(joined, default=width)
    cells = ["─" if head == -1 else " "]
    for column in range(width):
        after = "─" if column >= line_from else " "
        if column not in standing:
            cells.append(after + after)
        elif column in joined:
            spine = spines[standing[column]]
            assert spine is not None
            reach = (spine[0] < row, spine[1] > row, column > line_from, True)
            cells.append(_JUNCTIONS[reach] + after)
        else:
            cells.append("│" + after)
    return "".join(cells) + _line_end(head, bool(joined))


def _line_end(head: int | None, has_line: bool) -> str:
    if head is not None:
        return "▶"
    return "╴" if has_line else " "


def _fields(tree: Dependencies, painter: Painter) -> list[str]:
    """Return form, tag, label and probability of every word, in aligned columns."""
    columns = [(tree.forms, painter.bold)]
    if tree.tags is not None:
        columns.append((tree.tags, painter.dim))
    columns.append((tree.labels, painter.label))
    if tree.probabilities is not None:
        columns.append(([tree.probability_text(word) for word in range(len(tree))], painter.dim))
    widths = [max(map(display_width, texts), default=0) for texts, _ in columns]
    return [
        "  ".join(
            # The padding stays unpainted, so that what trails at the end of the line can be taken off.
            paint(texts[row]) + " " * (width - display_width(texts[row]))
            for (texts, paint), width in zip(columns, widths, strict=True)
            if width
        ).rstrip(" ")
        for row in range(len(tree))
    ]
