"""Training a pipeline: tokenizer, tagger, tags for the parser to learn from, parser; and what came of it."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from arbora.dependency import DependencyParser, train
from arbora.errors import FileError
from arbora.pipeline.measuring import measure_pipeline
from arbora.pipeline.options import PipelineOptions
from arbora.pipeline.pipeline import Pipeline
from arbora.text import Tagger, Tokenizer, jackknife_tags, train_tagger, train_tokenizer
from arbora.treebank import Sentence, read, write
from arbora.treebank.files import open_output

Made = TypeVar("Made")

STEPS = ("tokenizer", "tagger", "tags", "parser", "scores")
"""What training does, in order. ``tags`` are those of the training data by taggers that have not seen it."""


@dataclass(frozen=True, slots=True)
class Step:
    """Where training is: the step, a line about it, and ``done`` of ``all`` within it, if that is known."""

    name: str
    text: str = ""
    done: int = 0
    all: int = 0


Progress = Callable[[Step], None]


def train_pipeline(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    options: PipelineOptions | None = None,
    *,
    threads: int = 1,
    folder: str | os.PathLike[str] | None = None,
    resume: bool = False,
    compact_weights: bool = False,
    card: dict[str, Any] | None = None,
    progress: Progress | None = None,
) -> Pipeline:
    """Train a pipeline; the same data and options give the same model, whatever the threads.

    ``folder`` keeps what is done, so that a killed run can ``resume``; it is left behind, as the caller must
    first have written the model. ``compact_weights``: the parser has 8-bit weights, as `Pipeline.save`
    can write them, and is measured with these. The card of the model is ``card`` and, under ``scores``, what
    `arbora.pipeline.measure_pipeline` finds on dev.

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
    options = (options or PipelineOptions()).check()
    run = _Run(sentences, dev, options, threads, None if folder is None else os.fspath(folder), progress)
    run.open_folder(resume)
    tokenizer = run.tokenizer()
    tagger = run.tagger()
    parser = run.parser(run.tagged(tagger), run.tag_dev(tagger), resume)
    if compact_weights:
        parser = DependencyParser.from_parts(*parser.to_parts(compact_weights=True), "the parser")
    pipeline = Pipeline(tokenizer, tagger, parser, card)
    run.tell(Step("scores"))
    pipeline.card["scores"] = measure_pipeline(pipeline, dev, threads=threads)
    return pipeline


class _Run:
    """One run: what it works on, and where it keeps what is done."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence],
        options: PipelineOptions,
        threads: int,
        folder: str | None,
        progress: Progress | None,
    ) -> None:
        self.sentences, self.dev = sentences, dev
        self.options, self.threads = options, threads
        self.folder = folder
        self.tell: Progress = progress or (lambda step: None)

    def open_folder(self, resume: bool) -> None:
        """Make the folder anew, or see whether what it has belongs to this run."""
        if self.folder is None:
            return
        mark = {"options": self.options.as_dict(), "data": self._fingerprint()}
        path = os.path.join(self.folder, "run.json")
        if not resume:
            shutil.rmtree(self.folder, ignore_errors=True)
            os.makedirs(self.folder)
            with open_output(path) as stream:
                stream.write(json.dumps(mark).encode())
            return
        try:
            with open(path, encoding="utf-8") as stream:
                found = json.load(stream)
        except (OSError, ValueError):
            raise FileError(
                "there is nothing to go on from; start anew without --resume", file=path
            ) from None
        if found != json.loads(json.dumps(mark)):
            what = "data" if found.get("options") == json.loads(json.dumps(mark["options"])) else "options"
            raise FileError(f"the run was begun with other {what}; start anew without --resume", file=path)

    def _fingerprint(self) -> int:
        total = 0
        for sentence in (*self.sentences, *self.dev):
            total = zlib.crc32(sentence.to_conllu().encode(), total)
        return total

    def _kept(self, name: str, make: Callable[[], Made], load: Callable[[str], Made], save: str) -> Made:
        """What was kept under this name, or else what is made now, and kept by its method ``save``."""
        if self.folder is None:
            return make()
        path = os.path.join(self.folder, name)
        if os.path.exists(path):
            return load(path)
        made = make()
        getattr(made, save)(path)
        return made

    def tokenizer(self) -> Tokenizer:
        self.tell(Step("tokenizer"))
        return self._kept("tokenizer", self._train_tokenizer, Tokenizer.load, "save")

    def _train_tokenizer(self) -> Tokenizer:
        own = self.options.tokenizer
        return train_tokenizer(
            self.sentences,
            self.dev,
            own,
            progress=lambda report: self.tell(
                Step("tokenizer", f"loss {report.loss:.4f}", report.epoch, own.epochs)
            ),
        )

    def tagger(self) -> Tagger:
        self.tell(Step("tagger"))
        return self._kept("tagger", self._train_tagger, Tagger.load, "save")

    def _train_tagger(self) -> Tagger:
        own = self.options.tagger
        done = 0

        def tell(report: Any) -> None:
            nonlocal done
            done += 1
            text = f"{report.stage}, loss {report.loss:.4f}"
            self.tell(Step("tagger", text, done, own.epochs * 3))

        return train_tagger(self.sentences, self.dev, own, threads=self.threads, progress=tell)

    def tagged(self, tagger: Tagger) -> list[Sentence]:
        """The training data with tags by taggers that have not seen it."""
        self.tell(Step("tags", "", 0, self.options.folds))
        path = None if self.folder is None else os.path.join(self.folder, "tagged.conllu")
        if path is not None and os.path.exists(path):
            with read(path, "conllu", single_root=False) as reader:
                return list(reader)
        found = list(
            jackknife_tags(
                self.sentences,
                self.options.tagger,
                folds=self.options.folds,
                threads=self.threads,
                how=self.options.tagging,
                like=tagger,
                progress=lambda fold, folds: self.tell(Step("tags", "", fold, folds)),
            )
        )
        found = self._with_gold(self.sentences, found)
        if path is not None:
            write(path, found, "conllu")
        return found

    def tag_dev(self, tagger: Tagger) -> list[Sentence]:
        how = replace(self.options.tagging, threads=self.threads)
        return self._with_gold(self.dev, tagger.tag((s.copy() for s in self.dev), how))

    def _with_gold(self, gold: Sequence[Sentence], tagged: Iterable[Sentence]) -> list[Sentence]:
        """A parser that chooses tags learns from gold UPOS, among those that MISC lists."""
        found = list(tagged)
        if self.options.parser.joint_tags:
            for sentence, own in zip(found, gold, strict=True):
                sentence.upos = list(own.upos)
        return found

    def parser(self, tagged: list[Sentence], dev: list[Sentence], resume: bool) -> DependencyParser:
        self.tell(Step("parser"))
        checkpoint = None if self.folder is None else os.path.join(self.folder, "parser.checkpoint")

        def make() -> DependencyParser:
            return train(
                tagged,
                dev,
                self.options.parser,
                threads=self.threads,
                checkpoint=checkpoint,
                resume=resume and checkpoint is not None and os.path.exists(checkpoint),
                progress=lambda report: self.tell(
                    Step("parser", f"loss {report.loss:.4f}", report.epoch, self.options.parser.epochs)
                ),
            )

        return self._kept("parser", make, DependencyParser.load, "save")
