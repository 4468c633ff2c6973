"""The network in training, in torch: what `arbora.neural.parser` does in the core, with gradients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from arbora.models import Tensors
from arbora.neural.heads import head_shapes
from arbora.neural.shapes import MIX, SHAPES, EncoderShape

LEAK = 0.1
"""Of negative numbers in the vectors of words; the core has the same."""
_ACTIVATIONS = {
    "gelu": functional.gelu,
    "gelu_new": lambda x: functional.gelu(x, approximate="tanh"),
    "relu": functional.relu,
}


class Words(NamedTuple):
    """Some sentences, padded: sub-words of shape (sentences, m), and where words begin, (sentences, n+1).

    ``is_there`` tells the sub-words that are no padding.
    """

    ids: torch.Tensor
    shapes: torch.Tensor
    is_there: torch.Tensor
    firsts: torch.Tensor


def best_device() -> torch.device:
    """An accelerator, where torch has one, or the processor."""
    found = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    return torch.device("cpu") if found is None else found


def has_bfloat16(device: torch.device) -> bool:
    """Whether it computes in bfloat16 by itself."""
    if device.type != "cpu":
        return True
    try:
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    except (AttributeError, RuntimeError):  # it is private to torch, and may go
        return False


class Scores(NamedTuple):
    """What the network says of sentences: of arcs (sentences, n+1, n+1), by head and modifier, root first.

    ``modifiers`` and ``heads`` are the vectors of words that labels are scored by, ``tags`` the scores of all
    tags, (sentences, n+1, columns).
    """

    arcs: torch.Tensor
    modifiers: torch.Tensor
    heads: torch.Tensor
    tags: torch.Tensor | None


class Network(nn.Module):
    """An encoder and heads. Its tensors have the names that model files have for them."""

    def __init__(
        self,
        shape: EncoderShape,
        encoder: Tensors,
        *,
        arc_size: int,
        label_size: int,
        labels: int,
        tags: int,
        shape_count: int,
        dropout: float,
        head_dropout: float,
        mix: bool = False,
    ) -> None:
        """With the weights of an encoder; heads begin at random, by torch's generator."""
        super().__init__()
        self.shape, self.arc_size, self.label_size = shape, arc_size, label_size
        self.dropout, self.head_dropout = dropout, head_dropout
        self.frozen = {"embeddings.words"}
        made = {name: torch.from_numpy(np.array(tensor)) for name, tensor in encoder.items()}
        made[SHAPES] = torch.zeros(shape_count, shape.hidden)
        if mix:
            made[MIX] = torch.full((shape.layers,), 1 / shape.layers)
        self.has_mix = mix
        heads = {}
        for name, extents in head_shapes(shape.hidden, arc_size, label_size, labels, tags).items():
            heads[name] = torch.zeros(extents)
            if name == "bilinear.weights":
                nn.init.orthogonal_(heads[name][:arc_size], gain=0.3)
            elif len(extents) == 2:
                nn.init.uniform_(heads[name], -1 / extents[1] ** 0.5, 1 / extents[1] ** 0.5)
        self.has_tags = "tags.weights" in heads
        names = {
            **{f"encoder/{n}": t for n, t in made.items()},
            **{f"heads/{n}": t for n, t in heads.items()},
        }
        # A module's parameters have names without dots.
        self.names = {name: name.replace(".", "_").replace("/", "_") for name in names}
        for name, tensor in names.items():
            is_frozen = name.removeprefix("encoder/") in self.frozen
            self.register_parameter(
                self.names[name], nn.Parameter(tensor.float(), requires_grad=not is_frozen)
            )

    def tensor(self, name: str) -> torch.Tensor:
        """A parameter by the name that model files have for it."""
        return getattr(self, self.names[name])  # type: ignore[no-any-return]

    def tensors(self, prefix: str) -> dict[str, np.ndarray[Any, Any]]:
        """The tensors whose names begin so, without that."""
        return {
            name.removeprefix(prefix): self.tensor(name).detach().cpu().numpy().copy()
            for name in self.names
            if name.startswith(prefix)
        }

    def learned(self) -> dict[str, torch.Tensor]:
        """The parameters that change, by name."""
        return {name: own for name in self.names if (own := self.tensor(name)).requires_grad}

    def load(self, tensors: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Set parameters to what `learned` had."""
        with torch.no_grad():
            for name, tensor in tensors.items():
                self.tensor(name).copy_(torch.from_numpy(np.array(tensor)))

    def forward(self, words: Words) -> Scores:
        """The scores of sentences."""
        states = self._encode(words)
        index = words.firsts[..., None].expand(-1, -1, states.shape[-1])
        states = functional.dropout(states.gather(1, index), self.head_dropout, self.training)
        vectors = functional.leaky_relu(self._dense("heads/vectors", states), LEAK)
        vectors = functional.dropout(vectors, self.head_dropout, self.training)
        a, b = self.arc_size, self.label_size
        modifiers, heads, label_modifiers, label_heads = torch.split(vectors, [a, a, b, b], -1)
        turned = self._dense("heads/bilinear", heads)
        arcs = turned[..., :a] @ modifiers.transpose(1, 2) + turned[..., a:]
        tags = self._dense("heads/tags", states) if self.has_tags else None
        return Scores(arcs, label_modifiers, label_heads, tags)

    def score_labels(self, modifiers: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        """The scores of the labels of arcs, given the vectors of their words."""
        return self._dense("heads/labels", torch.cat([modifiers * heads, modifiers, heads], -1))

    def _dense(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return functional.linear(x, self.tensor(f"{name}.weights"), self.tensor(f"{name}.bias"))

    def _norm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        scale, shift = (self.tensor(f"encoder/{name}.{part}") for part in ("scale", "shift"))
        return functional.layer_norm(x, (self.shape.hidden,), scale, shift, self.shape.epsilon)

    def _dropped(self, x: torch.Tensor) -> torch.Tensor:
        return functional.dropout(x, self.dropout, self.training)

    def _encode(self, words: Words) -> torch.Tensor:
        first = self.shape.first_position
        x = functional.embedding(words.ids, self.tensor("encoder/embeddings.words"))
        x = x + self.tensor("encoder/embeddings.positions")[first : first + words.ids.shape[1]]
        x = x + functional.embedding(words.shapes, self.tensor(f"encoder/{SHAPES}"))
        x = self._dropped(self._norm("embeddings.norm", x))
        mask = words.is_there[:, None, None, :]
        layers = []
        for layer in range(self.shape.layers):
            x = self._layer(f"layers.{layer}", x, mask)
            layers.append(x)
        if not self.has_mix:
            return x
        return torch.einsum("l,lsmh->smh", self.tensor(f"encoder/{MIX}"), torch.stack(layers))

    def _layer(self, name: str, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        sentences, length, hidden = x.shape
        three = self._dense(f"encoder/{name}.attention", x)
        three = three.view(sentences, length, 3, self.shape.heads, hidden // self.shape.heads)
        queries, keys, values = three.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        mixed = self._dense(f"encoder/{name}.mixing", seen.transpose(1, 2).reshape(sentences, length, hidden))
        x = self._norm(f"{name}.mixing.norm", x + self._dropped(mixed))
        inner = _ACTIVATIONS[self.shape.activation](self._dense(f"encoder/{name}.inner", x))
        return self._norm(
            f"{name}.outer.norm", x + self._dropped(self._dense(f"encoder/{name}.outer", inner))
        )
