"""CoNLL-X: the ten columns of the 2006 and 2007 shared tasks. MISC keeps its last two, PHEAD and PDEPREL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arbora import _core
from arbora._core import TreeCheck
from arbora.errors import ArboraError, FileError
from arbora.treebank.conllu import begun, broken, decoded, encode_columns, make_sentence
from arbora.treebank.problems import Broken
from arbora.treebank.sentence import UNKNOWN, Sentence

_PROJECTIVE = re.compile(r"(?:PHead=(0|[1-9][0-9]*))?(?:(?<=.)\|(?=P))?(?:PDeprel=(.*))?", re.DOTALL)


def scan(
    pieces: Iterable[bytes], single_root: bool | None = None, *, check: TreeCheck = TreeCheck.shape
) -> Iterator[Sentence | Broken]:
    """The sentences of a CoNLL-X file that comes in pieces; with one root each if ``single_root`` is True.

    Comments are not part of CoNLL-X but found in such files: they are read, and written again.
    ``check`` says what must hold of heads.
    """
    lines, pieces = begun(pieces)
    decoder = _core.ConlluDecoder(single_root is True, True, 1 + lines, check)
    for number, (line, problems, found) in enumerate(decoded(decoder, pieces), 1):
        if problems is not None:
            yield broken(number, problems, found, words_only=True)
            continue
        sentence = make_sentence(found)
        sentence._place = (line, number, True)
        faults = _bad_pheads(sentence, line, number)
        if faults:
            yield Broken(faults)
            continue
        sentence.misc = [_joined(*pair) for pair in zip(sentence.deps, sentence.misc, strict=True)]
        sentence.deps = [UNKNOWN] * len(sentence)
        yield sentence


def encode(sentence: Sentence) -> str:
    """The text of a sentence; ArboraError if it has anything that CoNLL-X cannot hold (see `reduced`)."""
    if sentence.multiwords or sentence.empty_nodes:
        raise ArboraError("CoNLL-X cannot hold multiword tokens and empty nodes; converting drops them")
    if not len(sentence.deps) == len(sentence.misc) == len(sentence):
        raise ArboraError("the columns of a sentence are not of one length")
    pheads, pdeprels = [], []
    for deps, misc in zip(sentence.deps, sentence.misc, strict=True):
        pair = _split(misc)
        if deps != UNKNOWN or pair is None:
            name, value = ("DEPS", deps) if deps != UNKNOWN else ("MISC", misc)
            raise ArboraError(f"CoNLL-X cannot hold {name} {value!r}; converting drops it")
        pheads.append(pair[0])
        pdeprels.append(pair[1])
    return encode_columns(sentence, pheads, pdeprels)


@dataclass(slots=True)
class Losses:
    """How much a conversion had to leave out."""

    comments: int = 0
    multiwords: int = 0
    empty_nodes: int = 0
    deps: int = 0
    misc: int = 0


def reduced(sentence: Sentence, losses: Losses) -> Sentence:
    """The part of a sentence that CoNLL-X can hold; what is left out is counted in ``losses``.

    >>> losses = Losses()
    >>> reduced(Sentence(["Hi"], misc=["SpaceAfter=No"], comments=["# text = Hi"]), losses).misc
    ['_']
    >>> losses.misc, losses.comments
    (1, 1)
    """
    plain = sentence.copy()
    losses.comments += len(plain.comments)
    losses.multiwords += len(plain.multiwords)
    losses.empty_nodes += len(plain.empty_nodes)
    plain.comments, plain.multiwords, plain.empty_nodes = [], [], []
    for i, (deps, misc) in enumerate(zip(plain.deps, plain.misc, strict=True)):
        losses.deps += deps != UNKNOWN
        plain.deps[i] = UNKNOWN
        if _split(misc) is None:
            losses.misc += 1
            plain.misc[i] = UNKNOWN
    return plain


def _joined(phead: str, pdeprel: str) -> str:
    if phead == UNKNOWN and pdeprel == UNKNOWN:
        return UNKNOWN
    parts = (("PHead", phead), ("PDeprel", pdeprel))
    return "|".join(f"{name}={value}" for name, value in parts if value != UNKNOWN)


def _split(misc: str) -> tuple[str, str] | None:
    """PHEAD and PDEPREL out of MISC; None if anything else is there."""
    if misc == UNKNOWN:
        return UNKNOWN, UNKNOWN
    match = _PROJECTIVE.fullmatch(misc)
    if match is None:
        return None
    pair = match[1] or UNKNOWN, match[2] or UNKNOWN
    return pair if _joined(*pair) == misc else None


def _bad_pheads(sentence: Sentence, first_line: int, number: int) -> list[FileError]:
    if all(phead == UNKNOWN for phead in sentence.deps):
        return []
    name = sentence.sent_id or f"#{number}"
    rows_from = first_line + len(sentence.comments)
    return [
        FileError(
            f"the projective head {phead!r} is not a whole number or _", line=rows_from + i, sentence=name
        )
        for i, phead in enumerate(sentence.deps)
        if not re.fullmatch(r"_|0|[1-9][0-9]*", phead)
    ]
