"""The tagger: a model file at work."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.models import Component, Parts, Tensors
from arbora.models.options import a_count, check_like, options_of
from arbora.text.tagging.core_objects import labels_of, make_tagger, make_text
from arbora.text.tagging.graphs import TagGraph, make_tag_graph
from arbora.text.tagging.options import TagOptions
from arbora.treebank import Sentence
from arbora.treebank.batches import (
    ConlluPiece,
    Skip,
    Step,
    annotated,
    make_batches,
    read_batches,
    to_conllu,
    to_sentences,
)
from arbora.treebank.given import each_sentence

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

        With ``keep_tags``, tags and lemmas that are there (not ``_``) stay, and are certain: the row of tags
        is the best of those that agree with them, and XPOS and FEATS are chosen by them. A UPOS tag that the
        tagger never saw stays too; the words around it are tagged as if it were not there.
        """
        options = options_of(TagOptions, options)
        return to_sentences(annotated(make_batches(sentences, options.batch), [self.annotator(options)]))

    def step(self, options: Any, asked: Mapping[str, Any]) -> Step:
        """What the tagger does in a pipeline: a parser that chooses tags asks for lists of them.

        Where another component has found tags, it finds lemmas alone.
        """
        keep_tags = bool(asked.get("keep_tags"))
        own = TagOptions(keep_tags=keep_tags, threads=options.threads, batch=options.batch)
        if asked.get("tags_found"):
            return self.annotator(own, lemmas_alone=True)
        if "tag_candidates" in asked:
            own = replace(own, candidates=asked["tag_candidates"], least=asked["tag_threshold"])
        return self.annotator(own)

    def annotator(self, options: TagOptions, *, lemmas_alone: bool = False) -> Step:
        """What the tagger does with a batch of sentences: tags and lemmas, or lemmas alone, by their tags."""

        def annotate(batch: _core.Batch) -> _core.Batch:
            self._core.annotate(
                batch,
                options.probabilities,
                options.candidates,
                options.least,
                options.keep_tags,
                options.threads,
                lemmas_alone,
            )
            return batch

        return annotate

    def tag_conllu(
        self, pieces: Iterable[bytes], options: TagOptions | None = None, *, skip: Skip | None = None
    ) -> Generator[ConlluPiece, None, None]:
        """Tag a CoNLL-U file that comes in pieces; every piece is answered as soon as it is there.

        The same bytes as reading, `tag` and writing give, but no word becomes an object of Python. The
        options' ``batch`` does not matter, pieces are worked on whole. A sentence that breaks the format
        raises the error when all before it were handed on; with ``skip``, which gets the error, it is left
        out. What shape trees have does not matter here.
        """
        options = options_of(TagOptions, options)
        batches = read_batches(pieces, threads=options.threads, check=_core.TreeCheck.range, skip=skip)
        return to_conllu(annotated(batches, [self.annotator(options)]), threads=options.threads)

    def probabilities(
        self, sentences: Iterable[Sentence], *, threads: int = 1, keep_tags: bool = False
    ) -> list[Floats]:
        """For every sentence of n words an array (n, tags): how probable each UPOS tag of each word is.

        Exact sums over all rows of tags; a tag that is no candidate of a word has 0. With ``keep_tags``, over
        those rows that agree with the tags that words have.
        """
        batch = list(each_sentence(sentences))
        threads = a_count(threads, "threads")
        found: Floats = self._core.probabilities(make_text(batch, keep_tags=keep_tags), threads)
        ends = np.cumsum([len(sentence.forms) for sentence in batch])
        return [np.ascontiguousarray(part) for part in np.split(found, ends)[:-1]]

    def best_tags(
        self,
        sentences: Iterable[Sentence],
        *,
        most: int = 3,
        least: float = 0.0,
        threads: int = 1,
        keep_tags: bool = False,
    ) -> list[list[list[tuple[str, float]]]]:
        """For every word of every sentence its most probable UPOS tags with their probabilities.

        At most ``most`` of them, none less probable than ``least`` but the first, none impossible.
        """
        result = []
        most = a_count(most, "most", 0)
        check_like({"least": least}, {"least": 0.0})
        for table in self.probabilities(sentences, threads=threads, keep_tags=keep_tags):
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

    def graph(self, sentence: Sentence, *, keep_tags: bool = False) -> TagGraph:
        """The sentence's UPOS tags as a factor graph: a `TagChain` with bigrams and trigrams.

        Any solver of `arbora.FactorGraph` works on it, and more factors can be added. Rows of tags score
        their log-probability, up to one sum for all. With ``keep_tags``, words have values that agree with
        the tags that they have.
        """
        text = make_text([sentence], keep_tags=keep_tags)
        return make_tag_graph(self._core.lattice(text, 0), self._labels.upos)

    def kbest(
        self, sentences: Iterable[Sentence], k: int, *, threads: int = 1, keep_tags: bool = False
    ) -> list[list[RankedTags]]:
        """The k most probable rows of UPOS tags of each sentence, in order; fewer where there are fewer.

        With ``keep_tags``, only rows count that agree with the tags that words have.
        """
        k, threads = a_count(k, "k"), a_count(threads, "threads")
        return [
            [
                RankedTags([self._labels.upos[tag] for tag in tags], log_probability)
                for tags, log_probability in found
            ]
            for found in self._core.kbest(make_text(sentences, keep_tags=keep_tags), k, threads)
        ]
