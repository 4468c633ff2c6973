"""Factors to declare over the variables of a `FactorGraph`: hard constraints and soft scores.

Every kind has all five oracles (sum, max, best, project, polytope), so every solver runs on every kind.
"""

from __future__ import annotations

from arbora.factors.automata import GrandSiblings, HeadAutomata
from arbora.factors.base import Factor
from arbora.factors.choices import AndAny, Choice
from arbora.factors.counts import Counts
from arbora.factors.crossings import NoCross
from arbora.factors.custom import CustomFactor
from arbora.factors.families import atmost1, descents, exactly1, no2cycle, non_arcs, not2, paths_and_flows
from arbora.factors.logic import (
    AtMost,
    AtMostOne,
    ExactlyOne,
    Imply,
    Nand,
    Or,
    OrWithOutput,
    Xor,
    XorWithOutput,
)
from arbora.factors.modifiers import bigrams, trigrams
from arbora.factors.pairs import Pairs, grandparents, siblings
from arbora.factors.sequences import ChildSequences, ChildTrigrams
from arbora.factors.tables import Table
from arbora.factors.tags import TagChain, TagLink
from arbora.factors.trees import ProjectiveTree, Tree
from arbora.factors.variables import VariableArray, join

FACTORS: tuple[type[Factor], ...] = (
    ExactlyOne,
    AtMostOne,
    AtMost,
    Or,
    OrWithOutput,
    XorWithOutput,
    Nand,
    Imply,
    Choice,
    CustomFactor,
    Pairs,
    AndAny,
    Table,
    Counts,
    TagChain,
    TagLink,
    NoCross,
    ChildSequences,
    ChildTrigrams,
    GrandSiblings,
    HeadAutomata,
    Tree,
    ProjectiveTree,
)
"""Every kind there is; the tests hold each to its slow twin."""

__all__ = [
    "FACTORS",
    "AndAny",
    "AtMost",
    "AtMostOne",
    "ChildSequences",
    "ChildTrigrams",
    "Choice",
    "Counts",
    "CustomFactor",
    "ExactlyOne",
    "Factor",
    "GrandSiblings",
    "HeadAutomata",
    "Imply",
    "Nand",
    "NoCross",
    "Or",
    "OrWithOutput",
    "Pairs",
    "ProjectiveTree",
    "Table",
    "TagChain",
    "TagLink",
    "Tree",
    "VariableArray",
    "Xor",
    "XorWithOutput",
    "atmost1",
    "bigrams",
    "descents",
    "exactly1",
    "grandparents",
    "join",
    "no2cycle",
    "non_arcs",
    "not2",
    "paths_and_flows",
    "siblings",
    "trigrams",
]
