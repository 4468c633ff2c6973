"""Presets: named constituency parsers, each an architecture and what differs from its default options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pkgutil import resolve_name
from types import MappingProxyType, NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from arbora.errors import ArboraError
from arbora.models import TrainCommand, find_architecture

COMMAND = TrainCommand(
    "constituency", "arbora.cli.train_constituency:train_constituency", "Train a constituency parser."
)
"""The command of all architectures here: it trains them by presets."""


@dataclass(frozen=True, slots=True)
class Preset:
    """The name of an architecture, a line about it, and its options where they differ from the defaults."""

    architecture: str
    summary: str
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


PRESETS = {
    "mean-field": Preset(
        "isbn-parser",
        "latent variables, optimised again after each decision (Titov & Henderson 2007)",
        {"inference": "mean-field"},
    ),
    "feed-forward": Preset(
        "isbn-parser", "the same, computed once as a neural network does", {"inference": "feed-forward"}
    ),
    "span": Preset(
        "span-parser", "features of spans and rules, with exact probabilities (Hall, Durrett & Klein 2014)"
    ),
}


def find_preset(name: str) -> Preset:
    """The preset of this name; ArboraError if there is none.

    >>> find_preset("mean-field").architecture
    'isbn-parser'
    >>> find_preset("median")
    Traceback (most recent call last):
    arbora.errors.ArboraError: there is no preset 'median'; there are mean-field, feed-forward, span
    """
    if name not in PRESETS:
        raise ArboraError(f"there is no preset {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name]


def preset_options(name: str, changes: Mapping[str, Any] | None = None) -> Any:
    """The options of a preset's parser, with changes; ArboraError if it has no such option.

    A change may be text, as a command line has it: it becomes what the option is.
    """
    preset = find_preset(name)
    default = resolve_name(find_architecture(preset.architecture).task).default_options()
    known = get_type_hints(type(default))
    made = dict(preset.options)
    for option, value in (changes or {}).items():
        if option not in known or option in made:
            others = ", ".join(other for other in known if other not in made)
            raise ArboraError(f"the preset {name} has no option {option}; it has {others}")
        made[option] = option_of_text(option, value, known[option]) if isinstance(value, str) else value
    return replace(default, **made).check()


def option_of_text(name: str, text: str, kind: Any) -> Any:
    """The value of an option that is written so; ``kind`` is its type.

    >>> option_of_text("width", "40", int), option_of_text("signatures", "true", bool)
    (40, True)
    >>> option_of_text("bits", "20,22", tuple[int, int]), option_of_text("beta", "none", float | None)
    ((20, 22), None)
    >>> option_of_text("width", "wide", int)
    Traceback (most recent call last):
    arbora.errors.ArboraError: the option width must be a whole number, not 'wide'
    """
    inner = get_args(kind)
    if get_origin(kind) is UnionType and NoneType in inner:
        return None if text == "none" else option_of_text(name, text, inner[0])
    if get_origin(kind) is tuple and set(inner) <= set(_KINDS):
        values = text.split(",")
        if len(values) != len(inner):
            raise ArboraError(
                f"the option {name} must be {len(inner)} values with commas between, not {text!r}"
            )
        return tuple(option_of_text(name, *pair) for pair in zip(values, inner, strict=True))
    if kind not in _KINDS:
        raise ArboraError(f"the option {name} is no single value: set it in Python")
    try:
        return _KINDS[kind][0](text)
    except (KeyError, ValueError):
        raise ArboraError(f"the option {name} must be {_KINDS[kind][1]}, not {text!r}") from None


_KINDS: dict[Any, tuple[Callable[[str], Any], str]] = {
    bool: ({"true": True, "false": False}.__getitem__, "true or false"),
    int: (int, "a whole number"),
    float: (float, "a number"),
    str: (str, "a name"),
}
