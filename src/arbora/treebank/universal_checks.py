"""What Universal Dependencies ask of a sentence beyond its format: inventories, and where relations stand.

It is the part of the official validator's levels 2 and 3 that is the same for all languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from arbora.treebank.sentence import UNKNOWN, EmptyNode, Sentence
from arbora.treebank.universal import FEATURES, RELATIONS, TAGS

_RELATION = re.compile(r"[a-z]+(:[a-z]+)?")
_ENHANCED_ALONE = frozenset({"ref"})
"""Relations of enhanced dependencies that basic ones have not."""
_RIGHTWARDS = frozenset({"appos", "conj", "fixed", "flat", "goeswith"})
"""Relations whose head is the first of the words."""
_BELOW_PUNCT = frozenset({"conj", "goeswith", "fixed", "parataxis", "punct", "reparandum"})


class Remark(NamedTuple):
    """Where (an id), what, and whether that is an error; languages may have their own in inventories."""

    place: str
    reason: str
    is_error: bool = True


def remarks(sentence: Sentence) -> Iterator[Remark]:
    """All that is wrong or odd, word by word.

    >>> [remark.reason for remark in remarks(Sentence(["Hi"], upos=["UH"], heads=[0], deprels=["root"]))]
    ["UPOS: 'UH' is none of the 17 universal tags"]
    """
    for id in range(1, len(sentence) + 1):
        place = str(id)
        yield from (Remark(place, reason) for reason in _tag(sentence.upos[id - 1]))
        yield from (Remark(place, reason) for reason in _relation(sentence, id))
        yield from (Remark(place, reason) for reason in _enhanced(sentence.deps[id - 1]))
        yield from (Remark(place, reason, False) for reason in _position(sentence, id))
        yield from _features(place, sentence.feats[id - 1])
    for node in sentence.empty_nodes:
        yield from _empty_node(node)
    for token in sentence.multiwords:
        yield from _features(token.id, token.feats)


def _empty_node(node: EmptyNode) -> Iterator[Remark]:
    if node.upos != UNKNOWN:
        yield from (Remark(node.id, reason) for reason in _tag(node.upos))
    yield from (Remark(node.id, reason) for reason in _enhanced(node.deps))
    yield from _features(node.id, node.feats)


def _tag(upos: str) -> Iterator[str]:
    if upos == UNKNOWN:
        yield "UPOS: there is no tag"
    elif upos not in TAGS:
        yield f"UPOS: {upos!r} is none of the {len(TAGS)} universal tags"


def _relation(sentence: Sentence, id: int) -> Iterator[str]:
    head, relation = sentence.heads[id - 1], sentence.deprels[id - 1]
    if head is None:
        yield "HEAD: there is no head"
    if relation == UNKNOWN:
        yield "DEPREL: there is no relation"
        return
    if head == 0 and relation != "root":
        yield f"DEPREL: {relation!r} at head 0, where only 'root' can be"
    if head and relation.partition(":")[0] == "root":
        yield f"DEPREL: {relation!r} below word {head}, and it belongs to head 0"
    if not _RELATION.fullmatch(relation):
        yield f"DEPREL: {relation!r} is not a relation of small letters, or one with :subtype"
    elif relation.partition(":")[0] not in RELATIONS:
        yield f"DEPREL: {relation!r} is none of the {len(RELATIONS)} universal relations, nor its subtype"


def _enhanced(deps: str) -> Iterator[str]:
    for part in deps.split("|") if deps != UNKNOWN else ():
        head, _, relation = part.partition(":")
        name = relation.partition(":")[0]
        if not relation:
            continue  # the format is checked elsewhere
        if name not in RELATIONS | _ENHANCED_ALONE:
            yield f"DEPS: {relation!r} is no universal relation, nor its subtype"
        elif (head == "0") != (relation == "root"):
            yield f"DEPS: {part!r}: 'root' belongs to head 0, and that to 'root'"


def _position(sentence: Sentence, id: int) -> Iterator[str]:
    head, relation = sentence.heads[id - 1], sentence.deprels[id - 1].partition(":")[0]
    if not head or not 0 < head <= len(sentence):
        return
    if relation in _RIGHTWARDS and head > id:
        yield f"DEPREL: {relation!r} has its head before it, and {head} is behind"
    if sentence.deprels[head - 1].partition(":")[0] == "punct" and relation not in _BELOW_PUNCT:
        yield f"HEAD: word {head} is 'punct', which has no children"


def _features(place: str, feats: str) -> Iterator[Remark]:
    for part in feats.split("|") if feats != UNKNOWN else ():
        layered, equals, values = part.partition("=")
        if not equals:
            continue  # as above
        name, listed = layered.partition("[")[0], values.split(",")
        if listed != sorted(set(listed)):
            yield Remark(place, f"FEATS: the values of {part!r} are not in alphabetical order, each once")
        known = FEATURES.get(name)
        if known is None:
            yield Remark(place, f"FEATS: {name} is no universal feature", is_error=False)
            continue
        for value in listed:
            if value not in known:
                yield Remark(place, f"FEATS: {value!r} is no universal value of {name}", is_error=False)
