"""Transformer encoders at work: rows of numbers for sub-words, in the core, without torch.

Weights are float32, or integers of 8 bits with a scale for each output (for each row of embeddings). With
those, rows of activations are integers too, each with its own scale. What comes of a sentence depends on
nothing else: not on other sentences of a call, or on threads; in 8 bits not on the machine either. (The heads
of a parser that stay in float32 do, in the last digits.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arbora import _core
from arbora.errors import ArboraError
from arbora.models import Parts, Tensors
from arbora.neural.shapes import MIX, SHAPES, EncoderShape, dense_parts, scales_of, tensor_shapes

MOST = 127
"""The largest integer of weights and activations in 8 bits, and the smallest but for its sign."""


class Encoder:
    """An encoder with its weights. It does not change, and serves any number of threads.

    ``tensors`` are those of `arbora.neural.shapes.tensor_shapes`, as float32 or as `quantized` makes them;
    embeddings are used where they are. With ``mix.weights``, of shape (layers,), a result is the sum of what
    all layers give times these; without, it is what the last one gives. With ``embeddings.shapes``, of shape
    (shapes, hidden), sub-words may come with numbers of shapes of words. ``kernels`` are one of
    `kernel_names`, by default the fastest.

    >>> shape = EncoderShape("bert", layers=1, hidden=8, heads=2, inner=16, positions=10, vocabulary=30)
    >>> encoder = Encoder(shape, quantized(random_tensors(shape)))
    >>> [rows.shape for rows in encoder.encode_all([[1, 2, 3], [4]])]
    [(3, 8), (1, 8)]
    """

    def __init__(self, shape: EncoderShape, tensors: Tensors, *, kernels: str = "") -> None:
        names = [*tensor_shapes(shape), *(name for name in (MIX, SHAPES) if name in tensors)]
        names += [scales_of(name) for name in _tables(shape) if tensors[name].dtype == np.int8]
        self.shape = shape
        self.tensors = {name: tensors[name] for name in names}
        sizes = {name: value for name, value in shape.as_dict().items() if name != "kind"}
        self.core = _core.Encoder(self.tensors, kernels=kernels, **sizes)

    @property
    def kernels(self) -> str:
        """The kernels that do the work."""
        return self.core.kernels

    def encode(
        self,
        ids: NDArray[np.int32],
        ends: NDArray[np.int64],
        *,
        shapes: NDArray[np.uint8] | None = None,
        threads: int = 1,
    ) -> NDArray[np.float32]:
        """Rows of shape (n, hidden) for ``ids`` (n,) of sequences that end before the places ``ends`` (s,).

        ``shapes`` (n,) are rows of ``embeddings.shapes`` that are added.

        ValueError if a number is not in the vocabulary, or a sequence longer than ``shape.longest``.

        >>> shape = EncoderShape("bert", layers=1, hidden=8, heads=2, inner=16, positions=10, vocabulary=30)
        >>> encoder = Encoder(shape, random_tensors(shape))
        >>> encoder.encode(np.array([1, 2, 3, 4], np.int32), np.array([3, 4])).shape
        (4, 8)
        >>> encoder.encode(np.array([1, 30], np.int32), np.array([2]))
        Traceback (most recent call last):
        ValueError: ids: 30 is none of the numbers from 0 to 29
        """
        return self.core.encode(ids, ends, threads, shapes)

    def encode_all(
        self, sequences: Iterable[Sequence[int]], *, threads: int = 1
    ) -> list[NDArray[np.float32]]:
        """The rows of each sequence, of shape (its length, hidden).

        >>> shape = EncoderShape("bert", layers=1, hidden=8, heads=2, inner=16, positions=10, vocabulary=30)
        >>> Encoder(shape, random_tensors(shape)).encode_all([range(11)])
        Traceback (most recent call last):
        arbora.errors.ArboraError: a sequence of 11 sub-words; this encoder has positions for 10
        """
        flat: list[int] = []
        ends: list[int] = []
        for sequence in sequences:
            flat.extend(sequence)
            ends.append(len(flat))
        lengths = np.diff(ends, prepend=0)
        if len(lengths) and lengths.max() > self.shape.longest:
            known = self.shape.longest
            raise ArboraError(
                f"a sequence of {lengths.max()} sub-words; this encoder has positions for {known}"
            )
        rows = self.encode(np.array(flat, np.int32), np.array(ends, np.int64), threads=threads)
        return np.split(rows, ends[:-1]) if ends else []

    def to_parts(self) -> Parts:
        """The shape as plain data, and the tensors."""
        return self.shape.as_dict(), self.tensors

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], tensors: Tensors) -> Encoder:
        """The encoder of a header and tensors as `to_parts` gives them; KeyError or ValueError if they make
        none.

        >>> shape = EncoderShape("bert", layers=1, hidden=8, heads=2, inner=16, positions=10, vocabulary=30)
        >>> header, tensors = Encoder(shape, random_tensors(shape)).to_parts()
        >>> Encoder.from_parts(header, tensors).shape == shape
        True
        """
        return cls(EncoderShape.of_header(header), tensors)


def kernel_names() -> list[str]:
    """The kernels that this machine has, the fastest first: avx512-vnni, avx2, plain.

    >>> kernel_names()[-1]
    'plain'
    """
    return _core.encoder_kernels()


def quantized(tensors: Tensors) -> dict[str, NDArray[Any]]:
    """Float32 tensors with weights and embeddings of words in 8 bits, a scale for each output or word.

    An output's weights are ``scale`` times integers from -127 to 127; ``scales`` are of shape (out,).

    >>> weights = np.array([[0.5, -1.0], [0, 0]], np.float32)
    >>> made = quantized({"layers.0.inner.weights": weights})
    >>> made["layers.0.inner.weights"].tolist(), made["layers.0.inner.scales"].tolist()
    ([[64, -127], [0, 0]], [0.007874015718698502, 0.0])
    """
    found: dict[str, NDArray[Any]] = {}
    for name, tensor in tensors.items():
        if name != MIX and (name.endswith(".weights") or name == "embeddings.words"):
            scales = np.abs(tensor).max(axis=1) / np.float32(MOST)
            steps = np.where(scales > 0, scales, np.float32(1))[:, None]
            found[name] = np.clip(np.rint(tensor / steps), -MOST, MOST).astype(np.int8)
            found[scales_of(name)] = scales
        else:
            found[name] = tensor
    return found


def random_tensors(shape: EncoderShape, seed: int = 0) -> dict[str, NDArray[np.float32]]:
    """Float32 tensors of an encoder that has learned nothing, as one begins; for tests and measurements.

    >>> shape = EncoderShape("bert", layers=1, hidden=8, heads=2, inner=16, positions=10, vocabulary=30)
    >>> random_tensors(shape)["layers.0.inner.weights"].shape
    (16, 8)
    """
    rng = np.random.default_rng(seed)
    found = {}
    for name, extents in tensor_shapes(shape).items():
        spread = 1 / np.sqrt(extents[-1]) if len(extents) == 2 else 0.1
        values = rng.normal(scale=spread, size=extents)
        found[name] = (values + name.endswith("norm.scale")).astype(np.float32)
    return found


def _tables(shape: EncoderShape) -> list[str]:
    """What may be in 8 bits."""
    return ["embeddings.words", *(f"{name}.weights" for name in dense_parts(shape))]
