"""Training a pipeline: tokenizer, tagger, tags for the parser to learn from, parser; and what came of it."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from arbora.dependency import DependencyParser
from arbora.dependency.task import ParserTask, parser_scores
from arbora.models import Component, Parts, find_architecture
from arbora.models.options import options_of
from arbora.neural.training import check_torch
from arbora.pipeline.certainty import certainty_scores, fit_certainty, with_certainty
from arbora.pipeline.measuring import measure_calibration, measure_pipeline
from arbora.pipeline.options import PipelineOptions
from arbora.pipeline.pipeline import ARCHITECTURE, Pipeline
from arbora.text import Tagger
from arbora.text.tagging.jackknifing import count_folds, tag_fold
from arbora.text.tagging.training import TaggerTask, tagger_scores
from arbora.text.tagging.treebanks import check_tags, check_tags_of_file
from arbora.text.tokenizing.training import TokenizerTask, tokenizer_scores
from arbora.training import (
    Candidate,
    EpochReport,
    FileTask,
    History,
    Stage,
    Step,
    Task,
    Trained,
    Watcher,
    make_task,
    run,
)
from arbora.treebank import Sentence
from arbora.treebank.conllu import scan

TAGS = "tags"
"""The stage that tags the training data, by taggers that have not seen it."""
RAW_TEXT = "raw text"
"""The stage that learns how far heads may be trusted where words and sentences are cut out of a text."""
COMPONENTS = {"tokenizer": "tokenizer", "tagger": "tagger", "parser": "dependency-parser"}
"""What a pipeline is made of, in order: names, and their architectures."""
NEURAL_COMPONENTS = {"tokenizer": "tokenizer", "parser": "neural-parser", "lemmatizer": "tagger"}
"""The same with a neural parser, which tags too; a tagger finds lemmas by its tags."""
SMALL_BITS = 12
"""Of what a tagger learns of tags, where it is asked for lemmas alone."""


def train_pipeline(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] | None = None,
    options: PipelineOptions | None = None,
    *,
    threads: int = 1,
    dev_fraction: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    compact_weights: bool = False,
    card: Mapping[str, Any] | None = None,
    encoder: str | os.PathLike[str] | None = None,
    progress: Callable[[EpochReport], None] | None = None,
) -> Pipeline:
    """Train a pipeline; the same data and options give the same model, whatever the threads.

    ``compact_weights``: the parser has 8-bit weights, as `Pipeline.save` can write them, and is measured with
    these. ``encoder`` goes with ``options.neural``: see `arbora.neural.train_neural`. Without ``dev``, about
    ``dev_fraction`` of the sentences is held out (`arbora.training.divide`; by default a tenth). The card of
    the model is ``card`` and, under ``scores`` and ``calibration``, what
    `arbora.pipeline.measuring` finds on dev. ``progress`` gets a report per epoch of each component;
    the rest is as in `arbora.training.run`.

    >>> from arbora.dependency import TrainingOptions
    >>> from arbora.text import TaggerOptions, TokenizerOptions
    >>> from arbora.treebank import read
    >>> treebank = list(read("examples/treebank/en.conllu"))
    >>> options = PipelineOptions(
    ...     TokenizerOptions(epochs=3, bits=12),
    ...     TaggerOptions(epochs=2, bits=(12, 12, 12)),
    ...     TrainingOptions(epochs=2, bits=14, pruner_bits=12),
    ...     folds=2,
    ... )
    >>> nlp = train_pipeline(treebank, treebank, options)
    >>> [sentence.forms for sentence in nlp("The door is open.")]
    [['The', 'door', 'is', 'open', '.']]
    """
    task = make_task(
        PipelineTask,
        sentences,
        dev,
        options,
        dev_fraction=dev_fraction,
        threads=threads,
        compact_parser=compact_weights,
        card=card,
        encoder=encoder,
    )
    return run(
        task,
        checkpoint=checkpoint,
        resume=resume,
        keep_checkpoint=keep_checkpoint,
        watcher=Watcher.of(progress),
    )


class PipelineTask(FileTask[Pipeline]):
    """A pipeline in training: each component is a run of its own within a step of this one."""

    architecture = ARCHITECTURE
    options: PipelineOptions

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence] | None,
        options: PipelineOptions | None = None,
        *,
        threads: int = 1,
        licence: str = "",
        compact_parser: bool = False,
        card: Mapping[str, Any] | None = None,
        encoder: str | os.PathLike[str] | None = None,
    ) -> None:
        """The parameters are those of `train_pipeline`; a ``licence`` goes to the card."""
        self.options = options_of(PipelineOptions, options)
        self.sentences, self.dev, self.threads = sentences, dev or [], threads
        check_tags(self.sentences, "training")  # not when its turn comes: that may be hours later
        check_tags(self.dev, "dev")
        self.compact_parser = compact_parser
        self.card = {**(card or {}), **({"licence": licence} if licence else {})}
        self.encoder = encoder
        self.kinds = NEURAL_COMPONENTS if self.options.neural else COMPONENTS
        self.stages = [Stage(name) for name in self.kinds]
        if not self.options.neural:
            self.folds = count_folds(sentences, self.options.folds)
            self.stages.insert(2, Stage(TAGS, self.folds, "fold"))
        self.stages += [Stage(RAW_TEXT)] if any(map(len, self.dev)) else []
        self.certainty: dict[str, float] = {}
        self.components: dict[str, Component] = {}
        self.tagged_text = b""

    @classmethod
    def default_options(cls) -> PipelineOptions:
        """The options if none are given."""
        return PipelineOptions()

    @classmethod
    def check(cls, options: PipelineOptions, **own: Any) -> None:
        """Each component's own options."""
        TaggerTask.check(options.tagger)
        if options.neural is None:
            ParserTask.check(options.parser)
        else:
            check_torch()
            _neural_task().check(options.neural, encoder=own["encoder"])

    @classmethod
    def read(cls, path: str, options: PipelineOptions, *, dev: bool) -> list[Sentence]:
        """The sentences of a treebank with tags and trees."""
        found = ParserTask.read(path, options.parser, dev=dev)
        check_tags_of_file(found, path)
        return found

    def fingerprint(self) -> int:
        """Of the data, and of the encoder if there is one."""
        total = 0
        if self.encoder is not None:
            from arbora.neural.pretrained import digest_of

            total = digest_of(self.encoder)
        for sentence in (*self.sentences, *self.dev):
            total = zlib.crc32(sentence.to_conllu().encode(), total)
        return total

    def train(self, step: Step) -> Trained:
        """A component, by its own task, the tags of one fold, or how certain sentences of raw text are."""
        name = step.stage.name
        if name == TAGS:
            tagged = tag_fold(
                self.sentences,
                step.epoch,
                self.folds,
                self.options.tagger,
                threads=self.threads,
                how=self.options.tagging,
                like=self._tagger,
            )
            self.tagged_text += "".join(sentence.to_conllu() for sentence in tagged).encode()
        elif name == RAW_TEXT:
            self.certainty = fit_certainty(self._pipeline(), self.dev, self._learned, threads=self.threads)
        else:
            self.components[name] = step.run(self._task(name))
        return Trained()

    def _pipeline(self) -> Pipeline:
        return Pipeline(((name, self.components[name]) for name in self.kinds), self.card)

    @property
    def _learned(self) -> int:
        """How many words the parser learns from."""
        own = self.options.neural or self.options.parser
        return own.epochs * sum(map(len, self.sentences))

    @property
    def _tagger(self) -> Tagger:
        found = self.components["tagger"]
        assert isinstance(found, Tagger)
        return found

    def _task(self, name: str) -> Task[Any]:
        options, threads = self.options, self.threads
        if name == "tokenizer":
            return TokenizerTask(self.sentences, self.dev, options.tokenizer)
        if name == "tagger":
            return TaggerTask(self.sentences, self.dev, options.tagger, threads=threads)
        if name == "lemmatizer":
            small = replace(options.tagger, bits=(SMALL_BITS, SMALL_BITS, options.tagger.bits[2]))
            return TaggerTask(self.sentences, self.dev, small, threads=threads)
        if options.neural:
            assert self.encoder is not None
            task: Task[Any] = _neural_task()(
                self.sentences, self.dev, options.neural, encoder=self.encoder, threads=threads
            )
            return task
        how = replace(options.tagging, threads=threads)
        dev = self._tagger.tag((sentence.copy() for sentence in self.dev), how)
        tagged = scan([self.tagged_text], False)
        return ParserTask(
            self._with_gold(self.sentences, tagged),  # type: ignore[arg-type]
            self._with_gold(self.dev, dev),
            options.parser,
            threads=threads,
        )

    def _with_gold(self, gold: Sequence[Sentence], tagged: Iterable[Sentence]) -> list[Sentence]:
        """A parser that chooses tags learns from gold UPOS, among those that MISC lists."""
        found = list(tagged)
        if self.options.parser.joint_tags:
            for sentence, own in zip(found, gold, strict=True):
                sentence.upos = list(own.upos)
        return found

    def judge(self, stage: Stage) -> Candidate:
        """The component, and what its training says; or all tags so far."""
        if stage.name == TAGS:
            return Candidate(self.snapshot())
        if stage.name == RAW_TEXT:
            return Candidate((self.certainty, {}), self.certainty)
        component = self.components[stage.name]
        return Candidate(component.to_parts(), _kept_scores(component.header["report"]))

    def end(self, stage: Stage, parts: Parts) -> None:
        """The component, as a file would give it back; or all tags."""
        if stage.name == TAGS:
            self.restore(parts)
        elif stage.name == RAW_TEXT:
            self.certainty = parts[0]
        else:
            kind = find_architecture(self.kinds[stage.name]).load_class()
            self.components[stage.name] = kind.from_parts(*parts)

    def finish(self, history: History) -> Pipeline:
        """The pipeline, with its scores on the card."""
        if self.compact_parser and not self.options.neural:
            parts = self.components["parser"].to_parts(compact_weights=True)
            self.components["parser"] = DependencyParser.from_parts(*parts)
        pipeline = self._pipeline()
        if self.certainty:
            pipeline = with_certainty(pipeline, self.certainty)
        if self.dev:
            pipeline.card["scores"] = measure_pipeline(pipeline, self.dev, threads=self.threads)
            if calibration := measure_calibration(pipeline, self.dev, threads=self.threads):
                pipeline.card["calibration"] = calibration
        return pipeline

    def snapshot(self) -> Parts:
        """The tags so far."""
        return {}, {"tagged": np.frombuffer(self.tagged_text, np.uint8)}

    def restore(self, parts: Parts) -> None:
        """The tags so far."""
        self.tagged_text = parts[1]["tagged"].tobytes()

    def describe(self, stage: Stage, scores: Mapping[str, float]) -> list[str]:
        """The scores of a component, in words."""
        words = {
            "tokenizer": tokenizer_scores,
            "tagger": tagger_scores,
            "lemmatizer": tagger_scores,
            "parser": parser_scores,
            RAW_TEXT: certainty_scores,
        }
        return words[stage.name](scores) if scores else []


def _neural_task() -> Any:
    """The class of tasks that need torch."""
    from arbora.neural.task import NeuralTask

    return NeuralTask


def _kept_scores(report: Mapping[str, Any]) -> dict[str, float]:
    """The scores on dev of the epoch that was kept; or those of all stages together."""
    if "dev" in report:
        return dict(report["dev"])
    if isinstance(report["kept"], Mapping):  # there are several stages, and no dev data
        return {}
    row = next(row for row in report["epochs"] if row["epoch"] == report["kept"])
    return {name: value for name, value in row.items() if name not in ("epoch", "loss")}
