"""The span parser: a model file at work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arbora import _core
from arbora.constituency.parser import ConstituencyParser, ParsedTree
from arbora.constituency.spans.constraints import SpanConstraints
from arbora.constituency.spans.options import SpanOptions
from arbora.constituency.spans.symbols import Symbols
from arbora.constituency.spans.templates import SpanTemplates
from arbora.constituency.trees import TaggedWords, checked_words
from arbora.errors import ArboraError
from arbora.models import Parts, Tensors, below, compact, expand_short, is_compact, under
from arbora.models.checking import (
    a_list,
    a_number,
    a_positive,
    a_row,
    a_text,
    a_whole,
    moderate,
    some_options,
)
from arbora.models.options import a_count

ARCHITECTURE = "span-parser"
KEPT = 0.9999
"""The share of the squared weight that a compact model file keeps: its smallest weights become zero."""

Spans = dict[tuple[str, int, int], float]
Nodes = list[tuple[int, int, int]]


class SpanParser(ConstituencyParser):
    """A trained span parser. It does not change, and serves any number of threads.

    All probabilities are exact sums over all trees that can be made of the nodes which the small model keeps;
    what it leaves out has probability 0. If it keeps no tree at all, flat ones are added.

    Make one with `arbora.constituency.spans.training.train_span_parser`, or `load` it from a file.
    """

    architecture = ARCHITECTURE

    def __init__(self, header: dict[str, Any], tensors: Tensors) -> None:
        """A parser from what its file holds; KeyError, TypeError or ValueError if that is none."""
        self.header = header
        self.tensors = dict(tensors)
        self.symbols = Symbols.from_plain(header["symbols"])
        self._core = make_parser(header, tensors, self.symbols)

    @property
    def labels(self) -> list[str]:
        """The labels that its trees can have."""
        return self.symbols.labels

    @classmethod
    def from_parts(cls, header: dict[str, Any], tensors: Tensors) -> SpanParser:
        """The parser of a header and tensors as `to_parts` gives them."""
        return cls(header, tensors)

    def to_parts(self, *, compact_weights: bool = False) -> Parts:
        """The header and the tensors of the model file."""
        if not compact_weights:
            return self.header, self.tensors
        tensors: dict[str, Any] = {}
        for name in ("coarse", "fine"):
            own = below(self.tensors, f"{name}.")
            tensors |= under(f"{name}.", own if is_compact(own) else compact(_floats(own), keep=KEPT))
        return self.header, tensors

    def parse_kbest(
        self,
        sentences: Sequence[TaggedWords],
        k: int,
        *,
        probabilities: bool = False,
        threads: int = 1,
        constraints: Sequence[SpanConstraints | None] | None = None,
    ) -> list[list[ParsedTree]]:
        """For every sentence its k best trees, or as many as there are, at least one; best first.

        ``constraints``: for every sentence what its trees must obey, or None.
        """
        k, threads = a_count(k, "k"), a_count(threads, "threads")
        return self._trees(
            sentences,
            lambda text, given: self._core.kbest(text, k, given, probabilities, threads),
            constraints,
            probabilities=probabilities,
        )

    def minimum_risk(
        self,
        sentences: Sequence[TaggedWords],
        *,
        probabilities: bool = False,
        threads: int = 1,
        constraints: Sequence[SpanConstraints | None] | None = None,
    ) -> list[ParsedTree]:
        """For every sentence the tree with the least expected number of wrong and missing constituents."""
        threads = a_count(threads, "threads")
        found = self._trees(
            sentences,
            lambda text, given: self._core.minimum_risk(text, given, probabilities, threads),
            constraints,
            probabilities=probabilities,
        )
        return [trees[0] for trees in found]

    def samples(
        self,
        sentences: Sequence[TaggedWords],
        count: int,
        *,
        seed: int = 1,
        threads: int = 1,
        constraints: Sequence[SpanConstraints | None] | None = None,
    ) -> list[list[ParsedTree]]:
        """For every sentence so many trees, each drawn with its probability."""
        count, seed = a_count(count, "count"), a_count(seed, "seed", 0)
        threads = a_count(threads, "threads")
        return self._trees(
            sentences,
            lambda text, given: self._core.samples(text, count, seed, given, threads),
            constraints,
        )

    def probabilities(
        self,
        sentences: Sequence[TaggedWords],
        *,
        threads: int = 1,
        constraints: Sequence[SpanConstraints | None] | None = None,
    ) -> list[Spans]:
        """For every sentence how probable each constituent (label, start, end) is; others are impossible."""
        text, given = self._prepared(sentences, constraints)
        threads = a_count(threads, "threads")
        found = self._core.kbest(text, 0, given, True, threads)
        return [self._of_spans(nodes.tolist(), own.tolist()) for _, nodes, own in found]

    def tree_costs(
        self, text: _core.SpanText, gold: Any, scales: list[float], threads: int = 1
    ) -> list[float]:
        """The sum of -log P over gold trees, where there is a P, if scores are multiplied by each scale."""
        return self._core.tree_costs(text, gold, scales, threads)

    def _of_spans(self, nodes: Nodes, probabilities: list[float]) -> Spans:
        """A label is there if one of the chains that hold it is."""
        result: Spans = defaultdict(float)
        for (start, end, symbol), probability in zip(nodes, probabilities, strict=True):
            if 0 < symbol <= len(self.symbols.chains) and probability > 0:
                for label in dict.fromkeys(self.symbols.chain_of(symbol)):
                    result[label, start, end] += probability
        return dict(result)

    def _trees(
        self,
        sentences: Sequence[TaggedWords],
        find: Any,
        constraints: Sequence[SpanConstraints | None] | None,
        *,
        probabilities: bool = False,
    ) -> list[list[ParsedTree]]:
        """What the core finds, as trees."""
        text, given = self._prepared(sentences, constraints)
        found: list[tuple[list[tuple[Nodes, float]], Any, Any]] = find(text, given)
        result: list[list[ParsedTree]] = []
        for number, (sentence, (trees, nodes, chances)) in enumerate(zip(sentences, found, strict=True)):
            if not trees and constraints is not None:
                raise ArboraError(f"no tree of sentence {number + 1} obeys the constraints")
            own = self._of_spans(nodes.tolist(), chances.tolist()) if probabilities else None
            result.append([self._tree(sentence, own_nodes, score, own) for own_nodes, score in trees])
        return result

    def _tree(self, sentence: TaggedWords, nodes: Nodes, score: float, of_spans: Spans | None) -> ParsedTree:
        tree = self.symbols.tree(nodes, sentence)
        chances = None
        if of_spans is not None:  # the empty label on top is certain
            chances = tuple(of_spans.get(span, 0.0) if span[0] else 1.0 for span in tree.spans())
        return ParsedTree(tree, min(score, 0.0), span_probabilities=chances)

    def _prepared(
        self, sentences: Sequence[TaggedWords], constraints: Sequence[SpanConstraints | None] | None
    ) -> tuple[_core.SpanText, list[Any]]:
        """The sentences and their constraints as the core takes them."""
        text = make_text(sentences)
        if constraints is None:
            return text, []
        if len(constraints) != len(sentences):
            raise ArboraError(
                f"{len(constraints)} constraints for {len(sentences)} sentences: one each is needed"
            )
        none = SpanConstraints()
        return text, [
            (own or none).compile(self.symbols, len(sentence.words))
            for own, sentence in zip(constraints, sentences, strict=True)
        ]


def make_text(sentences: Sequence[TaggedWords]) -> _core.SpanText:
    """Sentences as the core takes them; ArboraError if one has no words, or not a tag for each."""
    sentences = checked_words(sentences)
    for number, (words, tags) in enumerate(sentences, 1):
        if not len(words):
            raise ArboraError(f"sentence {number} has no words: a tree needs one")
        if len(words) != len(tags):
            raise ArboraError(f"sentence {number} has {len(words)} words but {len(tags)} tags")
    try:
        return _core.SpanText([(list(words), list(tags)) for words, tags in sentences])
    except UnicodeEncodeError as error:
        raise ArboraError(f"{error.object!r} is no Unicode text that a file could hold") from None


def make_models(symbols: Symbols, templates: SpanTemplates) -> tuple[_core.CoarseSpans, _core.SpanModel]:
    """The small model and the model of trees, without weights."""
    grammar = symbols.grammar()
    return (
        _core.CoarseSpans(grammar, templates.compile("coarse")),
        _core.SpanModel(grammar, templates.compile("nodes"), templates.compile("rules")),
    )


def make_parser(header: Mapping[str, Any], tensors: Tensors, symbols: Symbols) -> _core.SpanParser:
    """The core's parser; KeyError, TypeError or ValueError if header and tensors make none."""
    some_options(SpanOptions, header["options"])
    coarse, model = make_models(symbols, SpanTemplates.parse(a_text(header["templates"], "templates")))
    bits = [a_whole(own, "bits", 4, 28) for own in a_list(header["bits"], "bits", 2)]
    threshold = a_number(header["threshold"], "threshold", 0, 1)
    most = a_whole(header["most"], "most", 0, 10**6)
    scale = a_positive(header["scale"], "scale")
    weights = [
        moderate(load_weights(below(tensors, f"{name}."), (1 << own) + padding), f"{name} model", scale)
        for name, own, padding in zip(("coarse", "fine"), bits, (coarse.padding, model.padding), strict=True)
    ]
    return _core.SpanParser(coarse, weights[0], (threshold, most), model, weights[1], scale)


def load_weights(tensors: Tensors, size: int) -> _core.ShortWeights:
    """Weights as the core takes them, of what a file holds; ValueError if they are not so many."""
    if is_compact(tensors):
        return expand_short(tensors, size)
    values, step = a_row(tensors, "weights", np.int16), a_row(tensors, "step", np.float32)
    if values.size != size or step.size != 1:
        raise ValueError(f"the weights are not {size} short numbers and a step")
    return _core.ShortWeights(values, a_positive(float(step[0]), "the step of the weights"))


def _floats(tensors: Tensors) -> Any:
    return tensors["weights"] * tensors["step"]
