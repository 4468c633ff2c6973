"""What a model is to the rest of the house: a component, and the architecture that it is one of."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy.typing as npt

from arbora.errors import ArboraError, FileError
from arbora.models.checking import a_text
from arbora.models.file import Model, read_model, write_model
from arbora.models.pickling import Origin, reduced, remember
from arbora.treebank.batches import Step

Tensors: TypeAlias = Mapping[str, npt.NDArray[Any]]
Parts: TypeAlias = tuple[dict[str, Any], Tensors]
"""A header, which is plain data, and tensors by name: all that a file can hold."""
Row: TypeAlias = dict[str, Any]


class TrainCommand(NamedTuple):
    """A command of ``arbora train``: its name, its place as ``package.module:name``, and a line about it."""

    name: str
    place: str
    about: str


@dataclass(frozen=True, slots=True)
class Architecture:
    """A kind of model; a room makes one, and `arbora.models.registry` names its place.

    ``name`` is what headers of model files say, ``title`` what people say. ``component`` is the class of its
    models, ``task`` that of its training (both as ``package.module:name``, so that knowing an architecture
    does not import it; without a task it is trained elsewhere), ``command`` the command that trains one.
    ``adds`` are the columns of a sentence that it fills (``words`` if it makes sentences of text), ``needs``
    those that must be there; ``reads`` and ``writes`` are formats of files. ``facts`` and ``tables`` make of
    a header what ``arbora inspect`` shows of such models alone: names and values, and tables by title.

    >>> tagger = Architecture("tagger", "tagger", "arbora.text:Tagger", adds=("upos",), needs=("words",))
    >>> tagger.load_class().__name__
    'Tagger'
    """

    name: str
    title: str
    component: str
    adds: tuple[str, ...]
    needs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    task: str = ""
    command: TrainCommand | None = None
    facts: Callable[[dict[str, Any]], list[tuple[str, Any]]] = field(default=lambda header: [])
    tables: Callable[[dict[str, Any]], dict[str, list[Row]]] = field(default=lambda header: {})

    def load_class(self) -> type[Component]:
        """The class of its models, imported."""
        found: type[Component] = resolve_name(self.component)
        return found


class Component(ABC):
    """A model at work. It does not change, and serves any number of threads.

    ``header`` is plain data; with the tensors it makes up the model, in a file of its own or within that of a
    pipeline.
    """

    architecture: ClassVar[str]
    """The name of its architecture."""
    header: dict[str, Any]
    origin: Origin | None = None
    """The file that it was read from, if it was."""

    @classmethod
    @abstractmethod
    def from_parts(cls, header: dict[str, Any], tensors: Tensors) -> Self:
        """The model of a header and tensors; any error of Python's or ArboraError if they make none."""

    @abstractmethod
    def to_parts(self, *, compact_weights: bool = False) -> Parts:
        """What `from_parts` takes; with 8-bit weights, if it has such a form."""

    @property
    def adds(self) -> tuple[str, ...]:
        """The columns of a sentence that it fills."""
        from arbora.models.registry import find_architecture

        return find_architecture(self.architecture).adds

    @property
    def members(self) -> Mapping[str, Component]:
        """The components that it is made of, by name."""
        return {}

    @property
    def asks(self) -> Mapping[str, Any]:
        """What it wants to be told by components before it, by name: ``step`` of those gets it."""
        return {}

    def step(self, options: Any, asked: Mapping[str, Any]) -> Step:
        """What it does with a batch of sentences that have words, by the options of the whole pipeline.

        ``asked`` is what all components of a pipeline ask for, and whether to ``keep_tags``: what adds tags
        or lemmas then leaves those that words have (not ``_``).
        """
        raise ArboraError(f"a {self.architecture} does nothing with sentences")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The model of a file; FileError if the file holds something else, or nothing that can be used."""
        return cls.of_model(read_model(path, architecture=cls.architecture))

    @classmethod
    def of_model(cls, model: Model) -> Self:
        """The model of a file that was read; FileError if it makes none."""
        from arbora.models.registry import find_architecture

        with refusing(model.path, find_architecture(cls.architecture).title):
            a_text(model.header.get("licence", ""), "licence")
            found = cls.from_parts(model.header, model.tensors)
        remember(found, Origin(os.path.abspath(model.path), model.digest))
        return found

    def add_to_report(self, name: str, facts: Any) -> None:
        """Say more of how it was trained; only training does that."""
        self.header.setdefault("report", {})[name] = facts

    def save(self, path: str | os.PathLike[str], *, compact_weights: bool = False) -> None:
        """Write the model file, whole or not at all; compact ones have 8-bit weights, if there are such."""
        write_model(path, *self.to_parts(compact_weights=compact_weights))

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(self)

    def __copy__(self) -> Self:
        return self  # it does not change

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


@contextmanager
def refusing(path: str, title: str) -> Iterator[None]:
    """Whatever goes wrong with the content of a sound file becomes one FileError.

    >>> with refusing("en.model", "parser"):
    ...     {}["labels"]
    Traceback (most recent call last):
    arbora.errors.FileError: en.model: this is no parser that Arbora can use: it lacks 'labels'
    """
    try:
        yield
    except (LookupError, AttributeError, TypeError, ValueError, ArithmeticError, ArboraError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        if "\n" in reason:  # the core lists all that it would have taken
            reason = "its header or a tensor is of another type than it has to be"
        raise FileError(f"this is no {title} that Arbora can use: {reason}", file=path) from None


def below(tensors: Tensors, prefix: str) -> dict[str, npt.NDArray[Any]]:
    """The tensors whose names begin so, without that.

    >>> import numpy as np
    >>> list(below({"upos.keys": np.zeros(1), "morph.keys": np.zeros(1)}, "upos."))
    ['keys']
    """
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def under(prefix: str, tensors: Tensors) -> dict[str, npt.NDArray[Any]]:
    """The tensors by names that begin so: what `below` takes apart again.

    >>> import numpy as np
    >>> list(under("tagger/", {"keys": np.zeros(1)}))
    ['tagger/keys']
    """
    return {prefix + name: tensor for name, tensor in tensors.items()}
