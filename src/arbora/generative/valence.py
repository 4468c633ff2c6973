"""The valence model: a head generates modifiers outward on each side, and decides each time whether to stop.

    p(words, labels, tree) = p(r | root) * product over words h and sides s of
        product over modifiers m, from the nearest:  p(go on | h, s, has one) * p(m, k | h, s)
        and in the end                               p(stop | h, s, has one)

It is a distribution over words of any number (Klein & Manning 2004); trees are projective, and sums over them
are by inside-outside, `arbora.generative.valence_trees`. If there may be several roots, the root is a head.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora.dependency import PartScores
from arbora.errors import ArboraError
from arbora.generative import valence_trees
from arbora.generative.corpus import LEFT, RIGHT, Arcs, Item
from arbora.generative.decisions import Decision, Features
from arbora.generative.kinds import HEADS, Expectations, Floats, GenerativeModel, SentenceScores
from arbora.trees import Trees

VALENCES = "valences"
"""What `SentenceScores` has besides arcs: (n+1, sides, has a child, stop), as `valence_trees` takes it."""
GO_ON, STOP = 0, 1


class ValenceModel(GenerativeModel):
    """The dependency model with valence."""

    name = "valence"
    knows_length = False

    def other_decisions(self) -> list[Decision]:
        """To stop, or to go on."""
        of_heads = [(*head, "side", "has_child") for head in HEADS[self.options.units]]
        return [Decision.of("stop", "stop", [*of_heads, ("side", "has_child"), ()], self.sizes)]

    def features(self, items: Sequence[Item], arcs: Arcs) -> dict[str, Features]:
        """Of arcs; and of all decisions to stop, for each word and the root: side, child, stop."""
        tags = np.concatenate([item.tags for item in items]) if items else np.zeros(0, np.int32)
        words = np.concatenate([item.words for item in items]) if items else np.zeros(0, np.int32)
        side, has_child, stop = (np.tile(each.ravel(), len(tags)) for each in np.indices((2, 2, 2)))
        stops = {
            "head_tag": np.repeat(tags, 8),
            "head_word": np.repeat(words, 8),
            "side": side,
            "has_child": has_child,
            "stop": stop,
        }
        return {**super().features(items, arcs), "stop": stops}

    def scores(self, arcs: Arcs, values: Mapping[str, Floats]) -> SentenceScores:
        """Of arcs, and of decisions to stop."""
        found = super().scores(arcs, values)
        ends = np.cumsum([0, *(n + 1 for n in arcs.lengths)]) * 8
        stops = [values["stop"][start:end].reshape(-1, 2, 2, 2) for start, end in pairwise(ends)]
        return SentenceScores(found.arcs, {VALENCES: stops})

    def counts(self, arcs: Arcs, expected: SentenceScores) -> dict[str, Floats]:
        """Of arcs, and of decisions to stop."""
        stops = [own.ravel() for own in expected.others[VALENCES]]
        return {**super().counts(arcs, expected), "stop": np.concatenate(stops)}

    def first_counts(self, arcs: SentenceScores) -> SentenceScores:
        """Heads that go on with the same probability whether they have a modifier or not.

        If a side has E modifiers in the mean, that is E / (1 + E).
        """
        stops = []
        for own in arcs.arcs:
            counts = own if self.labels == 1 else own.sum(axis=2)
            found = np.zeros((len(counts), 2, 2, 2))
            for side, part in ((LEFT, np.tril(counts)), (RIGHT, np.triu(counts))):
                modifiers = part.sum(axis=1)
                some = modifiers / (1 + modifiers)
                found[:, side, 0, GO_ON], found[:, side, 0, STOP] = some, 1 - some
                found[:, side, 1, GO_ON], found[:, side, 1, STOP] = modifiers - some, some
            if self.single_root:
                found[0] = 0
            stops.append(found)
        return SentenceScores(arcs.arcs, {VALENCES: stops})

    def expectations(self, scores: SentenceScores, *, best: bool = False, threads: int = 1) -> Expectations:
        """By inside-outside; labels share what their arc has."""
        find = valence_trees.best_expectations if best else valence_trees.expectations
        totals = scores.arcs if self.labels == 1 else [_total(own, best) for own in scores.arcs]
        found = find(totals, scores.others[VALENCES], single_root=self.single_root, threads=threads)
        arcs = found.arcs
        if self.labels > 1:
            arcs = [
                own[..., None] * _share(labelled, total, best)
                for own, labelled, total in zip(found.arcs, scores.arcs, totals, strict=True)
            ]
        return Expectations(found.values, SentenceScores(arcs, {VALENCES: found.valences}))

    def sample(self, scores: SentenceScores, count: int, seed: int, *, threads: int = 1) -> list[Trees]:
        """By inside-outside; then labels, given the arcs."""
        totals = scores.arcs if self.labels == 1 else [_total(own, False) for own in scores.arcs]
        found = valence_trees.sample(
            totals, scores.others[VALENCES], count, rng=seed, single_root=self.single_root, threads=threads
        )
        if self.labels == 1:
            return found
        rng = np.random.default_rng(seed)
        return [_with_labels(drawn, own, rng) for drawn, own in zip(found, scores.arcs, strict=True)]

    def parts(self, scores: SentenceScores, hosts: Sequence[npt.NDArray[Any]]) -> dict[str, list[PartScores]]:
        """Consecutive siblings, with none before the first and none after the last, see all decisions."""
        found = []
        for own, host in zip(scores.others[VALENCES], hosts, strict=True):
            with np.errstate(invalid="ignore"):
                if not np.isfinite(own[1:]).all():
                    raise ArboraError(
                        "this model gives some decisions no chance, and such a valence model is no parser: "
                        "smooth it, with an addend above 0"
                    )
            found.append(_sibling_scores(own, host, self.single_root))
        return {"consecutive-siblings": found}


def _total(labelled: Floats, best: bool) -> Floats:
    """Of arcs without labels: the best of these, or the sum over them."""
    highest: Floats = labelled.max(axis=2)
    if best:
        return highest
    safe = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore"):
        found: Floats = safe + np.log(np.exp(labelled - safe[..., None]).sum(axis=2))
    return found


def _share(labelled: Floats, total: Floats, best: bool) -> Floats:
    """Of labels, given arcs."""
    if best:
        return np.asarray(np.arange(labelled.shape[2]) == labelled.argmax(axis=2)[..., None], np.float64)
    safe = np.where(np.isfinite(total), total, 0.0)
    return np.asarray(np.exp(labelled - safe[..., None]))


def _with_labels(drawn: Trees, labelled: Floats, rng: np.random.Generator) -> Trees:
    """The trees, with labels drawn for their arcs."""
    n = len(labelled) - 1
    own = labelled[drawn.heads[:, 1:], np.arange(1, n + 1)]  # (trees, n, labels)
    noise = rng.gumbel(size=own.shape)
    labels = np.full(drawn.heads.shape, -1, np.int32)
    labels[:, 1:] = (own + noise).argmax(axis=2)
    totals = _total(labelled, False)[drawn.heads[:, 1:], np.arange(1, n + 1)]
    chosen = np.take_along_axis(own, labels[:, 1:, None].astype(np.int64), axis=2)[..., 0]
    return Trees(drawn.heads, labels, drawn.scores + (chosen - totals).sum(axis=1))


def _sibling_scores(valences: Floats, hosts: npt.NDArray[Any], single_root: bool) -> PartScores:
    """All decisions as parts: a modifier after its sibling, the first after none, and none after the last.

    What hangs from a host (see `hosts_of`) is no modifier to the model: a side begins after it.
    """
    content = np.flatnonzero(hosts < 0)  # in order, the root first
    nearest = np.stack([np.arange(len(hosts))] * 2)  # of each side, what its first modifier comes after
    for word in np.flatnonzero(hosts >= 0):
        side = LEFT if word < hosts[word] else RIGHT
        farther = min if side == LEFT else max
        nearest[side, hosts[word]] = farther(nearest[side, hosts[word]], word)
    words, scores = [], []
    for side in (LEFT, RIGHT):
        own = content if side == RIGHT else content[::-1]
        # Places of a head, of a sibling and of a modifier beyond it, from near to far.
        head, modifier = own[_subsets(len(own), 2)].T
        first, sibling, last = own[_subsets(len(own), 3)].T
        for heads, modifiers, siblings, has_child, stop in (
            (own, own, nearest[side, own], 0, STOP),
            (head, modifier, nearest[side, head], 0, GO_ON),
            (head, head, modifier, 1, STOP),
            (first, last, sibling, 1, GO_ON),
        ):
            # The root is a head if there may be several, on its right side; it is nobody's modifier.
            real = (heads > 0) | (side == RIGHT and not single_root)
            real &= ((modifiers > 0) | (modifiers == heads)) & ((siblings > 0) | (siblings == heads))
            rows = np.stack([heads, modifiers, siblings, np.full(len(heads), side)], axis=1)[real]
            words.append(rows)
            scores.append(valences[rows[:, 0], side, has_child, stop])
    parts = np.concatenate(words).astype(np.int32)
    is_empty = (parts[:, 0] == parts[:, 1]) & (parts[:, 0] == parts[:, 2])
    return PartScores(parts[:, :3], np.concatenate(scores), np.where(is_empty, parts[:, 3], 0))


@lru_cache(maxsize=64)
def _subsets(count: int, size: int) -> npt.NDArray[np.int64]:
    """All subsets of so many numbers, each in order: (subsets, size)."""
    pairs = np.stack(np.triu_indices(count, 1), axis=1)
    if size == 2:
        return pairs
    lasts = [np.arange(second + 1, count) for second in pairs[:, 1]]
    return np.column_stack(
        [
            np.repeat(pairs, [len(own) for own in lasts], axis=0),
            np.concatenate([*lasts, np.zeros(0, np.int64)]),
        ]
    ).astype(np.int64)
