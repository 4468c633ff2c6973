"""Attachment scores as the CoNLL 2018 definitions read, one plain pass per score."""

from __future__ import annotations

FUNCTION = {"aux", "cop", "mark", "det", "clf", "case", "cc"}


def words(gold, system):
    """(gold head, gold relation, system head, system relation) of all words, relations without subtypes."""
    for right, found in zip(gold, system, strict=True):
        for a, b in zip(right, found, strict=True):
            yield a.head, a.deprel.split(":")[0], b.head, b.deprel.split(":")[0]


def uas(gold, system):
    rows = list(words(gold, system))
    return sum(a == c for a, _, c, _ in rows) / len(rows)


def las(gold, system):
    rows = list(words(gold, system))
    return sum((a, b) == (c, d) for a, b, c, d in rows) / len(rows)


def clas(gold, system):
    """F1 over the words that are neither function words nor punctuation."""
    rows = list(words(gold, system))
    skipped = FUNCTION | {"punct"}
    in_gold = sum(b not in skipped for _, b, _, _ in rows)
    in_system = sum(d not in skipped for _, _, _, d in rows)
    correct = sum(b not in skipped and (a, b) == (c, d) for a, b, c, d in rows)
    return 2 * correct / (in_gold + in_system)
