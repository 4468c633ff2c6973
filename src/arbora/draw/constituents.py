"""A constituent tree as flat lists: trees may be deeper than Python's stack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from arbora.draw.characters import visible
from arbora.draw.errors import DrawingError


@runtime_checkable
class ConstituentLike(Protocol):
    """Anything with a label and children, which are such trees or words.

    >>> from types import SimpleNamespace
    >>> tree: ConstituentLike = SimpleNamespace(label="NN", children=["tree"])
    """

    @property
    def label(self) -> str:
        """The name of the phrase, or the tag of a word."""

    @property
    def children(self) -> Sequence[ConstituentLike | str]:
        """The parts, from left to right."""


@dataclass(frozen=True)
class Constituents:
    """Nodes in preorder, node 0 at the top: what each says, its children, and whether it is a word.

    >>> from types import SimpleNamespace as Tree
    >>> nodes = Constituents.of(Tree(label="NP", children=[Tree(label="NN", children=["tree"])]))
    >>> nodes.labels, nodes.children, nodes.is_word
    (['NP', 'NN', 'tree'], [[1], [2], []], [False, False, True])
    """

    labels: list[str]
    children: list[list[int]]
    is_word: list[bool]
    probabilities: dict[int, float] = field(default_factory=dict)

    @classmethod
    def of(cls, tree: ConstituentLike, probabilities: Sequence[float | None] | None = None) -> Constituents:
        """Flatten a tree; an empty bracket around the whole tree, as in `( (S ...))`, is left out.

        Probabilities are those of all nodes but words and tags right above them, in preorder.

        >>> from types import SimpleNamespace as Tree
        >>> Constituents.of(Tree(label="", children=[Tree(label="X", children=[])])).labels
        ['X']
        """
        outer = 0
        while not tree.label and len(tree.children) == 1 and not isinstance(tree.children[0], str):
            tree = tree.children[0]
            outer += 1
        nodes = cls([], [], [])
        waiting: list[tuple[ConstituentLike | str, int]] = [(tree, -1)]
        while waiting:
            item, parent = waiting.pop()
            node = nodes._added(item)
            if parent >= 0:
                nodes.children[parent].append(node)
            if not isinstance(item, str):
                waiting.extend((child, node) for child in reversed(item.children))
        if probabilities is not None:
            nodes._take_probabilities(probabilities, outer)
        return nodes

    def _take_probabilities(self, probabilities: Sequence[float | None], outer: int) -> None:
        phrases = [n for n in range(len(self)) if not self.is_word[n] and self.only_word(n) is None]
        count = len(phrases) + outer
        if len(probabilities) != count:
            raise DrawingError(f"{count} constituents need {count} probabilities, not {len(probabilities)}")
        for node, probability in zip(phrases, probabilities[outer:], strict=True):
            if probability is not None:
                self.probabilities[node] = probability

    def _added(self, item: ConstituentLike | str) -> int:
        self.labels.append(visible(item if isinstance(item, str) else item.label or ""))
        self.children.append([])
        self.is_word.append(isinstance(item, str))
        return len(self.labels) - 1

    def described(self, node: int) -> str:
        """Return the label of a node and, if it has one, its probability with two digits.

        >>> from types import SimpleNamespace as Tree
        >>> verb = Tree(label="VB", children=["Go"])
        >>> Constituents.of(Tree(label="VP", children=[verb]), [0.981]).described(0)
        'VP 0.98'
        """
        probability = self.probabilities.get(node)
        return self.labels[node] if probability is None else f"{self.labels[node]} {probability:.2f}".strip()

    def __len__(self) -> int:
        """Return the number of nodes, words included."""
        return len(self.labels)

    def only_word(self, node: int) -> int | None:
        """Return the word below a tag, or None when the node is not a tag over one word.

        >>> from types import SimpleNamespace as Tree
        >>> Constituents.of(Tree(label="NN", children=["tree"])).only_word(0)
        1
        """
        children = self.children[node]
        return children[0] if len(children) == 1 and self.is_word[children[0]] else None
