"""What a parser learns by: the loss and the learner of its options."""

from __future__ import annotations

import numpy as np

from arbora.dependency.options import TrainingOptions
from arbora.errors import ArboraError
from arbora.learning import Learner, Loss, find_learner, find_loss

__all__ = ["check_recipe"]


def check_recipe(options: TrainingOptions) -> tuple[Loss, Learner]:
    """The loss and the learner that the options name; ArboraError if there are none, or they do not fit."""
    try:
        loss = find_loss(options.loss, options.beta, options.gamma)
        learner = find_learner(options.learner, options.rate)
    except ValueError as error:
        raise ArboraError(str(error)) from None
    for summed in ("latent_roles", "latent_tags", "joint_tags"):
        if getattr(options, summed) and np.isinf(loss.beta):
            raise ArboraError(
                f"{summed} are summed out, which takes a loss with a finite beta, as crf has, not {loss.name}"
            )
    if options.outer == "automata" and not np.isinf(loss.beta):
        raise ArboraError(
            "automata alone choose one answer: outer automata takes a loss without probabilities, such as "
            f"perceptron or svm, not {loss.name}"
        )
    if learner.rule == "aggressive" and np.isinf(loss.beta) and loss.gamma == 0:
        # Its steps are as long as the loss asks for, and at zero weights, where all trees tie, that is 0.
        raise ArboraError(
            "the aggressive learner never leaves zero with the perceptron loss: choose the learner perceptron"
        )
    return loss, learner
