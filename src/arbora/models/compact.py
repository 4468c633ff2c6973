"""Weights in a quarter of the space: eight bits each, and none for the smallest.

A weight w in a block of 256 with greatest absolute weight p becomes the integer q, -127 to 127, whose value

    sign(q) * (q / 127)^2 * p

is nearest to w. Levels that grow like squares are dense where the weights of linear models are: near zero.
The relative squared error, sum((w - value)^2) / sum(w^2), measured with blocks of 256 and levels q^power:

```text
power                       1        1.25     1.5      2        2.5      3
Laplace                     1.0e-4   6.6e-5   5.9e-5   6.2e-5   7.4e-5   8.9e-5
mixture of two Student t    4.9e-4   1.2e-4   6.2e-5   4.4e-5   4.6e-5   5.3e-5
```
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from arbora import _core

BLOCK = 256
"""How many weights share a scale. 1,024 would save 1 % of the space for 1.2 to 1.7 times the error."""

CODES, PEAKS, MASK, SIZE = "weights.codes", "weights.peaks", "weights.mask", "weights.size"
"""The names of the tensors; the mask is there only if leaving out the zeros saves space."""

_LEVELS = 127
_codes = np.arange(256, dtype=np.uint8).view(np.int8).astype(np.float64)
_VALUES = (np.sign(_codes) * (_codes / _LEVELS) ** 2).astype(np.float32)  # by the code's byte


def compact(weights: NDArray[np.float32], *, keep: float) -> dict[str, NDArray[Any]]:
    """Weights as small tensors for a model file; ``expand`` brings them back, nearly.

    The smallest weights become zero: as many as hold together at most ``1 - keep`` of the squared weight.
    ValueError if a weight is not finite.

    >>> tensors = compact(np.array([0.5, 0, -2, 1e-9], np.float32), keep=0.999)
    >>> expand(tensors).round(3)
    array([ 0.492,  0.   , -2.   ,  0.   ], dtype=float32)
    """
    if weights.ndim != 1 or weights.dtype != np.float32:
        raise ValueError(f"weights are one row of float32, not {weights.dtype} of shape {weights.shape}")
    if not np.isfinite(weights).all():
        raise ValueError("weights must be finite: there is nan or inf among them")
    if not 0 < keep <= 1:
        raise ValueError(f"keep is a share above 0 and up to 1, not {keep}")
    kept = np.abs(weights) >= _threshold(weights, keep)
    packed = weights[kept]
    tensors: dict[str, NDArray[Any]] = {SIZE: np.array([weights.size], np.int64)}
    if weights.size / 8 + packed.size * (1 + 4 / BLOCK) < weights.size * (1 + 4 / BLOCK):
        tensors[MASK] = np.packbits(kept)
    else:
        packed = np.where(kept, weights, np.float32(0))
    tensors[CODES], tensors[PEAKS] = _quantise(packed)
    return tensors


def _threshold(weights: NDArray[np.float32], keep: float) -> float:
    """Weights below it are dropped; equal weights are dropped or kept together."""
    sizes = np.sort(np.abs(weights))
    mass = np.cumsum(np.square(sizes, dtype=np.float64))
    if not mass.size or not mass[-1]:
        return float("inf")
    dropped = int(np.searchsorted(mass, (1 - keep) * mass[-1], side="right"))
    # Below one, keep leaves at least the greatest weight: rounding must not take it.
    return float(sizes[min(dropped, sizes.size - 1)])


def _quantise(weights: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The codes and each block's greatest absolute weight."""
    blocks = -(-weights.size // BLOCK)
    padded = np.zeros((blocks, BLOCK), np.float64)
    padded.reshape(-1)[: weights.size] = weights
    sizes = np.abs(padded)
    peaks = sizes.max(1, keepdims=True)
    squares = sizes * (_LEVELS**2 / np.where(peaks > 0, peaks, 1))
    below = np.floor(np.sqrt(squares))
    # The next level is (below + 1)^2: it is nearer if w lies beyond the middle, below^2 + below + 1/2.
    levels = np.minimum(below + (squares > below * below + below + 0.5), _LEVELS)
    codes = np.copysign(levels, padded).astype(np.int8)
    return codes.reshape(-1)[: weights.size], peaks[:, 0].astype(np.float32)


def is_compact(tensors: Mapping[str, NDArray[Any]]) -> bool:
    """Whether ``compact`` made some of these tensors.

    >>> is_compact({"weights": np.zeros(3, np.float32)})
    False
    """
    return CODES in tensors


def expand(tensors: Mapping[str, NDArray[Any]], size: int | None = None) -> NDArray[np.float32]:
    """The weights that ``compact`` was given, up to half the distance between two levels.

    Other tensors are ignored, so a model's are fine as they are. ValueError if the tensors do not fit each
    other, or ``size``.

    >>> expand(compact(np.zeros(3, np.float32), keep=1), 3)
    array([0., 0., 0.], dtype=float32)
    """
    codes, mask = _checked(tensors, size)
    values = cast("NDArray[np.float32]", np.take(_VALUES, codes.view(np.uint8)))
    peaks = tensors[PEAKS]
    whole = codes.size // BLOCK * BLOCK
    values[:whole].reshape(-1, BLOCK)[...] *= peaks[: whole // BLOCK, None]
    values[whole:] *= peaks[-1:]
    if mask is None:
        return values
    weights = np.zeros(mask.size, np.float32)
    weights[mask] = values
    return weights


def expand_short(tensors: Mapping[str, NDArray[Any]], size: int | None = None) -> _core.ShortWeights:
    """What `expand` gives, rounded to 16 bits as parsers and taggers want it, at once and sooner.

    >>> expand_short(compact(np.ones(3, np.float32), keep=1)).values * 2.0**-14
    array([1., 1., 1.])
    """
    codes, mask = _checked(tensors, size)
    return _core.ShortWeights.expanded(
        np.ascontiguousarray(codes),
        np.ascontiguousarray(tensors[PEAKS]),
        None if mask is None else mask.view(np.uint8),
    )


def _checked(
    tensors: Mapping[str, NDArray[Any]], size: int | None
) -> tuple[NDArray[np.int8], NDArray[np.bool_] | None]:
    """The codes, and which weights they are for if not for all."""
    for name, dtype in ((SIZE, np.int64), (CODES, np.int8), (PEAKS, np.float32), (MASK, np.uint8)):
        if name in tensors and (tensors[name].ndim != 1 or tensors[name].dtype != dtype):
            raise ValueError(f"compact weights: {name} must be one row of {np.dtype(dtype)}")
        if name not in tensors and name != MASK:
            raise ValueError(f"compact weights: {name} is missing")
    codes, mask, stored = tensors[CODES], tensors.get(MASK), tensors[SIZE].tolist()
    if len(stored) != 1 or size not in (None, stored[0]):
        raise ValueError(f"compact weights: {size} are needed, there are {stored}")
    kept = None
    if mask is not None and mask.size == -(-stored[0] // 8):
        kept = np.unpackbits(mask, count=stored[0]).view(np.bool_)
    count = stored[0] if mask is None else -1 if kept is None else np.count_nonzero(kept)
    if codes.size != count or tensors[PEAKS].size != -(-codes.size // BLOCK):
        raise ValueError("compact weights: the tensors do not fit each other")
    return codes, kept
