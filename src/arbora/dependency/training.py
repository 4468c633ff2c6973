"""Training: from a treebank to a parser, in epochs that can be taken up again after a kill."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from arbora import _core
from arbora.dependency.calibration import fit_scales, fit_threshold, natural_scales
from arbora.dependency.checkpoints import CHECKPOINT, Checkpoint, EpochReport, TrainingState
from arbora.dependency.material import check_trees, gold_tags, select_templates, tag_names
from arbora.dependency.options import CUSTOM, TrainingOptions, tree_options
from arbora.dependency.parser import ARCHITECTURE, DependencyParser
from arbora.dependency.presets import preset_templates
from arbora.dependency.structure import encode, make_structure
from arbora.dependency.weighing import Integers, TrainingData, heaviest_templates
from arbora.errors import ArboraError
from arbora.features import Templates
from arbora.learning import Learner, Loss, find_learner, find_loss
from arbora.models import remove_leftovers
from arbora.treebank import Sentence

__all__ = ["CHECKPOINT", "EpochReport", "check_recipe", "train"]

# The pruner is a CRF, learned by plain SGD: its probabilities are what counts.
PRUNER_RATE = 0.05
# Sentences on which the weight of templates is measured.
SAMPLE = 500
# Sentences of dev on which probabilities are calibrated, if parts of several arcs have scores.
MOST_FOR_SCALES = 400


def train(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] | None = None,
    options: TrainingOptions | None = None,
    *,
    templates: Templates | None = None,
    threads: int = 1,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    licence: str = "",
    progress: Callable[[EpochReport], None] | None = None,
    on_batch: Callable[[int, int], None] | None = None,
) -> DependencyParser:
    """Train a parser; the same data and options give the same weights, whatever the threads.

    With ``dev``, the epoch with the best LAS is kept and probabilities are calibrated on it. ``templates``
    take the place of the preset's. ``checkpoint`` is a file that is written after every epoch and removed at
    the end, unless ``keep_checkpoint``; ``resume`` goes on from it. ``progress`` gets a report per epoch,
    ``on_batch`` the sentences done and to do in it.

    >>> from arbora.treebank import read
    >>> from arbora.dependency import ParseOptions, TrainingOptions, train
    >>> treebank = list(read("examples/treebank/en.conllu"))
    >>> parser = train(treebank, options=TrainingOptions(epochs=5, bits=16, pruner_bits=14))
    >>> next(parser.parse([treebank[0].copy()])).heads == treebank[0].heads
    True
    """
    options = (options or TrainingOptions()).check()
    if templates is not None:
        options = replace(options, preset=CUSTOM)
    run = _Run(sentences, dev, options, templates, threads, licence)
    kept = None if checkpoint is None else Checkpoint(os.fspath(checkpoint), run.options, run.fingerprint())
    if resume and kept is None:
        raise ArboraError("there is nothing to resume without a checkpoint")
    if resume and kept is not None:
        kept.restore(run.state)
    if kept is not None:
        remove_leftovers(kept.path)
    if not resume:
        run.train_pruner(progress, on_batch)
        if kept is not None:
            kept.save(run.state)
    run.choose_candidates()
    while run.state.epoch < run.options.epochs:
        run.train_epoch(progress, on_batch)
        if kept is not None:
            kept.save(run.state)
    parser = run.finish()
    if kept is not None and not keep_checkpoint:
        kept.remove()
    return parser


def check_recipe(options: TrainingOptions) -> tuple[Loss, Learner]:
    """The loss and the learner that the options name; ArboraError if there are none, or they do not fit."""
    try:
        loss = find_loss(options.loss, options.beta, options.gamma)
        learner = find_learner(options.learner, options.rate)
    except ValueError as error:
        raise ArboraError(str(error)) from None
    for summed in ("latent_roles", "latent_tags", "joint_tags"):
        if getattr(options, summed) and np.isinf(loss.beta):
            raise ArboraError(
                f"{summed} are summed out, which takes a loss with a finite beta, as crf has, not {loss.name}"
            )
    if learner.rule == "aggressive" and np.isinf(loss.beta) and loss.gamma == 0:
        # Its steps are as long as the loss asks for, and at zero weights, where all trees tie, that is 0.
        raise ArboraError(
            "the aggressive learner never leaves zero with the perceptron loss: choose the learner perceptron"
        )
    return loss, learner


class _Run:
    """A training run: what it works on, and how far it is."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence] | None,
        options: TrainingOptions,
        templates: Templates | None,
        threads: int,
        licence: str,
    ) -> None:
        self.options, self.threads = options, threads
        sentences = [sentence for sentence in sentences if len(sentence)]
        if not sentences:
            raise ArboraError("the training data has no words")
        check_trees(sentences, options, "training")
        whole = len(sentences)
        if options.projective:  # a gold tree that is not among the trees would have no probability
            sentences = [sentence for sentence in sentences if not _core.nonprojective_words(sentence.heads)]
            if not sentences:
                raise ArboraError(
                    "no sentence of the training data is projective; train without --projective"
                )
        dev = [sentence for sentence in dev or [] if len(sentence)]
        check_trees(dev, TrainingOptions(single_root=False), "dev")
        templates = select_templates(templates or preset_templates(options.preset), options)
        names = sorted({label for sentence in sentences for label in sentence.deprels})
        self.numbers = {name: number for number, name in enumerate(names)}
        self.tags = tag_names(sentences) if options.joint_tags else []
        self.data = self._read(sentences)
        self.dev = self._read(dev) if dev else None
        # Arcs that no tree can have are not the pruner's fault.
        possible = [sentence for sentence in dev if not _core.nonprojective_words(sentence.heads)]
        self.dev_for_threshold = self._read(possible) if options.projective and possible else self.dev
        # Sums over trees with parts are dear, and a scale needs no more.
        step = -(-len(dev) // MOST_FOR_SCALES) if templates.parts or templates.tags else 1
        self.dev_for_scales = self._read(dev[::step]) if dev else None
        self.header = self._make_header(names, templates, licence)
        self.header["trained_on"]["skipped_nonprojective"] = whole - len(sentences)
        self.structure = make_structure(self.header)
        self.header["padding"] = self.structure.padding
        self.loss, kind = check_recipe(options)
        learner = _core.OnlineLearner(options.bits, self.structure.padding, kind.rule, kind.rate)
        if options.features == "supported":
            everything = list(range(len(self.data)))
            self.structure.support(learner, self.data.encoded, self.data.heads, self.data.labels, everything)
        if options.latent_roles or options.latent_tags:
            self.structure.break_symmetry(learner, self.data.encoded, self.data.heads, options.seed)
        none, zeros = np.zeros(16, np.float32), np.zeros(learner.size, np.float32)
        self.state = TrainingState(
            learner, _core.ShortWeights.rounded(none), _core.ShortWeights.rounded(zeros)
        )
        self.candidates: _core.Arcs | None = None

    def _read(self, sentences: Sequence[Sentence]) -> TrainingData:
        heads = np.array([head for sentence in sentences for head in sentence.heads], np.int32)
        labels = [self.numbers.get(label, -1) for sentence in sentences for label in sentence.deprels]
        data = TrainingData(encode(sentences, self.tags), heads, np.array(labels, np.int32))
        if self.tags:
            data.tags, data.upos = gold_tags(sentences, self.tags)
        return data

    def _make_header(self, names: list[str], templates: Templates, licence: str) -> dict[str, Any]:
        at_root, below_words = [False] * len(names), [False] * len(names)
        for head, label in zip(self.data.heads.tolist(), self.data.labels.tolist(), strict=True):
            (below_words if head else at_root)[label] = True
        if not any(below_words):  # all sentences had one word; longer ones must find some label
            below_words = at_root
        header: dict[str, Any] = {
            "architecture": ARCHITECTURE,
            "preset": self.options.preset,
            "labels": names,
            "at_root": at_root,
            "below_words": below_words,
            "templates": str(templates),
            "threshold": 0.0,
            "options": self.options.as_dict(),
            "licence": licence,
            "trained_on": {"sentences": len(self.data), "words": len(self.data.heads)},
        }
        return {**header, "tags": self.tags} if self.tags else header

    def fingerprint(self) -> int:
        """Of the data and the templates: a checkpoint fits no other."""
        found = zlib.crc32("\n".join([self.header["templates"], *self.header["labels"]]).encode())
        for data in (self.data, self.dev):
            if data is not None:
                found = zlib.crc32(data.encoded.checksum().to_bytes(8, "little"), found)
                found = zlib.crc32(data.labels.tobytes(), zlib.crc32(data.heads.tobytes(), found))
            if data is not None and data.upos is not None:
                found = zlib.crc32(data.upos.tobytes(), found)
        return found

    @property
    def _trees(self) -> _core.TreeOptions:
        return tree_options(self.options.as_dict())

    def _batches(self, stage: str, epoch: int, size: int) -> Iterable[list[int]]:
        """Sentences in the order of this epoch: it depends on the seed and the epoch only."""
        seed = [self.options.seed, zlib.crc32(stage.encode()), epoch]
        order = np.random.default_rng(seed).permutation(len(self.data)).tolist()
        return (order[start : start + size] for start in range(0, len(order), size))

    def train_pruner(
        self,
        progress: Callable[[EpochReport], None] | None,
        on_batch: Callable[[int, int], None] | None,
    ) -> None:
        """Learn to choose candidate arcs, if the templates say by what."""
        if not Templates.parse(self.header["templates"]).pruner:
            return
        options, started, loss = self.options, time.perf_counter(), 0.0
        learner = _core.OnlineLearner(options.pruner_bits, 0, "sgd", PRUNER_RATE)
        for epoch in range(options.pruner_epochs):
            loss, done = 0.0, 0
            for batch in self._batches("pruner", epoch, 8):
                loss += self.structure.train_pruner(
                    learner, self.data.encoded, self.data.heads, batch, self._trees, self.threads
                )
                done += len(batch)
                if on_batch is not None:
                    on_batch(epoch * len(self.data) + done, options.pruner_epochs * len(self.data))
        self.state.pruner_weights = _average(learner)
        lost, heads = self._set_threshold()
        seconds = time.perf_counter() - started
        report = EpochReport(
            epoch=0,
            loss=loss / len(self.data.heads),
            lost=lost,
            heads=heads,
            words_per_second=options.pruner_epochs * len(self.data.heads) / seconds,
        )
        self.state.reports.append(report)
        if progress is not None:
            progress(report)

    def _set_threshold(self) -> tuple[float, float]:
        """Drop as many arcs as the options allow; returns the share of gold arcs lost, and heads a word."""
        judged = self.dev_for_threshold or self.data

        @cache
        def measure(threshold: float) -> tuple[float, float]:
            self._use_threshold(threshold)
            kept = self._choose(judged, None).count
            lost = self._choose(judged, judged.heads).count - kept
            return lost / len(judged.heads), kept / len(judged.heads)

        self.state.threshold = fit_threshold(lambda threshold: measure(threshold)[0], self.options.pruning)
        return measure(self.state.threshold)

    def _use_threshold(self, threshold: float) -> None:
        self.header["threshold"] = threshold
        self.structure = make_structure(self.header)

    def _choose(self, data: TrainingData, also: Integers | None) -> _core.Arcs:
        also = np.empty(0, np.int32) if also is None else also
        return self.structure.choose(self.state.pruner_weights, data.encoded, also, self._trees, self.threads)

    def choose_candidates(self) -> None:
        """The candidate arcs of all training sentences, gold arcs among them; once for all epochs."""
        self._use_threshold(self.state.threshold)
        self.candidates = self._choose(self.data, self.data.heads)

    def train_epoch(
        self,
        progress: Callable[[EpochReport], None] | None,
        on_batch: Callable[[int, int], None] | None,
    ) -> None:
        """One pass over the treebank; the averaged weights are kept if they are the best so far."""
        state, started, loss, done = self.state, time.perf_counter(), 0.0, 0
        assert self.candidates is not None
        for batch in self._batches("parser", state.epoch, self.options.batch):
            of_arcs, of_labels, _, _ = self.structure.train(
                state.learner,
                self.data.encoded,
                self.data.heads,
                self.data.labels,
                self.candidates,
                batch,
                self.loss.beta,
                self.loss.gamma,
                self._trees,
                self.threads,
                self.data.tags,
            )
            loss += of_arcs + of_labels
            done += len(batch)
            if on_batch is not None:
                on_batch(done, len(self.data))
        seconds = time.perf_counter() - started
        state.epoch += 1
        average = _average(state.learner)
        uas, las, upos = self._score(average)
        if las is None or las > state.best_las:
            state.best, state.best_las = average, -1.0 if las is None else las
        words = len(self.data.heads)
        report = EpochReport(state.epoch, loss / words, uas, las, upos, words_per_second=words / seconds)
        self.state.reports.append(report)
        if progress is not None:
            progress(report)

    def _score(self, weights: _core.ShortWeights) -> tuple[float | None, float | None, float | None]:
        """UAS and LAS (with subtypes) on dev, by the tree of the highest score; UPOS if it is chosen."""
        if self.dev is None:
            return None, None, None
        heads, labels = np.empty_like(self.dev.heads), np.empty_like(self.dev.labels)
        none, nothing = np.empty(0, np.int32), np.empty(0)
        structure = self.structure
        tags = None if self.dev.upos is None else np.empty_like(self.dev.upos)
        if self.options.latent_roles or self.options.latent_tags or self.options.joint_tags:
            # They are summed at the scale that they were learned at.
            structure = make_structure({**self.header, **natural_scales(self.loss)})
        structure.parse(
            weights, self.state.pruner_weights, self.dev.encoded, none, none, self._trees, False,
            self.threads, heads, labels, nothing, nothing, nothing, nothing, tags,
        )  # fmt: skip
        right = heads == self.dev.heads
        upos = None if tags is None else float((tags == self.dev.upos).mean())
        return float(right.mean()), float((right & (labels == self.dev.labels)).mean()), upos

    def finish(self) -> DependencyParser:
        """The parser of the best epoch, calibrated."""
        header = {
            **self.header,
            **self._scales(),
            "report": {
                "epochs": [report.without_times() for report in self.state.reports],
                "kept": self._kept_epoch(),
            },
            "features": self._count_features(),
            "heaviest": heaviest_templates(
                self.structure, self.header["templates"], self.state.best, self._sample()
            ),
        }
        return DependencyParser(header, self.state.best, self.state.pruner_weights)

    def _kept_epoch(self) -> int:
        scores = [(report.las or 0.0, -report.epoch) for report in self.state.reports if report.epoch]
        return -max(scores)[1] if self.dev is not None else self.state.epoch

    def _scales(self) -> dict[str, float]:
        """What makes probabilities of scores."""
        dev, state = self.dev_for_scales, self.state
        if dev is None:
            return natural_scales(self.loss)
        return fit_scales(
            lambda scales, joint: self.structure.surprise(
                state.best, state.pruner_weights, dev.encoded, dev.heads, dev.labels,
                self._trees, self.threads, scales, joint, dev.tags,
            ),
            self.options.labels,
            self.loss.beta if self.options.latent_roles else None,
        )  # fmt: skip

    def _count_features(self) -> dict[str, int]:
        """How many features of arcs and parts a sample has: those of gold trees, those of all candidates."""
        sample = self._sample()
        arcs = self._choose(sample, sample.heads)
        supported, complete = self.structure.count_features(sample.encoded, sample.heads, arcs)
        return {"sentences": len(sample), "supported": supported, "complete": complete}

    def _sample(self) -> TrainingData:
        count = min(SAMPLE, len(self.data))
        words = sum(self.data.encoded.lengths()[:count])
        return TrainingData(self.data.encoded.first(count), self.data.heads[:words], self.data.labels[:words])


def _average(learner: _core.OnlineLearner) -> _core.ShortWeights:
    """The mean of the weights over all steps, rounded: what is measured on dev is what goes into the file."""
    average = np.empty(learner.size, np.float32)
    learner.average(average)
    if not np.isfinite(average).all():
        raise ArboraError("the weights have grown without limit; learn with a lower rate")
    return _core.ShortWeights.rounded(average)
