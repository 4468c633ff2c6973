"""Arbora: syntactic parsers that say how sure they are.

The rooms are imported when they are first used: ``arbora.trees``, ``arbora.treebank``, ``arbora.draw``,
``arbora.evaluation``.

>>> import arbora
>>> arbora.treebank.Sentence(["Trees", "grow"], heads=[2, 0]).roots
[2]
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arbora import draw, evaluation, treebank, trees

__all__ = ["draw", "evaluation", "treebank", "trees"]
__version__ = _version("arbora")


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"arbora.{name}")
    raise AttributeError(f"module 'arbora' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
