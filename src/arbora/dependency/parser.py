"""The dependency parser: a model file at work."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.dependency.batches import Floats, Integers, Work, guarded, run_in_order
from arbora.dependency.graphs import SentenceGraph, make_graph, parts_of, tags_of
from arbora.dependency.options import GRAPH_SOLVERS, ParseOptions, tree_options
from arbora.dependency.output import (
    CERTIFICATE,
    TREE_LOG_PROBABILITY,
    RankedTree,
    certificate_text,
    check_columns,
    refusal,
    set_comment,
    with_chances,
    without_candidates,
)
from arbora.dependency.structure import check_header, checked_weights, encode, make_structure
from arbora.errors import ArboraError, InfeasibleTreeError
from arbora.inference import find_solver
from arbora.models import Component, Parts, Tensors, compact, expand_short, is_compact
from arbora.treebank import Sentence
from arbora.treebank.conllu import fed
from arbora.treebank.streaming import RewrittenConllu, in_batches

ARCHITECTURE = "dependency-parser"
_NO_INTEGERS = np.empty(0, np.int32)
_NO_FLOATS = np.empty(0, np.float64)


class DependencyParser(Component):
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
        self._numbers = {label: number for number, label in enumerate(self.labels)}
        self._weights = weights
        self._pruner_weights = pruner_weights
        # The 8-bit weights of a file that has such, so that they can be written again without further loss.
        self._compact: dict[str, npt.NDArray[Any]] | None = None
        self._core = make_structure(header)

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
        """The same sentences, in order, with heads and labels set in place; the input may be endless.

        Enhanced dependencies (DEPS) are emptied: they belonged to other trees. With probabilities, MISC gets
        ``HeadProbability`` and ``LabelProbability`` (that of the label, given the tree), and a comment gives
        the logarithm of the tree's probability. A parser that chooses tags sets UPOS too, among those that
        MISC lists (``UposCandidates``, as `arbora.text.Tagger` writes it) and does no longer then; a word
        without such a list keeps its UPOS. Its MISC gets ``UposProbability`` with the others.
        """
        options = (options or ParseOptions()).check()
        for work in self._pipeline(sentences, options):
            self._write_back(work, options)
            yield from work.sentences

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
        trees = self._trees(options)
        encoded = encode([sentence], self.tags)
        listed = self._core.choose(self._pruner_weights, encoded, _NO_INTEGERS, trees, 1).of(0)
        if given_heads is not None:
            known = {(head, word) for word, head in enumerate(given_heads.tolist(), 1) if head >= 0}
            listed = [(head, word) for head, word in listed if given_heads[word - 1] < 0]
            listed = sorted([*listed, *known], key=lambda arc: arc[::-1])
        return make_graph(
            len(sentence),
            listed,
            self._core.arc_totals(self._weights, encoded, 0, listed, sums),
            parts_of(
                self._core.part_scores(self._weights, encoded, 0, listed), self.header.get("tree_scale", 1.0)
            ),
            single_root=trees.single_root,
            projective=trees.projective,
            joined=not sums if joined is None else joined,
            tags=tags_of(
                self._core.tag_scores(self._weights, encoded, 0, listed),
                self._tag_counts(encoded, len(sentence)),
                listed,
                self.header.get("tree_scale", 1.0),
                are_hidden=not self.tags,
            ),
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
        heads = np.array(sentence.heads, np.int32) if given_heads else _NO_INTEGERS
        found: tuple[Floats, Floats] = self._core.distributions(
            self._weights, self._pruner_weights, encode([sentence], self.tags), 0, heads, self._trees(options)
        )
        return found

    def time_stages(
        self, sentences: Iterable[Sentence], options: ParseOptions | None = None
    ) -> dict[str, float]:
        """Seconds that the best trees of sentences take in each stage, on one thread: for profiles."""
        trees = self._trees((options or ParseOptions()).check())
        found: dict[str, float] = self._core.time_stages(
            self._weights, self._pruner_weights, encode(sentences, self.tags), trees
        )
        return found

    def parse_conllu(
        self, pieces: Iterable[bytes], options: ParseOptions | None = None
    ) -> Generator[RewrittenConllu, None, None]:
        """Parse a CoNLL-U file that comes in pieces; every piece is answered as soon as it is there.

        The same bytes as reading, `parse` and writing give, but no word becomes an object of Python: this is
        the fast way from file to file. The options' ``batch`` does not matter, pieces are worked on whole:
        larger ones, of a megabyte, keep several threads busy. A sentence that breaks the format, or that no
        tree fits, raises the error when all before it were handed on.
        """
        options = (options or ParseOptions()).check()
        if options.solver in GRAPH_SOLVERS:
            raise ArboraError(f"the solver {options.solver} works on sentences: use parse, not parse_conllu")
        check_columns([*self.labels, *self.tags])
        line, sentences_before = 1, 0

        def take(data: bytes, final: bool) -> tuple[int, tuple[RewrittenConllu, ArboraError | None]]:
            nonlocal line, sentences_before
            used, text, sentences, words, lines, stopped, reason = self._core.parse_conllu(
                self._weights,
                self._pruner_weights,
                self.labels,
                self.tags,
                data,
                final,
                self._trees(options),
                options.decoder == "mbr",
                options.probabilities,
                options.constraints,
                options.threads,
            )
            line += lines
            sentences_before += sentences
            error = refusal(data[used:], final, line, sentences_before + 1, reason) if stopped else None
            return used, (RewrittenConllu(text, sentences, words), error)

        for found, error in fed(pieces, take, lambda: line):
            if found.sentences:
                yield found
            if error is not None:
                raise error

    def kbest(
        self, sentences: Iterable[Sentence], k: int, options: ParseOptions | None = None
    ) -> Iterator[list[RankedTree]]:
        """The k most probable labelled trees of each sentence, in order; fewer where there are fewer.

        Only arcs that survive pruning count. A model with a second stage finds them among the labellings of
        the ``max(256, 16 k)`` most probable trees, which are all that matter unless labels are very unsure.
        """
        options = (options or ParseOptions()).check()
        if k < 1:
            raise ArboraError(f"k must be at least 1, not {k}")
        for work in self._batches(sentences, options):
            found = guarded(work, lambda work=work: self._kbest_of(work, options, k))  # type: ignore[misc]
            for sentence, (heads, labels, scores) in zip(work.sentences, found, strict=True):
                yield [
                    RankedTree(h, self._names(lab, sentence, options), score)
                    for h, lab, score in zip(heads.tolist(), labels.tolist(), scores.tolist(), strict=True)
                ]

    def _batches(self, sentences: Iterable[Sentence], options: ParseOptions) -> Iterator[Work]:
        return (self._encode(batch, options) for batch in in_batches(sentences, options.batch))

    def _encode(self, batch: list[Sentence], options: ParseOptions) -> Work:
        encoded = encode(batch, self.tags)
        words, chances = encoded.words, encoded.words if options.probabilities else 0
        given_heads = given_labels = _NO_INTEGERS
        if options.constraints:
            given_heads, given_labels = self._given(batch)
        return Work(
            batch,
            encoded,
            given_heads,
            given_labels,
            np.empty(words, np.int32),
            np.empty(words, np.int32),
            np.empty(chances),
            np.empty(chances),
            np.empty(len(batch) if options.probabilities else 0),
            np.empty(len(batch) if options.certificates else 0),
            np.empty(words if self.tags else 0, np.int32),
            np.empty(chances if self.tags else 0),
        )

    def _given(self, batch: list[Sentence]) -> tuple[Integers, Integers]:
        heads = [-1 if head is None else head for sentence in batch for head in sentence.heads]
        labels = [self._numbers.get(label, -1) for sentence in batch for label in sentence.deprels]
        return np.array(heads, np.int32), np.array(labels, np.int32)

    def _trees(self, options: ParseOptions) -> _core.TreeOptions:
        has_tags = self.tags or self.header["options"].get("latent_tags", 0)
        if has_tags and (options.certificates or options.solver not in (None, "bp")):
            kind = "chooses tags, by bp" if self.tags else "has hidden tags, which bp sums out"
            raise ArboraError(f"this parser {kind}: there is no other solver, and no certificate")
        return tree_options(self.header["options"], options)

    def _tag_counts(self, encoded: _core.Encoded, words: int) -> list[int]:
        """How many tags each word of one sentence may have; 0 if it has none."""
        every = self.header["options"].get("latent_tags", 0) or len(self.tags)
        return [count or every for count in encoded.tag_counts()] if self.tags else [every] * words

    def _run(self, work: Work, options: ParseOptions) -> Work:
        if options.solver in GRAPH_SOLVERS:
            gaps = self._solve_graphs(work, options)
            options = replace(options, solver=None, certificates=False)
            self._run_native(replace(work, gaps=_NO_FLOATS), options)
            work.gaps[:] = gaps[: len(work.gaps)]
            return work
        return self._run_native(work, options)

    def _solve_graphs(self, work: Work, options: ParseOptions) -> list[float]:
        """Heads by a solver of Python, as if given beforehand; returns how far they may be from the best."""
        assert options.solver is not None
        has_bound = "upper_bound" in find_solver(options.solver).gives
        gaps, found = [], []
        start = 0
        for index, sentence in enumerate(work.sentences):
            end = start + len(sentence.forms)
            gap = 0.0
            if end > start:
                given = work.given_heads[start:end] if len(work.given_heads) else None
                graph = self.graph(sentence, options, joined=has_bound, given_heads=given)
                solution = graph.graph.solve(options.solver)
                try:
                    found += graph.heads_of(solution)
                except ArboraError as error:
                    raise InfeasibleTreeError(f"sentence {index} of the batch: {error}") from None
                if options.certificates:
                    gap = 0.0 if has_bound and solution.is_certified else solution.gap if has_bound else inf
            gaps.append(gap)
            start = end
        work.given_heads = np.array(found, np.int32)
        if not len(work.given_labels):
            work.given_labels = np.full(len(found), -1, np.int32)
        return gaps

    def _run_native(self, work: Work, options: ParseOptions) -> Work:
        self._core.parse(
            self._weights,
            self._pruner_weights,
            work.encoded,
            work.given_heads,
            work.given_labels,
            self._trees(options),
            options.decoder == "mbr",
            options.threads,
            work.heads,
            work.labels,
            work.head_probabilities,
            work.label_probabilities,
            work.log_probabilities,
            work.gaps,
            work.tags if self.tags else None,
            work.tag_probabilities if self.tags else None,
        )
        return work

    def _kbest_of(self, work: Work, options: ParseOptions, k: int) -> list[Any]:
        return self._core.kbest(
            self._weights,
            self._pruner_weights,
            work.encoded,
            work.given_heads,
            work.given_labels,
            self._trees(options),
            options.threads,
            k,
        )

    def _pipeline(self, sentences: Iterable[Sentence], options: ParseOptions) -> Iterator[Work]:
        """The sentences in batches, parsed, in order."""
        batches = self._batches(sentences, options)
        return run_in_order(batches, lambda work: self._run(work, options), options.threads)

    def _names(self, labels: list[int], sentence: Sentence, options: ParseOptions) -> list[str]:
        names = [self.labels[label] for label in labels]
        if options.constraints:  # a given label stays, even one that the model does not know
            names = [name if old == "_" else old for name, old in zip(names, sentence.deprels, strict=True)]
        return names

    def _write_back(self, work: Work, options: ParseOptions) -> None:
        heads, labels = work.heads.tolist(), work.labels.tolist()
        start = 0
        for index, sentence in enumerate(work.sentences):
            end = start + len(sentence.forms)
            sentence.deprels = self._names(labels[start:end], sentence, options)
            sentence.heads = heads[start:end]
            sentence.deps = ["_"] * (end - start)
            if self.tags:
                sentence.upos = [self.tags[tag] for tag in work.tags[start:end].tolist()]
                sentence.misc = [without_candidates(misc) for misc in sentence.misc]
            if options.probabilities and end > start:
                columns = [work.head_probabilities, work.label_probabilities]
                if self.tags:
                    columns.insert(0, work.tag_probabilities)
                chances = zip(sentence.misc, *(column[start:end].tolist() for column in columns), strict=True)
                sentence.misc = [with_chances(misc, *own) for misc, *own in chances]
                set_comment(sentence, TREE_LOG_PROBABILITY, f"{work.log_probabilities[index]:.6f}")
            if options.certificates and end > start:
                set_comment(sentence, CERTIFICATE, certificate_text(work.gaps[index]))
            start = end
