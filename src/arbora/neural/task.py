"""A neural parser in training: what `arbora.training.run` needs to know of it."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from arbora import _core
from arbora.dependency.options import TrainingOptions
from arbora.dependency.task import parser_scores
from arbora.dependency.treebanks import (
    annotated_trees,
    check_trees,
    choose_projective,
    is_annotated,
    known_labels,
    read_trees,
    usable_trees,
    whole_trees,
)
from arbora.errors import ArboraError
from arbora.models import Parts
from arbora.models.options import options_of
from arbora.neural.calibrating import calibrated
from arbora.neural.data import batches, make_examples
from arbora.neural.heads import TagInventory
from arbora.neural.layers import quantized
from arbora.neural.learning import Learner
from arbora.neural.measuring import measure_trees
from arbora.neural.network import Network, best_device, has_bfloat16
from arbora.neural.options import NeuralOptions
from arbora.neural.parser import ARCHITECTURE, NeuralParser, make_header, model_tensors
from arbora.neural.pretrained import read_encoder, told_of
from arbora.training import Candidate, FileTask, History, Stage, Step, Trained
from arbora.treebank import Sentence

CALIBRATION = "calibration"
IN_BYTES = ("vectors", "tags")
"""The heads that are in 8 bits with the encoder: those that read its states. The others are small."""
LONGEST = 256
"""Sub-words of sentences that are learned from; longer ones are left out."""
SAMPLE = 20_000
"""Words of dev on which probabilities are calibrated, at most."""


class NeuralTask(FileTask[NeuralParser]):
    """A neural parser in training."""

    architecture = ARCHITECTURE
    options: NeuralOptions

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence] | None = None,
        options: NeuralOptions | None = None,
        *,
        encoder: str | os.PathLike[str],
        threads: int = 1,
        licence: str = "",
    ) -> None:
        """The parameters are those of `train_neural`."""
        options = options_of(NeuralOptions, options)
        self.threads = threads
        self.notes: list[str] = []
        shape, tensors, self.subwords = read_encoder(encoder, options.layers)
        self.options = options = self._choose_trees(replace(options, layers=shape.layers), sentences)
        kind = _tree_kind(options)
        usable = usable_trees(sentences, kind)
        self.notes += usable.notes
        self.dev = [sentence for sentence in dev or [] if is_annotated(sentence)]
        check_trees(self.dev, TrainingOptions(single_root=False), "dev")
        labels = known_labels(usable.sentences)
        tags = TagInventory.of(usable.sentences)
        self.tags = tags if tags.rows else None
        longest = min(LONGEST, shape.longest)
        self.examples = make_examples(
            usable.sentences, self.subwords, labels, self.tags, longest, threads=threads
        )
        left_out = len(usable.sentences) - len(self.examples)
        if not self.examples:
            raise ArboraError(f"every sentence of the training data has more than {longest} sub-words")
        if left_out:
            self.notes.append(f"{left_out:,} sentences of more than {longest} sub-words: skipped.")
        subword_header, self.subword_tensors = self.subwords.to_parts()
        self.header = make_header(shape, subword_header, labels, self.tags, options.as_dict(), licence)
        self.header["pretrained"] = told_of(encoder)
        words = sum(len(example.heads) - 1 for example in self.examples)
        self.header["trained_on"] = {"sentences": len(self.examples), "words": words}
        self.shape, self.encoder_tensors, self.words = shape, tensors, words
        self.stages = [Stage("", options.epochs)]
        self.best: NeuralParser | None = None
        self.scales: dict[str, float] = {}
        self.calibrates = bool(whole_trees(self.dev))
        if self.calibrates:
            self.stages.append(Stage(CALIBRATION))

    def _choose_trees(self, options: NeuralOptions, sentences: Sequence[Sentence]) -> NeuralOptions:
        """The options with `projective` decided."""
        own = annotated_trees(sentences, _tree_kind(options))
        if options.projective is not None:
            return options
        projective, reason = choose_projective(own)
        other = "--non-projective" if projective else "--projective"
        self.notes.append(f"Trees are {reason} ({other} decides otherwise).")
        return replace(options, projective=projective)

    @classmethod
    def default_options(cls) -> NeuralOptions:
        """The options if none are given."""
        return NeuralOptions()

    @classmethod
    def check(cls, options: NeuralOptions, **own: Any) -> None:
        """The encoder must be there with its tokenizer, and have so many layers."""
        read_encoder(own["encoder"], options.layers)

    @classmethod
    def read(cls, path: str, options: NeuralOptions, *, dev: bool) -> list[Sentence]:
        """The sentences of a treebank that has some words."""
        return read_trees(path, single_root=options.single_root and not dev)

    def fingerprint(self) -> int:
        """Of the data and the encoder."""
        found = zlib.crc32("\n".join(self.header["labels"]).encode())
        for tensor in (*self.encoder_tensors.values(), *self.subword_tensors.values()):
            found = zlib.crc32(tensor.tobytes(), found)
        for example in self.examples:
            for array in (example.ids, example.heads, example.labels, example.tags):
                found = zlib.crc32(array.tobytes(), found)
        for sentence in self.dev:
            found = zlib.crc32(sentence.to_conllu().encode(), found)
        return found

    def begin(self, stage: Stage) -> None:
        """The network, with the encoder's weights, and heads that begin at random."""
        if stage.name == CALIBRATION:
            return
        torch.set_num_threads(self.threads)
        torch.manual_seed(self.options.seed)
        options, tags = self.options, self.tags
        self.network = Network(
            self.shape,
            self.encoder_tensors,
            arc_size=options.arc_size,
            label_size=options.label_size,
            labels=len(self.header["labels"]),
            tags=tags.columns if tags else 0,
            shape_count=_core.word_shapes,
            dropout=options.dropout,
            head_dropout=options.head_dropout,
            mix=options.mix,
        ).to(best_device())
        sizes = [len(tags.upos), len(tags.xpos), len(tags.feats)] if tags else []
        steps = sum(1 for _ in self._batches(0)) * options.epochs
        self.learner = Learner(self.network, options, sizes, steps)

    def _batches(self, epoch: int) -> Any:
        return batches(self.examples, self.options.batch, [self.options.seed, epoch])

    def train(self, step: Step) -> Trained:
        """One pass over the treebank, or what makes probabilities of scores."""
        if step.stage.name == CALIBRATION:
            assert self.best is not None
            self.scales = calibrated(self.best, whole_trees(self.dev), SAMPLE, threads=self.threads)
            return Trained()
        self.network.train()
        half = has_bfloat16(self.learner.device)
        loss, done = 0.0, 0
        for batch in self._batches(step.epoch):
            loss += self.learner.learn(batch, half=half)
            done += len(batch.lengths)
            step.watcher.on_batch(done, len(self.examples))
        return Trained(loss / self.words, self.words)

    def _parts(self) -> Parts:
        encoder, heads = self.network.tensors("encoder/"), self.network.tensors("heads/")
        if self.options.precision == "int8":
            wide = {f"{name}.weights" for name in IN_BYTES}
            few = quantized({name: own for name, own in heads.items() if name in wide})
            encoder, heads = quantized(encoder), heads | few
        return self.header, model_tensors(encoder, self.subword_tensors, heads)

    def judge(self, stage: Stage) -> Candidate:
        """The model as it would be written, and what it is worth; or the scales."""
        if stage.name == CALIBRATION:
            return Candidate((self.scales, {}), self.scales)
        parts = self._parts()
        if not self.dev:
            return Candidate(parts)
        scores = measure_trees(NeuralParser.from_parts(*parts), self.dev, threads=self.threads)
        return Candidate(parts, scores, scores.get("las"))

    def ends_early(self, stage: Stage, history: History) -> bool:
        """Whether dev has not become better for so many epochs."""
        return history.since_best(stage.name, "las") >= self.options.patience

    def end(self, stage: Stage, parts: Parts) -> None:
        """The best parser, or the scales."""
        if stage.name == CALIBRATION:
            self.scales = dict(parts[0])
        else:
            self.best = NeuralParser.from_parts(*parts)

    def finish(self, history: History) -> NeuralParser:
        """The parser of the best epoch, calibrated."""
        assert self.best is not None
        rows = [report.as_row() for report in history.reports if report.stage != CALIBRATION]
        report = {"epochs": rows, "kept": history.kept[""]}
        return NeuralParser.from_parts(
            {**self.best.header, **self.scales, "report": report}, self.best.tensors
        )

    def snapshot(self) -> Parts:
        """All that learning changes."""
        return self.learner.to_parts() if self.best is None else ({}, {})

    def restore(self, parts: Parts) -> None:
        """All that learning changes."""
        if self.best is None:
            self.learner.restore(dict(parts[0]), dict(parts[1]))

    def describe(self, stage: Stage, scores: Mapping[str, float]) -> list[str]:
        """The scores in words."""
        if stage.name == CALIBRATION:
            return [f"tree scale {scores['tree_scale']:.3g}"]
        upos = [f"UPOS {100 * scores['upos']:.2f}"] if "upos" in scores else []
        return parser_scores({k: v for k, v in scores.items() if k != "upos"}) + upos


def _tree_kind(options: NeuralOptions) -> TrainingOptions:
    return TrainingOptions(single_root=options.single_root, projective=bool(options.projective))
