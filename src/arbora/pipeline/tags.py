"""Tags of sentences that have some already: those that are there stay."""

from __future__ import annotations

from collections.abc import Sequence

from arbora.treebank import Sentence
from arbora.treebank.batches import Step, annotated, make_batch, to_sentences
from arbora.treebank.sentence import UNKNOWN


def fill_tags(sentences: Sequence[Sentence], steps: Sequence[Step]) -> list[Sentence]:
    """Sentences with all tags and lemmas, by steps that keep those that are there; whole ones are the same.

    FEATS of a word with a UPOS tag that are ``_`` say that it has none, if other words have some.
    """
    lacking = [place for place, sentence in enumerate(sentences) if _lacks_tags(sentence)]
    result = list(sentences)
    if not lacking:
        return result
    tagged = to_sentences(annotated([make_batch([sentences[place] for place in lacking])], steps))
    for place, found in zip(lacking, tagged, strict=True):
        result[place] = _with_own_feats(sentences[place], found)
    return result


def _lacks_tags(sentence: Sentence) -> bool:
    lacks = (UNKNOWN in column for column in (sentence.upos, sentence.xpos, sentence.lemmas))
    return any(lacks) or all(feats == UNKNOWN for feats in sentence.feats)


def _with_own_feats(sentence: Sentence, tagged: Sentence) -> Sentence:
    if all(feats == UNKNOWN for feats in sentence.feats):
        return tagged
    tagged.feats = [
        own if upos != UNKNOWN else found
        for own, upos, found in zip(sentence.feats, sentence.upos, tagged.feats, strict=True)
    ]
    return tagged
