"""Slow twins of encoders: in float64 by definition, and dense parts in 8 bits with exact integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import erf
from typing import Any

import numpy as np

from arbora.neural import EncoderShape
from arbora.neural.shapes import MIX

Arrays = Mapping[str, Any]


def gelu(x: float) -> float:
    return x * (1 + erf(x / np.sqrt(2))) / 2


def gelu_new(x: float) -> float:
    return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2


def relu(x: float) -> float:
    return max(x, 0.0)


ACTIVATIONS = {"gelu": gelu, "gelu_new": gelu_new, "relu": relu}


def quantize(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of float32 as integers from -127 to 127, and the scale of each: rounded as the core does it."""
    rows = rows.astype(np.float32)
    largest = np.abs(rows).max(axis=1, initial=0)
    is_zero = largest < np.float32(1e-30)
    inverse = np.where(is_zero, np.float32(0), np.float32(127) / np.where(is_zero, np.float32(1), largest))
    integers = np.rint(rows * inverse[:, None]).astype(np.int64)
    return integers, np.where(is_zero, np.float32(0), largest / np.float32(127))


def dense_bytes(rows: np.ndarray, weights: np.ndarray, scales: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """A dense part in 8 bits, to the last bit: exact sums, and three roundings to float32."""
    integers, row_scales = quantize(rows)
    sums = (integers @ weights.astype(np.int64).T).astype(np.float32)
    return sums * (scales[None, :] * row_scales[:, None]) + bias


class SlowEncoder:
    """An encoder in float64; dense parts in 8 bits are as the core has them."""

    def __init__(self, shape: EncoderShape, tensors: Arrays) -> None:
        self.shape = shape
        self.tensors = {
            name: t if t.dtype == np.int8 else t.astype(np.float64) for name, t in tensors.items()
        }

    def encode(self, ids: Sequence[int]) -> np.ndarray:
        own, shape = self.tensors, self.shape
        words = own["embeddings.words"][list(ids)].astype(np.float64)
        if "embeddings.scales" in own:
            words *= own["embeddings.scales"][list(ids), None]
        places = shape.first_position + np.arange(len(ids))
        x = self.norm(words + own["embeddings.positions"][places], "embeddings.norm")
        found = []
        for i in range(shape.layers):
            mixed = self.attention(self.dense(x, f"layers.{i}.attention"))
            x = self.norm(x + self.dense(mixed, f"layers.{i}.mixing"), f"layers.{i}.mixing.norm")
            inner = self.dense(x, f"layers.{i}.inner")
            inner = np.vectorize(ACTIVATIONS[shape.activation], otypes=[float])(inner)
            x = self.norm(x + self.dense(inner, f"layers.{i}.outer"), f"layers.{i}.outer.norm")
            found.append(x)
        if MIX in own:
            return sum(weight * rows for weight, rows in zip(own[MIX], found, strict=True))
        return x

    def dense(self, x: np.ndarray, name: str) -> np.ndarray:
        weights, bias = self.tensors[f"{name}.weights"], self.tensors[f"{name}.bias"]
        if weights.dtype != np.int8:
            return x @ weights.T + bias
        integers, scales = quantize(x)
        return (integers @ weights.T) * (self.tensors[f"{name}.scales"] * scales[:, None]) + bias

    def attention(self, three: np.ndarray) -> np.ndarray:
        hidden, width = self.shape.hidden, self.shape.hidden // self.shape.heads
        found = np.zeros((len(three), hidden))
        for first in range(0, hidden, width):
            own = slice(first, first + width)
            query, key, value = (three[:, part : part + hidden][:, own] for part in (0, hidden, 2 * hidden))
            for i in range(len(three)):
                scores = np.array([query[i] @ key[j] / np.sqrt(width) for j in range(len(three))])
                weights = np.exp(scores - scores.max())
                found[i, own] = (weights / weights.sum()) @ value
        return found

    def norm(self, x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(axis=1, keepdims=True)
        variance = (centred**2).mean(axis=1, keepdims=True)
        scale, shift = self.tensors[f"{name}.scale"], self.tensors[f"{name}.shift"]
        return centred / np.sqrt(variance + self.shape.epsilon) * scale + shift
