"""How a network learns: the loss of a batch, and steps against its gradient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from arbora.dependency import ArrayParser, ArrayScores, batch_loss
from arbora.errors import ArboraError
from arbora.neural.data import UNKNOWN, Batch
from arbora.neural.network import Network, Scores, Words
from arbora.neural.options import NeuralOptions

WARM_UP = 0.06
"""The share of all steps in which the learning rates rise."""
DECAY = 0.01
"""Of the encoder's weights, with every step, times the learning rate."""
BETAS = (0.9, 0.98)
GREATEST_NORM = 1.0
"""Longer gradients are shortened to that."""


def _whole(numbers: torch.Tensor) -> torch.Tensor:
    """What came in bfloat16 goes on in float32."""
    return numbers.float() if numbers.dtype == torch.bfloat16 else numbers


class Learner:
    """AdamW over a network. What changes can be saved and restored, and goes on to the same numbers."""

    def __init__(
        self, network: Network, options: NeuralOptions, column_sizes: Sequence[int], steps: int
    ) -> None:
        """For so many steps in all. ``column_sizes``: how many names UPOS, XPOS and FEATS have."""
        self.network, self.options, self.steps, self.step = network, options, steps, 0
        self.column_sizes = list(column_sizes)
        self.device = next(network.parameters()).device
        self.parser = ArrayParser(single_root=options.single_root, projective=bool(options.projective))
        groups: dict[tuple[float, float], list[torch.Tensor]] = {}
        for name, parameter in network.learned().items():
            is_encoder = name.startswith("encoder/")
            rate = options.rate if is_encoder else options.head_rate
            decay = DECAY if is_encoder and parameter.ndim > 1 else 0.0
            groups.setdefault((rate, decay), []).append(parameter)
        self.optimizer = torch.optim.AdamW(
            [{"params": own, "rate": rate, "weight_decay": decay} for (rate, decay), own in groups.items()],
            betas=BETAS,
        )

    def learn(self, batch: Batch, *, half: bool) -> float:
        """One step; the sum of all losses of the batch. ``half``: in bfloat16."""
        loss, surrogate = self.objective(batch, half=half)
        for group in self.optimizer.param_groups:
            group["lr"] = group["rate"] * self._share()
        self.optimizer.zero_grad(set_to_none=True)
        (surrogate / sum(batch.lengths)).backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(list(self.network.learned().values()), GREATEST_NORM)
        self._check_finite(norm)
        self.optimizer.step()
        self.step += 1
        return loss

    def objective(self, batch: Batch, *, half: bool = False) -> tuple[float, torch.Tensor]:
        """The sum of all losses of a batch; and what has the same gradient, for torch."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=half):
            scores = self.network(Words(*(own.to(self.device) for own in batch.words)))
            labels = self._label_scores(batch, scores)
        of_trees, surrogate = self._tree_loss(batch, _whole(scores.arcs))
        others = self._named_loss(_whole(labels), batch.labels)
        if scores.tags is not None and self.options.tag_weight:
            others = others + self.options.tag_weight * self._tag_loss(_whole(scores.tags), batch.tags)
        return of_trees + float(others.detach()), surrogate + others

    def _check_finite(self, numbers: torch.Tensor) -> None:
        """ArboraError if training has diverged: such numbers come back from every step after it."""
        if not bool(torch.isfinite(numbers).all()):
            own = self.options
            raise ArboraError(
                f"training has diverged: some numbers of step {self.step + 1} are infinite or not a number; "
                f"lower --rate ({own.rate:g}) or --head-rate ({own.head_rate:g}), and start anew"
            )

    def _share(self) -> float:
        """Of the greatest learning rate, at this step."""
        rising = (self.step + 1) / (WARM_UP * self.steps)
        falling = (self.steps - self.step) / ((1 - WARM_UP) * self.steps)
        return max(0.0, min(rising, falling))

    def _tree_loss(self, batch: Batch, arcs: torch.Tensor) -> tuple[float, torch.Tensor]:
        """The loss of trees, exactly; and what has the same gradient, for torch."""
        self._check_finite(arcs)
        scores = ArrayScores(arcs.detach().cpu().numpy().astype(np.float64), lengths=batch.lengths)
        losses, gradients = batch_loss(
            scores,
            batch.heads,
            loss=self.options.loss,
            beta=self.options.beta,
            gamma=self.options.gamma,
            parser=self.parser,
        )
        gradient: Any = gradients.arcs
        return float(losses.sum()), (arcs * torch.from_numpy(gradient).to(arcs)).sum()

    def _label_scores(self, batch: Batch, scores: Scores) -> torch.Tensor:
        """Of every word's labels, given its right head."""
        heads = torch.from_numpy(np.maximum(batch.heads, 0)).long().to(self.device)
        of_heads = scores.heads.gather(1, heads[..., None].expand(-1, -1, scores.heads.shape[-1]))
        return self.network.score_labels(scores.modifiers, of_heads)

    @staticmethod
    def _named_loss(scores: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(
            scores.flatten(0, 1), right.flatten().to(scores.device), ignore_index=UNKNOWN, reduction="sum"
        )

    def _tag_loss(self, scores: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        columns = torch.split(scores, self.column_sizes, -1)
        losses = [self._named_loss(own, right[..., place]) for place, own in enumerate(columns)]
        return torch.stack(losses).sum()

    def to_parts(self) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
        """Parameters, moments and torch's generators."""
        tensors = generator_states(self.device)
        for name, parameter in self.network.learned().items():
            tensors[f"parameters/{name}"] = parameter.detach().cpu().numpy().copy()
            state = self.optimizer.state.get(parameter)
            if state:
                tensors[f"means/{name}"] = state["exp_avg"].cpu().numpy().copy()
                tensors[f"squares/{name}"] = state["exp_avg_sq"].cpu().numpy().copy()
        return {"step": self.step}, tensors

    def restore(self, header: dict[str, Any], tensors: dict[str, np.ndarray[Any, Any]]) -> None:
        """Go on from what `to_parts` gave."""
        self.step = int(header["step"])
        restore_generators(self.device, tensors)
        self.network.load(
            {
                name.removeprefix("parameters/"): own
                for name, own in tensors.items()
                if name.startswith("parameters/")
            }
        )
        for name, parameter in self.network.learned().items():
            if f"means/{name}" in tensors:
                self.optimizer.state[parameter] = {
                    "step": torch.tensor(float(self.step)),
                    "exp_avg": torch.from_numpy(np.array(tensors[f"means/{name}"])).to(self.device),
                    "exp_avg_sq": torch.from_numpy(np.array(tensors[f"squares/{name}"])).to(self.device),
                }


def generator_states(device: torch.device) -> dict[str, np.ndarray[Any, Any]]:
    """What is random comes from the processor's generator, and on an accelerator from its own (not tried)."""
    found = {"generator": torch.get_rng_state().numpy()}
    if device.type != "cpu":
        found["device_generator"] = torch.get_device_module(device).get_rng_state().cpu().numpy()
    return found


def restore_generators(device: torch.device, states: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Go on from what `generator_states` gave."""
    torch.set_rng_state(torch.from_numpy(np.array(states["generator"])))
    if device.type != "cpu":
        own = torch.from_numpy(np.array(states["device_generator"]))
        torch.get_device_module(device).set_rng_state(own)
