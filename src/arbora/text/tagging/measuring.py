"""How good a tagger is on a treebank."""

from __future__ import annotations

from collections.abc import Sequence

from arbora.text.tagging.options import TagOptions
from arbora.text.tagging.tagger import Tagger
from arbora.treebank import Sentence

__all__ = ["measure_tags"]


def measure_tags(tagger: Tagger, gold: Sequence[Sentence], *, threads: int = 1) -> dict[str, float]:
    """The share of words whose UPOS, XPOS, FEATS and lemma the tagger finds as gold has them."""
    words = sum(map(len, gold))
    right = dict.fromkeys(("upos", "xpos", "feats", "lemmas"), 0)
    copies = (Sentence(sentence.forms) for sentence in gold)
    for sentence, found in zip(gold, tagger.tag(copies, TagOptions(threads=threads)), strict=True):
        for column in right:
            pairs = zip(getattr(sentence, column), getattr(found, column), strict=True)
            right[column] += sum(own == other for own, other in pairs)
    return {column: count / words for column, count in right.items()}
