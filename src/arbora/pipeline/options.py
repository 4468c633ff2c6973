"""What a pipeline is trained with: the options of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from arbora.dependency import TrainingOptions, preset_options
from arbora.errors import ArboraError
from arbora.models.options import check_types
from arbora.neural.options import NeuralOptions
from arbora.text import TaggerOptions, TagOptions, TokenizerOptions


def _parser_options() -> TrainingOptions:
    return preset_options("second-order", epochs=7)


def tagging_for(parser: Mapping[str, Any]) -> TagOptions:
    """What a tagger has to tell a parser that was trained with these options."""
    return TagOptions(candidates=parser.get("joint_tags", 0), least=parser.get("tag_threshold", 0.01))


@dataclass(frozen=True, slots=True)
class PipelineOptions:
    """The options of the three parts, and ``folds``: the parser learns from tags as they will be.

    For that, the training data is cut into so many parts, each tagged by a tagger that has not seen it. With
    ``neural``, a neural parser takes the place of parser and tagger, but for lemmas.
    """

    tokenizer: TokenizerOptions = field(default_factory=TokenizerOptions)
    tagger: TaggerOptions = field(default_factory=TaggerOptions)
    parser: TrainingOptions = field(default_factory=_parser_options)
    folds: int = 10
    neural: NeuralOptions | None = None

    @property
    def tagging(self) -> TagOptions:
        """How the tagger tags for the parser: with lists of tags, if that one chooses."""
        return tagging_for(asdict(self.parser))

    def check(self) -> Self:
        """Raise ArboraError if an option makes no sense; returns itself."""
        check_types(self)
        for part in (self.tokenizer, self.tagger, self.parser):
            part.check()
        if self.neural is not None:
            self.neural.check()
        if self.folds < 2:
            raise ArboraError("there must be at least 2 folds")
        return self

    def as_dict(self) -> dict[str, Any]:
        """The options as plain data."""
        parts = {name: getattr(self, name).as_dict() for name in ("tokenizer", "tagger", "parser")}
        neural = {"neural": self.neural.as_dict()} if self.neural else {}
        return {**parts, "folds": self.folds, **neural}
