"""The models that come with Arbora."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from arbora.errors import FileError, WrongTypeError
from arbora.models import Component, find_architecture, load_component, read_model, shared_component
from arbora.pipeline.pipeline import Pipeline

DEFAULT = "en"
_ENDING = ".arbora"
SAMPLE = 20 * (
    "The old lighthouse keeper never trusted the weather reports that came from the mainland. He kept a "
    "diary of winds and tides, in which his daughter, who had left the island years ago, found what she "
    "needed for her first book. Nobody else had noticed how often fog came before the forecast did.\n\n"
)
"""What speed is measured on."""
SPEED_ROUNDS = 3


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
    ['en', 'en-neural']
    """
    found = sorted(_folder().glob(f"*{_ENDING}"), key=lambda path: path.stem)
    return [
        ShippedModel(
            path.name.removesuffix(_ENDING),
            str(path),
            path.stat().st_size,
            read_model(path, verify=False).header.get("card", {}),
        )
        for path in found
    ]


def speed_of(name: str | os.PathLike[str]) -> float:
    """Words a second that a pipeline finds trees for on this machine now, on one core, of a short text.

    >>> speed_of("en") > 0
    True
    """
    nlp = open_pipeline(name)
    best = math.inf
    for _ in range(SPEED_ROUNDS):
        started = time.perf_counter()
        words = sum(piece.words for piece in nlp.parse_text([SAMPLE.encode()]))
        best = min(best, (time.perf_counter() - started) / words)
    return 1 / best


def find_model(name: str | os.PathLike[str]) -> str:
    """The file of a model that is shipped under this name, or else the name itself as a file's.

    >>> find_model("my.model")
    'my.model'
    """
    if not isinstance(name, (str, os.PathLike)):
        raise WrongTypeError(f"a model is opened by its name or file, not by {name!r}")
    path = _folder() / f"{os.fspath(name)}{_ENDING}"
    if os.sep not in os.fspath(name) and path.is_file():
        return str(path)
    return os.fspath(name)


def existing_model(name: str | os.PathLike[str]) -> str:
    """What `find_model` gives; FileError if there is no such file either.

    >>> existing_model("en").endswith("en.arbora")
    True
    """
    path = find_model(name)
    if not os.path.exists(path):
        names = ", ".join(model.name for model in shipped_models()) or "none"
        raise FileError(
            f"there is no such file, and the models that come with Arbora are {names}", file=os.fspath(name)
        )
    return path


def load(name: str | os.PathLike[str] = DEFAULT) -> Any:
    """What comes with Arbora under this name, or what a file holds: a pipeline, a parser, any model.

    It is kept for the next call.

    >>> load("xx")
    Traceback (most recent call last):
    arbora.errors.FileError: xx: there is no such file, and the models that come with Arbora are en, en-neural
    """
    return shared_component(existing_model(name))


def find_component(name: str | os.PathLike[str] = DEFAULT, *, adds: str) -> Any:
    """What adds this column to sentences: the model of a file, or the component of a pipeline that does so.

    >>> find_component(adds="words").tokenize("It works.")[0].forms
    ['It', 'works', '.']
    """
    path = find_model(name)
    found = shared_component(path) if os.path.exists(path) else load_component(path)
    if adds not in found.adds:
        title = find_architecture(found.architecture).title
        raise FileError(
            f"this model is a {title}, which adds {', '.join(found.adds)}, not {adds}: give another file",
            file=path,
        )
    return found.find(adds) if isinstance(found, Pipeline) else found


def open_pipeline(name: str | os.PathLike[str] = DEFAULT) -> Pipeline:
    """The pipeline of a file or of a shipped name; any other model as a pipeline of this one component.

    >>> list(open_pipeline().components)
    ['tokenizer', 'tagger', 'parser']
    """
    return as_pipeline(load(name))


def as_pipeline(found: Component) -> Pipeline:
    """A pipeline as it is; any other model as a pipeline of this one component."""
    if isinstance(found, Pipeline):
        return found
    return Pipeline([(find_architecture(found.architecture).title, found)])


def completed(pipeline: Pipeline, columns: Sequence[str] = ("words", "upos")) -> Pipeline:
    """The pipeline with components of the one that comes with Arbora for those of the columns that none adds.

    >>> parser = Pipeline([("parser", load().parser)])
    >>> list(completed(parser).components)
    ['tokenizer', 'tagger', 'parser']
    """
    missing = [column for column in columns if column not in pipeline.adds]
    if not missing:
        return pipeline
    own: Pipeline = load()
    added = [(name, one) for name, one in own.components.items() if set(missing) & set(one.adds)]
    return Pipeline([*added, *pipeline.components.items()], pipeline.card)


def _folder() -> Path:
    return Path(str(files("arbora.pipeline"))) / "models"
