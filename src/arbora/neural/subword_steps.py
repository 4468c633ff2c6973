"""How `tokenizer.json` says that text is normalised and split, in steps that the core knows.

A step is plain data, ``{"step": name, ...}``, and its tables; `NORMALIZERS` and `SPLITTERS` have those
known.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arbora.models.checking import a_flag, a_list, a_mapping, a_text
from arbora.neural import subword_tables as tables

Json = Mapping[str, Any]
Step = tuple[dict[str, Any], dict[str, NDArray[Any]]]


class UnknownPartError(ValueError):
    """A part of a tokenizer that we do not know; the message names it."""


def normalizing(found: Any) -> Iterator[Step]:
    """The steps of a normalizer of `tokenizer.json`.

    >>> [step for step, _ in normalizing({"type": "Sequence", "normalizers": [{"type": "NFC"}]})]
    [{'step': 'decomposition'}, {'step': 'composition'}]
    """
    return _steps(found, "normalizer", NORMALIZERS)


def splitting(found: Any) -> Iterator[Step]:
    """The steps of a pre-tokenizer of `tokenizer.json`.

    >>> next(splitting({"type": "Whitespace"}))
    Traceback (most recent call last):
    arbora.neural.subword_steps.UnknownPartError: the pre-tokenizer Whitespace is not known
    """
    return _steps(found, "pre-tokenizer", SPLITTERS)


def _steps(found: Any, what: str, known: Mapping[str, Callable[[Json], Iterator[Step]]]) -> Iterator[Step]:
    if found is None:
        return
    own = a_mapping(found, f"the {what}")
    kind = a_text(own.get("type"), f"the type of the {what}")
    if kind == "Sequence":
        for part in a_list(own.get(f"{what.replace('-', '')}s"), f"the parts of the {what}"):
            yield from _steps(part, what, known)
        return
    if kind not in known:
        raise UnknownPartError(f"the {what} {kind} is not known")
    yield from known[kind](own)


def _flag(own: Json, name: str, default: bool) -> bool:
    return a_flag(own.get(name, default), f"{name} of {own['type']}")


def _bert(own: Json) -> Iterator[Step]:
    lowercase = _flag(own, "lowercase", True)
    strips_accents = own.get("strip_accents")
    if _flag(own, "clean_text", True):
        yield {"step": "map"}, {**tables.clean_map()}
    if _flag(own, "handle_chinese_chars", True):
        yield {"step": "map"}, {**tables.ideograph_map()}
    if lowercase if strips_accents is None else _flag(own, "strip_accents", False):
        yield from _decomposition("canonical")
        yield {"step": "map"}, {**tables.drop_map("marks")}
    if lowercase:
        yield {"step": "map"}, {**tables.lower_map()}


def _decomposition(name: str) -> Iterator[Step]:
    own = {**tables.decomposition_map(name), "combining": tables.combining_classes()}
    yield {"step": "decomposition"}, own


def _composition(name: str) -> Iterator[Step]:
    yield from _decomposition(name)
    own = {"pairs": tables.compositions(), "combining": tables.combining_classes()}
    yield {"step": "composition"}, own


def _precompiled(own: Json) -> Iterator[Step]:
    text = a_text(own.get("precompiled_charsmap"), "precompiled_charsmap")
    try:
        charsmap = np.frombuffer(base64.b64decode(text, validate=True), np.uint8)
    except binascii.Error:
        raise ValueError("precompiled_charsmap is no base64") from None
    yield {"step": "charsmap"}, {"charsmap": charsmap, "clusters": tables.clusters()}


def _replace(own: Json) -> Iterator[Step]:
    pattern = a_mapping(own.get("pattern"), "the pattern of Replace")
    regex = pattern.get("Regex")
    if regex not in (None, " {2,}"):
        raise UnknownPartError(f"the pattern {regex!r} of the normalizer Replace is not known")
    found = " " if regex else a_text(pattern.get("String"), "the pattern of Replace")
    other = a_text(own.get("content"), "the content of Replace")
    yield {"step": "replacement", "found": found, "other": other, "runs": regex is not None}, {}


def _strip(own: Json) -> Iterator[Step]:
    left, right = (_flag(own, name, True) for name in ("strip_left", "strip_right"))
    yield {"step": "strip", "left": left, "right": right}, {}


def _prepend(own: Json) -> Iterator[Step]:
    yield {"step": "prefix", "prefix": a_text(own.get("prepend"), "what is prepended")}, {}


def _byte_level(own: Json) -> Iterator[Step]:
    prefix, runs = _flag(own, "add_prefix_space", True), _flag(own, "use_regex", True)
    yield {"step": "bytes", "prefix": prefix, "runs": runs}, {"letters": tables.letters()}


def _metaspace(own: Json) -> Iterator[Step]:
    prefix = own.get("prepend_scheme", "always" if _flag(own, "add_prefix_space", True) else "never")
    mark, prefix = (
        a_text(own.get("replacement"), "the replacement of Metaspace"),
        a_text(prefix, "prepend_scheme"),
    )
    yield {"step": "marks", "mark": mark, "prefix": prefix, "split": _flag(own, "split", True)}, {}


NORMALIZERS: dict[str, Callable[[Json], Iterator[Step]]] = {
    "BertNormalizer": _bert,
    "NFD": lambda own: _decomposition("canonical"),
    "NFKD": lambda own: _decomposition("compatible"),
    "NFC": lambda own: _composition("canonical"),
    "NFKC": lambda own: _composition("compatible"),
    "Lowercase": lambda own: iter([({"step": "map"}, {**tables.lower_map()})]),
    "StripAccents": lambda own: iter([({"step": "map"}, {**tables.drop_map("accents")})]),
    "Precompiled": _precompiled,
    "Replace": _replace,
    "Strip": _strip,
    "Prepend": _prepend,
}
SPLITTERS: dict[str, Callable[[Json], Iterator[Step]]] = {
    "BertPreTokenizer": lambda own: iter([({"step": "words"}, {"punctuation": tables.punctuation()})]),
    "WhitespaceSplit": lambda own: iter([({"step": "spaces"}, {})]),
    "ByteLevel": _byte_level,
    "Metaspace": _metaspace,
}
