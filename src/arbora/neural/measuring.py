"""How good a neural parser is on a treebank."""

from __future__ import annotations

from collections.abc import Sequence

from arbora.dependency import ParseOptions
from arbora.neural.parser import NeuralParser
from arbora.treebank import Sentence
from arbora.treebank.batches import annotated, make_batches, to_sentences


def measure_trees(parser: NeuralParser, gold: Sequence[Sentence], *, threads: int = 1) -> dict[str, float]:
    """UAS and LAS (with subtypes), and the share of words with the right tags, on gold words.

    Words whose head is not known do not count for UAS, nor for LAS those without a label.
    """
    options = ParseOptions(threads=threads)
    untagged = make_batches((Sentence(sentence.forms) for sentence in gold), options.batch)
    right = dict.fromkeys(("uas", "las", "upos", "xpos", "feats"), 0)
    known = dict.fromkeys(right, 0)
    for own, found in zip(gold, to_sentences(annotated(untagged, [parser.step(options, {})])), strict=True):
        for word in range(len(own)):
            if (head := own.heads[word]) is not None:
                known["uas"] += 1
                right["uas"] += found.heads[word] == head
                if own.deprels[word] != "_":
                    known["las"] += 1
                    right["las"] += (found.heads[word], found.deprels[word]) == (head, own.deprels[word])
            if parser.inventory is not None and own.upos[word] != "_":
                for column in ("upos", "xpos", "feats"):
                    known[column] += 1
                    right[column] += getattr(found, column)[word] == getattr(own, column)[word]
    return {name: right[name] / count for name, count in known.items() if count}
