"""Training a tokenizer: two linear models, one for the ends of tokens and one for those of sentences."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import FileError
from arbora.learning.states import averaged_weights, learner_parts, restore_learner
from arbora.models import Parts, below, under
from arbora.models.options import options_of
from arbora.text.tokenizing.characters import class_table, classes_around_spaces
from arbora.text.tokenizing.multiwords import learn_multiwords
from arbora.text.tokenizing.options import TokenizerOptions
from arbora.text.tokenizing.running_text import (
    RunningText,
    count_tokens,
    paragraphs_of,
    running_text,
    varied_text,
)
from arbora.text.tokenizing.templates import SENTENCES, TOKENS, parse_templates
from arbora.text.tokenizing.tokenizer import ARCHITECTURE, Tokenizer, make_tensors
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
from arbora.treebank import Sentence, read
from arbora.treebank.files import display_name

TEMPLATES = {"tokens": TOKENS, "sentences": SENTENCES}
THRESHOLDS = tuple(step / 4 for step in range(-16, 9))
"""Log-odds above which a sentence may end: the best for F1 is below 0 where ends are hard to see."""


def train_tokenizer(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] | None = None,
    options: TokenizerOptions | None = None,
    *,
    dev_fraction: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    licence: str = "",
    progress: Callable[[EpochReport], None] | None = None,
) -> Tokenizer:
    """Train a tokenizer on the text of a treebank; the same data and options give the same bytes.

    The text is that of ``# text`` or, without it, of the forms and SpaceAfter; paragraphs begin with
    ``# newdoc`` and ``# newpar``. The epoch with the best F1 of tokens and sentences on ``dev`` is kept.
    Without ``dev``, about ``dev_fraction`` of the sentences is held out (`arbora.training.divide`; by default
    a tenth).
    The rest is as in `arbora.training.run`; ``progress`` gets a report per epoch.
    """
    task = make_task(
        TokenizerTask,
        sentences,
        dev,
        options,
        dev_fraction=dev_fraction,
        licence=licence,
    )
    return run(
        task,
        checkpoint=checkpoint,
        resume=resume,
        keep_checkpoint=keep_checkpoint,
        watcher=Watcher.of(progress),
    )


class TokenizerTask(FileTask[Tokenizer]):
    """A tokenizer in training."""

    architecture = ARCHITECTURE
    unit = "characters"
    options: TokenizerOptions

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence] | None = None,
        options: TokenizerOptions | None = None,
        *,
        threads: int = 1,
        licence: str = "",
    ) -> None:
        """``threads`` are not used: one is enough."""
        self.options = options_of(TokenizerOptions, options)
        self.stages = [Stage("", self.options.epochs)]
        self.paragraphs = paragraphs_of(sentences)
        self.dev = running_text(paragraphs_of(dev)) if dev else None
        tokens = count_tokens(sentences)
        self.header: dict[str, Any] = {
            "architecture": ARCHITECTURE,
            "spaces_in_tokens": sorted({pair for form, _ in tokens for pair in classes_around_spaces(form)}),
            "multiwords": learn_multiwords(tokens),
            "options": self.options.as_dict(),
            "licence": licence,
            "trained_on": {"sentences": sum(map(len, self.paragraphs)), "tokens": tokens.total()},
        }
        rate = self.options.rate
        self.learners = {
            kind: _core.OnlineLearner(self.options.bits, 0, "adagrad", rate) for kind in TEMPLATES
        }
        self.best: Parts | None = None

    @classmethod
    def default_options(cls) -> TokenizerOptions:
        """The options if none are given."""
        return TokenizerOptions()

    @classmethod
    def check(cls, options: TokenizerOptions, **own: Any) -> None:
        """Nothing but what the options check themselves."""

    @classmethod
    def without_dev(cls, options: TokenizerOptions) -> str:
        """Its probabilities are not calibrated in any case."""
        return "the last epoch is kept"

    @classmethod
    def read(cls, path: str, options: TokenizerOptions, *, dev: bool) -> list[Sentence]:
        """The sentences of a treebank that has some words."""
        with read(path, "conllu", single_root=False) as reader:
            found: list[Sentence] = list(reader)
        if not any(map(len, found)):
            raise FileError("there are no words in this treebank", file=display_name(path))
        return found

    def fingerprint(self) -> int:
        """Of the data and the templates."""
        found = zlib.crc32(repr(TEMPLATES).encode())
        for text in (running_text(self.paragraphs), self.dev):
            if text is not None:
                found = zlib.crc32(text.text.encode(), found)
                found = zlib.crc32(text.boundary.tobytes(), found)
        return zlib.crc32(repr(self.header["multiwords"]).encode(), found)

    def train(self, step: Step) -> Trained:
        """One pass over the treebank, whose sentences are joined anew."""
        random = np.random.default_rng([self.options.seed, step.epoch])
        text = varied_text(self.paragraphs, random)
        core = _core.TrainingText(text.text.encode(), text.boundary, *class_table())
        seed = int(random.integers(2**63))
        loss = core.train_token_ends(
            parse_templates(TOKENS), self.header["spaces_in_tokens"], seed, self.learners["tokens"]
        )
        loss += core.train_sentence_ends(parse_templates(SENTENCES), seed, self.learners["sentences"])
        return Trained(loss / self.header["trained_on"]["tokens"], len(text.text))

    def judge(self, stage: Stage) -> Candidate:
        """The tokenizer as it is, with the best threshold on dev, and its F1 of tokens and sentences."""
        weights = {kind: averaged_weights(learner) for kind, learner in self.learners.items()}
        if self.dev is None:
            return Candidate(self._parts(weights, 0.0))
        token_f1, by_threshold = dev_scores(Tokenizer.from_parts(*self._parts(weights, 0.0)), self.dev)
        threshold = max(by_threshold, key=lambda t: (by_threshold[t], -abs(t)))
        scores = {"token_f1": token_f1, "sentence_f1": by_threshold[threshold]}
        return Candidate(self._parts(weights, threshold), scores, sum(scores.values()))

    def _parts(self, weights: dict[str, _core.ShortWeights], threshold: float) -> Parts:
        sections: dict[str, dict[str, Any]] = {
            kind: {"templates": text.strip(), "step": weights[kind].step} for kind, text in TEMPLATES.items()
        }
        sections["sentences"]["threshold"] = threshold
        return {**self.header, **sections}, make_tensors(class_table(), **weights)

    def end(self, stage: Stage, parts: Parts) -> None:
        """The parts are the tokenizer's."""
        self.best = parts

    def finish(self, history: History) -> Tokenizer:
        """The tokenizer of the best epoch."""
        assert self.best is not None
        header, tensors = self.best
        report = {"epochs": history.rows(), "kept": history.kept[""]}
        return Tokenizer.from_parts({**header, "report": report}, tensors)

    def snapshot(self) -> Parts:
        """Both learners."""
        header: dict[str, Any] = {}
        tensors: dict[str, npt.NDArray[Any]] = {}
        for kind, learner in self.learners.items():
            header[kind], own = learner_parts(learner)
            tensors |= under(f"{kind}.", own)
        return header, tensors

    def restore(self, parts: Parts) -> None:
        """Both learners."""
        header, tensors = parts
        for kind, learner in self.learners.items():
            restore_learner(learner, (header[kind], below(tensors, f"{kind}.")))

    def describe(self, stage: Stage, scores: Mapping[str, float]) -> list[str]:
        """The scores in words."""
        return tokenizer_scores(scores)


def tokenizer_scores(scores: Mapping[str, Any]) -> list[str]:
    """F1 on dev, in words; none without dev.

    >>> tokenizer_scores({"token_f1": 0.991, "sentence_f1": 0.88})
    ['dev tokens 99.10', 'sentences 88.00']
    """
    if "token_f1" not in scores:
        return []
    return [f"dev tokens {100 * scores['token_f1']:.2f}", f"sentences {100 * scores['sentence_f1']:.2f}"]


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
