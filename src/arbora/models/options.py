"""Options as they are given in Python: settings objects, and numbers by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from numbers import Integral, Real
from operator import index
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from arbora.errors import OptionError, WrongTypeError, shown

Options = TypeVar("Options")

_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", NoneType: "None"}


def options_of(kind: type[Options], options: Options | None) -> Options:
    """The options, checked; those that are usual if there are none.

    >>> from arbora.dependency import ParseOptions
    >>> options_of(ParseOptions, "mbr")
    Traceback (most recent call last):
    arbora.errors.WrongTypeError: the options are to be ParseOptions, and these are 'mbr'
    """
    own = kind() if options is None else options
    if not isinstance(own, kind):
        raise WrongTypeError(f"the options are to be {kind.__name__}, and these are {shown(options)}")
    return own.check()  # type: ignore[attr-defined, no-any-return]


def check_types(options: Any) -> None:
    """WrongTypeError if one of a settings object's options has another type than its annotation says.

    >>> from arbora.dependency import ParseOptions
    >>> check_types(ParseOptions(threads="2"))
    Traceback (most recent call last):
    arbora.errors.WrongTypeError: the option threads is a whole number, not '2'
    """
    kind: Any = type(options)
    for name, wanted, usual in _types_of(kind):
        value = getattr(options, name)
        if type(value) not in usual and not _fits(value, wanted):
            raise WrongTypeError(f"the option {name} is {_name_of(wanted)}, not {shown(value)}")


def check_like(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """WrongTypeError if a value is of another type than its default."""
    for name, value in values.items():
        wanted = type(defaults[name])
        if defaults[name] is not None and not _fits(value, wanted):
            raise WrongTypeError(f"the option {name} is {_name_of(wanted)}, not {shown(value)}")


def a_count(value: Any, name: str, least: int = 1) -> int:
    """A whole number that is at least so large.

    >>> a_count("2", "k")
    Traceback (most recent call last):
    arbora.errors.WrongTypeError: k is a whole number, not '2'
    """
    try:
        number = index(value)
    except TypeError:
        raise WrongTypeError(f"{name} is a whole number, not {shown(value)}") from None
    if number < least:
        bound = f"be at least {least}" if least else "not be negative"
        raise OptionError(f"{name} must {bound}, not {number}")
    return number


@cache
def _types_of(kind: Any) -> list[tuple[str, Any, set[Any]]]:
    """The name of each option, its annotation, and the types that need no second look."""
    types = get_type_hints(kind)
    hints = [(field.name, types[field.name]) for field in fields(kind)]
    return [(name, wanted, {wanted, *_choices(wanted)} & set(_NAMES)) for name, wanted in hints]


def _choices(wanted: Any) -> tuple[Any, ...]:
    """The types of a union."""
    return () if get_origin(wanted) is tuple else get_args(wanted)


def _fits(value: Any, wanted: Any) -> bool:
    if type(value) is wanted:
        return True
    inner = get_args(wanted)
    if get_origin(wanted) is tuple:
        return isinstance(value, (tuple, list)) and all(_fits(each, inner[0]) for each in value)
    if inner:
        return any(_fits(value, each) for each in _choices(wanted))
    if wanted in (int, float):
        return isinstance(value, Integral if wanted is int else Real) and not isinstance(value, bool)
    return isinstance(value, wanted)


def _name_of(wanted: Any) -> str:
    inner = get_args(wanted)
    if get_origin(wanted) is tuple:
        return f"a row of which each is {_name_of(inner[0])}"
    if inner:
        return " or ".join(map(_name_of, inner))
    return _NAMES.get(wanted, f"of the type {wanted.__name__}")
