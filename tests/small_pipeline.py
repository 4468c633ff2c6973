"""A pipeline trained in a moment, on the English example."""

from __future__ import annotations

from functools import cache

from small_training import changed, treebank

from arbora.pipeline import Pipeline, PipelineOptions, train_pipeline
from arbora.text import TaggerOptions, TokenizerOptions

SMALL = PipelineOptions(
    TokenizerOptions(epochs=5, bits=14),
    TaggerOptions(epochs=3, bits=(14, 14, 12)),
    changed(epochs=3),
    folds=2,
)


@cache
def small_pipeline() -> Pipeline:
    """Nobody changes it."""
    return train_pipeline(treebank(), treebank(), SMALL, card={"language": "English"})
