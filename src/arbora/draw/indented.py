"""Trees of both kinds as indented text: a child stands below its parent and further right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arbora.draw.characters import direction_mark
from arbora.draw.constituents import Constituents
from arbora.draw.dependencies import Dependencies
from arbora.draw.paint import Painter


def indented_dependencies(tree: Dependencies, painter: Painter) -> str:
    """Draw a checked dependency tree; words are numbered, since they stand in the tree's order.

    >>> tree = Dependencies.of(["Tom", "sleeps", "well"], [2, 0, 2], ["nsubj", "root", "advmod"])
    >>> print(indented_dependencies(tree, Painter(False)))
    2 sleeps  root
    ├─ 1 Tom  nsubj
    └─ 3 well  advmod
    """

    def described(word: int) -> str:
        tag = painter.dim(tree.tags[word]) if tree.tags else ""
        probability = painter.dim(tree.probability_text(word))
        numbered = f"{painter.dim(str(word + 1))} {painter.bold(tree.forms[word])}"
        return "  ".join(
            part for part in (numbered, tag, painter.label(tree.labels[word]), probability) if part
        )

    return _indented(tree.top_down()[0], tree.dependents(), described, painter)


def indented_constituents(tree: Constituents, painter: Painter) -> str:
    """Draw a flattened constituent tree, a tag and its word on one line.

    >>> from types import SimpleNamespace as Tree
    >>> verb = Tree(label="VP", children=[Tree(label="VB", children=["Go"])])
    >>> print(indented_constituents(Constituents.of(verb), Painter(False)))
    VP
    └─ VB Go
    """

    def described(node: int) -> str:
        if tree.is_word[node]:
            return painter.bold(tree.labels[node])
        label = painter.label(tree.labels[node] or "∅")
        word = tree.only_word(node)
        if word is not None:
            return f"{label} {painter.bold(tree.labels[word])}"
        probability = tree.probabilities.get(node)
        return label if probability is None else f"{label}  {painter.dim(f'{probability:.2f}')}"

    shown_below = [
        [] if tree.only_word(node) is not None else children for node, children in enumerate(tree.children)
    ]
    return _indented([0], shown_below, described, painter)


def _indented(
    roots: Sequence[int], below: Sequence[Sequence[int]], described: Callable[[int], str], painter: Painter
) -> str:
    lines = []
    seen: set[int] = set()  # a graph with a cycle is drawn too, each node once
    waiting = [(root, "", "") for root in reversed(roots)]
    while waiting:  # a stack of our own: trees can be deeper than Python's
        node, branch, margin = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        says = described(node)
        lines.append(direction_mark(says) + painter.dim(branch) + says)
        children = below[node]
        for child in reversed(children):
            last = child == children[-1]
            waiting.append((child, margin + ("└─ " if last else "├─ "), margin + ("   " if last else "│  ")))
    return "\n".join(lines)
