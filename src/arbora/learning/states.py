"""Learners and weights as plain parts, a header and tensors: what a training run keeps of them."""

from __future__ import annotations

import numpy as np

from arbora import _core
from arbora.errors import ArboraError
from arbora.models import Parts

__all__ = ["averaged_weights", "learner_parts", "restore_learner", "weight_parts", "weights_of"]


def averaged_weights(learner: _core.OnlineLearner) -> _core.ShortWeights:
    """The mean of the weights over all steps, rounded: what is measured on dev is what goes into the file."""
    average = np.empty(learner.size, np.float32)
    learner.average(average)
    if not np.isfinite(average).all():
        raise ArboraError("the weights have grown without limit; learn with a lower rate")
    return _core.ShortWeights.rounded(average)


def learner_parts(learner: _core.OnlineLearner) -> Parts:
    """All that a learner has learned so far.

    >>> from arbora.learning import LEARNERS
    >>> header, tensors = learner_parts(LEARNERS["adagrad"].start(bits=3))
    >>> header, sorted(tensors)
    ({'steps': 0}, ['squares', 'weighted_steps', 'weights'])
    """
    tensors = {"weights": learner.weights, "weighted_steps": learner.weighted_steps}
    return {"steps": learner.steps}, tensors | ({"squares": learner.squares} if len(learner.squares) else {})


def restore_learner(learner: _core.OnlineLearner, parts: Parts) -> None:
    """Set a learner of the same kind to what `learner_parts` gave."""
    header, tensors = parts
    learner.steps = header["steps"]
    for name, own in learner_parts(learner)[1].items():
        own[:] = tensors[name]


def weight_parts(weights: _core.ShortWeights) -> Parts:
    """Weights of 16 bits, exactly."""
    return {"step": weights.step}, {"weights": weights.values}


def weights_of(parts: Parts) -> _core.ShortWeights:
    """What `weight_parts` was given.

    >>> weights_of(weight_parts(_core.ShortWeights.rounded(np.ones(16, np.float32)))).step == 2.0**-14
    True
    """
    header, tensors = parts
    return _core.ShortWeights(np.array(tensors["weights"]), header["step"])
