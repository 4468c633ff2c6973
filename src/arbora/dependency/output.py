"""How what was found is told: the names of it in files, and the k best trees."""

from __future__ import annotations

from dataclasses import dataclass

from arbora.errors import ArboraError

HEAD_PROBABILITY = "HeadProbability"
LABEL_PROBABILITY = "LabelProbability"
TAG_PROBABILITY = "UposProbability"
"""Items of MISC, and of `arbora.treebank.Sentence.findings`; the core writes them."""
TREE_LOG_PROBABILITY = "tree_log_probability"
CERTIFICATE = "certificate"
KBEST_RANK = "kbest_rank"
PARSED_IN_PIECES = "parsed_in_pieces"
"""Comments, and findings too."""


@dataclass(frozen=True, slots=True)
class RankedTree:
    """One of a sentence's k best trees: heads and labels of the words, and the tree's log-probability."""

    heads: list[int]
    deprels: list[str]
    log_probability: float


def check_columns(labels: list[str]) -> None:
    """ArboraError if a label cannot be written: one that was not read from a file may be any text."""
    for label in labels:
        try:
            sound = bool(label.encode()) and not set(label) & set("\t\r\n")
        except UnicodeEncodeError:
            sound = False
        if not sound:
            raise ArboraError(f"the model's label {label!r} has no place in a column of CoNLL-U")
