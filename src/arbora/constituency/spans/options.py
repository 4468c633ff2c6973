"""What a span parser is trained with: one settings object, documented once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from arbora.constituency.spans.symbols import GROWS
from arbora.errors import ArboraError
from arbora.models.options import check_types


@dataclass(frozen=True, slots=True)
class SpanOptions:
    """Everything that a span parser depends on, besides the treebank and its templates.

    ``loss`` and ``learner`` are names of `arbora.learning`; ``beta`` and ``gamma`` override the loss's own,
    ``rate`` the learner's. The cost is 1 for every node of the binarised tree that is wrong. The small model
    is a CRF that is learned for ``coarse_epochs``; nodes to which it gives a probability below ``threshold``
    are left out of charts, and if it keeps more than ``most`` for each word (0: any number), only its best
    ones stay. The charts to learn from are made by small models that have not seen their sentences: the
    treebank is cut into so many ``folds``, and the small model is learned once more without each; 0: they are
    made by the only one. The model of trees is learned for ``epochs``; with dev the best one is kept.
    ``batch`` sentences share one weight vector while their gradients are computed, in parallel. ``bits``: the
    weight tables of the small model and of the other have so many weights, as powers of two. ``grows``: the
    side of a constituent on which its other children follow when trees are binarised.

    >>> SpanOptions(epochs=3).grows
    'left'
    """

    loss: str = "softmax-margin"
    beta: float | None = None
    gamma: float | None = 3.0
    learner: str = "adagrad"
    rate: float | None = 0.05
    epochs: int = 8
    coarse_epochs: int = 2
    folds: int = 4
    threshold: float = 3e-3
    most: int = 20
    batch: int = 8
    seed: int = 1
    bits: tuple[int, int] = (20, 22)
    grows: str = "left"
    keep_functions: bool = False

    def check(self) -> Self:
        """Raise ArboraError if an option makes no sense; returns itself."""
        check_types(self)
        wrong = {
            "epochs must be at least 1": self.epochs < 1 or self.coarse_epochs < 1,
            "folds must be 0, or at least 2": self.folds < 0 or self.folds == 1,
            "batch must be at least 1": self.batch < 1,
            "bits are two numbers between 10 and 28": len(self.bits) != 2
            or not all(10 <= bits <= 28 for bits in self.bits),
            "threshold must be at least 0 and below 1": not 0 <= self.threshold < 1,
            "most must not be negative": self.most < 0,
            "seed must not be negative": self.seed < 0,
            "rate must be greater than 0": self.rate is not None and not self.rate > 0,
            f"grows must be {' or '.join(GROWS)}": self.grows not in GROWS,
        }
        for message, is_wrong in wrong.items():
            if is_wrong:
                raise ArboraError(message)
        return self

    def as_dict(self) -> dict[str, Any]:
        """The options as plain data, for a model's header; an infinite beta is a word, as JSON has none."""
        changed: Mapping[str, Any] = {"bits": list(self.bits)}
        return {**asdict(self), **changed, **({"beta": "inf"} if self.beta == math.inf else {})}
