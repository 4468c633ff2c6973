"""What is asked of a model's header and tensors when its file is opened.

Each function takes a value and what it is called, and returns the value if it is what its name says; if not,
a ValueError says so in one line. So what is wrong with a file is found when it is opened, not when it is
used, and architectures say what they hold in one way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from arbora import _core
from arbora.errors import shown

Options = TypeVar("Options")

LARGEST = 2**31 - 1
"""Whole numbers are at most this, if nothing else is said: the core has no larger ones."""
MOST_WEIGHT = 1e6
"""Sums of some hundred of them are scores, which may be 1e10; what is learned is below 100."""


def a_whole(value: Any, name: str, least: int = 0, most: int = LARGEST) -> int:
    """A whole number.

    >>> a_whole(0.5, "iterations")
    Traceback (most recent call last):
    ValueError: iterations is no whole number: 0.5
    """
    if type(value) is not int:
        raise ValueError(f"{name} is no whole number: {shown(value)}")
    if not least <= value <= most:
        raise ValueError(f"{name} is not from {least} to {most}: {shown(value)}")
    return value


def a_number(value: Any, name: str, least: float = -math.inf, most: float = math.inf) -> float:
    """A number that is finite, as float64 has it.

    >>> a_number(-1, "scale", least=0)
    Traceback (most recent call last):
    ValueError: scale is not from 0 to inf: -1
    """
    if type(value) not in (int, float) or abs(value) > 1e300 or not math.isfinite(value):
        raise ValueError(f"{name} is no number: {shown(value)}")
    if not least <= value <= most:
        raise ValueError(f"{name} is not from {least} to {most}: {shown(value)}")
    return float(value)


def a_positive(value: Any, name: str) -> float:
    """A number above 0 that scores can be multiplied by without leaving what float32 has.

    >>> a_positive(0, "scale")
    Traceback (most recent call last):
    ValueError: scale is not above 0, and within 1e-30 and 1e30: 0
    """
    if not 1e-30 <= a_number(value, name) <= 1e30:
        raise ValueError(f"{name} is not above 0, and within 1e-30 and 1e30: {shown(value)}")
    return float(value)


def a_flag(value: Any, name: str) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise ValueError(f"{name} is neither true nor false: {shown(value)}")
    return value


def a_text(value: Any, name: str) -> str:
    """A text that a file can hold."""
    if not isinstance(value, str):
        raise ValueError(f"{name} is no text: {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} has half a character: {shown(value)}") from None
    return value


def a_name(value: Any, name: str, without: str = "\t\r\n") -> str:
    r"""A text with something in it, that stands in a column, or wherever these characters end it.

    >>> a_name("a\tb", "a label")
    Traceback (most recent call last):
    ValueError: a label has characters that no column holds: 'a\tb'
    """
    text = a_text(value, name)
    if not text:
        raise ValueError(f"{name} is empty")
    if set(text) & set(without):
        raise ValueError(f"{name} has characters that no column holds: {shown(text)}")
    return text


def a_list(value: Any, name: str, length: int | None = None) -> list[Any]:
    """A list, of so many values."""
    if not isinstance(value, list | tuple):
        raise ValueError(f"{name} is no list: {shown(value)}")
    if length is not None and len(value) != length:
        raise ValueError(f"{name} has {len(value)} values, where {length} are needed")
    return list(value)


def some_names(value: Any, name: str, without: str = "\t\r\n") -> list[str]:
    """A list of names, none of them twice.

    >>> some_names(["nsubj", "nsubj"], "labels")
    Traceback (most recent call last):
    ValueError: labels has 'nsubj' twice
    """
    found = [a_name(each, f"one of {name}", without) for each in a_list(value, name)]
    seen: set[str] = set()
    for each in found:
        if each in seen:
            raise ValueError(f"{name} has {shown(each)} twice")
        seen.add(each)
    return found


def a_mapping(value: Any, name: str) -> dict[str, Any]:
    """What JSON calls an object."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} has no fields: {shown(value)}")
    return dict(value)


def some_options(kind: type[Options], value: Any, needed: tuple[str, ...] = ()) -> Options:
    """The options of a header as their class has them: types by its annotations, the rest by its ``check``.

    An option that is not there has its default, as files have it that are older than the option; KeyError if
    it is ``needed``.

    >>> from arbora.text import TokenizerOptions
    >>> some_options(TokenizerOptions, {"epochs": 0.5})
    Traceback (most recent call last):
    ValueError: the option epochs is no whole number: 0.5
    """
    plain, types = a_mapping(value, "options"), get_type_hints(kind)
    for name in needed:
        plain[name]
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    for name in plain:
        if name not in known:
            raise ValueError(f"there is no option {shown(name)} in this Arbora; upgrade arbora")
    options = kind(**{name: _typed(own, types[name], f"the option {name}") for name, own in plain.items()})
    return options.check()  # type: ignore[attr-defined, no-any-return]


def _typed(value: Any, wanted: Any, name: str) -> Any:
    """The value as an annotation has it; JSON has no tuples, and infinity is a word there."""
    inner = get_args(wanted)
    if get_origin(wanted) in (Union, UnionType):
        if value is None and NoneType in inner:
            return None
        return _typed(value, next(each for each in inner if each is not NoneType), name)
    if get_origin(wanted) is tuple:
        if inner[-1] is Ellipsis:
            return tuple(_typed(each, inner[0], name) for each in a_list(value, name))
        own = a_list(value, name, len(inner))
        return tuple(_typed(each, kind, name) for each, kind in zip(own, inner, strict=True))
    if wanted is float:
        return math.inf if value == "inf" else a_number(value, name)
    checks: dict[Any, Any] = {bool: a_flag, str: a_text}
    most = 2**63 - 1 if name.endswith("seed") else LARGEST
    return a_whole(value, name, -LARGEST, most) if wanted is int else checks[wanted](value, name)


def a_row(tensors: Mapping[str, NDArray[Any]], name: str, dtype: Any) -> NDArray[Any]:
    """A tensor of one dimension and this type, and all its numbers are some.

    >>> a_row({"keys": np.zeros(3)}, "keys", np.uint64)
    Traceback (most recent call last):
    ValueError: the tensor 'keys' is no row of uint64
    """
    found = tensors[name]  # a KeyError says what it lacks
    if found.ndim != 1 or found.dtype != np.dtype(dtype):
        raise ValueError(f"the tensor {name!r} is no row of {np.dtype(dtype)}")
    if found.dtype.kind == "f" and not np.isfinite(found).all():
        raise ValueError(f"the tensor {name!r} has numbers that are none")
    return found


def moderate(weights: _core.ShortWeights, name: str, *scales: float) -> _core.ShortWeights:
    """Weights, if neither they nor what each of these scales makes of them is more than `MOST_WEIGHT`.

    >>> moderate(_core.ShortWeights(np.ones(16, np.int16), 1e9), "pruner")
    Traceback (most recent call last):
    ValueError: the weights of the pruner are too large for sums: some are more than 1000000
    """
    values = weights.values
    largest = max(float(values.max(initial=0)), -float(values.min(initial=0))) * weights.step
    if largest * max((1.0, *scales)) > MOST_WEIGHT:
        raise ValueError(
            f"the weights of the {name} are too large for sums: some are more than {MOST_WEIGHT:.0f}"
        )
    return weights
