"""The models that come with Arbora."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from arbora.errors import ArboraError
from arbora.models import read_model
from arbora.pipeline.pipeline import ARCHITECTURE, Pipeline
from arbora.text import Tagger, Tokenizer

DEFAULT = "en"
_ENDING = ".arbora"


@dataclass(frozen=True, slots=True)
class ShippedModel:
    """A model that is there: its name, its file, its size in bytes, and its card."""

    name: str
    path: str
    bytes: int
    card: dict[str, Any]


def shipped_models() -> list[ShippedModel]:
    """All models that come with Arbora.

    >>> [model.name for model in shipped_models()]
    ['en']
    """
    found = sorted(_folder().glob(f"*{_ENDING}"))
    return [
        ShippedModel(
            path.name.removesuffix(_ENDING),
            str(path),
            path.stat().st_size,
            read_model(path, architecture=ARCHITECTURE, verify=False).header["card"],
        )
        for path in found
    ]


def find_model(name: str | os.PathLike[str]) -> str:
    """The file of a model that is shipped under this name, or else the name itself as a file's.

    >>> find_model("my.model")
    'my.model'
    """
    path = _folder() / f"{os.fspath(name)}{_ENDING}"
    if os.sep not in os.fspath(name) and path.is_file():
        return str(path)
    return os.fspath(name)


def load(name: str | os.PathLike[str] = DEFAULT) -> Pipeline:
    """The pipeline that comes with Arbora under this name, or that of a file; it is kept for the next call.

    >>> load("xx")
    Traceback (most recent call last):
    arbora.errors.ArboraError: there is no model 'xx': it is no file, and those that are there are en
    """
    path = find_model(name)
    if not os.path.exists(path):
        names = ", ".join(model.name for model in shipped_models()) or "none"
        raise ArboraError(
            f"there is no model {os.fspath(name)!r}: it is no file, and those that are there are {names}"
        )
    return _load(path, os.stat(path).st_mtime_ns)


def load_tokenizer(name: str | os.PathLike[str] = DEFAULT) -> Tokenizer:
    """The tokenizer of a file, or that of a pipeline, which may be shipped under this name.

    >>> load_tokenizer().tokenize("It works.")[0].forms
    ['It', 'works', '.']
    """
    return load(name).tokenizer if _is_pipeline(name) else Tokenizer.load(name)


def load_tagger(name: str | os.PathLike[str] = DEFAULT) -> Tagger:
    """The same of taggers.

    >>> load_tagger().tags[:3]
    ['ADJ', 'ADP', 'ADV']
    """
    return load(name).tagger if _is_pipeline(name) else Tagger.load(name)


def _is_pipeline(name: str | os.PathLike[str]) -> bool:
    return bool(read_model(find_model(name), verify=False).header["architecture"] == ARCHITECTURE)


@lru_cache(maxsize=4)
def _load(path: str, _changed: int) -> Pipeline:
    return Pipeline.load(path)


def _folder() -> Path:
    return Path(str(files("arbora.pipeline"))) / "models"
