"""A parser in training: what `arbora.training.run` needs to know of it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from arbora import _core
from arbora.dependency.calibration import natural_scales
from arbora.dependency.calibration_sample import CalibrationSample, Calibrator
from arbora.dependency.options import CUSTOM, TrainingOptions, tree_options
from arbora.dependency.parser import ARCHITECTURE, DependencyParser
from arbora.dependency.presets import as_projective, preset_templates
from arbora.dependency.recipe import check_recipe
from arbora.dependency.template_selection import select_templates
from arbora.dependency.template_weights import heaviest_templates
from arbora.dependency.treebanks import (
    TrainingData,
    annotated_trees,
    check_trees,
    choose_projective,
    encode_trees,
    fits,
    forget_mistakes,
    is_annotated,
    known_labels,
    read_trees,
    seen_labels,
    tag_names,
    usable_trees,
    whole_trees,
)
from arbora.dependency.unfinished_parser import UnfinishedParser
from arbora.executors import Executor
from arbora.features import Templates
from arbora.learning.states import (
    averaged_weights,
    learner_parts,
    restore_learner,
    weight_parts,
    weights_of,
)
from arbora.models import Parts
from arbora.models.options import options_of
from arbora.training import Candidate, FileTask, History, Stage, Step, Trained
from arbora.training.mixing import Mixing, OnBatch
from arbora.treebank import Sentence

__all__ = ["ParserTask", "parser_scores"]

PRUNER = "pruner"
# The pruner is a CRF, learned by plain SGD: its probabilities are what counts.
PRUNER_RATE = 0.05
PRUNER_BATCH = 8
# Sentences on which the weight of templates is measured.
SAMPLE = 500
CALIBRATION = "calibration"
# Parts that only trees with crossing arcs have.
CROSSINGS = {"crossings", "nonprojective-arcs"}


class ParserTask(FileTask[DependencyParser]):
    """A parser in training: first the pruner, if its templates have one, then the parser itself."""

    architecture = ARCHITECTURE
    may_change = ("epochs",)  # more may be asked for than before
    learns = True  # in calibration, nothing does
    options: TrainingOptions

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence] | None = None,
        options: TrainingOptions | None = None,
        *,
        templates: Templates | None = None,
        threads: int = 1,
        licence: str = "",
        executor: Executor | None = None,
    ) -> None:
        """The parameters are those of `train`."""
        options = options_of(TrainingOptions, options)
        self.threads = threads
        self.notes: list[str] = []
        self.loss, self.learner_kind = check_recipe(options)
        given, own = templates, templates or preset_templates(options.preset)
        options = self._choose_trees(options, own, annotated_trees(sentences, options))
        self.options = options if templates is None else replace(options, preset=CUSTOM)
        templates = select_templates(own, options)
        usable = usable_trees(sentences, options)
        self.notes += usable.notes
        sentences = usable.sentences
        dev = [sentence for sentence in dev or [] if is_annotated(sentence)]
        check_trees(dev, TrainingOptions(single_root=False), "dev")
        labels = known_labels(sentences)
        tags = tag_names(sentences) if options.joint_tags else []
        numbers = {label: number for number, label in enumerate(labels)}

        def encoded(own: Sequence[Sentence]) -> TrainingData | None:
            return encode_trees(own, numbers, tags) if own else None

        self.data = encode_trees(sentences, numbers, tags)
        self.mixing: Mixing | None = None
        if self.options.shards > 1 or executor is not None:
            # As they were given, so that workers make the same of them.
            self.given = (sentences, replace(self.options, shards=1), given)
            self.mixing = Mixing(self, len(self.data), self.options.shards, self.options.seed, executor)
        self.dev = encoded(dev)
        # Arcs that no tree can have are not the pruner's fault.
        possible = [sentence for sentence in dev if fits(sentence, options)]
        self.dev_for_threshold = encoded(possible) if options.projective and possible else self.dev
        self.sample = CalibrationSample(
            whole_trees(dev),
            options.epochs * len(self.data.heads),
            lambda own: encode_trees(own, numbers, tags),
        )
        if dev and not self.sample:
            self.notes.append("Warning: dev has too few whole trees: probabilities are not calibrated.")
        self.calibrated: dict[str, Any] = natural_scales(self.loss)
        self.header = self._make_header(labels, tags, templates, licence)
        self.header["trained_on"]["skipped_nonprojective"] = usable.not_projective
        if usable.not_annotated:
            self.header["trained_on"]["skipped_unannotated"] = usable.not_annotated
        self.parser = UnfinishedParser(self.header, threads)
        self.stages = [Stage("", options.epochs)]
        self.stages[:0] = [Stage(PRUNER)] if templates.pruner else []
        self.stages += [Stage(CALIBRATION)] if self.sample else []

    def _choose_trees(
        self, options: TrainingOptions, templates: Templates, sentences: Sequence[Sentence]
    ) -> TrainingOptions:
        """The options with `projective` decided, which the notes say if the treebank does it."""
        if options.projective is not None:
            return options
        parts = templates.parts if options.parts is None else options.parts
        if CROSSINGS & set(parts):  # which are about nothing else
            return replace(options, projective=False)
        projective, reason = choose_projective(sentences)
        other = "--non-projective" if projective else "--projective"
        self.notes.append(f"Trees are {reason} ({other} decides otherwise).")
        return as_projective(options) if projective else replace(options, projective=False)

    def _make_header(
        self, labels: list[str], tags: list[str], templates: Templates, licence: str
    ) -> dict[str, Any]:
        at_root, below_words = seen_labels(self.data, labels)
        forget_mistakes(self.data, at_root, below_words)
        header: dict[str, Any] = {
            "architecture": ARCHITECTURE,
            "preset": self.options.preset,
            "labels": labels,
            "at_root": at_root,
            "below_words": below_words,
            "templates": str(templates),
            "threshold": 0.0,
            "options": self.options.as_dict(),
            "licence": licence,
            "trained_on": {"sentences": len(self.data), "words": len(self.data.heads)},
        }
        return {**header, "tags": tags} if tags else header

    @classmethod
    def default_options(cls) -> TrainingOptions:
        """The options if none are given."""
        return TrainingOptions()

    @classmethod
    def check(cls, options: TrainingOptions, **own: Any) -> None:
        """Loss and learner must be there and fit, and the preset, unless other templates take its place."""
        check_recipe(options)
        if own.get("templates") is None:
            preset_templates(options.preset)

    @classmethod
    def read(cls, path: str, options: TrainingOptions, *, dev: bool) -> list[Sentence]:
        """The sentences of a treebank that has some words."""
        return read_trees(path, single_root=options.single_root and not dev)

    def fingerprint(self) -> int:
        """Of the data and the templates."""
        found = zlib.crc32("\n".join([self.header["templates"], *self.header["labels"]]).encode())
        for data in (self.data, self.dev):
            if data is not None:
                found = zlib.crc32(data.checksum(), found)
        return found

    def begin(self, stage: Stage) -> None:
        """The candidate arcs of all training sentences, gold arcs among them, and the learner."""
        options, data = self.options, self.data
        if stage.name == CALIBRATION:
            self.learns = False
            return
        if stage.name == PRUNER:
            self.learner = _core.OnlineLearner(options.pruner_bits, 0, "sgd", PRUNER_RATE)
            return
        self.learner = self.learner_kind.start(options.bits, self.parser.model.padding)
        if options.features == "supported":
            everything = list(range(len(data)))
            self.parser.model.support(self.learner, data.encoded, data.whole, data.labels, everything)
        if options.latent_roles or options.latent_tags:
            self.parser.model.break_symmetry(self.learner, data.encoded, data.whole, options.seed)
        self.candidates = self.parser.choose(data, data.heads)

    def train(self, step: Step) -> Trained:
        """One pass over the treebank, or all of the pruner's, or what makes probabilities of scores."""
        steps = {PRUNER: self._train_pruner, CALIBRATION: self._calibrate}
        return steps.get(step.stage.name, self._train_parser)(step)

    def _train_pruner(self, step: Step) -> Trained:
        """Learn to choose candidate arcs."""
        passes, words, loss, done = self.options.pruner_epochs, len(self.data.heads), 0.0, 0
        for epoch in range(passes):
            loss = 0.0
            for batch in _batches(self._order(PRUNER, epoch), PRUNER_BATCH):
                loss += self.parser.model.train_pruner(
                    self.learner, self.data.encoded, self.data.heads, batch, self.parser.trees, self.threads
                )
                done += len(batch)
                step.watcher.on_batch(done, passes * len(self.data))
        return Trained(loss / words, passes * words)

    def _train_parser(self, step: Step) -> Trained:
        order = self._order("parser", step.epoch - 1)
        learn = self.learn if self.mixing is None else self.mixing.learn
        words = len(self.data.heads)
        return Trained(learn(order, step.watcher.on_batch) / words, words)

    def learn(self, order: Sequence[int], on_batch: OnBatch) -> float:
        """Learn from these sentences in this order; the sum of their losses."""
        loss, done, data = 0.0, 0, self.data
        trees = tree_options(self.options.as_dict(), outer=self.options.outer)
        for batch in _batches(order, self.options.batch):
            of_arcs, of_labels, _, _ = self.parser.model.train(
                self.learner,
                data.encoded,
                data.heads,
                data.labels,
                self.candidates,
                batch,
                self.loss.beta,
                self.loss.gamma,
                trees,
                self.threads,
                data.tags,
            )
            loss += of_arcs + of_labels
            done += len(batch)
            on_batch(done, len(order))
        return loss

    def replica(self) -> Callable[[], ParserTask]:
        """What makes the same task in another process, at the beginning of the parser's epochs."""
        header, tensors = weight_parts(self.parser.pruner)
        pruner = {**header, "threshold": self.header["threshold"]}, tensors
        return partial(_make_replica, *self.given, pruner)

    def _order(self, stage: str, epoch: int) -> list[int]:
        """Sentences in the order of this epoch: it depends on the seed and the epoch only."""
        seed = [self.options.seed, zlib.crc32(stage.encode()), epoch]
        order: list[int] = np.random.default_rng(seed).permutation(len(self.data)).tolist()
        return order

    def judge(self, stage: Stage) -> Candidate:
        """The averaged weights, and what they are worth; or the scales."""
        if stage.name == CALIBRATION:
            scales = {name: value for name, value in self.calibrated.items() if name != "confidence"}
            return Candidate((self.calibrated, {}), scales)
        weights = averaged_weights(self.learner)
        header, tensors = weight_parts(weights)
        if stage.name != PRUNER:
            scores = {} if self.dev is None else self.parser.scores(weights, self.dev, self.loss)
            return Candidate((header, tensors), scores, scores.get("las"))
        self.parser.pruner = weights
        judged = self.dev_for_threshold or self.data
        threshold, lost, heads = self.parser.fit_threshold(judged)
        return Candidate(({**header, "threshold": threshold}, tensors), {"lost": lost, "heads": heads})

    def end(self, stage: Stage, parts: Parts) -> None:
        """The weights of the pruner and its threshold, those of the parser, or the scales."""
        if stage.name == PRUNER:
            self.parser.pruner = weights_of(parts)
            self.parser.use_threshold(parts[0]["threshold"])
        elif stage.name == CALIBRATION:
            self.calibrated = parts[0]
        else:
            self.best = weights_of(parts)

    def finish(self, history: History) -> DependencyParser:
        """The parser of the best epoch, calibrated."""
        sample = self.data.first(SAMPLE)
        rows = [report.as_row() for report in history.reports if report.stage != CALIBRATION]
        header = {
            **self.header,
            **self.calibrated,
            "report": {"epochs": rows, "kept": history.kept[""]},
            "features": self.parser.count_features(sample),
            "heaviest": heaviest_templates(self.parser.model, self.header["templates"], self.best, sample),
        }
        return DependencyParser(header, self.best, self.parser.pruner)

    def _calibrate(self, step: Step) -> Trained:
        """Find what makes probabilities of scores."""
        parser = DependencyParser(self.parser.header, self.best, self.parser.pruner)
        calibrator = Calibrator(
            parser, self.sample, self.options, threads=self.threads, on_batch=step.watcher.on_batch
        )
        self.calibrated = calibrator.fit(self.loss.beta if self.options.latent_roles else None)
        return Trained()

    def snapshot(self) -> Parts:
        """The learner, while there is one."""
        return learner_parts(self.learner) if self.learns else ({}, {})

    def restore(self, parts: Parts) -> None:
        """The learner."""
        if self.learns:
            restore_learner(self.learner, parts)

    def describe(self, stage: Stage, scores: Mapping[str, float]) -> list[str]:
        """The scores in words."""
        if stage.name == PRUNER:
            lost = f"{100 * scores['lost']:.2f} % of gold arcs lost"
            if scores["lost"] > self.options.pruning:
                lost += f" (no more than {self.options.mean_heads:g} heads are kept on average)"
            return [f"{scores['heads']:.2f} candidate heads per word", lost]
        if stage.name == CALIBRATION:
            return [f"tree scale {scores['tree_scale']:.3g}"]
        return parser_scores(scores)


def _batches(order: Sequence[int], size: int) -> Iterable[Sequence[int]]:
    return (order[start : start + size] for start in range(0, len(order), size))


def _make_replica(
    sentences: Sequence[Sentence], options: TrainingOptions, templates: Templates | None, pruner: Parts
) -> ParserTask:
    task = ParserTask(sentences, None, options, templates=templates)
    task.end(Stage(PRUNER), pruner)
    task.begin(Stage(""))
    return task


def parser_scores(scores: Mapping[str, Any]) -> list[str]:
    """Scores on dev, in words; none without dev.

    >>> parser_scores({"uas": 0.9, "las": 0.85})
    ['dev UAS 90.00', 'LAS 85.00']
    """
    named = (("uas", "dev UAS"), ("las", "LAS"), ("upos", "UPOS"))
    return [f"{name} {100 * scores[key]:.2f}" for key, name in named if key in scores]
