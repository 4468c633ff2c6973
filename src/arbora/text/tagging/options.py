"""What a tagger is trained with, and what it tags with: two settings objects, documented once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from arbora import _core
from arbora.errors import ArboraError
from arbora.models.options import check_types

STAGES = ("upos", "morph", "lemma")
"""The stages of a tagger, in the order of the core: UPOS; XPOS with FEATS; the lemma's edit script."""

CANDIDATES: str = _core.candidates_key
"""The item of MISC that lists the UPOS tags that a word may have."""


@dataclass(frozen=True, slots=True)
class TaggerOptions:
    """Everything that a tagger depends on, besides the treebank and its templates.

    ``loss`` and ``learner`` are names of `arbora.learning`; ``beta`` and ``gamma`` override the loss's own,
    ``rate`` the learner's. Every stage is learned for ``epochs``; with dev the best one is kept. ``batch``
    sentences share one weight vector while their gradients are computed, in parallel. ``bits``: the weight
    tables of the three stages have so many weights, as powers of two. ``most``: so many candidates of a word
    take part in a chain, those of the highest score.

    >>> TaggerOptions(epochs=3).loss
    'softmax-margin'
    """

    loss: str = "softmax-margin"
    beta: float | None = None
    gamma: float | None = 2.0
    learner: str = "adagrad"
    rate: float | None = 0.1
    epochs: int = 5
    batch: int = 8
    seed: int = 1
    bits: tuple[int, int, int] = (22, 21, 18)
    most: int = 12

    def check(self) -> Self:
        """Raise ArboraError if an option makes no sense; returns itself."""
        check_types(self)
        wrong = {
            "epochs must be at least 1": self.epochs < 1,
            "batch must be at least 1": self.batch < 1,
            "bits are three numbers between 10 and 28": len(self.bits) != len(STAGES)
            or not all(10 <= bits <= 28 for bits in self.bits),
            "most must be at least 1": self.most < 1,
            "seed must not be negative": self.seed < 0,
            "rate must be greater than 0": self.rate is not None and not self.rate > 0,
        }
        for message, is_wrong in wrong.items():
            if is_wrong:
                raise ArboraError(message)
        return self

    def as_dict(self) -> dict[str, Any]:
        """The options as plain data, for a model's header; an infinite beta is a word, as JSON has none."""
        changed: Mapping[str, Any] = {"bits": list(self.bits)}
        return {**asdict(self), **changed, **({"beta": "inf"} if self.beta == math.inf else {})}


@dataclass(frozen=True, slots=True)
class TagOptions:
    """How to tag.

    ``probabilities``: say in MISC how sure each tag and lemma is. ``candidates``: list there the UPOS tags
    that a word may have, for a parser to choose among: at most so many, the tagger's own first, then the most
    probable, none less probable than ``least``. 0: no lists. ``keep_tags``: UPOS, XPOS, FEATS and lemmas that
    words have (not ``_``) are kept, and the rest is what goes best with them. No result depends on
    ``threads`` or on ``batch``, the number of words that are worked on together.

    >>> TagOptions(threads=2).probabilities
    False
    """

    probabilities: bool = False
    candidates: int = 0
    least: float = 0.01
    keep_tags: bool = False
    threads: int = 1
    batch: int = 8192

    def check(self) -> Self:
        """Raise ArboraError if an option makes no sense; returns itself."""
        check_types(self)
        if self.threads < 1:
            raise ArboraError("threads must be at least 1")
        if self.batch < 1:
            raise ArboraError("batch must be at least 1")
        if self.candidates < 0:
            raise ArboraError("candidates must not be negative")
        if not 0 <= self.least < 1:
            raise ArboraError("least must be at least 0 and below 1")
        return self
