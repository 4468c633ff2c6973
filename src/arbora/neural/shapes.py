"""The shape of an encoder, and the names and shapes of its tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from arbora.models.checking import a_mapping, a_number, a_text, a_whole

KINDS = ("bert", "roberta", "xlm-roberta")
ACTIVATIONS = ("gelu", "gelu_new", "relu")
LARGEST_SIZE = 1 << 16
"""Rows are no wider: sums of that many products of 8-bit integers are 32-bit integers still."""
MOST_LAYERS = 1000
MIX = "mix.weights"
"""The tensor of a mix of layers, if there is one."""
SHAPES = "embeddings.shapes"
"""The tensor of what words look like, if there is one: a row for each shape, added to sub-words' own."""


@dataclass(frozen=True)
class EncoderShape:
    """What an encoder is, without its weights.

    ``kind`` is one of bert, roberta and xlm-roberta. A sub-word is a row of ``hidden`` numbers, which
    ``heads`` share evenly; between, it is ``inner`` wide. ``positions`` are the rows of the table of
    positions, of which sequences begin at ``first_position``. ``activation`` is gelu (the exact one),
    gelu_new (by tanh) or relu.

    >>> shape = EncoderShape("bert", layers=2, hidden=8, heads=2, inner=16, positions=10, vocabulary=30)
    >>> shape.longest, shape.parameters()
    (10, 1536)
    """

    kind: str
    layers: int
    hidden: int
    heads: int
    inner: int
    positions: int
    vocabulary: int
    first_position: int = 0
    epsilon: float = 1e-12
    activation: str = "gelu"

    def __post_init__(self) -> None:
        for name, known in (("kind", KINDS), ("activation", ACTIVATIONS)):
            if a_text(getattr(self, name), name) not in known:
                raise ValueError(f"{name} is none of {', '.join(known)}: {getattr(self, name)!r:.40}")
        a_whole(self.layers, "layers", 1, MOST_LAYERS)
        for name in ("hidden", "heads", "inner"):
            a_whole(getattr(self, name), name, 1, LARGEST_SIZE)
        for name in ("positions", "vocabulary"):
            a_whole(getattr(self, name), name, 1)
        a_whole(self.first_position, "first_position", 0, self.positions - 1)
        a_number(self.epsilon, "epsilon", 1e-30, 1)
        if self.hidden % self.heads:
            raise ValueError(f"{self.heads} heads cannot share {self.hidden} numbers evenly")

    @property
    def longest(self) -> int:
        """The sub-words of the longest sequence."""
        return self.positions - self.first_position

    def parameters(self) -> int:
        """How many numbers there are to learn."""
        total = 0
        for shape in tensor_shapes(self).values():
            size = 1
            for extent in shape:
                size *= extent
            total += size
        return total

    def as_dict(self) -> dict[str, Any]:
        """Plain data, of which `of_header` makes the shape again."""
        return asdict(self)

    @classmethod
    def of_header(cls, header: Mapping[str, Any]) -> EncoderShape:
        """The shape of what a file says; ValueError or KeyError if it is none.

        >>> EncoderShape.of_header({"kind": "lstm"})
        Traceback (most recent call last):
        KeyError: 'layers'
        """
        plain = a_mapping(header, "the shape of the encoder")
        values = {field.name: plain[field.name] for field in fields(cls)}
        if len(plain) > len(values):
            strange = sorted(set(plain) - set(values))[0]
            raise ValueError(f"an encoder's shape has no {strange!r:.40} in this Arbora; upgrade arbora")
        return cls(**{**values, "epsilon": a_number(values["epsilon"], "epsilon")})


def dense_parts(shape: EncoderShape) -> dict[str, tuple[int, int]]:
    """The dense parts by name, as (out, in): each has ``.weights`` of that shape and a ``.bias``."""
    hidden, inner = shape.hidden, shape.inner
    parts = {}
    for i in range(shape.layers):
        parts[f"layers.{i}.attention"] = (3 * hidden, hidden)
        parts[f"layers.{i}.mixing"] = (hidden, hidden)
        parts[f"layers.{i}.inner"] = (inner, hidden)
        parts[f"layers.{i}.outer"] = (hidden, inner)
    return parts


def tensor_shapes(shape: EncoderShape) -> dict[str, tuple[int, ...]]:
    """The names of an encoder's tensors, and their shapes.

    >>> shape = EncoderShape("bert", layers=1, hidden=8, heads=2, inner=16, positions=10, vocabulary=30)
    >>> for name, extents in tensor_shapes(shape).items():
    ...     print(name, *extents)
    embeddings.words 30 8
    embeddings.positions 10 8
    embeddings.norm.scale 8
    embeddings.norm.shift 8
    layers.0.attention.weights 24 8
    layers.0.attention.bias 24
    layers.0.mixing.weights 8 8
    layers.0.mixing.bias 8
    layers.0.inner.weights 16 8
    layers.0.inner.bias 16
    layers.0.outer.weights 8 16
    layers.0.outer.bias 8
    layers.0.mixing.norm.scale 8
    layers.0.mixing.norm.shift 8
    layers.0.outer.norm.scale 8
    layers.0.outer.norm.shift 8
    """
    hidden = shape.hidden
    found: dict[str, tuple[int, ...]] = {
        "embeddings.words": (shape.vocabulary, hidden),
        "embeddings.positions": (shape.positions, hidden),
    }
    norms = ["embeddings.norm"]
    norms += [f"layers.{i}.{part}.norm" for i in range(shape.layers) for part in ("mixing", "outer")]
    dense: dict[str, tuple[int, ...]] = {}
    for name, (out, width) in dense_parts(shape).items():
        dense |= {f"{name}.weights": (out, width), f"{name}.bias": (out,)}
    first, *others = [{f"{name}.scale": (hidden,), f"{name}.shift": (hidden,)} for name in norms]
    found |= first | dense
    for norm in others:
        found |= norm
    return found


def scales_of(name: str) -> str:
    """The name of the scales of a table in 8 bits.

    >>> scales_of("embeddings.words"), scales_of("layers.0.inner.weights")
    ('embeddings.scales', 'layers.0.inner.scales')
    """
    return name.rpartition(".")[0] + ".scales"
