"""The type of a constituency treebank. No function here recurses: trees may be as deep as they like."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from arbora.errors import ArboraError

TRACE = "-NONE-"
_FUNCTION = re.compile(r"(?<=.)[-=].*", re.DOTALL)
_UNWRITABLE = re.compile(r"[ \t\r\n()]")


class Constituent:
    """A labelled node over its children; a preterminal has one child, the word itself, a ``str``.

    >>> tree = Constituent.from_string("(S (NP-SBJ (NNS Dogs)) (VP (VBP bark)))")
    >>> tree.words()
    ['Dogs', 'bark']
    >>> tree.spans()
    [('S', 0, 2), ('NP-SBJ', 0, 1), ('VP', 1, 2)]
    >>> print(tree.without_functions())
    (S (NP (NNS Dogs)) (VP (VBP bark)))
    """

    __slots__ = ("children", "label")

    def __init__(self, label: str, children: list[Constituent | str]) -> None:
        """Make a node; the list of children is taken as it is, not copied."""
        self.label = label
        self.children = children

    @staticmethod
    def from_string(text: str) -> Constituent:
        """The one tree in this text; FileError if there is none, more than one, or a broken one."""
        from arbora.treebank import brackets

        return brackets.decode_one(text)

    @staticmethod
    def from_spans(
        spans: Sequence[tuple[str, int, int]], words: Sequence[str], tags: Sequence[str]
    ) -> Constituent:
        """The tree over these words with these constituents, parents first, as `spans` lists them.

        >>> print(Constituent.from_spans([("S", 0, 2), ("VP", 1, 2)], ["Dogs", "bark"], ["NNS", "VBP"]))
        (S (NNS Dogs) (VP (VBP bark)))
        """
        if not spans or spans[0][1:] != (0, len(words)) or not words:
            raise ArboraError("the first constituent must hold all words")
        leaves = [Constituent(tag, [word]) for tag, word in zip(tags, words, strict=True)]
        top = Constituent("", [])
        path = [(top, len(words))]  # open nodes and where they end
        at = 0  # the first word that is in no node yet
        for label, start, end in [*spans, ("", len(words), len(words))]:
            while len(path) > 1 and path[-1][1] <= start:
                node, last = path.pop()
                node.children += leaves[at:last]
                at = max(at, last)
            if start == len(words):
                break
            if not at <= start < end <= path[-1][1]:
                raise ArboraError(f"the constituent {label} of words {start} to {end} crosses another")
            path[-1][0].children += leaves[at:start]
            at = start
            node = Constituent(label, [])
            path[-1][0].children.append(node)
            path.append((node, end))
        return top.children[0]  # type: ignore[return-value]  # never a word

    @property
    def is_preterminal(self) -> bool:
        """Whether the node stands right above a word."""
        return len(self.children) == 1 and isinstance(self.children[0], str)

    def _walk(self) -> Iterator[Constituent | str | None]:
        """Each node when it is entered, each word, and None when a node is left."""
        pending: list[Constituent | str | None] = [self]
        while pending:
            item = pending.pop()
            yield item
            if isinstance(item, Constituent):
                pending.append(None)
                pending.extend(reversed(item.children))

    def nodes(self) -> Iterator[Constituent]:
        """All nodes, each before its children."""
        return (item for item in self._walk() if isinstance(item, Constituent))

    def preterminals(self) -> Iterator[Constituent]:
        """The nodes right above words, from left to right; their labels are the tags."""
        return (node for node in self.nodes() if node.is_preterminal)

    def words(self) -> list[str]:
        """The words, from left to right; traces are among them (see `without_traces`)."""
        return [item for item in self._walk() if isinstance(item, str)]

    def spans(self) -> list[tuple[str, int, int]]:
        """(label, start, end) of each node above the preterminals, counted in words from 0, parents first."""
        found: list[tuple[str, int, int]] = []
        open_nodes: list[tuple[int, int]] = []  # the place in `found` (-1 for a preterminal), the start
        at = 0
        for item in self._walk():
            if isinstance(item, str):
                at += 1
            elif item is None:
                place, start = open_nodes.pop()
                if place >= 0:
                    found[place] = (found[place][0], start, at)
            elif item.is_preterminal:
                open_nodes.append((-1, at))
            else:
                open_nodes.append((len(found), at))
                found.append((item.label, at, at))
        return found

    def without_traces(self) -> Constituent | None:
        """The tree without its traces (``-NONE-``) and what holds nothing else; None if nothing is left.

        >>> print(Constituent.from_string("(S (NP (-NONE- *)) (VP (VB go)))").without_traces())
        (S (VP (VB go)))
        """
        return self._rebuilt(lambda label: label, keep=lambda node: node.label != TRACE)

    def without_functions(self) -> Constituent:
        """The tree with bare categories: ``NP`` for ``NP-SBJ-1`` or ``NP=2``; ``-LRB-`` and the like stay."""
        tree = self._rebuilt(lambda label: _FUNCTION.sub("", label) if label[:1] not in "-=" else label)
        assert tree is not None  # nothing is dropped
        return tree

    def copy(self) -> Constituent:
        """A tree with the same content that can be changed apart from this one."""
        tree = self._rebuilt(lambda label: label)
        assert tree is not None  # nothing is dropped
        return tree

    def _rebuilt(
        self, relabel: Callable[[str], str], keep: Callable[[Constituent], bool] = lambda node: True
    ) -> Constituent | None:
        top = Constituent("", [])
        path = [(top, True)]
        for item in self._walk():
            if isinstance(item, str):
                path[-1][0].children.append(item)
            elif isinstance(item, Constituent):
                path.append((Constituent(relabel(item.label), []), not item.is_preterminal or keep(item)))
            else:
                node, wanted = path.pop()
                if wanted and node.children:
                    path[-1][0].children.append(node)
        return top.children[0] if top.children else None  # type: ignore[return-value]  # never a word

    def __str__(self) -> str:
        """The tree in brackets, on one line."""
        pieces: list[str] = []
        names: list[str] = []
        for item in self._walk():
            if item is None:
                pieces.append(")")
            elif isinstance(item, str):
                pieces.append(" " + item)
                names.append(item or " ")
            else:
                # No space between an empty label and what follows: ((S ...)), as one-line treebanks write it.
                space = " " if pieces and not pieces[-1].endswith("(") else ""
                pieces.append(f"{space}({item.label}")
                names.append(item.label)
        if _UNWRITABLE.search("\0".join(names)):
            raise ArboraError(
                "a label or word is empty, or holds a space or bracket, which brackets cannot write"
            )
        return "".join(pieces)

    def pretty(self, indent: int = 2) -> str:
        """The tree in brackets, a line for each node that is not a preterminal.

        >>> print(Constituent.from_string("(S (NP (NNS Dogs)) (VP (VBP bark)))").pretty())
        (S
          (NP (NNS Dogs))
          (VP (VBP bark)))
        """
        lines: list[str] = []
        depth = 0
        for item in self._walk():
            if item is None:
                depth -= 1
                lines[-1] += ")"
            elif isinstance(item, str):
                lines[-1] += f" {item}"
            else:
                if item.is_preterminal and lines and self._follows(lines[-1]):
                    lines[-1] += f" ({item.label}"
                else:
                    lines.append(" " * (indent * depth) + f"({item.label}")
                depth += 1
        return "\n".join(lines)

    @staticmethod
    def _follows(line: str) -> bool:
        """Whether a preterminal may go on in this line: right after its parent or another preterminal."""
        return not line.endswith("))") and not line.endswith("(")

    def __eq__(self, other: object) -> bool:
        """Trees are equal if their labels, words and shapes are."""
        if not isinstance(other, Constituent):
            return NotImplemented
        return list(map(_key, self._walk())) == list(map(_key, other._walk()))

    __hash__ = None  # type: ignore[assignment]  # it can be changed

    def __repr__(self) -> str:
        """The beginning of the tree."""
        text = str(self)
        return f"<Constituent {text if len(text) <= 60 else text[:57] + '...'}>"

    def __reduce__(self) -> tuple[Callable[[str], Constituent], tuple[str]]:
        """Copy and pickle by way of the bracket string: the usual way recurses."""
        return Constituent.from_string, (str(self),)


def _key(item: Constituent | str | None) -> tuple[str, str] | None:
    if item is None:
        return None
    return ("(", item.label) if isinstance(item, Constituent) else ("", item)
