"""Ways through the words of a dependency tree, by their ids.

Files may hold trees that are partial, have several roots, or are none: arcs that make a cycle. Every way ends
there too, for no word is passed twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Heads: TypeAlias = Sequence[int | None]
"""By id - 1: 0 is the root, None not known."""


def head_of(heads: Heads, id: int) -> int | None:
    """The word that is the head of a word; None for the root or nothing.

    >>> head_of([2, 0], 1), head_of([2, 0], 2)
    (2, None)
    """
    head = heads[id - 1]
    return head if head is not None and 1 <= head <= len(heads) else None


def children_of(heads: Heads, id: int) -> list[int]:
    """The words whose head a word is, in order.

    >>> children_of([2, 0, 2], 2)
    [1, 3]
    """
    return [child for child, head in enumerate(heads, 1) if head == id]


def ancestors_of(heads: Heads, id: int) -> list[int]:
    """The head of a word, the head of that, and so on; on a cycle, all others there.

    >>> ancestors_of([2, 3, 0], 1), ancestors_of([2, 3, 2], 1), ancestors_of([2, 3, 2], 2)
    ([2, 3], [2, 3], [3])
    """
    found: dict[int, None] = {id: None}
    head = head_of(heads, id)
    while head is not None and head not in found:
        found[head] = None
        head = head_of(heads, head)
    return list(found)[1:]


def subtree_of(heads: Heads, id: int) -> list[int]:
    """A word and all that are below it, in the order of the sentence.

    >>> subtree_of([2, 4, 2, 0], 2), subtree_of([2, 1, None], 1)
    ([1, 2, 3], [1, 2])
    """
    below: dict[int, list[int]] = {}
    for child, head in enumerate(heads, 1):
        if head:
            below.setdefault(head, []).append(child)
    found, waiting = {id}, [id]
    while waiting:
        new = [child for child in below.get(waiting.pop(), ()) if child not in found]
        found.update(new)
        waiting += new
    return sorted(found)
