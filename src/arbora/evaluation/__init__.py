"""How good a parse is: attachment scores, from gold words or raw text; calibration; significance."""

from arbora.evaluation.alignment import MismatchError
from arbora.evaluation.attachment import Evaluation, Ratio, evaluate
from arbora.evaluation.calibration import Calibration, calibrate
from arbora.evaluation.conll18 import RawTextEvaluation, evaluate_raw_text
from arbora.evaluation.significance import Comparison, compare

__all__ = [
    "Calibration",
    "Comparison",
    "Evaluation",
    "MismatchError",
    "Ratio",
    "RawTextEvaluation",
    "calibrate",
    "compare",
    "evaluate",
    "evaluate_raw_text",
]
