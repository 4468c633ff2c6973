"""The dependency parser: a model file at work."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.dependency.graphs import SentenceGraph
from arbora.dependency.linear_model import check_header, checked_weights, encode, make_linear_model
from arbora.dependency.options import GRAPH_SOLVERS, ParseOptions
from arbora.dependency.output import KBEST_RANK, TREE_LOG_PROBABILITY, RankedTree, check_columns
from arbora.dependency.scored_parser import Floats, Integers, ScoredParser
from arbora.errors import ArboraError, InfeasibleTreeError
from arbora.models import Component, Parts, Tensors, compact, expand_short, is_compact
from arbora.treebank import Sentence
from arbora.treebank.batches import (
    ConlluPiece,
    Step,
    ahead,
    annotated,
    make_batches,
    read_batches,
    sentences_of,
    to_conllu,
    to_sentences,
)

ARCHITECTURE = "dependency-parser"


class DependencyParser(ScoredParser, Component):
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
        check_header(header)
        size = (1 << header["options"]["bits"]) + header["padding"]
        if is_compact(tensors):
            weights = expand_short(tensors, size)
        else:
            weights = checked_weights(tensors["weights"], header["step"])
        pruner_weights = checked_weights(tensors["pruner"], header["pruner_step"])
        if weights.values.size != size:
            raise ValueError("the weights have another size than the header says")
        count = pruner_weights.values.size
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

    def parse(self, sentences: Iterable[Sentence], options: ParseOptions | None = None) -> Iterator[Sentence]:
        """New sentences with heads and labels, in order; the input may be endless, and stays as it is.

        Enhanced dependencies (DEPS) are emptied: they belonged to other trees. With probabilities, MISC gets
        ``HeadProbability`` and ``LabelProbability`` (that of the label, given the tree), and a comment gives
        the logarithm of the tree's probability; ``findings`` has all of them in full precision. A parser that
        chooses tags sets UPOS too, among those that MISC lists (``UposCandidates``, as `arbora.text.Tagger`
        writes it) and does no longer then; a word without such a list keeps its UPOS. Its MISC gets
        ``UposProbability`` with the others.
        """
        options = (options or ParseOptions()).check()
        found = annotated(make_batches(sentences, options.batch), [self.annotator(options)])
        return to_sentences(ahead(found) if options.threads > 1 else found)

    @property
    def asks(self) -> dict[str, Any]:
        """A parser that chooses tags wants a list of them for each word, with their probabilities."""
        options = self.header["options"]
        count = options.get("joint_tags", 0)
        return {"tag_candidates": count, "tag_threshold": options["tag_threshold"]} if count else {}

    def step(self, options: ParseOptions, asked: Mapping[str, Any]) -> Step:
        """What the parser does in a pipeline."""
        return self.annotator(options)

    def annotator(self, options: ParseOptions) -> Step:
        """What the parser does with a batch of sentences: they get trees."""
        check_columns([*self.labels, *self.tags])
        return lambda batch: self._annotate(batch, options)

    def graph(
        self,
        sentence: Sentence,
        options: ParseOptions | None = None,
        *,
        sums: bool = False,
        joined: bool | None = None,
        given_heads: Integers | None = None,
    ) -> SentenceGraph:
        """The sentence as a factor graph over its candidate arcs, with the scores of this parser.

        Any solver of `arbora.FactorGraph` works on it, and more factors can be added. ``sums``: arcs score
        the sum over their labels, as probabilities want it, not their best label. ``joined``: siblings and
        grandparents share automata, which is best for solvers that bound, and not for those that send
        messages; None is so unless ``sums``. ``given_heads``: of every word, -1 where it
        is not known; other arcs of words with known heads are no candidates.
        """
        options = (options or ParseOptions()).check()
        given = None if given_heads is None else with_root(given_heads)
        return self._graph_of(
            self._scorer([sentence]), 0, options, sums=sums, joined=joined, given_heads=given
        )

    def probabilities(
        self, sentence: Sentence, options: ParseOptions | None = None, *, given_heads: bool = False
    ) -> tuple[Floats, Floats]:
        """All probabilities of one sentence: of heads, of shape (n+1, n+1), and of labels, (n+1, labels).

        ``heads[h, m]`` is the probability that word m has the head h (0: the root). ``labels[m]`` is that of
        every label of ``self.labels`` for the arc into word m, given the tree: the best one, or with
        ``given_heads`` the one that the sentence has, of whose heads the probabilities are then all 1.
        """
        options = (options or ParseOptions()).check()
        given = with_root(np.array(sentence.heads, np.int32)) if given_heads else None
        return self._probabilities_of(self._scorer([sentence]), 0, options, given)

    def time_stages(
        self, sentences: Iterable[Sentence], options: ParseOptions | None = None
    ) -> dict[str, float]:
        """Seconds that the best trees of sentences take in each stage, on one thread: for profiles."""
        trees = self._trees((options or ParseOptions()).check())
        return self._scorer(sentences).time_stages(trees)

    def parse_conllu(
        self, pieces: Iterable[bytes], options: ParseOptions | None = None
    ) -> Generator[ConlluPiece, None, None]:
        """Parse a CoNLL-U file that comes in pieces; every piece is answered as soon as it is there.

        The same bytes as reading, `parse` and writing give, but no word becomes an object of Python: this is
        the fast way from file to file. The options' ``batch`` does not matter, pieces are worked on whole:
        larger ones, of a megabyte, keep several threads busy. A sentence that breaks the format, or that no
        tree fits, raises the error when all before it were handed on.
        """
        options = (options or ParseOptions()).check()
        batches = read_batches(pieces, threads=options.threads)
        return to_conllu(annotated(batches, [self.annotator(options)]), threads=options.threads)

    def kbest(
        self, sentences: Iterable[Sentence], k: int, options: ParseOptions | None = None
    ) -> Iterator[list[RankedTree]]:
        """The k most probable labelled trees of each sentence, in order; fewer where there are fewer.

        Only arcs that survive pruning count. A model with a second stage finds them among the labellings of
        the ``max(256, 16 k)`` most probable trees, which are all that matter unless labels are very unsure.
        """
        options = (options or ParseOptions()).check()
        batches = make_batches(sentences, options.batch)
        trees: list[RankedTree] = []
        for sentence in to_sentences(annotated(batches, [self.ranker(k, options)])):
            findings = sentence.findings or {}
            if trees and findings.get(KBEST_RANK, 1) == 1:
                yield trees
                trees = []
            trees.append(
                RankedTree(
                    [head for head in sentence.heads if head is not None],
                    sentence.deprels,
                    findings.get(TREE_LOG_PROBABILITY, 0.0),
                )
            )
        if trees:
            yield trees

    def ranker(self, k: int, options: ParseOptions) -> Step:
        """What the parser does with a batch if the k best trees are wanted, each in a sentence of its own."""
        if k < 1:
            raise ArboraError(f"k must be at least 1, not {k}")
        return lambda batch: self._core.annotate_kbest(
            self._weights,
            self._pruner_weights,
            self._names,
            batch,
            self._trees(options),
            options.constraints,
            options.threads,
            k,
        )

    def _scorer(self, sentences: Iterable[Sentence]) -> _core.LinearScorer:
        encoded = encode(sentences, self.tags)
        return _core.LinearScorer(self._core, self._weights, self._pruner_weights, encoded)

    def _annotate(self, batch: _core.Batch, options: ParseOptions) -> _core.Batch:
        if options.solver not in GRAPH_SOLVERS:
            return self._annotate_natively(batch, options)
        heads, gaps = self._solve_graphs(batch, options)
        plain = replace(options, solver=None, certificates=False)
        self._annotate_natively(batch, plain, given_heads=heads)
        for place, gap in enumerate(gaps if options.certificates else []):
            if gap is not None:
                batch.set_gap(place, gap)
        return batch

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

    def _solve_graphs(self, batch: _core.Batch, options: ParseOptions) -> tuple[Integers, list[float | None]]:
        """Heads by a solver of Python, as if given beforehand, and how far they may be from the best.

        Sentences for which it finds none are refused; those without words have no gap.
        """
        gaps: list[float | None] = []
        found: list[int] = []
        for place, sentence in enumerate(sentences_of(batch)):
            gaps.append(None)
            if not len(sentence):
                continue
            given = with_root(self._given_heads(sentence)) if options.constraints else None
            try:
                heads, gaps[-1] = self._heads_by_graph(self._scorer([sentence]), 0, options, given)
                found += heads
            except InfeasibleTreeError as error:
                batch.refuse(place, str(error))
                found += [-1] * len(sentence)
        return np.array(found, np.int32), gaps

    def _given_heads(self, sentence: Sentence) -> Integers:
        return np.array([-1 if head is None else head for head in sentence.heads], np.int32)


def with_root(numbers: Integers) -> Integers:
    """Numbers of words 1..n with a place for the root, as scorers have them."""
    return np.concatenate([np.array([-1], np.int32), numbers])
