"""What a parser is trained with, and what it parses with: two settings objects, documented once."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Self

from arbora.errors import ArboraError

LABELS = ("joint", "second-stage", "both")
DECODERS = ("best", "mbr")
CUSTOM = "custom"
"""The preset of a model whose templates are nobody's preset."""


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Everything that the weights of a parser depend on, besides the treebank.

    ``preset`` names the templates; a model that was given others says ``custom`` here, and holds them.
    ``labels``: ``joint`` scores every arc with every label; ``second-stage`` finds labels after the tree,
    along the words below each head; ``both`` does the former for the tree and the latter for its labels.
    ``loss`` and ``learner`` are names of `arbora.learning`; ``beta`` and ``gamma`` override the loss's own.
    ``rate`` is the greatest step (algorithm 1's 1 / (lambda m)), or the step of sgd.
    ``batch`` sentences share one weight vector while their gradients are computed, in parallel.
    ``features``: ``complete`` gives a weight to features of any arc, ``supported`` to those of gold trees.
    ``pruning``: the greatest share of gold arcs that the pruner may lose, on dev if there is one; it keeps
    the arcs above the highest threshold that respects this, at most ``most_heads`` for a word. 0: no pruning.
    ``bits``: the weight table has 2^bits weights.

    >>> TrainingOptions(epochs=3).loss
    'svm'
    """

    preset: str = "first-order"
    labels: str = "joint"
    loss: str = "svm"
    beta: float | None = None
    gamma: float | None = None
    learner: str = "aggressive"
    rate: float | None = None
    epochs: int = 10
    batch: int = 8
    seed: int = 1
    bits: int = 22
    features: str = "complete"
    pruning: float = 0.01
    most_heads: int = 16
    pruner_epochs: int = 3
    pruner_bits: int = 18
    single_root: bool = True
    projective: bool = False

    def check(self) -> Self:
        """Raise ArboraError if an option makes no sense; returns itself."""
        wrong = {
            f"labels must be one of {', '.join(LABELS)}": self.labels not in LABELS,
            "features must be complete or supported": self.features not in ("complete", "supported"),
            "epochs must be at least 1": self.epochs < 1,
            "pruner_epochs must be at least 1": self.pruner_epochs < 1,
            "batch must be at least 1": self.batch < 1,
            "bits must be between 10 and 28": not 10 <= self.bits <= 28,
            "pruner_bits must be between 10 and 28": not 10 <= self.pruner_bits <= 28,
            "pruning must be at least 0 and below 1": not 0 <= self.pruning < 1,
            "most_heads must be at least 1": self.most_heads < 1,
            "seed must not be negative": self.seed < 0,
            "rate must be greater than 0": self.rate is not None and not self.rate > 0,
        }
        for message, is_wrong in wrong.items():
            if is_wrong:
                raise ArboraError(message)
        return self

    def as_dict(self) -> dict[str, Any]:
        """The options as plain data, for a model's header; an infinite beta is a word, as JSON has none."""
        return {**asdict(self), **({"beta": "inf"} if self.beta == math.inf else {})}


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """How to parse.

    ``decoder``: ``best`` is the tree of the highest score, ``mbr`` the one with the most expected right arcs.
    ``single_root`` and ``projective``: which trees count; None is what the model was trained with.
    ``probabilities``: say how sure each head and label is. ``constraints``: heads and labels that the input
    has (not ``_``) are kept, and the rest is the best that goes with them. No result depends on ``threads``
    or on ``batch``, the number of words that are worked on together.

    >>> ParseOptions(decoder="mbr").probabilities
    False
    """

    decoder: str = "best"
    single_root: bool | None = None
    projective: bool | None = None
    probabilities: bool = False
    constraints: bool = False
    threads: int = 1
    batch: int = 8192

    def check(self) -> Self:
        """Raise ArboraError if an option makes no sense; returns itself."""
        if self.decoder not in DECODERS:
            raise ArboraError(f"there is no decoder {self.decoder!r}; there are {', '.join(DECODERS)}")
        if self.threads < 1:
            raise ArboraError("threads must be at least 1")
        if self.batch < 1:
            raise ArboraError("batch must be at least 1")
        return self
