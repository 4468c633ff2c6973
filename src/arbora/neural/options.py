"""What a neural parser is trained with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import inf
from typing import Any, Self

from arbora.errors import ArboraError
from arbora.learning import find_loss
from arbora.models.options import check_types

PRECISIONS = ("int8", "float32")
GREATEST_RATE = 1000
"""Of learning. Training diverges long before."""


@dataclass(frozen=True, slots=True)
class NeuralOptions:
    """Everything that a neural parser depends on, besides its data and its encoder.

    ``layers``: the encoder's first layers that are used; None is all. ``loss``, ``beta`` and ``gamma`` are
    those of `arbora.learning`, of trees; labels and tags are learned by their probabilities. ``rate`` is the
    encoder's greatest learning rate, ``head_rate`` that of all else: they rise over the first steps, and fall
    to nothing at the end of all ``epochs``. A run ends before if dev has not become better for ``patience``
    epochs. ``batch`` is the number of sub-words of a step. ``dropout`` is that within the encoder,
    ``head_dropout`` that of its states. ``arc_size`` and ``label_size`` are the widths of the vectors that
    arcs and labels are scored by, ``tag_weight`` says how much tags count beside trees. ``mix``: states are a
    learned sum of those of all layers, and not those of the last one. ``precision`` is that of the model's
    weights. ``single_root`` and ``projective``: which trees count; None is what the treebank has.

    >>> NeuralOptions(epochs=0).check()
    Traceback (most recent call last):
    arbora.errors.ArboraError: epochs must be at least 1
    """

    layers: int | None = None
    epochs: int = 12
    patience: int = 4
    loss: str = "crf"
    beta: float | None = None
    gamma: float | None = None
    rate: float = 5e-4
    head_rate: float = 2e-3
    batch: int = 700
    dropout: float = 0.1
    head_dropout: float = 0.15
    arc_size: int = 256
    label_size: int = 192
    tag_weight: float = 0.3
    mix: bool = False
    precision: str = "int8"
    single_root: bool = True
    projective: bool | None = None
    seed: int = 1

    def check(self) -> Self:
        """Raise ArboraError if an option makes no sense; returns itself."""
        check_types(self)
        for name in ("epochs", "patience", "batch", "arc_size", "label_size"):
            if getattr(self, name) < 1:
                raise ArboraError(f"{name} must be at least 1")
        if self.layers is not None and self.layers < 1:
            raise ArboraError("layers must be at least 1")
        for name in ("rate", "head_rate"):
            if not 0 < getattr(self, name) <= GREATEST_RATE:
                raise ArboraError(f"{name} must be above 0, and at most {GREATEST_RATE}")
        for name in ("dropout", "head_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise ArboraError(f"{name} must be at least 0, and below 1")
        if not 0 <= self.tag_weight < inf:
            raise ArboraError("tag_weight must not be negative")
        if self.precision not in PRECISIONS:
            raise ArboraError(f"there is no precision {self.precision!r}; there are {', '.join(PRECISIONS)}")
        if self.seed < 0:
            raise ArboraError("seed must not be negative")
        try:
            find_loss(self.loss, self.beta, self.gamma)
        except ValueError as error:
            raise ArboraError(str(error)) from None
        return self

    def as_dict(self) -> dict[str, Any]:
        """The options as plain data, for a model's header: JSON has no infinite beta."""
        return {**asdict(self), **({"beta": "inf"} if self.beta == inf else {})}

    @property
    def trees(self) -> Mapping[str, Any]:
        """Which trees count, as parsers have it."""
        return {"single_root": self.single_root, "projective": bool(self.projective)}
