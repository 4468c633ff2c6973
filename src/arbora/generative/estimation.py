"""Learning a generative model: counts of trees, and expected counts where trees are not known (EM)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.errors import ArboraError, InfeasibleTreeError
from arbora.generative.corpus import Arcs, Item, chunks, list_arcs
from arbora.generative.decisions import Estimate, Features, Floats, Table, estimate
from arbora.generative.kinds import GenerativeModel, SentenceScores

Events: TypeAlias = dict[str, npt.NDArray[np.int32]]
"""By the name of a decision, the place in its table of every event."""

HELD_OUT = 10
"""Every so many-th sentence is held out to fit weights of interpolation, where there is no other text."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some sentences: their arcs, and the places of their events in tables."""

    arcs: Arcs
    events: Events


class ExpectedCounts:
    """A corpus in which trees are summed over: the E-step and the M-step of EM.

    Tables have all events that trees of the corpus can have, so that an iteration only looks numbers up.

    The E-step is exact: the expected count of an event is the sum over trees of their probability times the
    uses of the event. The M-step, c(x, y) + a over c(x) + a K, is then the best (McDonald & Satta 2007,
    section 4.4.2, for a = 0).
    """

    def __init__(
        self,
        model: GenerativeModel,
        items: Sequence[Item],
        *,
        threads: int = 1,
        on_batch: Callable[[int, int], None] | None = None,
    ) -> None:
        """List the events of all sentences."""
        self.model, self.items, self.threads = model, items, threads
        self.addend = model.options.addend
        self.on_batch = on_batch or (lambda done, count: None)
        self.chunks, keys = self._list_events()
        self.keys = keys
        self.tables = {
            decision.name: Table(keys[decision.name], np.zeros(len(keys[decision.name])), decision.outcomes)
            for decision in model.decisions
        }
        self.words = sum(item.length for item in items)
        self.log_shared = sum(model.log_tree_probability(item.length) for item in items)

    def _list_events(self) -> tuple[list[Chunk], dict[str, npt.NDArray[np.int64]]]:
        found: list[tuple[Arcs, dict[str, npt.NDArray[np.int64]]]] = []
        for own in chunks(self.items, self.model.labels):
            items = self.items[own]
            arcs = list_arcs(items, self.model.labels)
            features = self.model.features(items, arcs)
            keys = {
                decision.name: decision.keys(features[decision.name]) for decision in self.model.decisions
            }
            kept = {name: arcs.features[name] for name in ("steps", "modifier")}
            found.append((Arcs(arcs.lengths, arcs.labels, arcs.places, kept), keys))
        listed, events = {}, [dict[str, npt.NDArray[np.int32]]() for _ in found]
        for decision in self.model.decisions:
            each = [keys[decision.name] for _, keys in found]
            listed[decision.name], where = np.unique(np.concatenate(each), return_inverse=True)
            start = 0
            for own_events, some in zip(events, each, strict=True):
                own_events[decision.name] = where[start : start + len(some)].astype(np.int32)
                start += len(some)
        return [Chunk(arcs, own) for (arcs, _), own in zip(found, events, strict=True)], listed

    def expect(self, exponent: float = 1.0, *, best: bool = False) -> tuple[dict[str, Floats], float]:
        """Expected counts of all events under the present tables, and the logarithm of what was summed.

        With an ``exponent`` b trees count by p^b, and the value is that of log(sum of p^b) / b.
        """
        values = {name: table.log_probabilities(self.addend) for name, table in self.tables.items()}

        def scores(chunk: Chunk) -> SentenceScores:
            own = {name: values[name][places] for name, places in chunk.events.items()}
            return self.model.scores(chunk.arcs, own).tempered(exponent)

        counts, total = self._sum(scores, best=best)
        return counts, total / exponent + self.log_shared

    def begin(self, start: Callable[[GenerativeModel, Chunk], SentenceScores]) -> dict[str, Floats]:
        """Counts that do not come from tables."""
        counts = {name: np.zeros(len(keys)) for name, keys in self.keys.items()}
        for chunk in self.chunks:
            self._add(chunk, start(self.model, chunk), counts)
        return counts

    def _add(self, chunk: Chunk, expected: SentenceScores, counts: dict[str, Floats]) -> None:
        for name, own in self.model.counts(chunk.arcs, expected).items():
            counts[name] += np.bincount(chunk.events[name], own, len(counts[name]))

    def _sum(
        self, scores: Callable[[Chunk], SentenceScores], *, best: bool = False
    ) -> tuple[dict[str, Floats], float]:
        counts = {name: np.zeros(len(keys)) for name, keys in self.keys.items()}
        total, done = 0.0, 0
        for chunk in self.chunks:
            try:
                found = self.model.expectations(scores(chunk), best=best, threads=self.threads)
            except InfeasibleTreeError:
                raise ArboraError(
                    "a sentence has no chance under the model that EM begins with: smooth it, with an addend "
                    "above 0"
                ) from None
            total += float(np.sum(found.values))
            self._add(chunk, found.counts, counts)
            done += len(chunk.arcs.lengths)
            self.on_batch(done, len(self.items))
        return counts, total

    def set_counts(self, counts: dict[str, Floats]) -> None:
        """The M-step: from now on, probabilities are by these counts."""
        for decision in self.model.decisions:
            self.tables[decision.name] = Table(
                self.keys[decision.name], counts[decision.name], decision.outcomes
            )

    def log_prior(self) -> float:
        """What smoothing adds to the likelihood in what EM makes greater."""
        return sum(table.log_prior(self.addend) for table in self.tables.values())

    def estimates(self) -> dict[str, Estimate]:
        """What was learned."""
        return {
            decision.name: Estimate(decision, [self.tables[decision.name].trimmed()], self.addend)
            for decision in self.model.decisions
        }


def harmonic_start(model: GenerativeModel, chunk: Chunk) -> SentenceScores:
    """Counts in which a head at distance d is as probable as 1 / d, and the root as probable as a word.

    All arcs are there at once, without a thought for trees (Klein & Manning 2004).
    """
    arcs, words = chunk.arcs, chunk.arcs.features["modifier"]
    steps = arcs.features["steps"].astype(np.float64)
    weights = np.divide(1.0, steps, out=np.zeros(len(steps)), where=steps > 0)
    lengths = np.repeat(np.array(arcs.lengths) - 1, np.array(arcs.lengths) + 1)  # of each place of a word
    others = np.bincount(words, weights, len(lengths))
    from_root = steps == 0
    shares = np.divide(others, lengths, out=np.ones(len(lengths)), where=(lengths > 0) & (others > 0))
    weights[from_root] = shares[words[from_root]]
    weights /= np.bincount(words, weights, len(lengths))[words]
    flat = arcs.empty()
    flat[arcs.places] = weights
    return model.first_counts(SentenceScores(arcs.arrays(flat)))


def uniform_start(model: GenerativeModel, chunk: Chunk) -> SentenceScores:
    """Expected counts if all trees are alike, whatever their words."""
    values = {decision.name: np.zeros(len(chunk.events[decision.name])) for decision in model.decisions}
    return model.expectations(model.scores(chunk.arcs, values)).counts


def count_trees(
    model: GenerativeModel, items: Sequence[Item], held_out: Sequence[Item] | None = None
) -> dict[str, Estimate]:
    """Estimates of all decisions from whole trees: relative frequencies, smoothed as the options say.

    Weights of interpolation are fitted on ``held_out``, or else on every tenth sentence of the trees.
    """
    interpolates = model.options.smoothing == "interpolated"
    if interpolates and not held_out and len(items) < 2:
        held_out = items
    events = _events(model, items)
    if not interpolates:
        return {
            decision.name: estimate(decision, *events[decision.name], addend=model.options.addend)
            for decision in model.decisions
        }
    rest, own = (items, held_out) if held_out else _split(items)
    seen, judged = _events(model, rest), _events(model, own)
    found = {}
    for decision in model.decisions:
        part = estimate(decision, *seen[decision.name], addend=0.0, held_out=judged[decision.name])
        tables = [
            Table.count(
                decision.keys(events[decision.name][0], order), events[decision.name][1], decision.outcomes
            )
            for order in range(len(decision.orders))
        ]
        found[decision.name] = Estimate(decision, tables, 0.0, part.weights)
    return found


def _split(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    rest = [item for place, item in enumerate(items) if (place + 1) % HELD_OUT]
    own = list(items[HELD_OUT - 1 :: HELD_OUT])
    return (rest, own) if own else (list(items[:-1]), [items[-1]])


def _events(model: GenerativeModel, items: Sequence[Item]) -> dict[str, tuple[Features, Floats]]:
    """Of every decision, the features of its events in whole trees, and how often each was used."""
    found: dict[str, list[tuple[Features, Floats]]] = {decision.name: [] for decision in model.decisions}
    for own in chunks(items, model.labels):
        arcs = list_arcs(items[own], model.labels)  # heads are known, so that there is one for each word
        used = model.expectations(model.scores(arcs, _nothing(model, items[own], arcs)), best=True).counts
        features, counts = model.features(items[own], arcs), model.counts(arcs, used)
        for decision in model.decisions:
            seen = counts[decision.name] > 0
            needed = {feature for order in decision.orders for feature in order} | {decision.outcome}
            chosen = {name: features[decision.name][name][seen] for name in sorted(needed)}
            found[decision.name].append((chosen, counts[decision.name][seen]))
    return {name: _joined_events(own) for name, own in found.items()}


def _joined_events(parts: Sequence[tuple[Features, Floats]]) -> tuple[Features, Floats]:
    names = parts[0][0].keys()
    joined = {name: np.concatenate([features[name] for features, _ in parts]) for name in names}
    return joined, np.concatenate([counts for _, counts in parts])


def _nothing(model: GenerativeModel, items: Sequence[Item], arcs: Arcs) -> dict[str, Floats]:
    """Of all events the same score."""
    features = model.features(items, arcs)
    return {
        decision.name: np.zeros(len(features[decision.name][decision.outcome]))
        for decision in model.decisions
    }
