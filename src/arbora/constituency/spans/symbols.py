"""Trees as the span parser sees them: unary chains are one symbol, and every node has two children.

A node with more children is cut into pieces: ``(NP a b c)`` becomes ``(NP a (@NP b c))``, or ``(NP (@NP a b)
c)`` if trees grow to the left. An intermediate symbol such as ``@NP`` is only found below its own
constituent, on one side, so each tree has one binarised form and each binarised form is of one tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from arbora import _core
from arbora.constituency.trees import TaggedWords, some_labels, tagged_words, tree_of_spans
from arbora.errors import ArboraError
from arbora.models.checking import a_flag, a_list
from arbora.treebank import Constituent

Chain: TypeAlias = tuple[str, ...]
"""Labels over the same words, from the top."""

GROWS = ("right", "left")


class Node(NamedTuple):
    """A node of a binarised tree: its words, its labels, and whether it is a piece of a constituent only."""

    start: int
    end: int
    chain: Chain
    is_piece: bool = False


def unwrapped(tree: Constituent) -> Constituent:
    """The tree without the empty label that treebanks put on top.

    >>> print(unwrapped(Constituent.from_string("((S (VB go)))")))
    (S (VB go))
    """
    if tree.label == "" and len(tree.children) == 1 and isinstance(tree.children[0], Constituent):
        return tree.children[0]
    return tree


def binarised(tree: Constituent, grows: str = "right") -> list[Node]:
    """The nodes of the binarised tree, parents first, left before right; a bare word has an empty chain.

    >>> for node in binarised(Constituent.from_string("(S (NP (A a)) (B b) (C c))")):
    ...     print(*node)
    0 3 ('S',) False
    0 1 ('NP',) False
    1 3 ('S',) True
    1 2 () False
    2 3 () False
    """
    found: list[Node] = []
    lengths = _lengths(tree)
    # What is still to be done, the next one last: some children, where they begin, the labels above them.
    pending: list[tuple[Sequence[Constituent], int, Chain, bool]] = [([tree], 0, (), False)]
    while pending:
        nodes, start, chain, is_piece = pending.pop()
        while len(nodes) == 1 and not nodes[0].is_preterminal:
            chain = (*chain, nodes[0].label)
            nodes = nodes[0].children  # type: ignore[assignment]  # not a preterminal: no words
        end = start + sum(lengths[id(node)] for node in nodes)
        found.append(Node(start, end, chain, is_piece))
        if len(nodes) == 1:
            continue
        first, last = (nodes[:1], nodes[1:]) if grows == "right" else (nodes[:-1], nodes[-1:])
        middle = start + sum(lengths[id(node)] for node in first)
        for part, begin in ((last, middle), (first, start)):
            piece = len(part) > 1
            pending.append((part, begin, chain[-1:] if piece else (), piece))
    return found


def _lengths(tree: Constituent) -> dict[int, int]:
    """How many words each node has, by its identity."""
    lengths: dict[int, int] = {}
    for node in reversed(list(tree.nodes())):  # children before their parents
        lengths[id(node)] = 1 if node.is_preterminal else sum(lengths[id(child)] for child in node.children)
    return lengths


@dataclass(frozen=True, slots=True)
class Symbols:
    """All symbols of a parser, as the core counts them: 0 is a bare word, then constituents, then pieces.

    ``chains`` are those of constituents, ``pieces`` the labels that have an intermediate symbol.
    ``is_wrapped``: whether trees get an empty label on top.
    """

    chains: tuple[Chain, ...]
    pieces: tuple[str, ...]
    grows: str = "right"
    is_wrapped: bool = False

    @classmethod
    def of(cls, trees: Iterable[Constituent], grows: str = "right") -> Symbols:
        """Those of a treebank, in an order that depends on nothing else.

        >>> Symbols.of([Constituent.from_string("((S (NP (A a)) (B b) (C c)))")])
        Symbols(chains=(('NP',), ('S',)), pieces=('S',), grows='right', is_wrapped=True)
        """
        chains: set[Chain] = set()
        pieces: set[str] = set()
        tops: Counter[bool] = Counter()
        for tree in trees:
            tops[tree.label == ""] += 1
            for node in binarised(unwrapped(tree), grows):
                if node.is_piece:
                    pieces.add(node.chain[0])
                elif node.chain:
                    chains.add(node.chain)
        if not chains:
            raise ArboraError("the training data has no constituents")
        return cls(tuple(sorted(chains)), tuple(sorted(pieces)), grows, tops[True] > tops[False])

    @classmethod
    def from_plain(cls, plain: Any) -> Symbols:
        """What `as_plain` gave; KeyError or ValueError if it is none."""
        chains = [
            tuple(some_labels(chain, "a chain", twice=True)) for chain in a_list(plain["chains"], "chains")
        ]
        pieces = tuple(some_labels(plain["pieces"], "pieces"))
        if plain["grows"] not in GROWS or not all(chains) or len(set(chains)) < max(len(chains), 1):
            raise ValueError("the symbols are none")
        return cls(tuple(chains), pieces, plain["grows"], a_flag(plain["wrapped"], "wrapped"))

    def as_plain(self) -> dict[str, Any]:
        """For a header."""
        return {
            "chains": [list(chain) for chain in self.chains],
            "pieces": list(self.pieces),
            "grows": self.grows,
            "wrapped": self.is_wrapped,
        }

    @property
    def labels(self) -> list[str]:
        """All labels."""
        return sorted({label for chain in self.chains for label in chain} | set(self.pieces))

    def __len__(self) -> int:
        return 1 + len(self.chains) + len(self.pieces)

    def chain_of(self, symbol: int) -> Chain:
        """The labels of a constituent's symbol."""
        return self.chains[symbol - 1]

    def grammar(self) -> _core.SpanGrammar:
        """The core's."""
        numbers = {label: number for number, label in enumerate(self.labels)}
        names = ["", *("\x1f".join(chain) for chain in self.chains), *(f"@{label}" for label in self.pieces)]
        chains = [[], *([numbers[label] for label in chain] for chain in self.chains)]
        chains += [[numbers[label]] for label in self.pieces]
        return _core.SpanGrammar(names, chains, len(self.chains), self.grows == "right")

    def nodes(self, tree: Constituent) -> list[tuple[int, int, int]] | None:
        """(start, end, symbol) of the binarised tree's nodes; None if one has a symbol that is not here."""
        whole = {chain: number for number, chain in enumerate(self.chains, 1)}
        pieces = {label: number for number, label in enumerate(self.pieces, 1 + len(self.chains))}
        found = []
        for start, end, chain, is_piece in binarised(unwrapped(tree), self.grows):
            symbol = 0 if not chain else pieces.get(chain[0]) if is_piece else whole.get(chain)
            if symbol is None:
                return None
            found.append((start, end, symbol))
        return found

    def tree(self, nodes: Iterable[tuple[int, int, int]], sentence: TaggedWords) -> Constituent:
        """The tree with these constituents, (start, end, symbol), parents first."""
        spans = [(label, start, end) for start, end, symbol in nodes for label in self.chain_of(symbol)]
        if not spans:  # one word, and nothing above it
            bare = Constituent(sentence.tags[0], [sentence.words[0]])
            return Constituent("", [bare]) if self.is_wrapped else bare
        tree = tree_of_spans(spans, sentence)
        return Constituent("", [tree]) if self.is_wrapped and tree.label else tree


def sentences_of(trees: Iterable[Constituent]) -> list[TaggedWords]:
    """The tagged words of trees."""
    return [tagged_words(tree) for tree in trees]
