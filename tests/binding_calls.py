"""What a case of a binding is, and how cases are listed by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from arbora.models import read_model

GOLDEN = Path(__file__).resolve().parent / "golden"


@dataclass(frozen=True)
class Case:
    """A call of ``function(**arguments)``: ``free`` ones have any length, ``optional`` ones may be empty."""

    function: Callable[..., Any]
    arguments: dict[str, Any]
    free: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


def ints(*values: int, dtype: Any = np.int32) -> Any:
    return np.array(values, dtype)


def floats(*shape: int) -> Any:
    return np.random.default_rng(1).normal(size=shape)


@cache
def golden(name: str) -> Any:
    return read_model(GOLDEN / f"{name}.v2.arbora")


CASES: dict[str, Case] = {}


def add(
    name: str,
    function: Callable[..., Any],
    /,
    free: tuple[str, ...] = (),
    optional: tuple[str, ...] = (),
    **arguments: Any,
) -> None:
    CASES[name] = Case(function, arguments, free, optional)
