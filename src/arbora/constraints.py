"""Arcs that every tree must have or none may have, as masks over a score array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.errors import ArboraError, InfeasibleTreeError, InvalidScoresError, shown

Scores: TypeAlias = npt.NDArray[np.floating[Any]]
Floats: TypeAlias = npt.NDArray[np.float64]
Mask: TypeAlias = npt.NDArray[np.bool_]
Masks: TypeAlias = Mask | Sequence[Mask | None] | None


def as_floats(scores: Any) -> Floats:
    """The scores of one sentence as the core takes them: contiguous, of 64 bits."""
    try:
        given = np.asarray(scores)
        if given.dtype.kind == "c":
            raise TypeError
        return np.ascontiguousarray(given, np.float64)
    except (TypeError, ValueError):
        raise InvalidScoresError(
            f"scores must be an array of real numbers, with rows of one length; this is {shown(scores)}"
        ) from None


def constrain(scores: Scores, *, forced: Mask | None = None, forbidden: Mask | None = None) -> Floats:
    """The scores with ``-inf`` on every arc that ``forced`` and ``forbidden`` rule out.

    Both are boolean masks in the shape of the scores, or of shape ``(n+1, n+1)`` for labelled scores (all
    labels alike). Forcing several labels of one arc leaves the choice among them. Contradictions raise
    `InfeasibleTreeError`; those that only show in the whole tree (a cycle of forced arcs) are found by what
    computes on the result.

    >>> import numpy as np
    >>> from arbora import trees
    >>> forced = np.zeros((3, 3), dtype=bool)
    >>> forced[0, 2] = True
    >>> trees.constrain(np.ones((3, 3)), forced=forced)[:, 2]
    array([  1., -inf, -inf])
    """
    result = as_floats(scores).copy()
    if result.ndim not in (2, 3) or result.shape[0] != result.shape[1]:
        raise InvalidScoresError(
            f"scores must have the shape (n+1, n+1) or (n+1, n+1, labels), not {result.shape}"
        )
    if forbidden is not None:
        result[_as_mask(forbidden, result, "forbidden")] = -np.inf
    if forced is not None:
        mask = _as_mask(forced, result, "forced").copy()
        mask[:, :1] = False
        arcs: Mask = mask if mask.ndim == 2 else np.atleast_2d(mask.any(axis=2))
        _check_forced(arcs)
        tokens = arcs.any(axis=0)
        result[:, tokens] = np.where(mask[:, tokens], result[:, tokens], -np.inf)
        _check_possible(arcs, result)
    return result


def constrain_batch(sentences: Sequence[Scores], forced: Masks, forbidden: Masks, one: bool) -> list[Floats]:
    """`constrain` for each sentence; if there is only ``one``, the masks are its own, else lists of masks."""
    each_forced = [forced] if one else _masks_of(forced, len(sentences), "forced")
    each_forbidden = [forbidden] if one else _masks_of(forbidden, len(sentences), "forbidden")
    result = []
    for index, (scores, must, must_not) in enumerate(
        zip(sentences, each_forced, each_forbidden, strict=True)
    ):
        try:
            result.append(constrain(scores, forced=must, forbidden=must_not))
        except ArboraError as error:
            if one:
                raise
            raise type(error)(f"sentence {index} of the batch: {error}") from None
    return result


def _masks_of(masks: Any, count: int, name: str) -> Any:
    """The mask of each sentence of a batch."""
    if masks is None:
        return [None] * count
    if not isinstance(masks, Sequence | np.ndarray) or len(masks) != count:
        raise InvalidScoresError(f"{name} must be a list with a mask or None for each of {count} sentences")
    return masks


def _check_forced(arcs: Mask) -> None:
    own = np.flatnonzero(np.diagonal(arcs))
    if len(own):
        raise InfeasibleTreeError(f"token {own[0]} is forced to be its own head")
    crowded = np.flatnonzero(arcs.sum(axis=0) > 1)
    if len(crowded):
        heads = np.flatnonzero(arcs[:, crowded[0]])
        raise InfeasibleTreeError(
            f"token {crowded[0]} is forced to have two heads, {heads[0]} and {heads[1]}"
        )


def _check_possible(arcs: Mask, scores: Floats) -> None:
    for head, token in zip(*np.nonzero(arcs), strict=True):
        if np.all(scores[head, token] == -np.inf):
            raise InfeasibleTreeError(f"the arc from {head} to token {token} is both forced and forbidden")


def _as_mask(mask: Mask, scores: Floats, name: str) -> Mask:
    try:
        mask = np.asarray(mask)
    except ValueError:  # rows of several lengths
        raise InvalidScoresError(f"{name} must be a boolean mask, with rows of one length") from None
    if mask.dtype != np.bool_:
        raise InvalidScoresError(f"{name} must be a boolean mask, not an array of {mask.dtype}")
    if mask.ndim == 2 and scores.ndim == 3:
        mask = mask[:, :, None]
    if mask.ndim != scores.ndim or mask.shape[:2] != scores.shape[:2]:
        raise InvalidScoresError(f"{name} has the shape {mask.shape}, the scores {scores.shape}")
    return np.broadcast_to(mask, scores.shape)
