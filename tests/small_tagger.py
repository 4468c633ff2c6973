"""Taggers trained in a moment, on the treebanks among the examples."""

from __future__ import annotations

from functools import cache

from small_training import treebank

from arbora.text import Tagger, TaggerOptions, train_tagger
from arbora.treebank import Sentence

SMALL = TaggerOptions(epochs=2, bits=(14, 14, 12), batch=3)


@cache
def small_tagger(language: str = "en") -> Tagger:
    return train_tagger(treebank(language), options=SMALL)


def bare(sentences: list[Sentence]) -> list[Sentence]:
    """The sentences as they come to a tagger: forms, and what is no tag."""
    copies = [sentence.copy() for sentence in sentences]
    for sentence in copies:
        for column in ("upos", "xpos", "feats", "lemmas"):
            setattr(sentence, column, ["_"] * len(sentence))
    return copies
