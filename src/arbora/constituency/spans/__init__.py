"""The span parser: a conditional random field over binarised trees, with features of spans and splits.

Score(tree) = sum over its nodes of score(start, end, symbol) + sum over its rules of score(start, split, end,
rule), both linear in hashed features of the surface (Hall, Durrett & Klein 2014). A small model of nodes
alone chooses the nodes that charts are made of.
"""

from arbora.constituency.spans.constraints import SpanConstraints
from arbora.constituency.spans.options import SpanOptions
from arbora.constituency.spans.parser import SpanParser
from arbora.constituency.spans.training import train_span_parser

__all__ = ["SpanConstraints", "SpanOptions", "SpanParser", "train_span_parser"]
