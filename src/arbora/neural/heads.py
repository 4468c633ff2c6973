"""The heads of a neural parser: which tensors they have, and what they say of tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arbora.models.checking import a_list, a_mapping, a_whole, some_names
from arbora.treebank import Sentence

LARGEST = 1 << 12
MOST_TAGS = 1 << 15


@dataclass(frozen=True)
class TagInventory:
    """The tags that a treebank has: names by column, and the rows that words have, as numbers of names.

    >>> from arbora.treebank import Sentence
    >>> tags = TagInventory.of([Sentence(["Go", "!"], upos=["VERB", "PUNCT"], xpos=["VB", "."])])
    >>> tags.upos, tags.rows
    (['PUNCT', 'VERB'], [(0, 0, 0), (1, 1, 0)])
    """

    upos: list[str]
    xpos: list[str]
    feats: list[str]
    rows: list[tuple[int, int, int]]

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> TagInventory:
        """Of a treebank; words without a UPOS tag do not count."""
        seen = {
            row
            for sentence in sentences
            for row in zip(sentence.upos, sentence.xpos, sentence.feats, strict=True)
            if row[0] != "_"
        }
        names = [sorted({row[place] for row in seen}) for place in range(3)]
        numbers = [{name: number for number, name in enumerate(own)} for own in names]
        rows = sorted((numbers[0][u], numbers[1][x], numbers[2][f]) for u, x, f in seen)
        return cls(names[0], names[1], names[2], rows)

    @property
    def columns(self) -> int:
        """How many scores a word has."""
        return len(self.upos) + len(self.xpos) + len(self.feats)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, of which `of_header` makes the same."""
        return {
            "upos": self.upos,
            "xpos": self.xpos,
            "feats": self.feats,
            "rows": [list(row) for row in self.rows],
        }

    @classmethod
    def of_header(cls, header: Mapping[str, Any]) -> TagInventory:
        """The tags of what a file says; ValueError or KeyError if it makes none."""
        plain = a_mapping(header, "tags")
        names = [some_names(plain[name], name) for name in ("upos", "xpos", "feats")]
        rows = []
        for row in a_list(plain["rows"], "rows of tags"):
            if len(a_list(row, "a row of tags")) != 3:
                raise ValueError("a row of tags has a UPOS tag, an XPOS tag and features")
            u, x, f = (a_whole(n, "a tag", 0, len(own) - 1) for n, own in zip(row, names, strict=True))
            rows.append((u, x, f))
        if not 0 < len(rows) <= MOST_TAGS:
            raise ValueError(f"there are {len(rows)} rows of tags, and not 1 to {MOST_TAGS}")
        return cls(names[0], names[1], names[2], rows)


def head_shapes(
    hidden: int, arc_size: int, label_size: int, labels: int, tags: int
) -> dict[str, tuple[int, ...]]:
    """The tensors of heads and their shapes, for states of ``hidden`` numbers.

    >>> head_shapes(8, 4, 2, 3, 0)["bilinear.weights"]
    (5, 4)
    """
    dense = {
        "vectors": (2 * arc_size + 2 * label_size, hidden),
        "bilinear": (arc_size + 1, arc_size),
        "labels": (labels, 3 * label_size),
        **({"tags": (tags, hidden)} if tags else {}),
    }
    found: dict[str, tuple[int, ...]] = {}
    for name, (out, width) in dense.items():
        found |= {f"{name}.weights": (out, width), f"{name}.bias": (out,)}
    return found
