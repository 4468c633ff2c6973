"""Decisions: what a generative model draws at each step, p(outcome | context), from counts of events.

A context is some *features* of the step, numbers below a known size. The fullest order of contexts is first:

    additive        p(y | x) = (c(x, y) + a) / (c(x) + a K)                      x: the fullest context
    interpolated    p_j(y | x) = l(c_j) c_j(x, y) / c_j(x) + (1 - l(c_j)) p_{j+1}(y | x)
                    with l by the size of c_j(x), and 1 / K after the last order (Jelinek & Mercer 1980)

K is the number of outcomes. Counts may be expected ones, so they are real numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.errors import ArboraError

Floats: TypeAlias = npt.NDArray[np.float64]
Keys: TypeAlias = npt.NDArray[np.int64]
Features: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""By name, a number for each event."""

BUCKETS = 12
"""Contexts share a weight of interpolation by the logarithm of their count to the base 2, up to 2^10."""
FITTING = 50
"""Steps by which weights are fitted."""
MOST_KEYS = 2**62


@dataclass(frozen=True, slots=True)
class Decision:
    """A step of a model: its name, the feature that is drawn and its size, and the orders of its contexts.

    ``sizes`` has the sizes of all features. Features of size 1 tell nothing and are left out, and so are
    orders that come to the same.
    """

    name: str
    outcome: str
    outcomes: int
    orders: tuple[tuple[str, ...], ...]
    sizes: Mapping[str, int]

    @classmethod
    def of(
        cls, name: str, outcome: str, orders: Sequence[tuple[str, ...]], sizes: Mapping[str, int]
    ) -> Decision:
        """With what tells something only.

        >>> sizes = {"tag": 3, "head_tag": 4, "label": 1}
        >>> Decision.of("tag", "tag", [("label", "head_tag"), ("label",), ()], sizes).orders
        (('head_tag',), ())
        """
        telling = [tuple(each for each in order if sizes[each] > 1) for order in orders]
        made = cls(name, outcome, sizes[outcome], tuple(dict.fromkeys(telling)), sizes)
        for order in made.orders:
            count = float(made.outcomes)
            for feature in order:
                count *= sizes[feature]
            if count > MOST_KEYS:
                raise ArboraError(f"there are too many words and tags for a model of {name}s; cut rare words")
        return made

    def keys(self, features: Features, order: int = 0) -> Keys:
        """A number for each event, of its context and its outcome: below the product of their sizes."""
        found = np.zeros(len(features[self.outcome]), np.int64)
        for feature in self.orders[order]:
            found *= self.sizes[feature]
            found += features[feature]
        found *= self.outcomes
        found += features[self.outcome]
        return found


class Table:
    """Counts of events by their keys, and of contexts: what one order of a decision has learned.

    ``keys`` (events,) in order, each once, ``counts`` (events,).

    >>> table = Table(np.array([3, 4, 9]), np.array([1.0, 3.0, 2.0]), outcomes=3)
    >>> table.totals(np.array([3, 5, 9, 0])).tolist()
    [4.0, 4.0, 2.0, 0.0]
    """

    def __init__(self, keys: Keys, counts: Floats, outcomes: int) -> None:
        """From sorted keys; ValueError if they are not."""
        if keys.shape != counts.shape or keys.ndim != 1 or (keys[1:] <= keys[:-1]).any():
            raise ValueError("keys of counts are not in order")
        if not np.isfinite(counts).all() or (counts < 0).any() or (keys < 0).any():
            raise ValueError("counts must not be negative")
        self.keys, self.counts, self.outcomes = keys, counts, outcomes
        self.contexts, self.context_of = np.unique(keys // outcomes, return_inverse=True)
        self.context_totals: Floats = _sums(self.context_of, counts, len(self.contexts))

    @classmethod
    def count(cls, keys: Keys, weights: Floats, outcomes: int) -> Table:
        """The counts of events; those of weight 0 are left out."""
        found, where = np.unique(keys, return_inverse=True)
        counts = _sums(where, weights, len(found))
        return cls(found[counts > 0], counts[counts > 0], outcomes)

    def trimmed(self) -> Table:
        """Without events that have no count."""
        seen = self.counts > 0
        return Table(self.keys[seen], self.counts[seen], self.outcomes)

    def find(self, keys: Keys) -> Floats:
        """The counts of events."""
        return _looked_up(self.keys, self.counts, keys)

    def totals(self, keys: Keys) -> Floats:
        """The counts of the contexts of events."""
        return _looked_up(self.contexts, self.context_totals, keys // self.outcomes)

    def log_probabilities(self, addend: float) -> Floats:
        """Of all its events, with additive smoothing: log (c + a) / (C + a K)."""
        totals = (self.context_totals + addend * self.outcomes)[self.context_of]
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Floats = np.log((self.counts + addend) / totals)
        found[totals == 0] = -np.log(self.outcomes)  # nothing is known
        return found

    def log_prior(self, addend: float) -> float:
        """Of all parameters, up to a constant: the sum of a log p over outcomes, of contexts that are here.

        That is what additive smoothing maximises together with the likelihood (a Dirichlet distribution).
        """
        if addend == 0:
            return 0.0
        seen = np.bincount(self.context_of, minlength=len(self.contexts))
        rest = np.log(addend / (self.context_totals + addend * self.outcomes))
        return addend * float(self.log_probabilities(addend).sum() + ((self.outcomes - seen) * rest).sum())


def _sums(places: npt.NDArray[Any], weights: Floats, count: int) -> Floats:
    return np.asarray(np.bincount(places, weights, count), np.float64)


def _looked_up(keys: Keys, values: Floats, asked: Keys) -> Floats:
    if not len(keys):
        return np.zeros(len(asked))
    at = np.searchsorted(keys, asked)
    at[at == len(keys)] = 0
    return np.where(keys[at] == asked, values[at], 0.0)


class Estimate:
    """A decision with what was learned: a table for each order that is used, and weights between them.

    ``addend`` is for one table; with more, ``weights`` (orders, `BUCKETS`) says how far each is believed.
    """

    def __init__(
        self, decision: Decision, tables: Sequence[Table], addend: float, weights: Floats | None = None
    ) -> None:
        """What a model file holds; ValueError if it does not fit."""
        if len(tables) not in (1, len(decision.orders)):
            raise ValueError(f"there are {len(decision.orders)} contexts of a {decision.name}")
        if weights is not None and (
            weights.shape != (len(tables), BUCKETS) or not ((weights >= 0) & (weights <= 1)).all()
        ):
            raise ValueError("the weights of interpolation are damaged")
        self.decision, self.tables, self.addend, self.weights = decision, list(tables), addend, weights

    def log_probabilities(self, features: Features) -> Floats:
        """Of events."""
        if self.weights is None:
            keys = self.decision.keys(features)
            counts, totals = self.tables[0].find(keys), self.tables[0].totals(keys)
            totals = totals + self.addend * self.decision.outcomes
            with np.errstate(divide="ignore", invalid="ignore"):
                found: Floats = np.log((counts + self.addend) / totals)
            found[totals == 0] = -np.log(self.decision.outcomes)
            return found
        return np.log(_mixed(*self._shares(features)))

    def fitted(self, features: Features, counts: Floats) -> Estimate:
        """With the weights under which these events, each so often, are the most probable: by EM."""
        shares, buckets = self._shares_and_buckets(features)
        weights = np.full((len(self.tables), BUCKETS), 0.5)
        for _ in range(FITTING):
            believed = _stick(weights, buckets)
            parts = believed * shares
            parts *= counts / parts.sum(axis=0)
            beyond = np.cumsum(parts[::-1], axis=0)[::-1]
            for order in range(len(self.tables)):
                used = np.bincount(buckets[order], parts[order], BUCKETS)
                asked = np.bincount(buckets[order], beyond[order], BUCKETS)
                weights[order] = np.divide(used, asked, out=weights[order].copy(), where=asked > 0)
        # The last resort keeps some belief, so that nothing is impossible.
        return Estimate(self.decision, self.tables, self.addend, np.clip(weights, 0.0, 1 - 1e-6))

    def _shares(self, features: Features) -> tuple[Floats, Floats]:
        shares, buckets = self._shares_and_buckets(features)
        assert self.weights is not None
        return _stick(self.weights, buckets), shares

    def _shares_and_buckets(self, features: Features) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Relative frequencies by order, 1 / K last, (orders + 1, events); buckets (orders, events)."""
        count = len(features[self.decision.outcome])
        shares = np.full((len(self.tables) + 1, count), 1 / self.decision.outcomes)
        buckets = np.zeros((len(self.tables), count), np.int64)
        for order, table in enumerate(self.tables):
            keys = self.decision.keys(features, order)
            totals = table.totals(keys)
            shares[order] = np.divide(table.find(keys), totals, out=np.zeros(count), where=totals > 0)
            # A context that was never seen has bucket 0, whose weight is never believed: its share is 0.
            whole = np.log2(totals, out=np.zeros(count), where=totals >= 1)
            buckets[order] = np.where(totals > 0, np.minimum(whole.astype(np.int64) + 1, BUCKETS - 1), 0)
        return shares, buckets


def _stick(weights: Floats, buckets: npt.NDArray[np.int64]) -> Floats:
    """How far each order is believed for each event, (orders + 1, events): they sum to 1."""
    found = np.ones((len(buckets) + 1, buckets.shape[1]))
    left = np.ones(buckets.shape[1])
    for order, own in enumerate(buckets):
        weight = np.where(own > 0, weights[order][own], 0.0)
        found[order] = left * weight
        left = left * (1 - weight)
    found[-1] = left
    return found


def _mixed(believed: Floats, shares: Floats) -> Floats:
    found: Floats = (believed * shares).sum(axis=0)
    return found


def estimate(
    decision: Decision,
    features: Features,
    counts: Floats,
    *,
    addend: float,
    held_out: tuple[Features, Floats] | None = None,
) -> Estimate:
    """What events, each seen so often, tell of a decision.

    Without ``held_out``, additive; with it, interpolated by weights fitted on those events.

    >>> sizes = {"coin": 2, "hand": 2}
    >>> decision = Decision.of("throw", "coin", [("hand",), ()], sizes)
    >>> seen = {"coin": np.array([0, 1, 1]), "hand": np.array([0, 0, 1])}
    >>> np.exp(estimate(decision, seen, np.array([3.0, 1.0, 2.0]), addend=0).log_probabilities(seen))
    array([0.75, 0.25, 1.  ])
    """
    if held_out is None:
        return Estimate(decision, [Table.count(decision.keys(features), counts, decision.outcomes)], addend)
    tables = [
        Table.count(decision.keys(features, order), counts, decision.outcomes)
        for order in range(len(decision.orders))
    ]
    return Estimate(decision, tables, addend, np.full((len(tables), BUCKETS), 0.5)).fitted(*held_out)
