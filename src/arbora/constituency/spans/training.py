"""Training: from bracketed trees to a span parser, in epochs that can be gone on with after a kill."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.constituency.spans.options import SpanOptions
from arbora.constituency.spans.parser import ARCHITECTURE, SpanParser, make_models, make_text
from arbora.constituency.spans.symbols import Symbols, sentences_of
from arbora.constituency.spans.templates import SECTIONS, SpanTemplates, default_templates
from arbora.constituency.trees import prepared_trees, read_trees
from arbora.errors import ArboraError
from arbora.evaluation import evaluate_brackets
from arbora.learning import Learner, Loss, best_scale, find_learner, find_loss
from arbora.learning.states import averaged_weights, learner_parts, restore_learner, weight_parts, weights_of
from arbora.models import Parts, Tensors, under
from arbora.models.options import options_of
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
from arbora.treebank import Constituent

__all__ = ["SpanTask", "train_span_parser"]

COARSE, TREES = "coarse", "trees"
"""The stages of training; between them, the small model is learned again for every fold of the treebank."""
COARSE_LEARNER = find_learner("adagrad", 0.1)


def train_span_parser(
    trees: Sequence[Constituent],
    dev: Sequence[Constituent] | None = None,
    options: SpanOptions | None = None,
    *,
    templates: SpanTemplates | None = None,
    threads: int = 1,
    dev_fraction: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    licence: str = "",
    progress: Callable[[EpochReport], None] | None = None,
    on_batch: Callable[[int, int], None] | None = None,
) -> SpanParser:
    """Train a span parser; the same trees and options give the same weights, whatever the threads.

    Traces are left out, and function tags unless the options keep them. The epoch with the best F1 of
    labelled brackets on ``dev`` is kept. Without ``dev``, about ``dev_fraction`` of the trees is held out
    (`arbora.training.divide`; by default a tenth). ``progress`` gets a report per epoch, ``on_batch`` the
    sentences done and to do in it; the rest is as in `arbora.training.run`.

    >>> tree = Constituent.from_string("((S (NP (DT the) (NN dog)) (VP (VBZ barks))))")
    >>> parser = train_span_parser([tree], options=SpanOptions(epochs=3, bits=(12, 14)))
    >>> print(parser.parse(sentences_of([tree]))[0].tree)
    ((S (NP (DT the) (NN dog)) (VP (VBZ barks))))
    """
    task = make_task(
        SpanTask,
        trees,
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


class SpanTask(FileTask[SpanParser]):
    """A span parser in training: first the small model, then the model of trees on its charts."""

    architecture = ARCHITECTURE
    options: SpanOptions

    def __init__(
        self,
        sentences: Sequence[Constituent],
        dev: Sequence[Constituent] | None = None,
        options: SpanOptions | None = None,
        *,
        templates: SpanTemplates | None = None,
        threads: int = 1,
        licence: str = "",
    ) -> None:
        """The parameters are those of `train_span_parser`; the sentences are trees."""
        self.options = options = options_of(SpanOptions, options)
        self.stages = [
            Stage(COARSE, options.coarse_epochs),
            *(Stage(_fold_name(fold), options.coarse_epochs) for fold in range(options.folds)),
            Stage(TREES, options.epochs),
        ]
        self.templates = templates or default_templates()
        self.threads, self.licence = threads, licence
        missing = [name for name in SECTIONS if not self.templates.of(name)]
        if missing:
            raise ArboraError(f"the templates have no section [{missing[0]}]")
        self.loss, self.learner_kind = _recipe(options)
        trees = prepared_trees(sentences, keep_functions=options.keep_functions)
        if not trees:
            raise ArboraError("the training data has no words")
        self.trees = trees
        self.dev = prepared_trees(dev or [], keep_functions=options.keep_functions)
        self.symbols = Symbols.of(trees, options.grows)
        self.text, self.dev_text = make_text(sentences_of(trees)), make_text(sentences_of(self.dev))
        self.gold = _gold_nodes(self.symbols, trees)
        self.models = make_models(self.symbols, self.templates)
        self.tensors: dict[str, npt.NDArray[Any]] = {}
        self.pruning: dict[str, float] = {}
        self.nodes = _core.SpanNodes()

    @classmethod
    def default_options(cls) -> SpanOptions:
        """The options if none are given."""
        return SpanOptions()

    @classmethod
    def check(cls, options: SpanOptions, **own: Any) -> None:
        """The loss and the learner must be there."""
        _recipe(options)

    @classmethod
    def read(cls, path: str, options: SpanOptions, *, dev: bool) -> list[Constituent]:
        """The trees of a bracketed file; FileError if there are none."""
        return read_trees(path)

    def fingerprint(self) -> int:
        """Of the data and the templates."""
        found = zlib.crc32(str(self.templates).encode())
        found = zlib.crc32(self.text.checksum().to_bytes(8, "little"), found)
        found = zlib.crc32(self.gold.tobytes(), found)
        found = zlib.crc32("\n".join(map(str, self.dev)).encode(), found)
        return zlib.crc32(repr(self.symbols).encode(), found)

    def begin(self, stage: Stage) -> None:
        """The learner."""
        is_coarse = stage.name != TREES
        bits, model = self.options.bits[not is_coarse], self.models[not is_coarse]
        kind = COARSE_LEARNER if is_coarse else self.learner_kind
        self.learner = kind.start(bits, model.padding)

    def train(self, step: Step) -> Trained:
        """One pass over the treebank."""
        loss, done = 0.0, 0
        for batch in self._batches(step):
            loss += self._train_batch(step.stage.name, batch)
            done += len(batch)
            step.watcher.on_batch(done, len(self.text))
        return Trained(loss / len(self.text), self.text.words)

    def _train_batch(self, stage: str, batch: list[int]) -> float:
        if stage != TREES:
            return self.models[0].train(self.learner, self.text, self.gold, batch, self.threads)
        beta, gamma = self.loss.beta, self.loss.gamma
        return self.models[1].train(
            self.learner, self.text, self.nodes, self.gold, batch, beta, gamma, self.threads
        )

    def _batches(self, step: Step) -> Iterator[list[int]]:
        """Sentences in the order of this epoch: it depends on the seed, the stage and the epoch only."""
        names = [stage.name for stage in self.stages]
        seed = [self.options.seed, names.index(step.stage.name), step.epoch - 1]
        order = np.random.default_rng(seed).permutation(len(self.text)).tolist()
        if step.stage.name in names[1:-1]:
            own = set(self._fold(step.stage))
            order = [sentence for sentence in order if sentence not in own]
        size = self.options.batch
        return (order[start : start + size] for start in range(0, len(order), size))

    def _fold(self, stage: Stage) -> list[int]:
        """The sentences whose charts the small model of this stage makes: it does not learn by them."""
        if stage.name == COARSE:
            return [] if self.options.folds else list(range(len(self.text)))
        fold = self.stages.index(stage) - 1
        return list(range(fold, len(self.text), self.options.folds))

    def judge(self, stage: Stage) -> Candidate:
        """The averaged weights; of the model of trees also how well it finds the brackets of dev."""
        weights = averaged_weights(self.learner)
        parts = weight_parts(weights)
        if stage.name != TREES or not self.dev:
            return Candidate(parts)
        parser = self._parser({**self.tensors, **under("fine.", _plain(parts))}, {})
        found = parser.parse(sentences_of(self.dev), threads=self.threads)
        scores = evaluate_brackets(self.dev, [parsed.tree for parsed in found]).all.brackets
        named = {"recall": scores.recall, "precision": scores.precision, "f1": scores.f1}
        return Candidate(parts, named, scores.f1)

    def end(self, stage: Stage, parts: Parts) -> None:
        """Keep the weights of the stage; small models make the charts to learn from."""
        if stage.name == TREES:
            self.tensors |= under("fine.", _plain(parts))
            return
        weights = weights_of(parts)
        if stage.name == COARSE:
            self.tensors |= under("coarse.", _plain(parts))
            self.pruning = self._measure_pruning(weights)
        sentences, pruning = self._fold(stage), (self.options.threshold, self.options.most)
        self.models[0].find_nodes(weights, pruning, self.text, self.gold, sentences, self.nodes, self.threads)

    def _measure_pruning(self, weights: _core.ShortWeights) -> dict[str, float]:
        """How many nodes for each word the small model keeps, and the share of gold nodes that it loses.

        On dev, if there is one. Trees with symbols that training has not seen are left out.
        """
        trees = [tree for tree in self.dev if self.symbols.nodes(tree) is not None] or self.trees
        text = make_text(sentences_of(trees))
        kept, gold, lost = self.models[0].pruning(
            weights,
            (self.options.threshold, self.options.most),
            text,
            _gold_nodes(self.symbols, trees),
            self.threads,
        )
        return {"nodes_per_word": kept / text.words, "lost": lost / gold}

    def finish(self, history: History) -> SpanParser:
        """The parser of the best epochs."""
        report = {"epochs": history.rows(), "kept": dict(history.kept), "pruning": self.pruning}
        return self._parser(self.tensors, report, self._scale())

    def _scale(self) -> float:
        """What makes probabilities of scores: with dev, its trees are as probable as can be."""
        trees = [tree for tree in self.dev if self.symbols.nodes(tree) is not None]
        if not trees:
            return self.loss.beta if isfinite(self.loss.beta) else 1.0
        text, gold = make_text(sentences_of(trees)), _gold_nodes(self.symbols, trees)
        parser = self._parser(self.tensors, {})
        return best_scale(lambda scales, _: parser.tree_costs(text, gold, scales, self.threads))

    def _parser(self, tensors: Tensors, report: dict[str, Any], scale: float = 1.0) -> SpanParser:
        header = {
            "architecture": ARCHITECTURE,
            "templates": str(self.templates),
            "symbols": self.symbols.as_plain(),
            "bits": list(self.options.bits),
            "threshold": self.options.threshold,
            "most": self.options.most,
            "scale": scale,
            "options": self.options.as_dict(),
            "licence": self.licence,
            "trained_on": {"sentences": len(self.text), "words": self.text.words},
            "report": report,
        }
        return SpanParser(header, tensors)

    def snapshot(self) -> Parts:
        """The learner."""
        return learner_parts(self.learner)

    def restore(self, parts: Parts) -> None:
        """The learner."""
        restore_learner(self.learner, parts)

    def describe(self, stage: Stage, scores: Mapping[str, float]) -> list[str]:
        """The scores in words."""
        return [f"dev F1 {100 * scores['f1']:.2f}"] if "f1" in scores else []


def _gold_nodes(symbols: Symbols, trees: Sequence[Constituent]) -> npt.NDArray[np.int32]:
    """The nodes of all trees, all of whose symbols are known."""
    rows = [row for tree in trees for row in symbols.nodes(tree) or ()]
    return np.array(rows, np.int32).reshape(-1, 3)


def _plain(parts: Parts) -> dict[str, npt.NDArray[Any]]:
    """Weights as a file of a parser holds them."""
    header, tensors = parts
    return {"weights": tensors["weights"], "step": np.array([header["step"]], np.float32)}


def _fold_name(fold: int) -> str:
    return f"{COARSE}-without-{fold + 1}"


def _recipe(options: SpanOptions) -> tuple[Loss, Learner]:
    try:
        loss = find_loss(options.loss, options.beta, options.gamma)
        return loss, find_learner(options.learner, options.rate)
    except ValueError as error:
        raise ArboraError(str(error)) from None
