"""Slow twins of the factors: for each kind, small ones with everything they can be written out.

``TWINS`` has, by the name of the kind, a function that makes one factor of a size, with part scores that
``draw(shape)`` gives, and lists its configurations without asking the core. A new kind adds one entry; the
contract tests hold it to all five oracles.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.oracles.factors import (
    automata,
    choices,
    counts,
    crossings,
    custom,
    logic,
    pairs,
    tables,
    tags,
    trees,
)
from tests.oracles.factors.base import Case
from tests.oracles.scores import Draw

TWINS: dict[str, Callable[[Draw, int], Case]] = {
    "ExactlyOne": logic.exactly_one,
    "AtMostOne": logic.at_most_one,
    "AtMost": logic.at_most,
    "Or": logic.any_of,
    "OrWithOutput": logic.or_with_output,
    "XorWithOutput": logic.xor_with_output,
    "Nand": logic.not_all,
    "Imply": logic.imply,
    "Choice": choices.choice,
    "CustomFactor": custom.custom,
    "Pairs": pairs.pairs,
    "AndAny": choices.and_any,
    "Table": tables.table,
    "Counts": counts.counts,
    "TagChain": tags.tag_chain,
    "TagLink": tags.tag_link,
    "NoCross": crossings.no_cross,
    "ChildSequences": automata.child_sequences,
    "ChildTrigrams": automata.child_trigrams,
    "GrandSiblings": automata.grand_siblings,
    "HeadAutomata": automata.head_automata,
    "Tree": trees.tree,
    "ProjectiveTree": trees.projective_tree,
}
