"""The tagger: a model file at work."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError, FileError
from arbora.models import Component, Parts, Tensors
from arbora.text.tagging.graphs import TagGraph, make_tag_graph
from arbora.text.tagging.options import CANDIDATES, TagOptions
from arbora.text.tagging.structure import labels_of, make_tagger, make_text
from arbora.treebank import Sentence
from arbora.treebank.conllu import broken, fed
from arbora.treebank.streaming import RewrittenConllu, in_batches

Floats: TypeAlias = npt.NDArray[np.float64]

ARCHITECTURE = "tagger"
PROBABILITIES = ("UposProbability", "MorphProbability", "LemmaProbability")


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
        """The same sentences, in order, with UPOS, XPOS, FEATS and lemmas set in place; may be endless.

        With probabilities, MISC gets ``UposProbability`` (exact, over all rows of tags), ``MorphProbability``
        (of XPOS and FEATS, given the UPOS tags) and ``LemmaProbability`` (given all tags). With candidates,
        it gets ``UposCandidates``, such as ``NOUN:0.7312;VERB:0.2688``.
        """
        options = (options or TagOptions()).check()
        for batch in in_batches(sentences, options.batch):
            text = make_text(batch)
            labels, chances, listed = self._core.tag(
                text, options.probabilities, options.candidates, options.least, options.threads
            )
            upos, morph = labels[0].tolist(), labels[1].tolist()
            lemmas = self._core.lemmas(text, labels[2])
            start = 0
            for sentence in batch:
                end = start + len(sentence.forms)
                found = [self._labels.morph[label] for label in morph[start:end]]
                sentence.upos = [self._labels.upos[label] for label in upos[start:end]]
                sentence.xpos = [xpos for _, xpos, _ in found]
                sentence.feats = [feats for _, _, feats in found]
                sentence.lemmas = lemmas[start:end]
                if options.probabilities:
                    rows = zip(sentence.misc, *(chances[:, start:end].tolist()), strict=True)
                    sentence.misc = [_with_chances(misc, own) for misc, *own in rows]
                if options.candidates:
                    pairs = zip(sentence.misc, listed[start:end], strict=True)
                    sentence.misc = [_with_items(misc, {CANDIDATES: own}) for misc, own in pairs]
                start = end
            yield from batch

    def tag_conllu(
        self, pieces: Iterable[bytes], options: TagOptions | None = None
    ) -> Generator[RewrittenConllu, None, None]:
        """Tag a CoNLL-U file that comes in pieces; every piece is answered as soon as it is there.

        The same bytes as reading, `tag` and writing give, but no word becomes an object of Python. The
        options' ``batch`` does not matter, pieces are worked on whole. A sentence that breaks the format
        raises the error when all before it were handed on.
        """
        options = (options or TagOptions()).check()
        line, sentences_before = 1, 0

        def take(data: bytes, final: bool) -> tuple[int, tuple[RewrittenConllu, FileError | None]]:
            nonlocal line, sentences_before
            used, text, sentences, words, lines, stopped = self._core.tag_conllu(
                data, final, options.probabilities, options.candidates, options.least, options.threads
            )
            line += lines
            sentences_before += sentences
            error = _refusal(data[used:], final, line, sentences_before + 1) if stopped else None
            return used, (RewrittenConllu(text, sentences, words), error)

        for found, error in fed(pieces, take, lambda: line):
            if found.sentences:
                yield found
            if error is not None:
                raise error

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
        for chances in self.probabilities(sentences, threads=threads):
            ranked = np.argsort(-chances, axis=1, kind="stable")[:, :most].tolist()
            result.append(
                [
                    [
                        (self._labels.upos[tag], float(row[tag]))
                        for rank, tag in enumerate(order)
                        if rank == 0 or (row[tag] > 0 and row[tag] >= least)
                    ]
                    for row, order in zip(chances, ranked, strict=True)
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
            [RankedTags([self._labels.upos[tag] for tag in tags], chance) for tags, chance in found]
            for found in self._core.kbest(make_text(sentences), k, threads)
        ]


def _with_chances(misc: str, chances: list[float]) -> str:
    """MISC with the probabilities of the stages as its last items, in place of older ones.

    >>> _with_chances("SpaceAfter=No|UposProbability=0.5000", [0.75, 1.0, 1.0])
    'SpaceAfter=No|UposProbability=0.7500|MorphProbability=1.0000|LemmaProbability=1.0000'
    """
    return _with_items(misc, {n: f"{c:.4f}" for n, c in zip(PROBABILITIES, chances, strict=True)})


def _with_items(misc: str, items: dict[str, str]) -> str:
    kept = [] if misc == "_" else [item for item in misc.split("|") if item.partition("=")[0] not in items]
    return "|".join([*kept, *(f"{name}={value}" for name, value in items.items())])


def _refusal(data: bytes, final: bool, line: int, number: int) -> FileError:
    """Why the data's first sentence cannot be tagged: how it breaks the format."""
    _, problems, found = _core.ConlluDecoder(False, False, line).decode(data, final)[1][0]
    return broken(number, problems, found).problems[0]
