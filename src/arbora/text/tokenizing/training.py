"""Training a tokenizer: two linear models, one for the ends of tokens and one for those of sentences."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.text.tokenizing.characters import class_table, classes_around_spaces
from arbora.text.tokenizing.checkpoints import TokenizerCheckpoint, TokenizerReport, TokenizerState
from arbora.text.tokenizing.material import (
    RunningText,
    count_tokens,
    paragraphs_of,
    running_text,
    varied_text,
)
from arbora.text.tokenizing.multiwords import learn_multiwords
from arbora.text.tokenizing.options import TokenizerOptions
from arbora.text.tokenizing.templates import SENTENCES, TOKENS, parse_templates
from arbora.text.tokenizing.tokenizer import ARCHITECTURE, Tokenizer, make_tensors
from arbora.treebank import Sentence

TEMPLATES = {"tokens": TOKENS, "sentences": SENTENCES}
THRESHOLDS = tuple(step / 4 for step in range(-16, 9))
"""Log-odds above which a sentence may end: the best for F1 is below 0 where ends are hard to see."""


def train_tokenizer(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] | None = None,
    options: TokenizerOptions | None = None,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    licence: str = "",
    progress: Callable[[TokenizerReport], None] | None = None,
) -> Tokenizer:
    """Train a tokenizer on the text of a treebank; the same data and options give the same bytes.

    The text is that of ``# text`` or, without it, of the forms and SpaceAfter; paragraphs begin with
    ``# newdoc`` and ``# newpar``. With ``dev``, the epoch with the best F1 of tokens and sentences is kept.
    ``checkpoint`` is a file that is written after every epoch and removed at the end, unless
    ``keep_checkpoint``; ``resume`` goes on from it.
    """
    options = (options or TokenizerOptions()).check()
    run = _Run(sentences, dev, options, licence)
    kept = None
    if checkpoint is not None:
        kept = TokenizerCheckpoint(os.fspath(checkpoint), options, run.fingerprint())
    if resume:
        if kept is None:
            raise ArboraError("there is nothing to resume without a checkpoint")
        kept.restore(run.state)
    while len(run.state.reports) < options.epochs:
        report = run.train_epoch()
        if kept is not None:
            kept.save(run.state)
        if progress is not None:
            progress(report)
    if kept is not None and not keep_checkpoint:
        kept.remove()
    return run.finish()


class _Run:
    """A training run: what it works on, and how far it is."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence] | None,
        options: TokenizerOptions,
        licence: str,
    ) -> None:
        self.options = options
        self.paragraphs = paragraphs_of(sentences)
        self.dev = running_text(paragraphs_of(dev)) if dev else None
        tokens = count_tokens(sentences)
        self.header: dict[str, Any] = {
            "architecture": ARCHITECTURE,
            "spaces_in_tokens": sorted({pair for form, _ in tokens for pair in classes_around_spaces(form)}),
            "multiwords": learn_multiwords(tokens),
            "options": options.as_dict(),
            "licence": licence,
            "trained_on": {"sentences": sum(map(len, self.paragraphs)), "tokens": tokens.total()},
        }
        self.state = TokenizerState(
            {kind: _core.OnlineLearner(options.bits, 0, "adagrad", options.rate) for kind in TEMPLATES}
        )

    def fingerprint(self) -> int:
        """Of the data and the templates: a checkpoint fits no other."""
        found = zlib.crc32(repr(TEMPLATES).encode())
        for text in (running_text(self.paragraphs), self.dev):
            if text is not None:
                found = zlib.crc32(text.text.encode(), found)
                found = zlib.crc32(text.boundary.tobytes(), found)
        return zlib.crc32(repr(self.header["multiwords"]).encode(), found)

    def train_epoch(self) -> TokenizerReport:
        """One pass over the treebank, whose sentences are joined anew."""
        started, epoch = time.perf_counter(), len(self.state.reports) + 1
        random = np.random.default_rng([self.options.seed, epoch])
        text = varied_text(self.paragraphs, random)
        core = _core.TrainingText(text.text.encode(), text.boundary, *class_table())
        seed = int(random.integers(2**63))
        loss = core.train_token_ends(
            parse_templates(TOKENS), self.header["spaces_in_tokens"], seed, self.state.learners["tokens"]
        )
        loss += core.train_sentence_ends(parse_templates(SENTENCES), seed, self.state.learners["sentences"])
        seconds = time.perf_counter() - started
        tokenizer, token_f1, sentence_f1 = self._judged()
        tokens = self.header["trained_on"]["tokens"]
        report = TokenizerReport(epoch, loss / tokens, token_f1, sentence_f1, len(text.text) / seconds)
        score = epoch if token_f1 is None or sentence_f1 is None else token_f1 + sentence_f1
        if score > self.state.best_score:
            self.state.best, self.state.best_score, self.state.kept = tokenizer, score, epoch
        self.state.reports.append(report)
        return report

    def _judged(self) -> tuple[Tokenizer, float | None, float | None]:
        """The tokenizer as it is, with the best threshold on dev, and its F1 of tokens and sentences."""
        tokenizer = self._tokenizer(0.0)
        if self.dev is None:
            return tokenizer, None, None
        tokens, by_threshold = dev_scores(tokenizer, self.dev)
        threshold = max(by_threshold, key=lambda t: (by_threshold[t], -abs(t)))
        return self._tokenizer(threshold), tokens, by_threshold[threshold]

    def _tokenizer(self, threshold: float) -> Tokenizer:
        weights = {}
        for kind, learner in self.state.learners.items():
            average = np.empty(learner.size, np.float32)
            learner.average(average)
            weights[kind] = _core.ShortWeights.rounded(average)
        sections: dict[str, dict[str, Any]] = {
            kind: {"templates": text.strip(), "step": weights[kind].step} for kind, text in TEMPLATES.items()
        }
        sections["sentences"]["threshold"] = threshold
        return Tokenizer({**self.header, **sections}, make_tensors(class_table(), **weights))

    def finish(self) -> Tokenizer:
        """The tokenizer of the best epoch."""
        best = self.state.best
        assert best is not None
        epochs = [report.without_times() for report in self.state.reports]
        best.header["report"] = {"epochs": epochs, "kept": self.state.kept}
        return best


def dev_scores(tokenizer: Tokenizer, gold: RunningText) -> tuple[float, dict[float, float]]:
    """The F1 of tokens, and that of sentences by threshold; those with the same begin and end are right."""
    batch = tokenizer.scan(gold.text)
    tokens = np.stack([batch.starts, batch.ends], 1)
    sentences = gold.sentence_spans()

    def sentence_f1(threshold: float) -> float:
        ends = (batch.scores > threshold) | batch.paragraph_ends
        ends[-1] = True
        first = np.roll(ends, 1)
        return _f1(sentences, np.stack([batch.starts[first], batch.ends[ends]], 1))

    return _f1(gold.token_spans(), tokens), {threshold: sentence_f1(threshold) for threshold in THRESHOLDS}


def _f1(gold: npt.NDArray[np.int64], found: npt.NDArray[np.int64]) -> float:
    same = len(set(map(tuple, gold.tolist())) & set(map(tuple, found.tolist())))
    return 2 * same / (len(gold) + len(found))
