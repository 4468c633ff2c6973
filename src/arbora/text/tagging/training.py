"""Training: from a treebank to a tagger, stage by stage, in epochs that can be gone on with after a kill."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from arbora import _core
from arbora.errors import ArboraError
from arbora.learning import best_scale, find_learner, find_loss
from arbora.models import remove_leftovers
from arbora.text.tagging.checkpoints import CHECKPOINT, TaggerCheckpoint, TaggerReport, TaggerState
from arbora.text.tagging.lexicon import Labels, Lists, make_candidates, make_classes, open_labels
from arbora.text.tagging.options import STAGES, TaggerOptions, TagOptions
from arbora.text.tagging.structure import make_dictionary, make_stage, make_text, pack, set_found, unpack
from arbora.text.tagging.tagger import ARCHITECTURE, Tagger
from arbora.text.tagging.templates import FOUND, TaggerTemplates, default_templates
from arbora.treebank import Sentence

__all__ = ["CHECKPOINT", "TaggerReport", "jackknife_tags", "measure_tags", "train_tagger", "untagged_word"]


def train_tagger(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] | None = None,
    options: TaggerOptions | None = None,
    *,
    templates: TaggerTemplates | None = None,
    threads: int = 1,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    licence: str = "",
    progress: Callable[[TaggerReport], None] | None = None,
    on_batch: Callable[[int, int], None] | None = None,
) -> Tagger:
    """Train a tagger; the same data and options give the same weights, whatever the threads.

    Every word needs a UPOS tag. XPOS, FEATS and lemmas are learned as they are, ``_`` too. With ``dev``, the
    best epoch of each stage is kept and probabilities are calibrated on it. ``checkpoint`` is a file that is
    written after every epoch and removed at the end, unless ``keep_checkpoint``; ``resume`` goes on from it.
    ``progress`` gets a report per epoch, ``on_batch`` the sentences done and to do in it.

    >>> from arbora.treebank import Sentence, read
    >>> treebank = list(read("examples/treebank/en.conllu"))
    >>> tagger = train_tagger(treebank, options=TaggerOptions(epochs=5, bits=(16, 16, 12)))
    >>> found = next(tagger.tag([Sentence(treebank[0].forms)]))
    >>> found.upos == treebank[0].upos, found.lemmas == treebank[0].lemmas
    (True, True)
    """
    options = (options or TaggerOptions()).check()
    run = _Run(sentences, dev, options, templates or default_templates(), threads, licence)
    kept = None if checkpoint is None else TaggerCheckpoint(os.fspath(checkpoint), options, run.fingerprint())
    if resume and kept is None:
        raise ArboraError("there is nothing to resume without a checkpoint")
    state = kept.restore(run.start) if resume and kept is not None else run.start(0)
    if kept is not None:
        remove_leftovers(kept.path)
    for packed in state.done:
        run.enter_next(packed)
    while state.stage < len(STAGES):
        while state.epoch < options.epochs:
            run.train_epoch(state, progress, on_batch)
            if kept is not None:
                kept.save(state)
        state = run.finish_stage(state)
    tagger = run.finish(state)
    if kept is not None and not keep_checkpoint:
        kept.remove()
    return tagger


def untagged_word(sentences: Sequence[Sentence]) -> tuple[int, int] | None:
    """The first word without a UPOS tag: the number of its sentence and its own, both from 1.

    >>> untagged_word([Sentence(["Dogs", "bark"], upos=["NOUN", "_"])])
    (1, 2)
    """
    for number, sentence in enumerate(sentences, 1):
        if "_" in sentence.upos:
            return number, sentence.upos.index("_") + 1
    return None


def measure_tags(tagger: Tagger, gold: Sequence[Sentence], *, threads: int = 1) -> dict[str, float]:
    """The share of words whose UPOS, XPOS, FEATS and lemma the tagger finds as gold has them."""
    words = sum(map(len, gold))
    right = dict.fromkeys(("upos", "xpos", "feats", "lemmas"), 0)
    copies = (Sentence(sentence.forms) for sentence in gold)
    for sentence, found in zip(gold, tagger.tag(copies, TagOptions(threads=threads)), strict=True):
        for column in right:
            pairs = zip(getattr(sentence, column), getattr(found, column), strict=True)
            right[column] += sum(own == other for own, other in pairs)
    return {column: count / words for column, count in right.items()}


def jackknife_tags(
    sentences: Sequence[Sentence],
    options: TaggerOptions | None = None,
    *,
    folds: int = 10,
    threads: int = 1,
    how: TagOptions | None = None,
    like: Tagger | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Sentence]:
    """Copies of the sentences with tags and lemmas by taggers that have not seen them, in order.

    The sentences are cut into ``folds`` runs of about one length; those of each are tagged by a tagger that
    is trained on all others. ``how`` says what else it tells of them; ``threads`` are for all of it.
    ``like``: a tagger whose calibration these have, as they have no dev data of their own. ``progress`` gets
    the folds done and to do.

    >>> from arbora.treebank import read
    >>> treebank = list(read("examples/treebank/en.conllu"))
    >>> tagged = list(jackknife_tags(treebank, TaggerOptions(epochs=1, bits=(12, 12, 12)), folds=2))
    >>> [s.forms for s in tagged] == [s.forms for s in treebank]
    True
    """
    if folds < 2:
        raise ArboraError("there must be at least 2 folds")
    folds = min(folds, len(sentences))
    if folds < 2:
        raise ArboraError("at least 2 sentences are needed to tag each by a tagger that has not seen it")
    edges = np.linspace(0, len(sentences), folds + 1).round().astype(int).tolist()
    for fold, (start, end) in enumerate(pairwise(edges), 1):
        others = [*sentences[:start], *sentences[end:]]
        tagger = train_tagger(others, options=options, threads=threads)
        if like is not None:
            tagger = _calibrated(tagger, like)
        copies = (sentence.copy() for sentence in sentences[start:end])
        yield from tagger.tag(copies, replace(how or TagOptions(), threads=threads))
        if progress is not None:
            progress(fold, folds)


def _calibrated(tagger: Tagger, like: Tagger) -> Tagger:
    """A tagger that makes probabilities of scores as another does."""
    stages = {
        name: {**facts, "scale": like.header["stages"][name]["scale"]}
        for name, facts in tagger.header["stages"].items()
    }
    return Tagger({**tagger.header, "stages": stages}, tagger.tensors)


class _Run:
    """A training run: what it works on. The texts get the atoms of the stages that are done."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence] | None,
        options: TaggerOptions,
        templates: TaggerTemplates,
        threads: int,
        licence: str,
    ) -> None:
        self.options, self.templates, self.threads = options, templates, threads
        self.sentences = [sentence for sentence in sentences if len(sentence)]
        if not self.sentences:
            raise ArboraError("the training data has no words")
        self.dev = [sentence for sentence in dev or [] if len(sentence)]
        _check_tags(self.sentences, "training")
        _check_tags(self.dev, "dev")
        missing = [name for name in STAGES if not templates.of(name)]
        if missing:
            raise ArboraError(f"the templates have no section [{missing[0]}]")
        try:
            self.loss = find_loss(options.loss, options.beta, options.gamma)
            self.learner = find_learner(options.learner, options.rate)
        except ValueError as error:
            raise ArboraError(str(error)) from None
        self.licence = licence
        self.text, self.dev_text = make_text(self.sentences), make_text(self.dev)
        self.labels = Labels.of(self.sentences)
        self.gold = self.labels.numbers(self.sentences)
        self.dev_gold = self.labels.numbers(self.dev)
        self.classes = make_classes(self.text, self.gold[0])
        for text in (self.text, self.dev_text):
            text.set_classes(make_dictionary(self.classes, 1 << 16))
        self.facts: dict[str, dict[str, Any]] = {}
        self.tensors = {f"classes.{name}": tensor for name, tensor in self.classes.items()}
        self._prepare(0)

    def _prepare(self, number: int) -> None:
        """A stage after those that are done: as it is learned, and as it will be used."""
        name, gold = STAGES[number], self.gold[number]
        open_ = open_labels(name, self.sentences, gold)

        def stage_with(lists: Lists) -> _core.TagStage:
            return make_stage(name, self.labels, self.templates, lists, open_, self.options.most)

        self.lists = make_candidates(self.templates, name, self.text, gold, training=False)
        self.learned = stage_with(make_candidates(self.templates, name, self.text, gold, training=True))
        self.used = stage_with(self.lists)
        self.open = open_

    def fingerprint(self) -> int:
        """Of the data and the templates: a checkpoint fits no other."""
        found = zlib.crc32(str(self.templates).encode())
        for text, gold in ((self.text, self.gold), (self.dev_text, self.dev_gold)):
            found = zlib.crc32(text.checksum().to_bytes(8, "little"), found)
            for column in gold:
                found = zlib.crc32(column.tobytes(), found)
        return zlib.crc32(repr(self.labels).encode(), found)

    def start(self, stage: int) -> TaggerState:
        """The state at the beginning of a stage."""
        learner = self.learner.start(self.options.bits[stage], self.labels.padding(STAGES[stage]))
        zeros = np.zeros(learner.size, np.float32)
        return TaggerState(learner, _core.ShortWeights.rounded(zeros), stage)

    def _batches(self, state: TaggerState) -> Iterator[list[int]]:
        """Sentences in the order of this epoch: it depends on the seed, the stage and the epoch only."""
        seed = [self.options.seed, state.stage, state.epoch]
        order = np.random.default_rng(seed).permutation(len(self.text)).tolist()
        size = self.options.batch
        return (order[start : start + size] for start in range(0, len(order), size))

    def train_epoch(
        self,
        state: TaggerState,
        progress: Callable[[TaggerReport], None] | None,
        on_batch: Callable[[int, int], None] | None,
    ) -> None:
        """One pass over the treebank; the averaged weights are kept if they are the best so far."""
        started, loss, done, gold = time.perf_counter(), 0.0, 0, self.gold[state.stage]
        for batch in self._batches(state):
            loss += self.learned.train(
                state.learner, self.text, gold, batch, self.loss.beta, self.loss.gamma, self.threads
            )
            done += len(batch)
            if on_batch is not None:
                on_batch(done, len(self.text))
        seconds = time.perf_counter() - started
        state.epoch += 1
        average = np.empty(state.learner.size, np.float32)
        state.learner.average(average)
        if not np.isfinite(average).all():
            raise ArboraError("the weights have grown without limit; learn with a lower rate")
        weights = _core.ShortWeights.rounded(average)
        accuracy = self._accuracy(weights, state.stage)
        if accuracy is None or accuracy > state.best_accuracy:
            state.best, state.kept = weights, state.epoch
            state.best_accuracy = -1.0 if accuracy is None else accuracy
        words = self.text.words
        report = TaggerReport(STAGES[state.stage], state.epoch, loss / words, accuracy, words / seconds)
        state.reports.append(report)
        if progress is not None:
            progress(report)

    def _accuracy(self, weights: _core.ShortWeights, stage: int) -> float | None:
        if not self.dev:
            return None
        found = np.empty(self.dev_text.words, np.int32)
        self.used.choose(weights, self.dev_text, self.threads, found)
        return float((found == self.dev_gold[stage]).mean())

    def finish_stage(self, state: TaggerState) -> TaggerState:
        """The state at the beginning of the next stage; this one's weights are as a file will hold them."""
        state.done.append(pack(state.best))
        state.kept_epochs.append(state.kept)
        self.enter_next(state.done[-1])
        number = state.stage + 1
        following = self.start(number) if number < len(STAGES) else replace(state, stage=number)
        following.done, following.kept_epochs, following.reports = (
            state.done,
            state.kept_epochs,
            state.reports,
        )
        return following

    def enter_next(self, packed: Lists) -> None:
        """What follows from a stage's weights: its tensors, its scale, the atoms that the next one sees."""
        number = len(self.facts)
        name = STAGES[number]
        for part, tensor in {**self.lists, **packed}.items():
            self.tensors[f"{name}.{part}"] = tensor
        weights = unpack(packed, (1 << self.options.bits[number]) + self.used.padding)
        self.facts[name] = {
            "bits": self.options.bits[number],
            "most": self.options.most,
            "open": self.open,
            "scale": self._scale(weights, number),
        }
        if name in FOUND:
            found = np.empty(self.dev_text.words, np.int32)
            self.used.choose(weights, self.dev_text, self.threads, found)
            set_found(self.text, name, self.labels, self.gold[number])
            set_found(self.dev_text, name, self.labels, found)
        if number + 1 < len(STAGES):
            self._prepare(number + 1)

    def _scale(self, weights: _core.ShortWeights, stage: int) -> float:
        """What makes probabilities of scores."""
        if not self.dev:
            return self.loss.beta if isfinite(self.loss.beta) else 1.0
        return best_scale(
            lambda scales: self.used.surprise(
                weights, self.dev_text, self.dev_gold[stage], scales, self.threads
            )
        )

    def finish(self, state: TaggerState) -> Tagger:
        """The tagger of the best epochs."""
        report: dict[str, Any] = {
            "epochs": [report.without_times() for report in state.reports],
            "kept": dict(zip(STAGES, state.kept_epochs, strict=True)),
        }
        header = {
            "architecture": ARCHITECTURE,
            "templates": str(self.templates),
            "upos": self.labels.upos,
            "morph": [list(label) for label in self.labels.morph],
            "scripts": self.labels.scripts,
            "stages": self.facts,
            "options": self.options.as_dict(),
            "licence": self.licence,
            "trained_on": {"sentences": len(self.sentences), "words": self.text.words},
            "report": report,
        }
        tagger = Tagger(header, self.tensors)
        if self.dev:
            report["dev"] = measure_tags(tagger, self.dev, threads=self.threads)
        return tagger


def _check_tags(sentences: Sequence[Sentence], name: str) -> None:
    missing = untagged_word(sentences)
    if missing is not None:
        words = " ".join(sentences[missing[0] - 1].forms[:5])
        raise ArboraError(
            f"{name} sentence {missing[0]} ({words!r}): word {missing[1]} has no UPOS tag: training needs all"
        )
