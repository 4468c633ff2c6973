"""The dependency parser: a model file at work."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.dependency.batch_parser import BatchParser
from arbora.dependency.linear_model import check_header, checked_weights, encode, make_linear_model
from arbora.dependency.options import ParseOptions
from arbora.dependency.scored_parser import Integers
from arbora.models import Parts, Tensors, compact, expand_short, is_compact
from arbora.models.checking import moderate
from arbora.models.options import options_of
from arbora.treebank import Sentence

ARCHITECTURE = "dependency-parser"


class DependencyParser(BatchParser):
    """A trained parser. It does not change, and serves any number of threads.

    Make one with :func:`arbora.dependency.train`, or `load` it from a file.
    """

    architecture = ARCHITECTURE

    def __init__(
        self,
        header: dict[str, Any],
        weights: _core.ShortWeights,
        pruner_weights: _core.ShortWeights,
    ) -> None:
        """A parser from what its file holds; `load` and `train` are the usual ways here."""
        self.header = header
        self.labels: list[str] = list(header["labels"])
        self.tags: list[str] = list(header.get("tags", []))  # among which it chooses; none: they are given
        self.settings = header["options"]
        self.hidden_tags = bool(header["options"].get("latent_tags", 0))
        self._names = _core.ParserNames(self.labels, self.tags)
        self._weights = weights
        self._pruner_weights = pruner_weights
        # The 8-bit weights of a file that has such, so that they can be written again without further loss.
        self._compact: dict[str, npt.NDArray[Any]] | None = None
        self._core = make_linear_model(header)

    @classmethod
    def from_parts(cls, header: dict[str, Any], tensors: Tensors) -> DependencyParser:
        """The parser of a header and tensors as `to_parts` gives them."""
        size = (1 << check_header(header).bits) + header["padding"]
        if is_compact(tensors):
            weights = expand_short(tensors, size)
        else:
            weights = checked_weights(tensors, "weights", header["step"])
        scales = [header.get(name, 1.0) for name in ("tree_scale", "label_scale", "joint_scale")]
        moderate(weights, "parser", *scales)
        pruner_weights = checked_weights(tensors, "pruner", header["pruner_step"])
        if weights.values.size != size:
            raise ValueError("the weights have another size than the header says")
        count = moderate(pruner_weights, "pruner").values.size
        if count < 16 or count & (count - 1):
            raise ValueError("the pruner's weights are no power of two")
        parser = cls(header, weights, pruner_weights)
        if is_compact(tensors):
            parser._compact = {name: tensor for name, tensor in tensors.items() if name != "pruner"}
        if parser._core.padding != header["padding"]:
            raise ValueError("the weights were laid out for other labels")
        return parser

    def to_parts(self, *, compact_weights: bool = False) -> Parts:
        """The header and the tensors of the model file."""
        own, pruner = self._weights, self._pruner_weights
        if compact_weights:
            tensors = self._compact or compact(own.values * np.float32(own.step), keep=1.0)
        else:
            tensors = {"weights": own.values}
        header = {**self.header, "step": own.step, "pruner_step": pruner.step}
        return header, {**tensors, "pruner": pruner.values}

    @property
    def asks(self) -> dict[str, Any]:
        """A parser that chooses tags wants a list of them for each word, with their probabilities."""
        options = self.header["options"]
        count = options.get("joint_tags", 0)
        return {"tag_candidates": count, "tag_threshold": options["tag_threshold"]} if count else {}

    def time_stages(
        self, sentences: Iterable[Sentence], options: ParseOptions | None = None
    ) -> dict[str, float]:
        """Seconds that the best trees of sentences take in each stage, on one thread: for profiles."""
        trees = self._trees(options_of(ParseOptions, options))
        return self._scorer(sentences).time_stages(trees)

    def _annotate_kbest(self, batch: _core.Batch, options: ParseOptions, k: int) -> _core.Batch:
        return self._core.annotate_kbest(
            self._weights,
            self._pruner_weights,
            self._names,
            batch,
            self._trees(options),
            options.constraints,
            options.threads,
            k,
        )

    def _scorer(self, sentences: Iterable[Sentence], *, constraints: bool = False) -> _core.LinearScorer:
        encoded = encode(sentences, self.tags)
        return _core.LinearScorer(self._core, self._weights, self._pruner_weights, encoded)

    def _annotate_natively(
        self,
        batch: _core.Batch,
        options: ParseOptions,
        *,
        given_heads: Integers | None = None,
        given_labels: Integers | None = None,
    ) -> _core.Batch:
        self._core.annotate(
            self._weights,
            self._pruner_weights,
            self._names,
            batch,
            self._trees(options),
            options.decoder == "mbr",
            options.probabilities,
            options.constraints,
            options.threads,
            given_heads,
            given_labels,
        )
        return batch
