"""Binarised trees of given nodes, enumerated: sums, k best, risk, losses. Nothing here asks the core."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

Node = tuple[int, int, int]
"""Start, end, symbol."""
Rule = tuple[Node, Node, Node]
"""Parent, left, right."""
Derivation = tuple[Node | Rule, ...]
Tree = frozenset[Node]
"""Its constituents."""


@dataclass(frozen=True)
class Grammar:
    """Symbol 0 is a word, 1 .. complete are constituents, then pieces of them; chains end in the base."""

    chains: tuple[tuple[int, ...], ...]
    complete: int
    grows_right: bool

    def allows(self, parent: int, left: int, right: int) -> bool:
        whole, rest = (left, right) if self.grows_right else (right, left)
        return whole <= self.complete and (
            rest <= self.complete or self.chains[rest][-1] == self.chains[parent][-1]
        )

    def fits(self, node: Node, n: int) -> bool:
        """Whether a node can have its symbol: pieces have two words or more, not all."""
        start, end, symbol = node
        if symbol == 0:
            return end == start + 1
        return symbol <= self.complete or 1 < end - start < n

    def all_nodes(self, n: int) -> list[Node]:
        every = ((i, j, s) for i in range(n) for j in range(i + 1, n + 1) for s in range(len(self.chains)))
        return [node for node in every if self.fits(node, n)]


@dataclass
class Forest:
    """All trees of some nodes; scores of nodes and rules, 0 where there is none."""

    grammar: Grammar
    n: int
    nodes: list[Node]
    scores: Mapping[Node | Rule, float]

    def derivations(self, node: Node) -> Iterator[Derivation]:
        start, end, symbol = node
        if end == start + 1:
            yield (node,)
            return
        for left in self.nodes:
            if left[0] != start or left[1] >= end:
                continue
            for right in self.nodes:
                if right[:2] != (left[1], end):
                    continue
                if not self.grammar.allows(symbol, left[2], right[2]):
                    continue
                for one in self.derivations(left):
                    for other in self.derivations(right):
                        yield (node, (node, left, right), *one, *other)

    def score(self, derivation: Derivation) -> float:
        return math.fsum(self.scores.get(part, 0.0) for part in derivation)

    @cached_property
    def every(self) -> list[tuple[Derivation, float]]:
        """Every possible derivation, best first."""
        tops = [node for node in self.nodes if node[:2] == (0, self.n)]
        found = [(d, self.score(d)) for top in tops for d in self.derivations(top)]
        return sorted((item for item in found if item[1] > -math.inf), key=lambda item: item[1], reverse=True)

    def tree(self, derivation: Derivation) -> Tree:
        nodes = [part for part in derivation if isinstance(part[0], int)]
        return frozenset(node for node in nodes if 1 <= node[2] <= self.grammar.complete)  # type: ignore[misc]

    @cached_property
    def log_partition(self) -> float:
        if not self.every:
            return -math.inf
        top = self.every[0][1]
        return top + math.log(math.fsum(math.exp(score - top) for _, score in self.every))

    @cached_property
    def probabilities(self) -> dict[Node | Rule, float]:
        """Of all parts that are in some tree."""
        found: dict[Node | Rule, float] = {}
        for derivation, score in self.every:
            for part in derivation:
                found[part] = found.get(part, 0.0) + math.exp(score - self.log_partition)
        return found

    def trees(self) -> dict[Tree, float]:
        """Log-probabilities."""
        return {self.tree(d): score - self.log_partition for d, score in self.every}

    def least_risk(self) -> float:
        """That of the best tree."""
        return min(map(self.risk, self.trees()))

    def labels(self, tree: Tree) -> set[tuple[int, int, int]]:
        """Its constituents, one for each label of a chain."""
        return {(i, j, label) for i, j, symbol in tree for label in self.grammar.chains[symbol]}

    def risk(self, tree: Tree) -> float:
        """The expected number of constituents that are in this tree or in a drawn one, but not in both."""
        own = self.labels(tree)
        return math.fsum(p if label not in own else 1 - p for label, p in self.label_probabilities.items())

    @cached_property
    def label_probabilities(self) -> dict[tuple[int, int, int], float]:
        found: dict[tuple[int, int, int], float] = {}
        for tree, log_p in self.trees().items():
            for label in self.labels(tree):
                found[label] = found.get(label, 0.0) + math.exp(log_p)
        return found

    def loss(self, gold: Derivation, beta: float, gamma: float) -> float:
        """The family of losses with the number of wrong nodes as the cost."""
        right = {part for part in gold if isinstance(part[0], int)}
        costs = [
            (score + gamma * sum(isinstance(part[0], int) and part not in right for part in d))
            for d, score in self.every
        ]
        top = max(costs)
        if math.isinf(beta):
            return top - self.score(gold)
        total = math.fsum(math.exp(beta * (cost - top)) for cost in costs)
        return top + math.log(total) / beta - self.score(gold)
