"""Heads that are given bind, also where their arcs cross: then any tree may be, whatever the model gives."""

from __future__ import annotations

from dataclasses import replace

from arbora import _core
from arbora.dependency import ParseOptions
from arbora.pipeline.pipeline import Pipeline
from arbora.treebank.batches import Step


def bound_steps(pipeline: Pipeline, options: ParseOptions, *, keep_tags: bool = False) -> list[Step]:
    """`Pipeline.steps` for heads that bind: a sentence that no tree fits is parsed again, with any tree.

    What is refused then too is a contradiction, such as a cycle.
    """
    strict = pipeline.steps(options, keep_tags=keep_tags)
    loose = pipeline.steps(replace(options, projective=False), keep_tags=keep_tags)

    def parse(batch: _core.Batch) -> _core.Batch:
        found = _after(strict, _copy(batch))  # the batch itself stays, for those that are parsed again
        if found.sound == len(found):
            return found
        result, ones = _core.Batch(), [1] * len(batch)
        for own, old in zip(found.split(ones), _copy(batch).split(ones), strict=True):
            fits_none = own.refusal is not None and own.refusal[0] == "infeasible"
            result.append(_after(loose, old) if fits_none else own)
        return result

    return [parse] if options.constraints else strict


def _after(steps: list[Step], batch: _core.Batch) -> _core.Batch:
    for step in steps:
        batch = step(batch)
    return batch


def _copy(batch: _core.Batch) -> _core.Batch:
    return batch.repeated([1] * len(batch))
