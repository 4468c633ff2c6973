"""Slow twins of the factors: for each kind, small ones with everything they can be written out.

``TWINS`` has, by the name of the kind, a function that makes one factor of a size, with part scores that
``draw(shape)`` gives, and lists its configurations without asking the core. A new kind adds one entry; the
contract tests hold it to all five oracles.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.oracles.factors.base import Case, Draw

TWINS: dict[str, Callable[[Draw, int], Case]] = {}
