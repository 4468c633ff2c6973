"""What checkpoints of training runs have in common: their names, the learner's state, whose run they are."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import Any

import numpy.typing as npt

from arbora import _core
from arbora.errors import FileError
from arbora.models import read_model

__all__ = ["check_run", "checkpoint_header", "checkpoint_name", "learner_tensors", "restore_learner"]


def checkpoint_name(output: str) -> str:
    """Where training keeps what it needs to go on after a kill.

    >>> checkpoint_name("en.model")
    'en.model.checkpoint'
    """
    return output + ".checkpoint"


def checkpoint_header(output: str, architecture: str) -> dict[str, Any]:
    """The header of the checkpoint of this output; FileError if there is none or it is damaged."""
    path = checkpoint_name(output)
    if not os.path.exists(path):
        raise FileError("there is no checkpoint to go on from; start anew without --resume", file=path)
    return read_model(path, architecture=architecture, verify=False).header


def learner_tensors(learner: _core.OnlineLearner) -> dict[str, npt.NDArray[Any]]:
    """What a learner has learned so far; ``steps`` belongs to it.

    >>> from arbora.learning import LEARNERS
    >>> sorted(learner_tensors(LEARNERS["adagrad"].start(bits=3)))
    ['squares', 'weighted_steps', 'weights']
    """
    tensors = {"weights": learner.weights, "weighted_steps": learner.weighted_steps}
    return tensors | ({"squares": learner.squares} if len(learner.squares) else {})


def restore_learner(
    learner: _core.OnlineLearner, steps: int, tensors: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Set a learner to what `learner_tensors` gave after so many steps."""
    learner.steps = steps
    for name, own in learner_tensors(learner).items():
        own[:] = tensors[name]


def check_run(
    path: str,
    header: Mapping[str, Any],
    options: Mapping[str, Any],
    fingerprint: int,
    *,
    may_change: Collection[str] = (),
) -> None:
    """FileError if a checkpoint is of a run with other options, but for those that may change, or data.

    ``fingerprint`` is the checksum of the data and the templates.
    """
    theirs = dict(header["options"])
    names = options.keys() - set(may_change)
    changed = sorted(name for name in names if theirs.get(name) != options[name])
    if changed:
        raise FileError(
            f"the checkpoint was made with another {changed[0]} ({theirs.get(changed[0])!r}, now "
            f"{options[changed[0]]!r}); use the same options, or start anew without --resume",
            file=path,
        )
    if header["fingerprint"] != fingerprint:
        raise FileError(
            "the checkpoint was made with other data or templates; start anew without --resume", file=path
        )
