"""What a parser learns by: losses over trees and labels, online learners, and labels in chains."""

from arbora.learning.chains import (
    LabelExpectations,
    Labelling,
    best_labels,
    kbest_labels,
    label_probabilities,
)
from arbora.learning.learners import LEARNERS, Learner, find_learner
from arbora.learning.losses import LOSSES, Loss, find_loss

__all__ = [
    "LEARNERS",
    "LOSSES",
    "LabelExpectations",
    "Labelling",
    "Learner",
    "Loss",
    "best_labels",
    "find_learner",
    "find_loss",
    "kbest_labels",
    "label_probabilities",
]
