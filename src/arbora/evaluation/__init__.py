"""How good a parse is: attachment scores, calibration of probabilities, significance of differences."""

from arbora.evaluation.attachment import Evaluation, MismatchError, Ratio, evaluate
from arbora.evaluation.calibration import Calibration, calibrate
from arbora.evaluation.significance import Comparison, compare

__all__ = [
    "Calibration",
    "Comparison",
    "Evaluation",
    "MismatchError",
    "Ratio",
    "calibrate",
    "compare",
    "evaluate",
]
