"""Arbora: syntactic parsers that say how sure they are.

`arbora.load` gives a pipeline from raw text to trees, or whatever a model file holds.

The rooms are imported when they are first used: ``arbora.pipeline``, ``arbora.dependency`` (parsers),
``arbora.text`` (tokenizers, taggers), ``arbora.generative`` (likelihoods, EM), ``arbora.trees``,
``arbora.graphs`` (with ``arbora.FactorGraph``),
``arbora.factors`` and ``arbora.inference``, ``arbora.treebank``, ``arbora.evaluation``, ``arbora.draw``, and
``arbora.features``, ``arbora.learning``, ``arbora.training``, ``arbora.models`` behind them.

>>> import arbora
>>> arbora.treebank.Sentence(["Trees", "grow"], heads=[2, 0]).roots
[2]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arbora import (
        dependency,
        draw,
        evaluation,
        factors,
        features,
        generative,
        graphs,
        inference,
        learning,
        models,
        pipeline,
        text,
        training,
        treebank,
        trees,
    )
    from arbora.graphs import FactorGraph
    from arbora.pipeline import load

    __version__: str

__all__ = [
    "FactorGraph",
    "dependency",
    "draw",
    "evaluation",
    "factors",
    "features",
    "generative",
    "graphs",
    "inference",
    "learning",
    "load",
    "models",
    "pipeline",
    "text",
    "training",
    "treebank",
    "trees",
]
_ELSEWHERE = {"FactorGraph": "arbora.graphs", "load": "arbora.pipeline"}


def __getattr__(name: str) -> Any:
    if name == "__version__":  # importlib.metadata takes longer to import than the rest of this module
        return import_module("importlib.metadata").version("arbora")
    if name in _ELSEWHERE:
        return getattr(import_module(_ELSEWHERE[name]), name)
    if name in __all__:
        return import_module(f"arbora.{name}")
    raise AttributeError(f"module 'arbora' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
