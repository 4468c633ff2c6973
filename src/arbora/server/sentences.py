"""Sentences of JSON requests, and what binds in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from arbora import _core
from arbora.errors import ArboraError, FileError
from arbora.pipeline.plain_data import sentence_from_dict
from arbora.server.json_types import Constraints, SentenceData
from arbora.server.limits import Limits, RequestError
from arbora.server.service import check_lengths
from arbora.treebank import Sentence
from arbora.treebank.batches import FORBIDDEN_HEADS, read_batches, to_sentences
from arbora.treebank.sentence import UNKNOWN


def read_sentences(
    conllu: str | UnsetType,
    sentences: Sequence[SentenceData] | UnsetType,
    limits: Limits,
    check: _core.TreeCheck,
) -> list[Sentence]:
    """The sentences of a request; RequestError with the place of the one that is to blame."""
    if sentences is not UNSET:
        found = [_read(data, place, check) for place, data in enumerate(sentences)]
    else:
        assert conllu is not UNSET
        found = _read_conllu(conllu, check)
    check_lengths([len(sentence) for sentence in found], limits)
    return found


def bind(sentence: Sentence, constraints: Constraints | None, from_input: bool) -> None:
    """Give the sentence the heads, labels and forbidden heads that bind, in its own columns."""
    if not from_input:
        sentence.heads = [None] * len(sentence)
        sentence.deprels = ["_"] * len(sentence)
        sentence.misc = [_without_forbidden(misc) for misc in sentence.misc]
    if constraints is None:
        return
    heads, labels = list(sentence.heads), list(sentence.deprels)
    for word in constraints.roots:
        _put(heads, _checked(word, sentence), 0, "head")
    for name, head in constraints.heads.items():
        _put(heads, _checked(_number(name), sentence), _checked(head, sentence, least=0), "head")
    for name, label in constraints.labels.items():
        _put(labels, _checked(_number(name), sentence), label, "label")
    sentence.heads, sentence.deprels = heads, labels
    misc = list(sentence.misc)
    for head, word in constraints.forbidden:
        _checked(head, sentence, least=0)
        misc[word - 1] = with_forbidden(misc[_checked(word, sentence) - 1], head)
    sentence.misc = misc


def _put(column: list[Any], word: int, value: Any, what: str) -> None:
    """What binds for a word; RequestError if something else does already."""
    old = column[word - 1]
    if old not in (None, UNKNOWN, value):
        raise RequestError(400, f"The {what} of word {word} cannot be {old!r} and {value!r}.")
    column[word - 1] = value


def with_forbidden(misc: str, head: int) -> str:
    """MISC with one more head that the word may not have.

    >>> with_forbidden("SpaceAfter=No", 2), with_forbidden("ForbiddenHeads=0,2", 5)
    ('SpaceAfter=No|ForbiddenHeads=2', 'ForbiddenHeads=0,2,5')
    """
    items = [] if misc == "_" else misc.split("|")
    for place, item in enumerate(items):
        if item.startswith(FORBIDDEN_HEADS):
            items[place] = f"{item},{head}"
            return "|".join(items)
    return "|".join([*items, f"{FORBIDDEN_HEADS}{head}"])


def _without_forbidden(misc: str) -> str:
    return "|".join(item for item in misc.split("|") if not item.startswith(FORBIDDEN_HEADS)) or "_"


def _number(name: str) -> int:
    if not (name.isascii() and name.isdecimal() and len(name) < 8):
        raise RequestError(400, f"'{name}' is no id of a word.")
    return int(name)


def _checked(id: int, sentence: Sentence, *, least: int = 1) -> int:
    if not least <= id <= len(sentence):
        raise RequestError(400, f"There is no word {id} in a sentence of {len(sentence)} words.")
    return id


def _read(data: SentenceData, place: int, check: _core.TreeCheck) -> Sentence:
    try:
        if (data.words is UNSET) == (data.conllu is UNSET):
            raise RequestError(400, "A sentence has either words or conllu.")
        if data.conllu is not UNSET:
            found = _read_conllu(data.conllu, check)
            if len(found) != 1:
                raise RequestError(400, f"The block of a sentence has {len(found)} sentences.")
            return found[0]
        return sentence_from_dict(msgspec.to_builtins(data))
    except RequestError as error:
        raise RequestError(error.status, error.reason, sentence=place) from None
    except ArboraError as error:
        raise RequestError(400, f"{error}.", sentence=place) from None


def _read_conllu(conllu: str, check: _core.TreeCheck) -> list[Sentence]:
    try:
        return list(to_sentences(read_batches([conllu.encode()], check=check)))
    except FileError as error:
        error.file = "conllu"
        raise RequestError(400, f"{error}.") from None
