"""The models of a server: loaded once, found by name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import PurePath
from typing import Any

from arbora.errors import ArboraError
from arbora.models import Component, find_architecture, load_component
from arbora.pipeline.pipeline import Pipeline
from arbora.pipeline.shipped import as_pipeline, completed, existing_model
from arbora.server.limits import RequestError

TREES = {"heads", "constituents"}
"""What components that parse add; the others tag, or make words."""
ENDING = ".arbora"


class ServedModel:
    """A model, the name that it is served under, and its parts."""

    def __init__(self, name: str, found: Component) -> None:
        """One of constituents gets words and tags from what comes with Arbora, where it has no own."""
        own = as_pipeline(found)
        self.name = name
        self.title = find_architecture(found.architecture).title
        self.pipeline = completed(own) if "constituents" in own.adds else own
        self.part = lru_cache(maxsize=4)(self._part)

    @property
    def adds(self) -> tuple[str, ...]:
        """The columns of sentences that it fills."""
        return self.pipeline.adds

    def _part(self, tags: bool, trees: bool) -> Pipeline:
        """What tags, or parses, or both, or neither; words are made in any case."""
        return Pipeline(
            [
                (name, own)
                for name, own in self.pipeline.components.items()
                if "words" in own.adds or (trees if TREES & set(own.adds) else tags)
            ],
            self.pipeline.card,
        )

    @cached_property
    def card(self) -> dict[str, Any]:
        """What its file says about data, licence and scores."""
        return self.pipeline.card

    @property
    def licence(self) -> str:
        """The licence that its file names."""
        return str(self.card.get("licence") or "unknown")

    def known(self, column: str) -> list[str]:
        """The values that it has learned for a column: ``upos`` or ``deprels``; none if it adds no such."""
        attribute = {"upos": "tags", "deprels": "labels"}[column]
        return list(getattr(self.pipeline.find(column), attribute)) if column in self.adds else []


class ServedModels:
    """All models of a server; the first is the default."""

    def __init__(self, models: Iterable[ServedModel]) -> None:
        self._by_name: dict[str, ServedModel] = {}
        self._by_prefix: dict[str, ServedModel] = {}
        for model in models:
            if model.name in self._by_name:
                raise ArboraError(f"two models are named {model.name}: say NAME=FILE for one of them")
            self._by_name[model.name] = model
            for prefix in hyphen_prefixes(model.name):
                self._by_prefix.setdefault(prefix, model)
        if not self._by_name:
            raise ArboraError("there is no model to serve")

    def __iter__(self) -> Any:
        """The models, the default first."""
        return iter(self._by_name.values())

    @property
    def default(self) -> ServedModel:
        """What is asked where a request names no model."""
        return next(iter(self._by_name.values()))

    def find(self, name: str | None) -> ServedModel | None:
        """The model of this name, or the first whose name begins so, up to a hyphen; None if there is none.

        >>> models = ServedModels([load_served("en")])
        >>> models.find("").name, models.find("english")
        ('en', None)
        """
        if not name:
            return self.default
        return self._by_name.get(name) or self._by_prefix.get(name)

    def named(self, name: str | None) -> ServedModel:
        """The same; RequestError if there is none."""
        found = self.find(name)
        if found is None:
            raise RequestError(400, f"The requested model '{name}' does not exist.")
        return found


def hyphen_prefixes(name: str) -> list[str]:
    """The name, and what is left of it without its last parts.

    >>> hyphen_prefixes("english-ewt-ud")
    ['english-ewt-ud', 'english-ewt', 'english']
    """
    parts = name.split("-")
    return ["-".join(parts[:count]) for count in range(len(parts), 0, -1)]


def load_served(model: str) -> ServedModel:
    """The model of a shipped name or a file, named after it; ``NAME=FILE`` gives it another name.

    >>> load_served("english-ewt=en").name
    'english-ewt'
    """
    name, equals, file = model.partition("=")
    if not equals or os.path.exists(model):
        name, file = "", model
    path = existing_model(file)
    name = name or PurePath(path).name.removesuffix(ENDING)
    return ServedModel(name, load_component(path))
