"""What a CoNLL-U sentence may be warned about: it can be read, but is not as the format means it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arbora.treebank.sentence import UNKNOWN, Sentence

_FEATURE = re.compile(r"[A-Z][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(,[A-Z0-9][A-Za-z0-9]*)*")
_ENHANCED = re.compile(r"(0|[1-9][0-9]*(?:\.[1-9][0-9]*)?|0\.[1-9][0-9]*):(.+)")


def warnings(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Pairs of the place (an id, or ``""`` for the sentence) and what is odd there.

    >>> list(warnings(Sentence(["Hi"], feats=["Number"], comments=["# sent_id = 1", "# text = Hi"])))
    [('1', "FEATS: 'Number' is not Name=Value")]
    """
    yield from _check_metadata(sentence)
    yield from roots_below_words(sentence)
    known = {str(id) for id in range(len(sentence) + 1)} | {node.id for node in sentence.empty_nodes}
    for id, (feats, deps) in enumerate(zip(sentence.feats, sentence.deps, strict=True), 1):
        yield from ((str(id), reason) for reason in _check_feats(feats))
        yield from ((str(id), reason) for reason in _check_deps(deps, known))
    for node in sentence.empty_nodes:
        if node.head != UNKNOWN or node.deprel != UNKNOWN:
            yield node.id, "an empty node has a HEAD or DEPREL; only DEPS can attach it"
        yield from ((node.id, reason) for reason in _check_feats(node.feats))
        yield from ((node.id, reason) for reason in _check_deps(node.deps, known))
    for token in sentence.multiwords:
        fields = (token.lemma, token.upos, token.xpos, token.head, token.deprel, token.deps)
        if any(value != UNKNOWN for value in fields):
            yield token.id, "a multiword token has more than FORM, FEATS and MISC"


def roots_below_words(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """The words that have the label of the root, and are not it: the place and what is odd.

    >>> list(roots_below_words(Sentence(["a", "b"], heads=[2, 0], deprels=["root", "root"])))
    [('1', "DEPREL: 'root' below word 2, and it belongs to head 0")]
    """
    for id, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True), 1):
        if label == "root" and head:
            yield str(id), f"DEPREL: 'root' below word {head}, and it belongs to head 0"


def row_of(sentence: Sentence, place: str) -> int:
    """The row of an id among the rows of the sentence, from 0.

    >>> row_of(Sentence(["a", "b"]), "2")
    1
    """
    rows: list[
        tuple[tuple[int, int, int, int], str]
    ] = []  # sorted as they stand: by the word they are or precede
    rows += [((id, 1, 0, 0), str(id)) for id in range(1, len(sentence) + 1)]
    rows += [((token.first, 0, 1, 0), token.id) for token in sentence.multiwords]
    rows += [
        ((node.after + 1, 0, 2 if node.inside else 0, node.index), node.id) for node in sentence.empty_nodes
    ]
    return [id for _, id in sorted(rows)].index(place)


def line_of(sentence: Sentence, line: int, place: str) -> int:
    """The line of an id, in a sentence that begins with this line.

    >>> line_of(Sentence(["a", "b"], comments=["# text = a b"]), 10, "2")
    12
    """
    return line + len(sentence.comments) + row_of(sentence, place)


def _check_metadata(sentence: Sentence) -> Iterator[tuple[str, str]]:
    if sentence.sent_id is None:
        yield "", "there is no comment sent_id"
    if sentence.text is None:
        yield "", "there is no comment text"
    else:
        spelled = spelled_text(sentence)
        if spelled != sentence.text:
            yield "", f"the comment text differs from the words {_difference(sentence.text, spelled)}"


def spelled_text(sentence: Sentence) -> str:
    """The forms joined as SpaceAfter=No tells.

    >>> spelled_text(Sentence(["Hi", "!"], misc=["SpaceAfter=No", "_"]))
    'Hi!'
    """
    pieces: list[str] = []
    ranges = {token.first: token for token in sentence.multiwords}
    id = 1
    while id <= len(sentence):
        token = ranges.get(id)
        form, misc, last = (token.form, token.misc, token.last) if token else (sentence.forms[id - 1], "", id)
        pieces.append(form)
        if "SpaceAfter=No" not in (misc or sentence.misc[id - 1]).split("|"):
            pieces.append(" ")
        id = last + 1
    return "".join(pieces).strip()


def _difference(text: str, spelled: str) -> str:
    at = next(
        (i for i, (a, b) in enumerate(zip(text, spelled, strict=False)) if a != b),
        min(len(text), len(spelled)),
    )
    return f"from character {at + 1}: {text[at : at + 20]!r} against {spelled[at : at + 20]!r}"


def _check_feats(feats: str) -> Iterator[str]:
    if feats == UNKNOWN:
        return
    names: list[str] = []
    for part in feats.split("|"):
        if not _FEATURE.fullmatch(part):
            yield f"FEATS: {part!r} is not Name=Value"
        names.append(part.partition("=")[0])
    yield from (f"FEATS: {name} is there twice" for name in sorted({n for n in names if names.count(n) > 1}))
    if names != sorted(names, key=str.lower):
        yield "FEATS: the names are not in alphabetical order"


def _check_deps(deps: str, known: set[str]) -> Iterator[str]:
    if deps == UNKNOWN:
        return
    heads: list[tuple[int, int]] = []
    for part in deps.split("|"):
        match = _ENHANCED.fullmatch(part)
        if match is None:
            yield f"DEPS: {part!r} is not head:relation"
            continue
        if match[1] not in known:
            yield f"DEPS: there is no node {match[1]}"
        word, _, index = match[1].partition(".")
        heads.append((int(word), int(index or 0)))
    if heads != sorted(heads):
        yield "DEPS: the heads are not in order"
