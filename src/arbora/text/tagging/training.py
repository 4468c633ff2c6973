"""Training: from a treebank to a tagger, stage by stage, in epochs that can be gone on with after a kill."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.learning import Learner, Loss, best_scale, find_learner, find_loss
from arbora.learning.states import (
    averaged_weights,
    learner_parts,
    restore_learner,
    weight_parts,
    weights_of,
)
from arbora.models import Parts, under
from arbora.models.options import options_of
from arbora.text.tagging.core_objects import make_dictionary, make_stage, make_text, pack, set_found, unpack
from arbora.text.tagging.lexicon import Labels, Lists, make_candidates, make_classes, open_labels
from arbora.text.tagging.measuring import measure_tags
from arbora.text.tagging.options import STAGES, TaggerOptions
from arbora.text.tagging.tagger import ARCHITECTURE, Tagger
from arbora.text.tagging.templates import FOUND, TaggerTemplates, default_templates
from arbora.text.tagging.treebanks import check_tags, read_tagged
from arbora.training import (
    Candidate,
    EpochReport,
    FileTask,
    History,
    Stage,
    Step,
    Trained,
    Watcher,
    make_task,
    run,
)
from arbora.treebank import Sentence

__all__ = ["TaggerTask", "tagger_scores", "train_tagger"]


def train_tagger(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] | None = None,
    options: TaggerOptions | None = None,
    *,
    templates: TaggerTemplates | None = None,
    threads: int = 1,
    dev_fraction: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    licence: str = "",
    progress: Callable[[EpochReport], None] | None = None,
    on_batch: Callable[[int, int], None] | None = None,
) -> Tagger:
    """Train a tagger; the same data and options give the same weights, whatever the threads.

    Every word needs a UPOS tag. XPOS, FEATS and lemmas are learned as they are, ``_`` too. The best epoch of
    each stage on ``dev`` is kept, and probabilities are calibrated on it. Without ``dev``, about
    ``dev_fraction`` of the sentences is held out (`arbora.training.divide`; by default a tenth). ``progress``
    gets a report per epoch, ``on_batch`` the sentences done and to do in it; the rest is as in
    `arbora.training.run`. The labels of the stage ``morph`` are right if XPOS and FEATS are, those of
    ``lemma`` if the edit script is.

    >>> from arbora.treebank import Sentence, read
    >>> treebank = list(read("examples/treebank/en.conllu"))
    >>> tagger = train_tagger(treebank, options=TaggerOptions(epochs=5, bits=(16, 16, 12)))
    >>> found = next(tagger.tag([Sentence(treebank[0].forms)]))
    >>> found.upos == treebank[0].upos, found.lemmas == treebank[0].lemmas
    (True, True)
    """
    task = make_task(
        TaggerTask,
        sentences,
        dev,
        options,
        dev_fraction=dev_fraction,
        templates=templates,
        threads=threads,
        licence=licence,
    )
    return run(
        task,
        checkpoint=checkpoint,
        resume=resume,
        keep_checkpoint=keep_checkpoint,
        watcher=Watcher.of(progress, on_batch),
    )


class TaggerTask(FileTask[Tagger]):
    """A tagger in training. The texts get the atoms of the stages that are over."""

    architecture = ARCHITECTURE
    options: TaggerOptions

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence] | None = None,
        options: TaggerOptions | None = None,
        *,
        templates: TaggerTemplates | None = None,
        threads: int = 1,
        licence: str = "",
    ) -> None:
        """The parameters are those of `train_tagger`."""
        self.options = options = options_of(TaggerOptions, options)
        self.stages = [Stage(name, options.epochs) for name in STAGES]
        self.templates = templates = templates or default_templates()
        self.threads, self.licence = threads, licence
        self.sentences = [sentence for sentence in sentences if len(sentence)]
        if not self.sentences:
            raise ArboraError("the training data has no words")
        self.dev = [sentence for sentence in dev or [] if len(sentence)]
        check_tags(self.sentences, "training")
        check_tags(self.dev, "dev")
        missing = [name for name in STAGES if not templates.of(name)]
        if missing:
            raise ArboraError(f"the templates have no section [{missing[0]}]")
        self.loss, self.learner_kind = _recipe(options)
        self.text, self.dev_text = make_text(self.sentences), make_text(self.dev)
        self.labels = Labels.of(self.sentences)
        self.gold = self.labels.numbers(self.sentences)
        self.dev_gold = self.labels.numbers(self.dev)
        self.classes = make_classes(self.text, self.gold[0])
        for text in (self.text, self.dev_text):
            text.set_classes(make_dictionary(self.classes, 1 << 16))
        self.prepared = ""
        self.facts: dict[str, dict[str, Any]] = {}
        self.tensors = {f"classes.{name}": tensor for name, tensor in self.classes.items()}

    @classmethod
    def default_options(cls) -> TaggerOptions:
        """The options if none are given."""
        return TaggerOptions()

    @classmethod
    def check(cls, options: TaggerOptions, **own: Any) -> None:
        """The loss and the learner must be there."""
        _recipe(options)

    @classmethod
    def read(cls, path: str, options: TaggerOptions, *, dev: bool) -> list[Sentence]:
        """The sentences of a treebank in which every word has its UPOS tag."""
        return read_tagged(path)

    def fingerprint(self) -> int:
        """Of the data and the templates."""
        found = zlib.crc32(str(self.templates).encode())
        for text, gold in ((self.text, self.gold), (self.dev_text, self.dev_gold)):
            found = zlib.crc32(text.checksum().to_bytes(8, "little"), found)
            for column in gold:
                found = zlib.crc32(column.tobytes(), found)
        return zlib.crc32(repr(self.labels).encode(), found)

    def begin(self, stage: Stage) -> None:
        """The stage as it is learned, and as it will be used, and its learner."""
        name, gold = stage.name, self.gold[STAGES.index(stage.name)]
        self._prepare(name)
        lists = make_candidates(self.templates, name, self.text, gold, training=True)
        self.learned = self._stage_with(name, lists)
        bits = self.options.bits[STAGES.index(name)]
        self.learner = self.learner_kind.start(bits, self.labels.padding(name))

    def _prepare(self, name: str) -> None:
        """The stage as it will be used; once is enough."""
        if self.prepared == name:
            return
        self.prepared = name
        gold = self.gold[STAGES.index(name)]
        self.open_labels = open_labels(name, self.sentences, gold)
        self.lists = make_candidates(self.templates, name, self.text, gold, training=False)
        self.used = self._stage_with(name, self.lists)

    def _stage_with(self, name: str, lists: Lists) -> _core.TagStage:
        return make_stage(name, self.labels, self.templates, lists, self.open_labels, self.options.most)

    def train(self, step: Step) -> Trained:
        """One pass over the treebank."""
        number, loss, done = STAGES.index(step.stage.name), 0.0, 0
        for batch in self._batches(number, step.epoch):
            loss += self.learned.train(
                self.learner,
                self.text,
                self.gold[number],
                batch,
                self.loss.beta,
                self.loss.gamma,
                self.threads,
            )
            done += len(batch)
            step.watcher.on_batch(done, len(self.text))
        return Trained(loss / self.text.words, self.text.words)

    def _batches(self, number: int, epoch: int) -> Iterator[list[int]]:
        """Sentences in the order of this epoch: it depends on the seed, the stage and the epoch only."""
        seed = [self.options.seed, number, epoch - 1]
        order = np.random.default_rng(seed).permutation(len(self.text)).tolist()
        size = self.options.batch
        return (order[start : start + size] for start in range(0, len(order), size))

    def judge(self, stage: Stage) -> Candidate:
        """The averaged weights, and the share of dev's words whose label they find."""
        weights = averaged_weights(self.learner)
        if not self.dev:
            return Candidate(weight_parts(weights))
        right = self._choose(weights) == self.dev_gold[STAGES.index(stage.name)]
        accuracy = float(right.mean())
        return Candidate(weight_parts(weights), {"accuracy": accuracy}, accuracy)

    def _choose(self, weights: _core.ShortWeights) -> npt.NDArray[np.int32]:
        """The labels of dev's words."""
        found = np.empty(self.dev_text.words, np.int32)
        self.used.choose(weights, self.dev_text, self.threads, found)
        return found

    def end(self, stage: Stage, parts: Parts) -> None:
        """What follows from a stage's weights, which from here on are as a file will hold them.

        That is its tensors, its scale, and the atoms that the next stage sees.
        """
        name, number = stage.name, STAGES.index(stage.name)
        self._prepare(name)
        packed = pack(weights_of(parts))
        weights = unpack(packed, (1 << self.options.bits[number]) + self.used.padding)
        self.tensors |= under(f"{name}.", {**self.lists, **packed})
        self.facts[name] = {
            "bits": self.options.bits[number],
            "most": self.options.most,
            "open": self.open_labels,
            "scale": self._scale(weights, number),
        }
        if name in FOUND:
            set_found(self.text, name, self.labels, self.gold[number])
            set_found(self.dev_text, name, self.labels, self._choose(weights))

    def _scale(self, weights: _core.ShortWeights, number: int) -> float:
        """What makes probabilities of scores."""
        if not self.dev:
            return self.loss.beta if isfinite(self.loss.beta) else 1.0
        return best_scale(
            lambda scales, _: self.used.gold_costs(
                weights, self.dev_text, self.dev_gold[number], scales, self.threads
            )
        )

    def finish(self, history: History) -> Tagger:
        """The tagger of the best epochs."""
        report: dict[str, Any] = {"epochs": history.rows(), "kept": dict(history.kept)}
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

    def snapshot(self) -> Parts:
        """The learner."""
        return learner_parts(self.learner)

    def restore(self, parts: Parts) -> None:
        """The learner."""
        restore_learner(self.learner, parts)

    def describe(self, stage: Stage, scores: Mapping[str, float]) -> list[str]:
        """The scores in words."""
        return [f"dev accuracy {100 * scores['accuracy']:.2f}"] if "accuracy" in scores else []


def _recipe(options: TaggerOptions) -> tuple[Loss, Learner]:
    try:
        loss = find_loss(options.loss, options.beta, options.gamma)
        return loss, find_learner(options.learner, options.rate)
    except ValueError as error:
        raise ArboraError(str(error)) from None


def tagger_scores(scores: Mapping[str, float]) -> list[str]:
    """The shares of dev's words whose columns are right, in words.

    >>> tagger_scores({"upos": 0.955, "lemmas": 0.97})
    ['dev UPOS 95.50', 'dev lemmas 97.00']
    """
    named = {"upos": "UPOS", "xpos": "XPOS", "feats": "FEATS", "lemmas": "lemmas"}
    return [f"dev {named[column]} {100 * share:.2f}" for column, share in scores.items()]
