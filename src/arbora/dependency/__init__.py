"""Dependency parsers: train one, load one, parse with it.

>>> from arbora.dependency import ParseOptions, TrainingOptions
>>> ParseOptions().decoder, TrainingOptions().preset
('best', 'first-order')
"""

from arbora.dependency.array_loss import batch_loss
from arbora.dependency.array_parser import ArrayParse, ArrayParser, ArrayParses, ArrayTrees
from arbora.dependency.array_parts import PART_COLUMNS, PartScores
from arbora.dependency.array_scores import ArrayScores, ScoreGradients
from arbora.dependency.batch_parser import BatchParser
from arbora.dependency.graphs import SentenceGraph
from arbora.dependency.options import ParseOptions, TrainingOptions
from arbora.dependency.output import RankedTree
from arbora.dependency.parser import DependencyParser
from arbora.dependency.presets import PRESETS, preset_options, preset_templates
from arbora.dependency.rule_parsing import parse_with_rules
from arbora.dependency.rules import Rules, Violation
from arbora.dependency.suspects import Suspect, Suspects, find_suspects, highlighted, judge_unseen
from arbora.dependency.training import train

__all__ = [
    "PART_COLUMNS",
    "PRESETS",
    "ArrayParse",
    "ArrayParser",
    "ArrayParses",
    "ArrayScores",
    "ArrayTrees",
    "BatchParser",
    "DependencyParser",
    "ParseOptions",
    "PartScores",
    "RankedTree",
    "Rules",
    "ScoreGradients",
    "SentenceGraph",
    "Suspect",
    "Suspects",
    "TrainingOptions",
    "Violation",
    "batch_loss",
    "find_suspects",
    "highlighted",
    "judge_unseen",
    "parse_with_rules",
    "preset_options",
    "preset_templates",
    "train",
]
