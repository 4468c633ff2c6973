"""The bigram model: every word generates its modifiers independently, all trees of n words are alike.

    p(words, labels, tree | n) = b(n) * product over arcs (h, m, k) of p(m, k | h)

b(n) is 1 over the number of trees. Sums over trees are by the matrix-tree theorem, or by Eisner's chart if
trees are projective (Paskin 2001; McDonald & Satta 2007, section 4.4).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from arbora import trees
from arbora.generative.kinds import Expectations, GenerativeModel, SentenceScores
from arbora.trees import Trees


class BigramModel(GenerativeModel):
    """p(modifier, label | head), and p(tree | n) uniform."""

    name = "bigram"
    knows_length = True

    def expectations(self, scores: SentenceScores, *, best: bool = False, threads: int = 1) -> Expectations:
        """By `arbora.trees`."""
        if not best:
            found = trees.expectations(
                scores.arcs, single_root=self.single_root, projective=self.projective, threads=threads
            )
            return Expectations(found.log_partitions, SentenceScores(found.marginals))
        chosen = trees.mst(
            scores.arcs, single_root=self.single_root, projective=self.projective, threads=threads
        )
        counts = []
        for own, tree in zip(scores.arcs, chosen, strict=True):
            used = np.zeros(own.shape)
            words = np.arange(1, len(own))
            if tree.labels is None:
                used[tree.heads[1:], words] = 1
            else:
                used[tree.heads[1:], words, tree.labels[1:]] = 1
            counts.append(used)
        return Expectations([tree.score for tree in chosen], SentenceScores(counts))

    def log_tree_probability(self, n: int) -> float:
        """One over the number of trees."""
        return -log_tree_count(n, single_root=self.single_root, projective=self.projective)

    def sample(self, scores: SentenceScores, count: int, seed: int, *, threads: int = 1) -> list[Trees]:
        """By `arbora.trees.sample`."""
        return trees.sample(
            scores.arcs,
            count,
            rng=seed,
            single_root=self.single_root,
            projective=self.projective,
            threads=threads,
        )


@lru_cache(maxsize=4096)
def log_tree_count(n: int, *, single_root: bool, projective: bool) -> float:
    """The logarithm of the number of trees over n words.

    >>> round(np.exp(log_tree_count(4, single_root=True, projective=False)))  # n^(n-1)
    64
    >>> round(np.exp(log_tree_count(4, single_root=False, projective=False)))  # (n+1)^(n-1)
    125
    >>> round(np.exp(log_tree_count(3, single_root=True, projective=True)))
    7
    """
    if n < 1:
        return 0.0
    if not projective:
        return float((n - 1) * np.log(n if single_root else n + 1))
    return trees.log_partition(np.zeros((n + 1, n + 1)), single_root=single_root, projective=True)
