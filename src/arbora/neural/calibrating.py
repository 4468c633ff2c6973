"""What makes probabilities of a neural parser's scores: the scales at which gold trees are most probable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arbora import _core
from arbora.dependency import ArrayParser, ArrayScores, batch_loss
from arbora.learning import best_scale
from arbora.neural.parser import NeuralParser
from arbora.treebank import Sentence

LONGEST = 150
"""Words of the sentences of the sample."""


def calibrated(
    parser: NeuralParser, dev: Sequence[Sentence], most_words: int, *, threads: int = 1
) -> dict[str, float]:
    """The scales of trees and of labels, by whole gold trees that the parser has not learned from.

    About ``most_words`` words count. Trees that the parser cannot have are left out.
    """
    settings = parser.settings
    fitting = [
        own
        for own in dev
        if 0 < len(own) <= LONGEST and (own.heads.count(0) == 1 or not settings["single_root"])
    ]
    words = sum(map(len, fitting))
    sample = fitting[:: max(1, -(-words // most_words))]
    if settings["projective"]:
        sample = [own for own in sample if not _core.nonprojective_words([head or 0 for head in own.heads])]
    if not sample:
        return {"tree_scale": 1.0, "label_scale": 1.0}
    arcs, labels, gold = [], [], []
    numbers = {name: number for number, name in enumerate(parser.labels)}
    for own in sample:
        arcs.append(parser.arc_scores(own))
        table = parser.probabilities(own, given_heads=True)[1][1:]
        rows = [numbers.get(label, -1) for label in own.deprels]
        labels += [
            (row, number) for row, number in zip(table, rows, strict=True) if number >= 0 and row[number] > 0
        ]
        gold.append(np.array([-1, *own.heads], np.int32))
    trees = ArrayParser(single_root=settings["single_root"], projective=settings["projective"])
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([row for row, _ in labels]))
    right = logs[np.arange(len(labels)), [number for _, number in labels]]

    def tree_costs(scales: list[float], parts: int) -> list[float]:
        own = ArrayScores([scale * each for scale in scales for each in arcs[::parts]])
        losses, _ = batch_loss(own, gold[::parts] * len(scales), parser=trees, threads=threads)
        return [float(part.sum()) for part in np.split(losses, len(scales))]

    def label_costs(scales: list[float], parts: int) -> list[float]:
        found = []
        for scale in scales:
            scaled = scale * logs[::parts]
            found.append(float((np.logaddexp.reduce(scaled, axis=1) - scale * right[::parts]).sum()))
        return found

    return {"tree_scale": best_scale(tree_costs), "label_scale": best_scale(label_costs)}
