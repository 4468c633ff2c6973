"""How good a parse is: attachment scores, of gold words or raw text; brackets; calibration; significance."""

from arbora.evaluation.alignment import MismatchError
from arbora.evaluation.attachment import Evaluation, Ratio, evaluate
from arbora.evaluation.brackets import BracketEvaluation, BracketScores, evaluate_brackets
from arbora.evaluation.calibration import Calibration, calibrate, calibrations
from arbora.evaluation.conll18 import RawTextEvaluation, evaluate_raw_text
from arbora.evaluation.judging import Alternatives, BrokenRule, Judgement, WordJudgement, judge
from arbora.evaluation.significance import Comparison, compare, compare_sums, f1_of_sums

__all__ = [
    "Alternatives",
    "BracketEvaluation",
    "BracketScores",
    "BrokenRule",
    "Calibration",
    "Comparison",
    "Evaluation",
    "Judgement",
    "MismatchError",
    "Ratio",
    "RawTextEvaluation",
    "WordJudgement",
    "calibrate",
    "calibrations",
    "compare",
    "compare_sums",
    "evaluate",
    "evaluate_brackets",
    "evaluate_raw_text",
    "f1_of_sums",
    "judge",
]
