"""What an ISBN parser is trained with, and what its network looks like."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

from arbora.errors import ArboraError
from arbora.models.checking import some_options
from arbora.models.options import check_types

WIDEST = 1000
"""The greatest beam: one that holds everything would never end."""
INFERENCES = ("feed-forward", "mean-field")

STATES = ("top", "below", "leftmost", "last")
"""State vectors that the current one depends on, each by a weight matrix of its own.

They are the last states with the same constituent on top; with the one below it on top; with its leftmost
child; with its most recent child.
"""

INPUTS = (
    "decision",
    "top.label",
    "top.word",
    "top.first-word",
    "top.last-word",
    "below.label",
    "below.word",
    "below.first-word",
    "below.last-word",
    "second-below.label",
    "leftmost.label",
    "leftmost.word",
    "last.label",
    "last.word",
    "below-leftmost.label",
    "below-last.label",
)
"""What is visible of the derivation: the last decision, and attributes of constituents.

``word`` is the tag-word of a constituent that is one, ``first-word`` and ``last-word`` are those at its ends.
"""


PAPER_INPUTS = (
    "decision",
    *(f"{place}.{attribute}" for place in STATES for attribute in ("label", "word")),
)
"""The paper's: labels and tag-words of the constituents whose states count, and the last decision."""


def input_pair(name: str) -> tuple[str, str]:
    """The place and the attribute of an input, as the core names them.

    >>> input_pair("below.label"), input_pair("decision")
    (('below', 'label'), ('top', 'decision'))
    """
    place, _, attribute = name.rpartition(".")
    return place or "top", attribute


@dataclass(frozen=True, slots=True)
class IsbnOptions:
    """Everything that an ISBN parser depends on, besides the treebank.

    ``inference`` is ``mean-field`` or ``feed-forward``. A state has ``width`` binary variables; ``states``
    and ``inputs`` are relations as in `STATES` and `INPUTS`. A word is predicted by itself, after its tag, if
    the training data has it with this tag at least ``least_count`` times; the other words of the tag count as
    one or, with ``signatures``, as one for each kind of capitals and ending. Learning is Adam with ``rate``,
    which falls to a tenth, and weight ``decay``, a step for each ``batch`` of sentences; a moving average of
    the weights is kept. It ends when dev has not become better for ``patience`` epochs. ``scale`` is the
    deviation of the first weights. Parsing keeps ``beam`` derivations after each word, of ``candidates`` that
    reach it, and follows ``branching`` labels of a projection.

    >>> IsbnOptions(width=40).check().inference
    'mean-field'
    """

    inference: str = "mean-field"
    width: int = 80
    states: tuple[str, ...] = STATES
    inputs: tuple[str, ...] = INPUTS
    least_count: int = 20
    signatures: bool = False
    keep_functions: bool = False
    rate: float = 4e-3
    decay: float = 1e-2
    scale: float = 0.1
    batch: int = 8
    epochs: int = 12
    patience: int = 4
    seed: int = 1
    beam: int = 10
    branching: int = 5
    candidates: int = 20

    def check(self) -> Self:
        """Raise ArboraError if an option makes no sense; returns itself."""
        check_types(self)
        wrong = {
            f"inference must be one of {', '.join(INFERENCES)}": self.inference not in INFERENCES,
            "width must be between 1 and 1000": not 1 <= self.width <= 1000,
            "least_count must be at least 1": self.least_count < 1,
            "rate must be greater than 0": not self.rate > 0,
            "decay must not be negative": not self.decay >= 0,
            "scale must be greater than 0": not self.scale > 0,
            "seed must not be negative": self.seed < 0,
            "a relation must be named once": len(set(self.states)) < len(self.states)
            or len(set(self.inputs)) < len(self.inputs),
        }
        wrong |= {
            f"{name} must be at least 1": getattr(self, name) < 1 for name in ("batch", "epochs", "patience")
        }
        wrong |= {
            f"{name} must be between 1 and {WIDEST}": not 1 <= getattr(self, name) <= WIDEST
            for name in ("beam", "branching", "candidates")
        }
        for message, is_wrong in wrong.items():
            if is_wrong:
                raise ArboraError(message)
        return self

    def as_dict(self) -> dict[str, Any]:
        """The options as plain data, for a model's header."""
        return {**asdict(self), "states": list(self.states), "inputs": list(self.inputs)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> IsbnOptions:
        """The options of a header."""
        return some_options(cls, data)
