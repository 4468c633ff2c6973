"""What a tokenizer is trained with: one settings object, documented once."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

from arbora.errors import ArboraError
from arbora.models.options import check_types


@dataclass(frozen=True, slots=True)
class TokenizerOptions:
    """Everything that a tokenizer depends on, besides the treebank.

    ``epochs`` passes over the treebank, each with its sentences joined in another way, drawn from ``seed``.
    ``rate`` is that of the learner adagrad. There are 2^``bits`` weights of 16 bits for the ends of tokens,
    and as many for those of sentences. ``sentence_tokens``: a sentence has at most so many tokens; where none
    ends, it is cut at the likeliest place. ``token_characters``: the same for tokens.

    >>> TokenizerOptions(epochs=3).bits
    17
    """

    epochs: int = 10
    rate: float = 0.05
    bits: int = 17
    seed: int = 1
    sentence_tokens: int = 250
    token_characters: int = 1000

    def check(self) -> Self:
        """The same options; ArboraError if there is something wrong with them."""
        check_types(self)
        for name, least, most in (
            ("epochs", 1, 1000),
            ("bits", 8, 26),
            ("seed", 0, 2**63 - 1),
            ("sentence_tokens", 2, 10_000),
            ("token_characters", 10, 1_000_000),
        ):
            if not least <= getattr(self, name) <= most:
                raise ArboraError(f"{name} must be from {least} to {most}, not {getattr(self, name)}")
        if not 0 < self.rate <= 100:
            raise ArboraError(f"rate must be above 0 and at most 100, not {self.rate}")
        return self

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)
