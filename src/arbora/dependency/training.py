"""Training: from a treebank to a parser, in epochs that can be taken up again after a kill."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.dependency.material import check_trees, select_templates
from arbora.dependency.options import TrainingOptions
from arbora.dependency.parser import ARCHITECTURE, DependencyParser, encode, make_structure
from arbora.dependency.presets import preset_templates
from arbora.errors import ArboraError, FileError
from arbora.features import SECTIONS, Templates
from arbora.learning import Learner, Loss, find_learner, find_loss
from arbora.models import read_model, write_model
from arbora.treebank import Sentence

Integers: TypeAlias = npt.NDArray[np.int32]
Weights: TypeAlias = npt.NDArray[np.float32]

CHECKPOINT = "dependency-parser checkpoint"
# The pruner is a CRF, learned by plain SGD: its probabilities are what counts.
PRUNER_RATE = 0.05
# How probable a candidate arc must be, relative to a word's best; tried from the highest down.
THRESHOLDS = (0.05, 0.03, 0.02, 0.015, 0.01, 0.007, 0.005, 0.003, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
# Sentences on which the weight of templates is measured.
SAMPLE = 500


@dataclass(frozen=True, slots=True)
class EpochReport:
    """How an epoch went: the mean loss per word, dev scores (None without dev), and words per second.

    Epoch 0 is the pruner's: then ``lost`` and ``heads`` say which share of gold arcs it would have lost, and
    how many candidate heads a word has (on dev, or on the training data without one).
    """

    epoch: int
    loss: float
    uas: float | None = None
    las: float | None = None
    lost: float | None = None
    heads: float | None = None
    words_per_second: float = field(default=0.0, compare=False)


@dataclass(slots=True)
class _Data:
    """A treebank as the core sees it."""

    encoded: _core.Encoded
    heads: Integers
    labels: Integers

    def __len__(self) -> int:
        return len(self.encoded)


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

    With ``dev``, the epoch with the best LAS is kept and probabilities are calibrated on it. ``checkpoint``
    is a file that is written after every epoch and removed at the end, unless ``keep_checkpoint``; ``resume``
    goes on from it. ``progress`` gets a report per epoch, ``on_batch`` the sentences done and to do in it.

    >>> from arbora.treebank import read
    >>> from arbora.dependency import ParseOptions, TrainingOptions, train
    >>> treebank = list(read("examples/treebank/en.conllu"))
    >>> parser = train(treebank, options=TrainingOptions(epochs=5, bits=16, pruner_bits=14))
    >>> next(parser.parse([treebank[0].copy()])).heads == treebank[0].heads
    True
    """
    run = _Run(sentences, dev, (options or TrainingOptions()).check(), templates, threads, licence)
    if resume and checkpoint is None:
        raise ArboraError("there is nothing to resume without a checkpoint")
    if resume and checkpoint is not None:
        run.restore(checkpoint)
    else:
        run.train_pruner(progress, on_batch)
        if checkpoint is not None:
            run.save(checkpoint)
    run.choose_candidates()
    while run.epoch < run.options.epochs:
        run.train_epoch(progress, on_batch)
        if checkpoint is not None:
            run.save(checkpoint)
    parser = run.finish()
    if checkpoint is not None and not keep_checkpoint and os.path.exists(checkpoint):
        os.unlink(checkpoint)
    return parser


def check_recipe(options: TrainingOptions) -> tuple[Loss, Learner]:
    """The loss and the learner that the options name; ArboraError if there are none, or they do not fit."""
    try:
        loss = find_loss(options.loss, options.beta, options.gamma)
        learner = find_learner(options.learner, options.rate)
    except ValueError as error:
        raise ArboraError(str(error)) from None
    if learner.rule == "aggressive" and np.isinf(loss.beta) and loss.gamma == 0:
        # Its steps are as long as the loss asks for, and at zero weights, where all trees tie, that is 0.
        raise ArboraError(
            "the aggressive learner never leaves zero with the perceptron loss: choose the learner perceptron"
        )
    return loss, learner


class _Run:
    """A training run: what it works on, and what a checkpoint must hold."""

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
        self.data = self._read(sentences)
        self.dev = self._read(dev) if dev else None
        self.header = self._make_header(names, templates, licence)
        self.header["trained_on"]["skipped_nonprojective"] = whole - len(sentences)
        self.structure = make_structure(self.header)
        self.header["padding"] = self.structure.padding
        self.loss, self.learner_kind = check_recipe(options)
        self.learner = _core.OnlineLearner(
            options.bits, self.structure.padding, self.learner_kind.rule, self.learner_kind.rate
        )
        if options.features == "supported":
            everything = list(range(len(self.data)))
            self.structure.support(
                self.learner, self.data.encoded, self.data.heads, self.data.labels, everything
            )
        self.pruner_weights: Weights = np.zeros(16, np.float32)
        self.best: Weights = np.zeros(self.learner.size, np.float32)
        self.best_las = -1.0
        self.epoch = 0
        self.reports: list[EpochReport] = []
        self.candidates: _core.Arcs | None = None

    def _read(self, sentences: Sequence[Sentence]) -> _Data:
        heads = np.array([head for sentence in sentences for head in sentence.heads], np.int32)
        labels = [self.numbers.get(label, -1) for sentence in sentences for label in sentence.deprels]
        return _Data(encode(sentences), heads, np.array(labels, np.int32))

    def _make_header(self, names: list[str], templates: Templates, licence: str) -> dict[str, Any]:
        at_root, below_words = [False] * len(names), [False] * len(names)
        for head, label in zip(self.data.heads.tolist(), self.data.labels.tolist(), strict=True):
            (below_words if head else at_root)[label] = True
        if not any(below_words):  # all sentences had one word; longer ones must find some label
            below_words = at_root
        return {
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

    @property
    def _trees(self) -> tuple[bool, bool]:
        return self.options.single_root, self.options.projective

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
                    learner, self.data.encoded, self.data.heads, batch, *self._trees, self.threads
                )
                done += len(batch)
                if on_batch is not None:
                    on_batch(epoch * len(self.data) + done, options.pruner_epochs * len(self.data))
        self.pruner_weights = np.empty(learner.size, np.float32)
        learner.average(self.pruner_weights)
        lost, heads = self._set_threshold()
        seconds = time.perf_counter() - started
        report = EpochReport(
            epoch=0,
            loss=loss / len(self.data.heads),
            lost=lost,
            heads=heads,
            words_per_second=options.pruner_epochs * len(self.data.heads) / seconds,
        )
        self.reports.append(report)
        if progress is not None:
            progress(report)

    def _set_threshold(self) -> tuple[float, float]:
        """The highest threshold that loses few enough gold arcs; returns what it loses, and heads a word."""
        judged = self.dev or self.data
        words = len(judged.heads)
        low, high = 0, len(THRESHOLDS) - 1  # the last is taken even if it loses too many
        found: dict[int, tuple[float, float]] = {}
        while high not in found or low < high:
            middle = (low + high) // 2
            self._use_threshold(THRESHOLDS[middle])
            kept = self._choose(judged, None).count
            lost = (self._choose(judged, judged.heads).count - kept) / words
            found[middle] = (lost, kept / words)
            if lost <= self.options.pruning:
                high = middle
            else:
                low = min(middle + 1, high)
            if low == high == middle:
                break
        self._use_threshold(THRESHOLDS[high])
        return found[high]

    def _use_threshold(self, threshold: float) -> None:
        self.header["threshold"] = threshold
        self.structure = make_structure(self.header)

    def _choose(self, data: _Data, also: Integers | None) -> _core.Arcs:
        also = np.empty(0, np.int32) if also is None else also
        return self.structure.choose(self.pruner_weights, data.encoded, also, *self._trees, self.threads)

    def choose_candidates(self) -> None:
        """The candidate arcs of all training sentences, gold arcs among them; once for all epochs."""
        self.candidates = self._choose(self.data, self.data.heads)

    def train_epoch(
        self,
        progress: Callable[[EpochReport], None] | None,
        on_batch: Callable[[int, int], None] | None,
    ) -> None:
        """One pass over the treebank; the averaged weights are kept if they are the best so far."""
        options, started, loss, done = self.options, time.perf_counter(), 0.0, 0
        assert self.candidates is not None
        for batch in self._batches("parser", self.epoch, options.batch):
            of_arcs, of_labels, _, _ = self.structure.train(
                self.learner,
                self.data.encoded,
                self.data.heads,
                self.data.labels,
                self.candidates,
                batch,
                self.loss.beta,
                self.loss.gamma,
                *self._trees,
                self.threads,
            )
            loss += of_arcs + of_labels
            done += len(batch)
            if on_batch is not None:
                on_batch(done, len(self.data))
        seconds = time.perf_counter() - started
        self.epoch += 1
        average = np.empty(self.learner.size, np.float32)
        self.learner.average(average)
        uas, las = self._score(average)
        if las is None or las > self.best_las:
            self.best, self.best_las = average, -1.0 if las is None else las
        words = len(self.data.heads)
        report = EpochReport(self.epoch, loss / words, uas, las, words_per_second=words / seconds)
        self.reports.append(report)
        if progress is not None:
            progress(report)

    def _score(self, weights: Weights) -> tuple[float | None, float | None]:
        """UAS and LAS (with subtypes) on dev, by the tree of the highest score."""
        if self.dev is None:
            return None, None
        heads, labels = np.empty_like(self.dev.heads), np.empty_like(self.dev.labels)
        none, nothing = np.empty(0, np.int32), np.empty(0)
        self.structure.parse(
            weights, self.pruner_weights, self.dev.encoded, none, none, *self._trees, False, self.threads,
            heads, labels, nothing, nothing, nothing,
        )  # fmt: skip
        right = heads == self.dev.heads
        return float(right.mean()), float((right & (labels == self.dev.labels)).mean())

    def finish(self) -> DependencyParser:
        """The parser of the best epoch, calibrated."""
        scales = self._calibrate()
        report = [_without_times(report) for report in self.reports]
        header = {
            **self.header,
            **scales,
            "report": {"epochs": report, "kept": self._kept_epoch()},
            "heaviest": self._heaviest(),
        }
        return DependencyParser(header, self.best, self.pruner_weights)

    def _kept_epoch(self) -> int:
        scores = [(report.las or 0.0, -report.epoch) for report in self.reports if report.epoch]
        return -max(scores)[1] if self.dev is not None else self.epoch

    def _calibrate(self) -> dict[str, float]:
        """What to multiply scores by so that gold trees of dev are the most probable.

        Without dev, the loss's own beta, at which a CRF's scores are log-probabilities already.
        """
        if self.dev is None:
            natural = self.loss.beta if np.isfinite(self.loss.beta) else 1.0
            return {"tree_scale": natural, "label_scale": natural}
        found: dict[str, float] = {}
        if self.options.labels != "second-stage":
            found["joint_scale"] = self._best_scale("joint_scale", 1.0)
        if self.options.labels != "joint":
            found["label_scale"] = self._best_scale("label_scale", 1.0)
        found["tree_scale"] = self._best_scale("tree_scale", found.get("joint_scale", 1.0))
        return found

    def _best_scale(self, name: str, joint: float) -> float:
        """The scale under which the gold trees of dev, or their labels given the arcs, surprise the least."""
        assert self.dev is not None
        best = 1.0
        for width in (4.0, 1.25, 1.05):
            scales = [best * width**step for step in range(-3, 4)]
            trees, labels, joints = self.structure.surprise(
                self.best, self.pruner_weights, self.dev.encoded, self.dev.heads, self.dev.labels,
                *self._trees, self.threads, scales, joint,
            )  # fmt: skip
            costs = {"tree_scale": trees, "label_scale": labels, "joint_scale": joints}[name]
            best = min(zip(costs, scales, strict=True))[1]
        return best

    def _heaviest(self) -> list[dict[str, Any]]:
        """Templates by the share of the squared weight that their features have in gold trees."""
        templates = Templates.parse(self.header["templates"])
        sample = self._sample()
        found: list[tuple[str, str, float]] = []
        for number, section in enumerate(SECTIONS):
            if section in ("pruner", "siblings"):
                continue
            masses = self.structure.template_masses(
                number, self.best, sample.encoded, sample.heads, sample.labels
            )
            found += zip([section] * len(masses), map(str, getattr(templates, section)), masses, strict=True)
        total = sum(mass for _, _, mass in found) or 1.0
        found.sort(key=lambda item: -item[2])
        return [
            {"section": section, "template": template, "mass": round(mass / total, 4)}
            for section, template, mass in found[:20]
        ]

    def _sample(self) -> _Data:
        count = min(SAMPLE, len(self.data))
        words = sum(self.data.encoded.lengths()[:count])
        return _Data(self.data.encoded.first(count), self.data.heads[:words], self.data.labels[:words])

    # ---- checkpoints ----

    def _fingerprint(self) -> int:
        """Of the data and the templates: a checkpoint fits no other."""
        found = zlib.crc32("\n".join([self.header["templates"], *self.header["labels"]]).encode())
        for data in (self.data, self.dev):
            if data is not None:
                found = zlib.crc32(data.encoded.checksum().to_bytes(8, "little"), found)
                found = zlib.crc32(data.labels.tobytes(), zlib.crc32(data.heads.tobytes(), found))
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Everything that `restore` needs to go on as if nothing had happened."""
        header = {
            "architecture": CHECKPOINT,
            "options": self.options.as_dict(),
            "fingerprint": self._fingerprint(),
            "epoch": self.epoch,
            "steps": self.learner.steps,
            "threshold": self.header["threshold"],
            "best_las": self.best_las,
            "reports": [asdict(report) for report in self.reports],
        }
        tensors = {
            "weights": self.learner.weights,
            "weighted_steps": self.learner.weighted_steps,
            "pruner": self.pruner_weights,
            "best": self.best,
        }
        if len(self.learner.squares):
            tensors["squares"] = self.learner.squares
        write_model(path, header, tensors)

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Go on from a checkpoint; FileError if it belongs to other data or options."""
        found = read_model(path, architecture=CHECKPOINT)
        header = found.header
        ours, theirs = self.options.as_dict(), dict(header["options"])
        changed = sorted(name for name in ours if theirs.get(name) != ours[name] and name != "epochs")
        if changed:
            raise FileError(
                f"the checkpoint was made with another {changed[0]} ({theirs.get(changed[0])!r}, now "
                f"{ours[changed[0]]!r}); use the same options, or start anew without --resume",
                file=str(path),
            )
        if header["fingerprint"] != self._fingerprint():
            raise FileError(
                "the checkpoint was made with other data or templates; start anew without --resume",
                file=str(path),
            )
        self.epoch, self.best_las = header["epoch"], header["best_las"]
        self.learner.steps = header["steps"]
        self._use_threshold(header["threshold"])
        self.reports = [EpochReport(**report) for report in header["reports"]]
        self.learner.weights[:] = found.tensors["weights"]
        self.learner.weighted_steps[:] = found.tensors["weighted_steps"]
        if len(self.learner.squares):
            self.learner.squares[:] = found.tensors["squares"]
        self.pruner_weights = np.array(found.tensors["pruner"])
        self.best = np.array(found.tensors["best"])


def _without_times(report: EpochReport) -> dict[str, Any]:
    """A report for the header, in which nothing may differ between two runs."""
    plain = asdict(report)
    del plain["words_per_second"]
    return {name: value for name, value in plain.items() if value is not None}
