"""What a parser learns by: losses over trees, labels and graphs, online learners, and labels in chains."""

from arbora.learning.chains import (
    LabelExpectations,
    Labelling,
    best_labels,
    kbest_labels,
    label_probabilities,
)
from arbora.learning.latent import LatentLoss, latent_loss
from arbora.learning.learners import LEARNERS, Learner, find_learner
from arbora.learning.losses import LOSSES, Loss, find_loss
from arbora.learning.scales import best_scale

__all__ = [
    "LEARNERS",
    "LOSSES",
    "LabelExpectations",
    "Labelling",
    "LatentLoss",
    "Learner",
    "Loss",
    "best_labels",
    "best_scale",
    "find_learner",
    "find_loss",
    "kbest_labels",
    "label_probabilities",
    "latent_loss",
]
