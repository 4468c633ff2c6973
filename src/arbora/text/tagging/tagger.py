"""The tagger: a model file at work."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.models import Component, Parts, Tensors
from arbora.text.tagging.core_objects import labels_of, make_tagger, make_text
from arbora.text.tagging.graphs import TagGraph, make_tag_graph
from arbora.text.tagging.options import TagOptions
from arbora.treebank import Sentence
from arbora.treebank.batches import (
    ConlluPiece,
    Step,
    annotated,
    make_batches,
    read_batches,
    to_conllu,
    to_sentences,
)

Floats: TypeAlias = npt.NDArray[np.float64]

ARCHITECTURE = "tagger"


@dataclass(frozen=True, slots=True)
class RankedTags:
    """One of a sentence's k best rows of UPOS tags, and its log-probability."""

    tags: list[str]
    log_probability: float


class Tagger(Component):
    """A trained tagger. It does not change, and serves any number of threads.

    Make one with :func:`arbora.text.train_tagger`, or `load` it from a file.
    """

    architecture = ARCHITECTURE

    def __init__(self, header: dict[str, Any], tensors: Tensors) -> None:
        """A tagger from what its file holds; KeyError, TypeError or ValueError if that is none."""
        self.header = header
        self.tensors = dict(tensors)
        self._labels = labels_of(header)
        self._core = make_tagger(header, tensors)

    @property
    def tags(self) -> list[str]:
        """The UPOS tags that it knows, in the order of `probabilities`."""
        return list(self._labels.upos)

    @classmethod
    def from_parts(cls, header: dict[str, Any], tensors: Tensors) -> Tagger:
        """The tagger of a header and tensors as `to_parts` gives them."""
        return cls(header, tensors)

    def to_parts(self, *, compact_weights: bool = False) -> Parts:
        """The header and the tensors of the model file; its weights are compact in any case."""
        return self.header, self.tensors

    def tag(self, sentences: Iterable[Sentence], options: TagOptions | None = None) -> Iterator[Sentence]:
        """New sentences with UPOS, XPOS, FEATS and lemmas, in order; the input may be endless.

        With probabilities, MISC gets ``UposProbability`` (exact, over all rows of tags), ``MorphProbability``
        (of XPOS and FEATS, given the UPOS tags) and ``LemmaProbability`` (given all tags). With candidates,
        it gets ``UposCandidates``, such as ``NOUN:0.7312;VERB:0.2688``. All of it is in ``findings`` too, in
        full precision.
        """
        options = (options or TagOptions()).check()
        return to_sentences(annotated(make_batches(sentences, options.batch), [self.annotator(options)]))

    def step(self, options: Any, asked: Mapping[str, Any]) -> Step:
        """What the tagger does in a pipeline: a parser that chooses tags asks for lists of them."""
        own = TagOptions(threads=options.threads, batch=options.batch)
        if "tag_candidates" in asked:
            own = replace(own, candidates=asked["tag_candidates"], least=asked["tag_threshold"])
        return self.annotator(own)

    def annotator(self, options: TagOptions) -> Step:
        """What the tagger does with a batch of sentences: they get tags and lemmas."""

        def annotate(batch: _core.Batch) -> _core.Batch:
            self._core.annotate(
                batch, options.probabilities, options.candidates, options.least, options.threads
            )
            return batch

        return annotate

    def tag_conllu(
        self, pieces: Iterable[bytes], options: TagOptions | None = None
    ) -> Generator[ConlluPiece, None, None]:
        """Tag a CoNLL-U file that comes in pieces; every piece is answered as soon as it is there.

        The same bytes as reading, `tag` and writing give, but no word becomes an object of Python. The
        options' ``batch`` does not matter, pieces are worked on whole. A sentence that breaks the format
        raises the error when all before it were handed on.
        """
        options = (options or TagOptions()).check()
        batches = read_batches(pieces, threads=options.threads)
        return to_conllu(annotated(batches, [self.annotator(options)]), threads=options.threads)

    def probabilities(self, sentences: Iterable[Sentence], *, threads: int = 1) -> list[Floats]:
        """For every sentence of n words an array (n, tags): how probable each UPOS tag of each word is.

        Exact sums over all rows of tags; a tag that is no candidate of a word has 0.
        """
        batch = list(sentences)
        found: Floats = self._core.probabilities(make_text(batch), threads)
        ends = np.cumsum([len(sentence.forms) for sentence in batch])
        return [np.ascontiguousarray(part) for part in np.split(found, ends)[:-1]]

    def best_tags(
        self, sentences: Iterable[Sentence], *, most: int = 3, least: float = 0.0, threads: int = 1
    ) -> list[list[list[tuple[str, float]]]]:
        """For every word of every sentence its most probable UPOS tags with their probabilities.

        At most ``most`` of them, none less probable than ``least`` but the first, none impossible.
        """
        result = []
        for table in self.probabilities(sentences, threads=threads):
            ranked = np.argsort(-table, axis=1, kind="stable")[:, :most].tolist()
            result.append(
                [
                    [
                        (self._labels.upos[tag], float(row[tag]))
                        for rank, tag in enumerate(order)
                        if rank == 0 or (row[tag] > 0 and row[tag] >= least)
                    ]
                    for row, order in zip(table, ranked, strict=True)
                ]
            )
        return result

    def graph(self, sentence: Sentence) -> TagGraph:
        """The sentence's UPOS tags as a factor graph: a `TagChain` with bigrams and trigrams.

        Any solver of `arbora.FactorGraph` works on it, and more factors can be added. Rows of tags score
        their log-probability, up to one sum for all.
        """
        return make_tag_graph(self._core.lattice(make_text([sentence]), 0), self._labels.upos)

    def kbest(self, sentences: Iterable[Sentence], k: int, *, threads: int = 1) -> list[list[RankedTags]]:
        """The k most probable rows of UPOS tags of each sentence, in order; fewer where there are fewer."""
        if k < 1:
            raise ArboraError(f"k must be at least 1, not {k}")
        return [
            [
                RankedTags([self._labels.upos[tag] for tag in tags], log_probability)
                for tags, log_probability in found
            ]
            for found in self._core.kbest(make_text(sentences), k, threads)
        ]
