"""Projective trees under the valence model: sums, expectations, best trees and samples, all exact, O(n^3).

**The model** (Klein & Manning 2004, the DMV). Every head generates its children on each side from the nearest
outwards. Before each child it decides to go on, knowing whether it has a child on that side; in the end it
decides to stop.

**Scores.** A sentence of ``n`` words has two arrays of logarithms.

- ``arcs[head, word]``, of shape ``(n+1, n+1)``: a child given its head and side. Index 0 is the root; the
  diagonal and column 0 mean nothing.
- ``valences[head, side, has_child, decision]``, of shape ``(n+1, 2, 2, 2)``: side 0 is left, 1 right;
  has_child 0 is none yet on that side, 1 at least one; decision 0 is to go on, 1 to stop.

``-inf`` is what is impossible; ``nan`` and ``+inf`` are errors, wherever they stand, and sums refuse scores
beyond 1e10 or -1e10. With c = c(h, d) children of h on side d, the score of a tree is

    sum over words m          arcs[head of m, m]
    + sum over sides (h, d)   valences[h, d, 0, 1]                                            if c(h, d) = 0
                              valences[h, d, 0, 0] + (c - 1) * valences[h, d, 1, 0]
                                                   + valences[h, d, 1, 1]                     if c(h, d) > 0

and its probability is proportional to exp(score). Scores need not be those of a normalised model.

**The root.** ``single_root=True`` (the default) lets exactly one word hang from the root, which decides
nothing: ``valences[0]`` is not used. ``single_root=False`` makes the root a head with a right side only; its
decisions are ``valences[0, 1]``. A sentence without words has one tree, of score 0.

Every function takes a batch: a list of arcs and a list of valences, sentences of any lengths, and can use
``threads``, which never change the answer.

>>> import numpy as np
>>> from arbora.generative import valence_trees
>>> arcs, valences = np.zeros((3, 3)), np.log(np.full((3, 2, 2, 2), 0.5))
>>> best = valence_trees.kbest([arcs], [valences], 5)[0]
>>> best.heads.tolist(), np.exp(best.scores).round(6).tolist()  # one decision to go on, four to stop
([[-1, 0, 1], [-1, 2, 0]], [0.03125, 0.03125])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import InvalidScoresError
from arbora.trees import Trees, places_like

__all__ = ["Expectations", "best_expectations", "expectations", "kbest", "log_partition", "sample"]

Floats: TypeAlias = npt.NDArray[np.float64]
Batch: TypeAlias = Sequence[npt.NDArray[np.floating[Any]]]

_FLOAT64 = np.dtype(np.float64)


class Expectations(NamedTuple):
    """For each sentence how often arcs and decisions are used, in the shapes of the scores, and a value.

    The value is the log-partition, or, of the best trees alone, their score.
    """

    values: list[float]
    arcs: list[Floats]
    valences: list[Floats]


def log_partition(arcs: Batch, valences: Batch, *, single_root: bool = True, threads: int = 1) -> list[float]:
    """The logarithm of the sum of ``exp(score)`` over all projective trees of each sentence.

    With a normalised model it is the log-probability of the sentence.

    >>> import numpy as np
    >>> from arbora.generative import valence_trees
    >>> zeros = valence_trees.log_partition([np.zeros((4, 4))], [np.zeros((4, 2, 2, 2))])
    >>> round(np.exp(zeros[0]))  # projective trees over three words with a single root
    7
    """
    prepared = _prepare(arcs, valences)
    values: list[float] = _core.valence_log_partition(*prepared, single_root, threads)
    return values


def expectations(arcs: Batch, valences: Batch, *, single_root: bool = True, threads: int = 1) -> Expectations:
    """The probability of every arc and the expected number of every decision, with the log-partitions.

    They are the exact gradient of :func:`log_partition`, and no step subtracts. Each word's column of arcs
    adds up to 1, and so do the two stops of each side, ``valences[h, d, :, 1]``; ``valences[h, d, 1, 0]`` may
    be more than 1, as a head may go on many times. What the root does not decide is 0.

    >>> import numpy as np
    >>> from arbora.generative import valence_trees
    >>> found = valence_trees.expectations([np.zeros((3, 3))], [np.zeros((3, 2, 2, 2))])
    >>> found.arcs[0].round(6).tolist()  # two trees, equally probable
    [[0.0, 0.5, 0.5], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0]]
    >>> found.valences[0][1, 1].round(6).tolist()  # word 1 on its right: has it a child there?
    [[0.5, 0.5], [0.0, 0.5]]
    """
    return _expectations(arcs, valences, single_root, threads, best=False)


def best_expectations(
    arcs: Batch, valences: Batch, *, single_root: bool = True, threads: int = 1
) -> Expectations:
    """The same of the best tree alone, as if it were certain: what Viterbi EM counts, with the trees' scores.

    Of trees that are equally good the same one is taken every time, but which is not promised.

    >>> import numpy as np
    >>> from arbora.generative import valence_trees
    >>> arcs = np.array([[0.0, 5.0, 1.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    >>> best = valence_trees.best_expectations([arcs], [np.zeros((3, 2, 2, 2))])
    >>> best.values, best.arcs[0].tolist()
    ([7.0], [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    """
    return _expectations(arcs, valences, single_root, threads, best=True)


def kbest(
    arcs: Batch, valences: Batch, k: int = 1, *, single_root: bool = True, threads: int = 1
) -> list[Trees]:
    """The ``k`` best trees of each sentence in order, none twice; fewer where there are fewer.

    O(n^3 + k n log k).

    >>> import numpy as np
    >>> from arbora.generative import valence_trees
    >>> arcs = np.array([[0.0, 5.0, 1.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    >>> trees = valence_trees.kbest([arcs], [np.zeros((3, 2, 2, 2))], 10)[0]
    >>> trees.heads.tolist(), trees.scores.tolist()
    ([[-1, 0, 1], [-1, 2, 0]], [7.0, 1.0])
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    found = _core.valence_kbest(*_prepare(arcs, valences), single_root, threads, k)
    return [Trees(heads, None, scores) for heads, scores in found]


def sample(
    arcs: Batch,
    valences: Batch,
    k: int = 1,
    *,
    rng: int | np.random.Generator = 0,
    single_root: bool = True,
    threads: int = 1,
) -> list[Trees]:
    """``k`` independent, exact samples from the distribution over the trees of each sentence.

    ``rng`` is a seed or a numpy generator; the same seed gives the same trees.

    >>> import numpy as np
    >>> from arbora.generative import valence_trees
    >>> valence_trees.sample([np.zeros((3, 3))], [np.zeros((3, 2, 2, 2))], 4, rng=7)[0].heads.shape
    (4, 3)
    """
    if k < 0:
        raise ValueError(f"k must not be negative, not {k}")
    seed = int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else int(rng) % 2**64
    drawn = _core.valence_sample(*_prepare(arcs, valences), single_root, threads, k, seed)
    return [Trees(heads, None, scores) for heads, scores in drawn]


def _expectations(
    arcs: Batch, valences: Batch, single_root: bool, threads: int, *, best: bool
) -> Expectations:
    prepared = _prepare(arcs, valences)
    places = places_like(prepared[0]), places_like(prepared[1])
    values: list[float] = _core.valence_expectations(*prepared, *places, single_root, threads, best)
    return Expectations(values, *places)


def _prepare(arcs: Batch, valences: Batch) -> tuple[list[Floats], list[Floats]]:
    """Contiguous float64 arrays, as many of the one as of the other; the core checks their shapes."""
    for name, batch in (("arcs", arcs), ("valences", valences)):
        if isinstance(batch, np.ndarray):
            raise InvalidScoresError(f"{name} must be a list of arrays, one for each sentence, not an array")
    if len(arcs) != len(valences):
        raise InvalidScoresError(f"{len(arcs)} arrays of arcs, but {len(valences)} of valences")
    return (
        [np.ascontiguousarray(one, _FLOAT64) for one in arcs],
        [np.ascontiguousarray(one, _FLOAT64) for one in valences],
    )
