"""Trees of phrases in documents: they know how sure they are, and can be drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arbora.treebank import Constituent, Sentence
from arbora.treebank.phrases import CONSTITUENT_PROBABILITIES, escaped, tag_of


class ParsedConstituents(Constituent):
    """A tree of phrases that knows how sure it is, and is drawn in notebooks.

    ``probabilities`` are in the order of ``spans()``; None if they were not asked for.
    """

    __slots__ = ("probabilities",)

    def __init__(self, tree: Constituent, probabilities: list[float] | None = None) -> None:
        """The same tree, with probabilities."""
        super().__init__(tree.label, tree.children)
        self.probabilities = probabilities

    def to_svg(self, *, probabilities: bool = True) -> str:
        """A picture; constituents that are less probable are pale, and say how probable they are."""
        from arbora.draw import constituency_svg

        return constituency_svg(self, self.probabilities if probabilities else None)

    def to_text(self, *, probabilities: bool = True, coloured: bool = False) -> str:
        """The tree for a terminal."""
        from arbora.draw import constituency_text

        return constituency_text(self, self.probabilities if probabilities else None, coloured=coloured)

    def to_list(self) -> list[dict[str, Any]]:
        """Plain data of each constituent above the tags, parents first.

        That is its label, its first word, the word behind its last (``start``, ``end``, counted from 0), and
        its ``probability`` if that was found. It is a list, as deep trees would nest
        deeper than readers of JSON can follow.

        >>> tree = Constituent.from_string("(S (VP (VB Go)))")
        >>> ParsedConstituents(tree, [1.0, 0.9]).to_list()[1]
        {'label': 'VP', 'start': 0, 'end': 1, 'probability': 0.9}
        """
        rows: list[dict[str, Any]] = [
            {"label": label, "start": start, "end": end} for label, start, end in self.spans()
        ]
        for row, probability in zip(rows, self.probabilities or (), strict=self.probabilities is not None):
            row["probability"] = probability
        return rows

    def _repr_svg_(self) -> str:
        return self.to_svg()


def take_constituents(sentence: Sentence, rows: Sequence[Mapping[str, Any]]) -> None:
    """Give a sentence the tree of what `ParsedConstituents.to_list` gave."""
    words = [escaped(form) for form in sentence.forms]
    tags = [escaped(tag_of(*pair)) for pair in zip(sentence.xpos, sentence.upos, strict=True)]
    spans = [(row["label"], row["start"], row["end"]) for row in rows]
    sentence.constituents = Constituent.from_spans(spans, words, tags)
    take_probabilities(sentence, rows)


def take_probabilities(sentence: Sentence, rows: Sequence[Mapping[str, Any]]) -> None:
    """Give a sentence the probabilities of its constituents that such rows have, if they do."""
    if all("probability" in row for row in rows):
        values = [float(row["probability"]) for row in rows]
        sentence.findings = {**(sentence.findings or {}), CONSTITUENT_PROBABILITIES: values}
