"""Losses of batches whose scores are arrays, with the gradients that other programs learn by."""

from __future__ import annotations

from math import isinf
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.dependency.array_parser import ArrayParser, flatten
from arbora.dependency.array_scores import Arrays, ArrayScores, ScoreGradients
from arbora.dependency.options import OUTER_SETS, ParseOptions, tree_options
from arbora.dependency.template_selection import check_automata
from arbora.errors import ArboraError, InfeasibleTreeError
from arbora.learning import find_loss

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int32]


def batch_loss(
    scores: ArrayScores,
    heads: Arrays,
    labels: Arrays | None = None,
    *,
    tags: Arrays | None = None,
    loss: str = "crf",
    beta: float | None = None,
    gamma: float | None = None,
    parser: ArrayParser | None = None,
    outer: str = "none",
    threads: int = 1,
) -> tuple[Floats, ScoreGradients]:
    """The losses of sentences, of shape (sentences,), and their gradients with respect to all scores.

    ``heads`` are right: an array of n+1 places for each sentence, the root's (-1) first, or a padded one, as
    the scores are. So are ``labels`` where scores have some. -1 is a head or a label that nobody observed,
    which is summed out (for an infinite beta, the best tree with what is known counts), and so is every label
    if there are None. ``tags`` of words that have scores for them; None
    are summed out. ``loss`` is a name of `arbora.learning.LOSSES`, ``beta`` and ``gamma`` override its own.
    ``parser`` says which trees count, how they are found and how arcs are pruned; right arcs always stay.
    ``outer`` is the set that a loss with an infinite beta searches, as in `TrainingOptions`.
    Where labels follow the tree, their loss, given the right heads, is added; labels of words whose head
    nobody observed do not count there.

    >>> import numpy as np
    >>> from arbora.dependency import ArrayScores, batch_loss
    >>> losses, gradients = batch_loss(ArrayScores(np.zeros((1, 3, 3))), np.array([[-1, 0, 1]]))
    >>> losses.round(4), gradients.arcs.round(2).tolist()
    (array([0.6931]), [[[0.0, -0.5, 0.5], [0.0, 0.0, -0.5], [0.0, 0.5, 0.0]]])
    """
    parser = parser or ArrayParser()
    try:
        kind = find_loss(loss, beta, gamma)
    except ValueError as error:
        raise ArboraError(str(error)) from None
    if threads < 1:
        raise ArboraError("threads must be at least 1")
    gold = _gold(scores, heads, labels, tags, kind.beta)
    gradients, arrays = scores.zeros()
    if outer not in OUTER_SETS:
        raise ArboraError(f"outer must be one of {', '.join(OUTER_SETS)}, not {outer!r}")
    if outer == "automata":
        if not isinf(kind.beta) or scores.tag_count:
            raise ArboraError("automata alone choose one answer, which takes an infinite beta and no tags")
        if parser.settings["constraint"] != "tree":
            raise ArboraError("automata alone know no constraint: no constraint goes with outer automata")
        check_automata(name for name, parts in scores.parts.items() if parts)
    parser._options(ParseOptions(), scores)  # which checks names
    trees = tree_options(parser.settings, outer=outer)
    found, reasons = parser._scorer(scores).losses(*gold, kind.beta, kind.gamma, trees, threads, arrays)
    for place, reason in enumerate(reasons):
        if reason:
            raise InfeasibleTreeError(f"sentence {place} of the batch: {reason}")
    return found, gradients


def _gold(
    scores: ArrayScores, heads: Arrays, labels: Arrays | None, tags: Arrays | None, beta: float
) -> tuple[Integers, Integers | None, Integers | None]:
    """Heads, labels and tags as the core has them; ArboraError if they do not go with the scores."""
    flat = flatten(scores, heads, "heads", None)
    assert flat is not None
    roots = np.cumsum([0, *(length + 1 for length in scores.lengths)])[:-1]
    partial = bool((np.delete(flat, roots) < 0).any())
    if labels is not None and not scores.label_count:
        raise ArboraError("there are right labels, and the scores have none")
    named = flatten(scores, labels, "labels", scores.label_count)
    if named is None and scores.label_count:
        named = np.full(len(flat), -1, np.int32)
    if tags is not None and not scores.tag_count:
        raise ArboraError("there are right tags, and the scores have none")
    tagged = flatten(scores, tags, "tags", scores.tag_count)
    if tagged is not None and (np.delete(tagged, roots) < 0).any():
        raise ArboraError("every word needs a right tag, or none has one")
    if tagged is not None and partial:
        raise ArboraError("where there are right tags, every word needs a right head")
    if isinf(beta) and scores.tag_count:
        raise ArboraError("tags are summed out, which takes a finite beta")
    if scores.tag_count and tagged is None and (scores.arrays[4] or scores.arrays[5]):
        raise ArboraError("a chain of tags (tag_bigrams, tag_trigrams) needs the right tags")
    return flat, named, tagged
