"""A neural parser at work: it needs no torch, all of it is done in the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from arbora import _core
from arbora.dependency import ParseOptions
from arbora.dependency.batch_parser import BatchParser
from arbora.dependency.root_label import root_label
from arbora.dependency.scored_parser import Floats
from arbora.models import Parts, Tensors, below, under
from arbora.models.checking import a_flag, a_mapping, a_positive, a_whole, some_names
from arbora.neural.heads import LARGEST, TagInventory
from arbora.neural.layers import Encoder
from arbora.neural.shapes import EncoderShape
from arbora.neural.subwords import Subwords
from arbora.treebank import Sentence
from arbora.treebank.batches import Step, make_batches
from arbora.treebank.given import each_sentence

ARCHITECTURE = "neural-parser"


class NeuralParser(BatchParser):
    """A trained neural parser, which tags too. It does not change, and serves any number of threads.

    Make one with `arbora.neural.train_neural`, or `load` it from a file. Arcs have scores of their own,
    labels follow the tree: the best tree, probabilities, k-best trees and constraints are exact. `parse` and
    `parse_conllu` give tags to words that have none (``_``); those that are there stay, and bind.

    >>> import arbora
    >>> next(arbora.load("en-neural").parser.parse([Sentence(["It", "works", "."])])).upos
    ['PRON', 'VERB', 'PUNCT']
    """

    architecture = ARCHITECTURE

    def __init__(self, header: dict[str, Any], tensors: Tensors) -> None:
        """A parser from what its file holds; KeyError, TypeError or ValueError if that is none."""
        self.header, self.tensors = header, dict(tensors)
        self.labels: list[str] = some_names(header["labels"], "labels")
        self.tags: list[str] = []  # that parsing would choose; those that are found come before the tree
        options = a_mapping(header["options"], "options")
        self.settings = {name: a_flag(options[name], name) for name in ("single_root", "projective")}
        self._names = _core.ParserNames(self.labels, [])
        self.subwords = Subwords.from_parts(header["subwords"], below(tensors, "subwords/"))
        self.encoder = Encoder.from_parts(header["encoder"], below(tensors, "encoder/"))
        self.inventory = TagInventory.of_header(header["tags"]) if header.get("tags") else None
        self._core = self._make_core()

    def _make_core(self) -> _core.NeuralModel:
        header, tags = self.header, self.inventory
        root, alone = root_label(self.labels)
        return _core.NeuralModel(
            self.subwords.core,
            self.subwords.cls,
            self.subwords.sep,
            self.encoder.core,
            below(self.tensors, "heads/"),
            arc_size=a_whole(header["arc_size"], "arc_size", 1, LARGEST),
            label_size=a_whole(header["label_size"], "label_size", 1, LARGEST),
            labels=len(self.labels),
            upos=tags.upos if tags else [],
            xpos=tags.xpos if tags else [],
            feats=tags.feats if tags else [],
            rows=tags.rows if tags else [],
            tree_scale=a_positive(header.get("tree_scale", 1.0), "tree_scale"),
            label_scale=a_positive(header.get("label_scale", 1.0), "label_scale"),
            root_label=root,
            root_label_alone=alone,
        )

    @classmethod
    def from_parts(cls, header: dict[str, Any], tensors: Tensors) -> NeuralParser:
        """The parser of a header and tensors as `to_parts` gives them."""
        return cls(header, tensors)

    def to_parts(self, *, compact_weights: bool = False) -> Parts:
        """The header and the tensors of the model file; there is no other form."""
        return self.header, self.tensors

    @property
    def adds(self) -> tuple[str, ...]:
        """The columns that it fills: tags too, if it has learned some."""
        return (*(("upos", "xpos", "feats") if self.inventory else ()), "heads", "deprels")

    @property
    def asks(self) -> Mapping[str, Any]:
        """Who comes after it finds tags there, and leaves them."""
        return {"tags_found": True} if self.inventory else {}

    def annotator(self, options: ParseOptions, *, keep_tags: bool = True) -> Step:
        """What it does with a batch of sentences: words get tags and trees, of one reading by the encoder."""
        annotate = super().annotator(options)
        if self.inventory is None:
            return annotate
        return lambda batch: self._annotate(batch, options, self._tag(batch, keep_tags, options.threads))

    def ranker(self, k: int, options: ParseOptions, *, keep_tags: bool = True) -> Step:
        """The same if the k best trees are wanted, each in a sentence of its own."""
        rank = super().ranker(k, options)
        if self.inventory is None:
            return rank

        def tag_and_rank(batch: _core.Batch) -> _core.Batch:
            scorer = self._tag(batch, keep_tags, options.threads)
            return scorer.annotate_kbest(
                self._names, batch, self._trees(options), options.constraints, options.threads, k
            )

        return tag_and_rank

    def tagging_step(self, *, keep_tags: bool = False, threads: int = 1) -> Step:
        """What gives words tags alone."""

        def tag(batch: _core.Batch) -> _core.Batch:
            self._tag(batch, keep_tags, threads)
            return batch

        return tag

    def arc_scores(self, sentence: Sentence) -> Floats:
        """The scores of all arcs of a sentence, (n+1, n+1), by head and modifier; -inf is no arc."""
        found: Floats = self._scorer([sentence]).arcs(0)
        return found

    def _tag(self, batch: _core.Batch, keep: bool, threads: int) -> _core.NeuralScorer:
        """Give words tags; the scores that were read are those of trees too."""
        scorer = self._core.read(batch, threads)
        self._core.tag(scorer, batch, keep, threads)
        return scorer

    def _scorer(self, sentences: Iterable[Sentence], *, constraints: bool = False) -> _core.NeuralScorer:
        found = list(each_sentence(sentences))
        batch = _core.Batch()
        for own in make_batches(found, max(1, sum(map(len, found)))):
            batch.append(own)
        return self._core.read(batch, 1)

    def _batch_scorer(self, batch: _core.Batch, options: ParseOptions) -> _core.Scorer:
        return self._core.read(batch, options.threads)


def make_header(
    shape: EncoderShape,
    subwords: Mapping[str, Any],
    labels: list[str],
    tags: TagInventory | None,
    options: Mapping[str, Any],
    licence: str,
) -> dict[str, Any]:
    """The header of a parser before anything is known of its training."""
    return {
        "architecture": ARCHITECTURE,
        "encoder": shape.as_dict(),
        "subwords": dict(subwords),
        "labels": labels,
        "tags": tags.as_dict() if tags else None,
        "arc_size": options["arc_size"],
        "label_size": options["label_size"],
        "options": dict(options),
        "licence": licence,
    }


def model_tensors(encoder: Tensors, subwords: Tensors, heads: Tensors) -> dict[str, np.ndarray[Any, Any]]:
    """All tensors of a parser, by the names that its file has for them."""
    return {**under("encoder/", encoder), **under("subwords/", subwords), **under("heads/", heads)}
