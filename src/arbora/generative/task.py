"""Training generative models: trees are counted, or summed out by EM, in the run that all models share."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arbora.errors import ArboraError
from arbora.generative.corpus import Item, checksum
from arbora.generative.data import (
    check_corpus,
    choose_sentences,
    encode_corpus,
    fitting,
    is_whole,
    label_names,
    read_corpus,
)
from arbora.generative.decisions import Floats
from arbora.generative.estimation import ExpectedCounts, count_trees, harmonic_start, uniform_start
from arbora.generative.kinds import make_model
from arbora.generative.options import GenerativeOptions
from arbora.generative.parser import ARCHITECTURE, GenerativeParser
from arbora.generative.scoring import LearnedModel, perplexity
from arbora.generative.units import Units
from arbora.models import Parts
from arbora.models.options import options_of
from arbora.training import Candidate, FileTask, History, Stage, Step, Trained
from arbora.treebank import Sentence

COUNTING, EM = "counting", "EM"
FALL = 1e-9
"""The share of the objective by which rounding may make it fall."""


class GenerativeTask(FileTask[GenerativeParser]):
    """A generative model in training.

    ``trees`` are sentences with trees to learn from beside the others, whose heads bind whatever the options
    say of those that the other sentences have. ``dev`` fits weights of interpolation, and is scored.
    """

    architecture = ARCHITECTURE
    options: GenerativeOptions
    may_change = ("iterations", "tolerance")

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence] | None = None,
        options: GenerativeOptions | None = None,
        *,
        threads: int = 1,
        licence: str = "",
        trees: Sequence[Sentence] = (),
    ) -> None:
        """What is wrong with the data is found here."""
        self.options = options = options_of(GenerativeOptions, options)
        self.threads, self.licence = threads, licence
        check_corpus([*sentences, *trees], options)
        chosen, with_trees = choose_sentences(sentences, options), choose_sentences(trees, options)
        every = [*chosen.sentences, *with_trees.sentences]
        if not every:
            raise ArboraError(
                f"no sentence has between 1 and {options.longest} words: there is nothing to learn"
            )
        if options.iterations and all(len(sentence) == 1 for sentence in every):
            raise ArboraError("all sentences have one word: there is nothing to learn about trees from them")
        self.units = Units.of(every, options)
        self.labels = label_names(every, options)
        if options.labels and not self.labels:
            raise ArboraError("a model with labels learns from trees, and no word here has a label")
        bind = options.constraints or not options.iterations
        items = encode_corpus(chosen.sentences, self.units, self.labels, trees=bind)
        items += encode_corpus(with_trees.sentences, self.units, self.labels, trees=True)
        self.items = fitting(items, options, len(self.labels))
        self.left_out = {
            name: chosen.left_out[name] + with_trees.left_out[name] for name in chosen.left_out
        } | {"no tree": len(items) - len(self.items)}
        self.whole = [item for item in self.items if is_whole(item, len(self.labels))]
        if (not options.iterations or options.start == "supervised") and not self.whole:
            raise ArboraError("no sentence has a whole tree of this kind, and counting needs some")
        self.model = make_model(options, self.units, max(len(self.labels), 1))
        self.dev = self._dev_items(dev or [])
        self.stages = [Stage(EM, options.iterations, "iteration") if options.iterations else Stage(COUNTING)]
        self.expected: ExpectedCounts | None = None
        self.exponent = options.temperature
        self.last: dict[str, float] = {}

    @classmethod
    def default_options(cls) -> GenerativeOptions:
        """The options if none are given."""
        return GenerativeOptions()

    @classmethod
    def check(cls, options: GenerativeOptions, **own: Any) -> None:
        """Nothing but the options themselves."""

    @classmethod
    def without_dev(cls, options: GenerativeOptions) -> str:
        """Counting has weights to fit; EM has nothing that dev data would change."""
        return "" if options.iterations else "weights of interpolation are fitted on every tenth sentence"

    @classmethod
    def read(cls, path: str, options: GenerativeOptions, *, dev: bool) -> list[Sentence]:
        """The sentences of a file, with tags if the model needs them."""
        return read_corpus(path, options)

    def fingerprint(self) -> int:
        """Of the data, and of what became of them."""
        found = checksum(self.dev, checksum(self.items))
        return zlib.crc32(repr((self.units.tags, self.units.words, self.labels)).encode(), found)

    def begin(self, stage: Stage) -> None:
        """With EM: list the events, and begin with what the options say."""
        if stage.name != EM:
            return
        self.expected = ExpectedCounts(self.model, self.items, threads=self.threads)
        self.expected.set_counts(self._first_counts(self.expected))

    def _first_counts(self, expected: ExpectedCounts) -> dict[str, Floats]:
        start = self.options.start
        if start == "random":
            rng = np.random.default_rng(self.options.seed)
            return {name: rng.gamma(1.0, size=len(keys)) for name, keys in expected.keys.items()}
        if start != "supervised":
            kind = harmonic_start if start == "harmonic" else uniform_start
            return expected.begin(kind)
        found = count_trees(self.model, self.whole)
        return {name: own.tables[0].find(expected.keys[name]) for name, own in found.items()}

    def train(self, step: Step) -> Trained:
        """One iteration of EM, or counting."""
        words = sum(item.length for item in self.items)
        if step.stage.name != EM:
            return Trained(units=words)
        assert self.expected is not None
        self.expected.on_batch = step.watcher.on_batch
        best = self.options.expectations == "best"
        prior = self.expected.log_prior()
        counts, log_likelihood = self.expected.expect(self.exponent, best=best)
        self._check_rise(log_likelihood + prior)
        self.expected.set_counts(counts)
        self.last = {
            "log_likelihood": log_likelihood,
            "objective": log_likelihood + prior,
            "perplexity": float(np.exp(-log_likelihood / words)),
            "exponent": self.exponent,
        }
        self.exponent = min(1.0, self.exponent * self.options.cooling)
        return Trained(-log_likelihood / words, words)

    def _check_rise(self, objective: float) -> None:
        """EM never makes its objective smaller: if it does, something is wrong with the sums."""
        if self.last.get("exponent") != self.exponent:  # another objective than before
            return
        before = self.last["objective"]
        if objective < before - FALL * abs(before):
            raise ArboraError(
                f"the objective of EM fell from {before!r} to {objective!r}, which it cannot: report it"
            )

    def judge(self, stage: Stage) -> Candidate:
        """The model as it is; of EM, how probable the sentences were before this iteration."""
        if stage.name == EM:
            assert self.expected is not None
            found = self.expected.estimates()
        else:
            judged = [item for item in self.dev if is_whole(item, len(self.labels))]
            found = count_trees(self.model, self.whole, judged)
        learned = LearnedModel(self.model, found, self.labels)
        scores = dict(self.last)
        if self.dev:
            scores["dev_perplexity"] = self._dev_perplexity(learned)
        return Candidate(learned.to_parts(), scores)

    def _dev_perplexity(self, learned: LearnedModel) -> float:
        free = [Item(item.tags, item.words, *[np.full_like(item.heads, -1)] * 2) for item in self.dev]
        total = learned.log_probabilities_of(free, threads=self.threads).sum()
        return perplexity(float(total), sum(item.length for item in self.dev))

    def _dev_items(self, dev: Sequence[Sentence]) -> list[Item]:
        sentences = choose_sentences(dev, self.options).sentences
        items = encode_corpus(sentences, self.units, self.labels, trees=not self.options.iterations)
        return fitting(items, self.options, len(self.labels))

    def ends_early(self, stage: Stage, history: History) -> bool:
        """Whether the objective has come to rest."""
        if len(history.reports) < 2:
            return False
        before, last = (report.scores for report in history.reports[-2:])
        if before["exponent"] != 1 or last["exponent"] != 1:
            return False
        return last["objective"] - before["objective"] < self.options.tolerance * abs(last["objective"])

    def end(self, stage: Stage, parts: Parts) -> None:
        """Keep what was learned."""
        self.parts = parts

    def finish(self, history: History) -> GenerativeParser:
        """The model of the last iteration."""
        header, tensors = self.parts
        whole = {
            "architecture": ARCHITECTURE,
            **header,
            "licence": self.licence,
            "trained_on": {
                "sentences": len(self.items),
                "words": sum(item.length for item in self.items),
                "trees": len(self.whole),
                "left_out": self.left_out,
            },
            "report": {"epochs": history.rows(), "kept": next(iter(history.kept.values()))},
        }
        return GenerativeParser.from_parts(whole, tensors)

    def snapshot(self) -> Parts:
        """The counts, in the order of the events, and where EM is."""
        if self.expected is None:
            return {}, {}
        tensors = {name: table.counts for name, table in self.expected.tables.items()}
        return {"exponent": self.exponent, "last": self.last}, tensors

    def restore(self, parts: Parts) -> None:
        """The same."""
        if self.expected is None:
            return
        header, tensors = parts
        self.exponent, self.last = float(header["exponent"]), dict(header["last"])
        self.expected.set_counts({name: np.array(tensors[name]) for name in self.expected.keys})

    def describe(self, stage: Stage, scores: Mapping[str, float]) -> list[str]:
        """The scores in words."""
        said = []
        if "log_likelihood" in scores:
            said += [
                f"log-likelihood {scores['log_likelihood']:.4f}",
                f"perplexity {scores['perplexity']:.4f}",
            ]
            said += [f"exponent {scores['exponent']:.3f}"] if scores["exponent"] < 1 else []
        return said + (
            [f"dev perplexity {scores['dev_perplexity']:.4f}"] if "dev_perplexity" in scores else []
        )
