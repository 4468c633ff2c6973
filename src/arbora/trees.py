"""Spanning trees from score arrays: best, k-best, probabilities, samples, under constraints, all exact.

**Scores.** One sentence of ``n`` tokens is an array ``scores[head, modifier]`` of shape ``(n+1, n+1)``, or
``scores[head, modifier, label]`` of shape ``(n+1, n+1, labels)``: a labelled multi-digraph. Index 0 is the
root. ``-inf`` forbids an arc; ``nan`` and ``+inf`` are errors, wherever they stand. The diagonal and column
0 are no arcs: their values mean nothing. A tree's score is the sum of its arcs' scores, its probability is
proportional to ``exp(score)``. Sums over trees are right to 1e-9 for scores of 1e6 and more, and refused for
scores beyond 1e10 or -1e10: write ``-inf``, not ``-1e30``, for what is impossible.

**One or many.** Every function takes one array, or a list of arrays (a batch, sentences of any lengths), and
answers with one result or a list of results. A batch costs Python once and can use ``threads``.

**Which trees.** ``single_root=True`` (the default) lets exactly one token hang from the root,
``projective=True`` forbids crossing arcs. ``forced`` and ``forbidden`` are boolean masks in the shape of the
scores (or without the label axis): arcs that every tree must have, arcs that none may have. To force a root,
set ``forced[0, j]``; a label ``l`` whatever the head, ``forbidden[:, j] = np.arange(labels) != l``. For a
batch they are lists of such masks, None where there is none.

Papers: McDonald & Satta 2007 (sections 3 and 4.2), Smith & Eisner 2008 (section 6), Koo et al. 2007 (single
root), Eisner 1996 (projective), Camerini et al. 1980 (k-best), Wilson 1996 (samples).

>>> import numpy as np, arbora
>>> scores = np.array([[0, 1, 9, 1], [0, 0, 1, 2], [0, 8, 0, 7], [0, 3, 2, 0]], dtype=float)
>>> tree = arbora.trees.mst(scores)
>>> tree.heads, tree.score
(array([-1,  2,  0,  2], dtype=int32), 24.0)
>>> arbora.trees.marginals(scores)[:, 1].round(3)
array([0.   , 0.   , 0.993, 0.007])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias, TypedDict, TypeVar, Unpack, overload

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.constraints import Floats, Masks, Scores, as_floats, constrain, constrain_batch
from arbora.errors import InfeasibleTreeError, InvalidScoresError, WrongTypeError
from arbora.models.options import a_count

__all__ = [
    "Expectations",
    "InfeasibleTreeError",
    "InvalidScoresError",
    "Options",
    "Tree",
    "Trees",
    "constrain",
    "entropy",
    "expectations",
    "kbest",
    "log_partition",
    "marginals",
    "mbr",
    "mst",
    "sample",
]

Batch: TypeAlias = Sequence[npt.NDArray[np.floating[Any]]]
Integers: TypeAlias = npt.NDArray[np.int32]
Result = TypeVar("Result")

# As an object, so that numpy need not look it up at every call.
_INT32 = np.dtype(np.int32)


class Options(TypedDict, total=False):
    """What every function takes: which trees count, constraints, and the threads for a batch."""

    single_root: bool
    projective: bool
    forced: Masks
    forbidden: Masks
    threads: int


class Tree(NamedTuple):
    """A tree over ``n`` tokens: its score; ``heads`` and ``labels`` of shape ``(n+1,)``, -1 at the root."""

    heads: Integers
    labels: Integers | None
    score: float


class Expectations(NamedTuple):
    """What sums over trees give: of each sentence of a batch the log-partition, and the arcs' marginals."""

    log_partitions: list[float]
    marginals: list[Floats]


@dataclass(slots=True)
class Trees:
    """``k`` trees over ``n`` tokens: ``heads`` and ``labels`` of shape ``(k, n+1)``, ``scores`` ``(k,)``.

    ``len(trees)`` is k, ``trees[i]`` the i-th :class:`Tree`, and a loop visits them in order.
    """

    heads: Integers
    labels: Integers | None
    scores: Floats

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, index: int) -> Tree:
        labels = None if self.labels is None else self.labels[index]
        return Tree(self.heads[index], labels, float(self.scores[index]))

    def __iter__(self) -> Iterator[Tree]:
        return (self[index] for index in range(len(self)))


@overload
def mst(scores: Scores, **options: Unpack[Options]) -> Tree: ...
@overload
def mst(scores: Batch, **options: Unpack[Options]) -> list[Tree]: ...
def mst(
    scores: Scores | Batch,
    *,
    single_root: bool = True,
    projective: bool = False,
    forced: Masks = None,
    forbidden: Masks = None,
    threads: int = 1,
) -> Tree | list[Tree]:
    """The tree of the highest score: O(n^2), or O(n^3) if projective; O(L n^2) more with L labels.

    Ties are broken the same way every time, but which of the best trees comes out is not promised.

    >>> import numpy as np
    >>> from arbora import trees
    >>> trees.mst(np.zeros((2, 2))).heads
    array([-1,  0], dtype=int32)
    """
    if isinstance(scores, np.ndarray) and forced is None and forbidden is None:
        # What the rest does, written out for one sentence: about a twentieth less time at n = 25.
        one = as_floats(scores)
        heads = np.empty(len(one), _INT32)
        labels = np.empty(len(one), _INT32) if one.ndim == 3 else None
        values = _native(_core.mst, [one], heads, labels, single_root, projective, threads)
        return tuple.__new__(Tree, (heads, labels, values[0]))
    batch = _prepare(scores, forced, forbidden)
    heads, labels = _places_for_trees(batch)
    values = _native(_core.mst, batch, heads, labels, single_root, projective, threads)
    return _as_trees(scores, batch, heads, labels, values)


@overload
def log_partition(scores: Scores, **options: Unpack[Options]) -> float: ...
@overload
def log_partition(scores: Batch, **options: Unpack[Options]) -> list[float]: ...
def log_partition(
    scores: Scores | Batch,
    *,
    single_root: bool = True,
    projective: bool = False,
    forced: Masks = None,
    forbidden: Masks = None,
    threads: int = 1,
) -> float | list[float]:
    """The logarithm of the sum of ``exp(score)`` over all trees, in O(n^3 + L n^2).

    >>> import numpy as np
    >>> from arbora import trees
    >>> round(np.exp(trees.log_partition(np.zeros((4, 4)), single_root=False)))  # Cayley: 4^2 trees
    16
    """
    batch = _prepare(scores, forced, forbidden)
    values: list[float] = _native(_core.log_partition, batch, single_root, projective, threads)
    return values[0] if isinstance(scores, np.ndarray) else values


@overload
def marginals(scores: Scores, *, complement: bool = False, **options: Unpack[Options]) -> Floats: ...
@overload
def marginals(scores: Batch, *, complement: bool = False, **options: Unpack[Options]) -> list[Floats]: ...
def marginals(
    scores: Scores | Batch,
    *,
    complement: bool = False,
    single_root: bool = True,
    projective: bool = False,
    forced: Masks = None,
    forbidden: Masks = None,
    threads: int = 1,
) -> Floats | list[Floats]:
    """The probability of every arc, in the shape of the scores, in O(n^3 + L n^2).

    It is the exact gradient of :func:`log_partition`. No step subtracts, so small probabilities are as exact
    as large ones. ``complement=True`` gives ``1 - probability`` instead, summed from the other arcs without
    cancellation: where an arc is almost certain, that is the number that still says how certain.

    >>> import numpy as np
    >>> from arbora import trees
    >>> scores = np.array([[0.0, 50.0, 0.0], [0.0, 0.0, 50.0], [0.0, 0.0, 0.0]])
    >>> float(1 - trees.marginals(scores)[1, 2])
    0.0
    >>> print(f"{trees.marginals(scores, complement=True)[1, 2]:.6g}")
    3.72008e-44
    """
    batch = _prepare(scores, forced, forbidden)
    results = places_like(batch)
    _native(_core.marginals, batch, results, single_root, projective, threads, complement)
    return results[0] if isinstance(scores, np.ndarray) else results


def expectations(
    scores: Batch,
    *,
    single_root: bool = True,
    projective: bool = False,
    forced: Masks = None,
    forbidden: Masks = None,
    threads: int = 1,
) -> Expectations:
    """`log_partition` and `marginals` of a batch together, for what the latter costs: one step of EM.

    >>> import numpy as np
    >>> from arbora import trees
    >>> found = trees.expectations([np.zeros((3, 3))], single_root=False)
    >>> round(np.exp(found.log_partitions[0])), found.marginals[0][0].round(3).tolist()
    (3, [0.0, 0.667, 0.667])
    """
    batch = _prepare(scores, forced, forbidden)
    results = places_like(batch)
    values = _native(_core.marginals, batch, results, single_root, projective, threads, False)
    return Expectations(values, results)


@overload
def entropy(scores: Scores, **options: Unpack[Options]) -> float: ...
@overload
def entropy(scores: Batch, **options: Unpack[Options]) -> list[float]: ...
def entropy(
    scores: Scores | Batch,
    *,
    single_root: bool = True,
    projective: bool = False,
    forced: Masks = None,
    forbidden: Masks = None,
    threads: int = 1,
) -> float | list[float]:
    """The Shannon entropy of the distribution over trees, in nats, in O(n^3 + L n^2).

    >>> import numpy as np
    >>> from arbora import trees
    >>> print(f"{trees.entropy(np.zeros((4, 4)), single_root=False) / np.log(16):.6f}")  # 16 equal trees
    1.000000
    """
    batch = _prepare(scores, forced, forbidden)
    values: list[float] = _native(_core.entropy, batch, single_root, projective, threads)
    return values[0] if isinstance(scores, np.ndarray) else values


@overload
def kbest(scores: Scores, k: int, **options: Unpack[Options]) -> Trees: ...
@overload
def kbest(scores: Batch, k: int, **options: Unpack[Options]) -> list[Trees]: ...
def kbest(
    scores: Scores | Batch,
    k: int,
    *,
    single_root: bool = True,
    projective: bool = False,
    forced: Masks = None,
    forbidden: Masks = None,
    threads: int = 1,
) -> Trees | list[Trees]:
    """The ``k`` best trees in order, none twice; fewer where there are fewer.

    O(k n^2); projective O(n^3 + k n log k).

    With labels, trees that differ in a label only are different trees.

    >>> import numpy as np
    >>> from arbora import trees
    >>> scores = np.array([[0, 1, 2], [0, 0, 3], [0, 5, 0]], dtype=float)
    >>> trees.kbest(scores, 10).heads.tolist(), trees.kbest(scores, 10).scores.tolist()
    ([[-1, 2, 0], [-1, 0, 1]], [7.0, 4.0])
    """
    k = a_count(k, "k")
    batch = _prepare(scores, forced, forbidden)
    results = [Trees(*result) for result in _native(_core.kbest, batch, single_root, projective, threads, k)]
    return results[0] if isinstance(scores, np.ndarray) else results


@overload
def sample(
    scores: Scores, k: int = 1, *, rng: int | np.random.Generator = 0, **options: Unpack[Options]
) -> Trees: ...
@overload
def sample(
    scores: Batch, k: int = 1, *, rng: int | np.random.Generator = 0, **options: Unpack[Options]
) -> list[Trees]: ...
def sample(
    scores: Scores | Batch,
    k: int = 1,
    *,
    rng: int | np.random.Generator = 0,
    single_root: bool = True,
    projective: bool = False,
    forced: Masks = None,
    forbidden: Masks = None,
    threads: int = 1,
) -> Trees | list[Trees]:
    """``k`` independent, exact samples from the distribution over trees.

    ``rng`` is a seed or a numpy generator; the same seed gives the same trees, whatever the number of
    threads. Non-projective samples are Wilson's random walks: about n^2 steps on soft scores, and O(n^3) more
    for each token whose walk is caught in a cycle.

    >>> import numpy as np
    >>> from arbora import trees
    >>> trees.sample(np.zeros((3, 3)), k=4, rng=7).heads.shape
    (4, 3)
    """
    k = a_count(k, "k", 0)
    if isinstance(rng, np.random.Generator):
        rng = int(rng.integers(2**63))
    seed = a_count(rng, "rng", -(2**63)) % 2**64
    batch = _prepare(scores, forced, forbidden)
    drawn = _native(_core.sample, batch, single_root, projective, threads, k, seed)
    results = [Trees(*result) for result in drawn]
    return results[0] if isinstance(scores, np.ndarray) else results


@overload
def mbr(scores: Scores, *, labelled: bool = True, **options: Unpack[Options]) -> Tree: ...
@overload
def mbr(scores: Batch, *, labelled: bool = True, **options: Unpack[Options]) -> list[Tree]: ...
def mbr(
    scores: Scores | Batch,
    *,
    labelled: bool = True,
    single_root: bool = True,
    projective: bool = False,
    forced: Masks = None,
    forbidden: Masks = None,
    threads: int = 1,
) -> Tree | list[Tree]:
    """The minimum-risk tree: the most right arcs in expectation (Hamming), which is its ``score``.

    With labels, ``labelled=True`` counts an arc as right if head and label are, ``labelled=False`` if the
    head is (its label is then the most probable one of that arc).

    >>> import numpy as np
    >>> from arbora import trees
    >>> trees.mbr(np.zeros((2, 2)))
    Tree(heads=array([-1,  0], dtype=int32), labels=None, score=1.0)
    """
    batch = _prepare(scores, forced, forbidden)
    heads, labels = _places_for_trees(batch)
    values = _native(_core.mbr, batch, heads, labels, single_root, projective, threads, labelled)
    return _as_trees(scores, batch, heads, labels, values)


def _native(function: Callable[..., Result], *given: Any) -> Result:
    """What the core answers; arrays are checked, so that it is an option that has another type."""
    try:
        return function(*given)
    except TypeError:
        raise WrongTypeError(
            "options of trees: single_root, projective, complement and labelled are true or false, and "
            "threads and k whole numbers"
        ) from None


def _prepare(scores: Scores | Batch, forced: Masks, forbidden: Masks) -> list[Floats]:
    """The batch as contiguous float64 arrays, with the constraints in them."""
    one = isinstance(scores, np.ndarray)
    if not one and not isinstance(scores, Sequence):
        raise InvalidScoresError(f"scores must be an array, or a list of arrays, not {type(scores).__name__}")
    if forced is not None or forbidden is not None:
        sentences: Sequence[Scores] = [scores] if one else scores  # type: ignore[list-item, assignment]
        return constrain_batch(sentences, forced, forbidden, one)
    if one:
        return [as_floats(scores)]
    return [as_floats(sentence) for sentence in scores]


def places_like(batch: list[Floats]) -> list[Floats]:
    """Arrays in the shapes of the scores, one block for neighbours of one length."""
    results: list[Floats] = []
    for shape, group in groupby(batch, attrgetter("shape")):
        results.extend(np.empty((len(list(group)), *shape)))
    return results


def _places_for_trees(batch: list[Floats]) -> tuple[Integers, Integers | None]:
    """Flat arrays for the heads and, if there are labels, the labels of one tree per sentence."""
    size = len(batch[0]) if len(batch) == 1 else sum([len(sentence) for sentence in batch])
    labels = np.empty(size, _INT32) if batch and batch[0].ndim == 3 else None
    return np.empty(size, _INT32), labels


def _as_trees(
    scores: Scores | Batch, batch: list[Floats], heads: Integers, labels: Integers | None, values: list[float]
) -> Tree | list[Tree]:
    if isinstance(scores, np.ndarray):
        return Tree(heads, labels, values[0])
    result, start = [], 0
    for sentence, value in zip(batch, values, strict=True):
        end = start + len(sentence)
        result.append(Tree(heads[start:end], None if labels is None else labels[start:end], value))
        start = end
    return result
