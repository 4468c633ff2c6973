"""Sentences as plain data, ready for JSON, and back: nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from arbora.dependency.output import (
    CERTIFICATE,
    HEAD_PROBABILITY,
    KBEST_RANK,
    LABEL_PROBABILITY,
    TREE_LOG_PROBABILITY,
)
from arbora.errors import ArboraError, WrongTypeError, shown
from arbora.pipeline.constituents import take_constituents, take_probabilities
from arbora.treebank import EmptyNode, Multiword, Sentence
from arbora.treebank.findings import CERTAINTY
from arbora.treebank.phrases import (
    CONSTITUENT_PROBABILITIES,
    CONSTITUENTS,
    CONSTITUENTS_JOINT_LOG_PROBABILITY,
    CONSTITUENTS_LOG_PROBABILITY,
)
from arbora.treebank.sentence import UNKNOWN

if TYPE_CHECKING:
    from arbora.pipeline.documents import ParsedSentence

SPANS = "spans"
"""The finding that tells where words stand in their text."""
NUMBERS = (
    CERTAINTY,
    KBEST_RANK,
    TREE_LOG_PROBABILITY,
    CONSTITUENTS_LOG_PROBABILITY,
    CONSTITUENTS_JOINT_LOG_PROBABILITY,
)
"""Findings of a whole sentence that are shown by their own names."""
PROBABILITIES = {"probability": HEAD_PROBABILITY, "label_probability": LABEL_PROBABILITY}
"""Findings of words, by the names that plain data has for them."""
_SHOWN = {SPANS, CERTIFICATE, CONSTITUENT_PROBABILITIES, *NUMBERS, *PROBABILITIES.values()}

_FIELDS = {
    "form": "forms",
    "lemma": "lemmas",
    "upos": "upos",
    "xpos": "xpos",
    "feats": "feats",
    "head": "heads",
    "deprel": "deprels",
    "misc": "misc",
}
_RARE = {"deps": "deps"}
"""Those that are there where they are known."""


def sentence_to_dict(sentence: ParsedSentence, *, probabilities: bool) -> dict[str, Any]:
    """All that a sentence has; with ``probabilities``, its parser is asked for those that were not found."""
    findings = sentence.findings or {}
    data: dict[str, Any] = {
        "text": sentence.text,
        "words": _words(sentence, probabilities),
        "multiwords": [_row(token, ("first", "last", "form")) for token in sentence.multiwords],
    }
    if sentence.empty_nodes:
        data["empty_nodes"] = [_row(node, ("after", "index")) for node in sentence.empty_nodes]
    data["comments"] = list(sentence.comments)
    plain = Sentence(sentence.forms)
    data |= {
        name: getattr(sentence, name)
        for name in ("newline", "closing")
        if getattr(sentence, name) != getattr(plain, name)
    }
    data |= {key: findings[key] for key in NUMBERS if key in findings}
    if CERTIFICATE in findings:
        gap = findings[CERTIFICATE]
        data[CERTIFICATE] = {"proved": gap == 0, "gap": gap if isfinite(gap) else None}
    if (tree := sentence.constituents) is not None:
        data[CONSTITUENTS] = tree.to_list()
    others = {key: _plain(value) for key, value in findings.items() if key not in _SHOWN}
    return data | ({"findings": others} if others else {})


@contextmanager
def refusing_data(data: object) -> Iterator[None]:
    """Whatever goes wrong with plain data that `to_dict` never gave becomes one line.

    >>> with refusing_data({}):
    ...     {}["words"]
    Traceback (most recent call last):
    arbora.errors.WrongTypeError: this is not what to_dict gives, it lacks 'words': {}
    """
    try:
        yield
    except ArboraError:
        raise
    except (LookupError, AttributeError, TypeError, ValueError) as error:
        lack = f", it lacks {error}" if isinstance(error, KeyError) else ""
        raise WrongTypeError(f"this is not what to_dict gives{lack}: {shown(data)}") from None


def sentence_from_dict(data: Mapping[str, Any]) -> Sentence:
    """The sentence of what `sentence_to_dict` gave.

    >>> sentence_from_dict({"words": [{"form": "Hello", "head": 0}]}).heads
    [0]
    """
    words = data["words"]
    columns: dict[str, Any] = {
        name: [word.get(key) if name == "heads" else word.get(key, UNKNOWN) for word in words]
        for key, name in (_FIELDS | _RARE).items()
    }
    columns["misc"] = [_joined_misc(word) for word in words]
    text = data.get("text")
    sentence = Sentence(
        **columns,
        comments=data.get("comments", [] if text is None else [f"# text = {text}"]),
        multiwords=[Multiword(**row) for row in data.get("multiwords", ())],
        empty_nodes=[EmptyNode(**row) for row in data.get("empty_nodes", ())],
        newline=data.get("newline", "\n"),
        closing=data.get("closing"),
    )
    sentence.findings = _findings(data, words) or None
    if CONSTITUENTS in data:
        if sentence.metadata(CONSTITUENTS) is None:
            take_constituents(sentence, data[CONSTITUENTS])
        else:
            take_probabilities(sentence, data[CONSTITUENTS])
    return sentence


def _words(sentence: ParsedSentence, probabilities: bool) -> list[dict[str, Any]]:
    words: list[dict[str, Any]] = [
        {"id": token.id, **{key: getattr(token, key) for key in _FIELDS}} for token in sentence
    ]
    for word in words:
        word |= _split_misc(word["misc"], sentence.findings or {})
    for word, deps in zip(words, sentence.deps, strict=True):
        if deps != UNKNOWN:
            word["deps"] = deps
    if sentence.spans is not None:
        for word, (start, end) in zip(words, sentence.spans, strict=True):
            word |= {"start": start, "end": end}
    found: dict[str, Any] = {
        key: (sentence.findings or {})[name]
        for key, name in PROBABILITIES.items()
        if name in (sentence.findings or {})
    }
    if probabilities and sentence.has_heads:
        found = {
            "probability": sentence.head_probabilities(),
            "label_probability": sentence.label_probabilities(),
        }
    for key, values in found.items():
        for word, value in zip(words, values, strict=True):
            word[key] = float(value)
    return words


def _split_misc(misc: str, findings: Mapping[str, Any]) -> dict[str, str]:
    """MISC without what findings say with more digits, which is kept beside it, as it was written.

    >>> _split_misc("SpaceAfter=No|HeadProbability=0.5", {"HeadProbability": [0.5001]})
    {'misc': 'SpaceAfter=No', 'misc_found': 'HeadProbability=0.5'}
    """
    items = misc.split("|")
    own = [item for item in items if item.partition("=")[0] not in findings]
    found = items[len(own) :]
    if not found or items[: len(own)] != own:
        return {"misc": misc}
    return {"misc": "|".join(own) or UNKNOWN, "misc_found": "|".join(found)}


def _joined_misc(word: Mapping[str, Any]) -> str:
    parts = [word.get("misc", UNKNOWN), word.get("misc_found", UNKNOWN)]
    return "|".join(part for part in parts if part != UNKNOWN) or UNKNOWN


def _row(row: Multiword | EmptyNode, always: tuple[str, ...]) -> dict[str, Any]:
    fields = {name: getattr(row, name) for name in type(row).__slots__}
    return {key: value for key, value in fields.items() if key in always or value not in (UNKNOWN, False)}


def _findings(data: Mapping[str, Any], words: list[Mapping[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = dict(data.get("findings", {}))
    found |= {key: data[key] for key in NUMBERS if key in data}
    if CERTIFICATE in data:
        gap = data[CERTIFICATE]["gap"]
        found[CERTIFICATE] = inf if gap is None else gap
    for key, name in PROBABILITIES.items():
        if words and all(key in word for word in words):
            found[name] = [word[key] for word in words]
    if words and all("start" in word for word in words):
        found[SPANS] = [(word["start"], word["end"]) for word in words]
    return found


def _plain(value: Any) -> Any:
    """Arrays and tuples as lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value
