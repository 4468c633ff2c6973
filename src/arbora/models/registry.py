"""All architectures, by the names that headers of model files have for them."""

from __future__ import annotations

import os
from functools import lru_cache
from pkgutil import resolve_name
from typing import Any

from arbora.errors import ArboraError, FileError
from arbora.models.component import Architecture
from arbora.models.file import read_model

PLACES = {
    "pipeline": "arbora.pipeline.component:ARCHITECTURE",
    "tokenizer": "arbora.text.tokenizing.component:ARCHITECTURE",
    "tagger": "arbora.text.tagging.component:ARCHITECTURE",
    "dependency-parser": "arbora.dependency.component:ARCHITECTURE",
    "neural-parser": "arbora.neural.component:ARCHITECTURE",
    "generative-parser": "arbora.generative.component:ARCHITECTURE",
    "isbn-parser": "arbora.constituency.isbn.component:ARCHITECTURE",
    "span-parser": "arbora.constituency.spans.component:ARCHITECTURE",
}
"""Where each architecture is declared; it is imported when it is asked for."""

GROUP = "arbora.architectures"
"""The group of entry points by which other packages register theirs."""


def architectures() -> list[Architecture]:
    """All that come with Arbora.

    >>> [architecture.title for architecture in architectures()][:5]
    ['pipeline', 'tokenizer', 'tagger', 'parser', 'neural parser']
    """
    return [find_architecture(name) for name in PLACES]


def find_architecture(name: str) -> Architecture:
    """The architecture of this name, ours or one that another package registers; ArboraError if none has it.

    >>> find_architecture("tagger").adds
    ('upos', 'xpos', 'feats', 'lemmas')
    >>> find_architecture("oracle")
    Traceback (most recent call last):
    arbora.errors.ArboraError: there is no architecture 'oracle' in this Arbora; upgrade arbora, or ...
    """
    place = PLACES.get(name)
    if place is None:
        from importlib.metadata import entry_points  # which takes its time, and is hardly ever asked

        others = list(entry_points(group=GROUP, name=name))
        if not others:
            raise ArboraError(
                f"there is no architecture {name!r} in this Arbora; upgrade arbora, or install the package "
                "that brings it"
            )
        place = others[0].value
    found: Architecture = resolve_name(place)
    return found


def load_component(path: str | os.PathLike[str]) -> Any:
    """What a model file holds, whatever it is; FileError if it cannot be used.

    >>> load_component("nowhere.model")
    Traceback (most recent call last):
    arbora.errors.FileError: nowhere.model: there is no such file
    """
    model = read_model(path)
    try:
        found = find_architecture(model.header["architecture"])
    except ArboraError as error:
        raise FileError(str(error), file=model.path) from None
    return found.load_class().of_model(model)


def shared_component(path: str | os.PathLike[str]) -> Any:
    """The same, kept for the next call while the file does not change: a model serves any number of users."""
    return _shared(os.fspath(path), os.stat(path).st_mtime_ns)


@lru_cache(maxsize=4)
def _shared(path: str, _changed: int) -> Any:
    return load_component(path)
