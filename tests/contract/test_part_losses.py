"""Losses over trees with parts: eq. 22 by enumeration, gradients by the twin's features, and by slopes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import copy
from functools import cache
from itertools import product
from math import exp, fsum, inf
from typing import Any

import numpy as np
import pytest
from contract.test_part_graphs import CHARTED, MODELS, draw_sentence, models, roots, templates_for
from oracles.features import Twin, all_arcs, arc_features, label_blocks, part_features
from oracles.parsing import log_sum
from oracles.parts import KINDS
from oracles.trees import all_trees
from oracles.words import Words as TwinWords

from arbora import _core
from arbora.dependency.linear_model import encode
from arbora.dependency.options import tree_options
from arbora.features import PARTS, Templates

BITS, LABELS = 12, 2
NEGLIGIBLE = 1e-3  # what is below it is left out of a gradient
PARAMETERS = [(inf, 0.0), (inf, 1.0)]


class Case:
    """A sentence with gold heads and labels, candidate arcs, and weights whose sums are exact.

    With ``roles``, arcs have so many of them, which are hidden, in the place of labels.
    """

    def __init__(
        self,
        rng,
        model: str,
        n: int,
        single_root: bool,
        spread: float,
        arcs=None,
        projective: bool = False,
        roles: int = 0,
    ) -> None:
        self.roles, self.rows, self.section = roles, roles or LABELS, "roles" if roles else "labels"
        templates = Templates.parse(templates_for(model).replace("[labels]", f"[{self.section}]"))
        possible = [True] * LABELS
        self.core = _core.LinearModel(templates.compile(), 0.0, 10, possible, possible, roles=roles)
        self.twin = Twin(templates, LABELS, BITS)
        self.n, self.single_root, self.sentence = n, single_root, draw_sentence(rng, n)
        self.encoded, self.arcs = encode([self.sentence]), all_arcs(n) if arcs is None else arcs
        self.projective = projective
        every = all_trees(n, single_root, projective)[:, 1:].tolist()
        self.trees = [
            tree for tree in every if set(zip(tree, range(1, n + 1), strict=True)) <= set(self.arcs)
        ]
        self.heads = self.trees[rng.integers(len(self.trees))]
        self.labels = rng.integers(LABELS, size=n).tolist()
        size = (1 << BITS) + self.core.padding
        self.weights = (np.round(rng.normal(size=size) * spread * 1024) / 1024).astype(np.float32)
        self.known: dict[tuple[str, float], tuple] = {}  # of these weights

    def loss(self, beta: float, gamma: float, outer: str = "none", **options) -> tuple[float, np.ndarray]:
        """The core's: its value and its gradient, a number for each weight."""
        own = {"single_root": self.single_root, "projective": self.projective, "iterations": 1000}
        trees = tree_options({**own, **options}, outer=outer)
        value, places, numbers = self.core.loss(
            self.weights, self.encoded, 0, np.array(self.heads, np.int32),
            np.array(self.labels, np.int32), self.arcs, beta, gamma, trees,
        )  # fmt: skip
        gradient = np.zeros(len(self.weights))
        np.add.at(gradient, places, numbers)
        return value, gradient

    def scores(self) -> tuple[dict, dict]:
        """Of labels of arcs, and of parts by their names."""
        args = self.weights, self.encoded, 0
        alone = self.core.arc_scores(False, *args, self.arcs)
        rows = np.array(
            self.core.role_scores(*args, self.arcs)
            if self.roles
            else self.core.label_scores(False, *args, [], self.arcs)
        )
        found = self.core.part_scores(*args, self.arcs)
        of_parts = {
            section: {
                (*own, code): score
                for own, (code, _), score in zip(words.tolist(), codes.tolist(), scores.tolist(), strict=True)
            }
            for section, (words, codes, scores) in zip(PARTS, found, strict=True)
        }
        return dict(zip(self.arcs, np.array(alone)[:, None] + rows, strict=True)), of_parts

    def potentials(self, gamma: float) -> list[tuple[list[np.ndarray], float]]:
        """Of every tree: the scores of each word's labels with their costs, and the score of its parts."""
        return self._once("potentials", gamma, self._potentials)

    def _once(self, name: str, gamma: float, compute: Callable[[float], Any]) -> Any:
        if (name, gamma) not in self.known:
            self.known[name, gamma] = compute(gamma)
        return self.known[name, gamma]

    def _potentials(self, gamma: float) -> list[tuple[list[np.ndarray], float]]:
        of_labels, of_parts = self.scores()
        result = []
        for tree in self.trees:
            rows = []
            for word, head in enumerate(tree, 1):
                cost = np.full(self.rows, gamma)
                if head == self.heads[word - 1]:
                    cost[slice(None) if self.roles else self.labels[word - 1]] = 0
                rows.append(of_labels[head, word] + cost)
            result.append((rows, self.parts_score(tree, of_parts)))
        return result

    @staticmethod
    def parts_score(tree: list[int], of_parts: dict) -> float:
        return fsum(
            own[piece.name]
            for section, own in of_parts.items()
            if own
            for piece in KINDS[section].find([-1, *tree])
        )

    def gold_score(self, beta: float = 1.0) -> float:
        """Of the gold tree with its labels, or with the sum over all its roles."""
        of_labels, of_parts = self.scores()
        arcs = [
            log_sum((beta * of_labels[head, word]).tolist()) / beta
            if self.roles
            else of_labels[head, word][label]
            for word, (head, label) in enumerate(zip(self.heads, self.labels, strict=True), 1)
        ]
        return fsum(arcs) + self.parts_score(self.heads, of_parts)

    def expected(self, beta: float, gamma: float) -> float:
        """Eq. 22, by all labelled trees."""
        if beta == inf:
            return (
                max(fsum(row.max() for row in rows) + parts for rows, parts in self.potentials(gamma))
                - self.gold_score()
            )
        sums = [
            fsum(log_sum((beta * row).tolist()) for row in rows) + beta * parts
            for rows, parts in self.potentials(gamma)
        ]
        return log_sum(sums) / beta - self.gold_score(beta)

    def best(self, gamma: float) -> tuple[list[int], list[int], float]:
        """The best labelled tree with costs, and by how much it is better than all others."""
        return self._once("best", gamma, self._best)

    def _best(self, gamma: float) -> tuple[list[int], list[int], float]:
        every = sorted(
            ((fsum(row[label] for row, label in zip(rows, labels, strict=True)) + parts, tree, labels)
             for tree, (rows, parts) in zip(self.trees, self.potentials(gamma), strict=True)
             for labels in product(range(LABELS), repeat=self.n)),
            reverse=True,
        )  # fmt: skip
        return every[0][1], list(every[0][2]), every[0][0] - every[1][0]

    def add_features(self, total: np.ndarray, heads: list[int], labels: list[int], by: float) -> None:
        for word, (head, label) in enumerate(zip(heads, labels, strict=True), 1):
            self.twin.add_arc(self.sentence, total, (head, word), by)
            self.twin.add_label(self.sentence, total, "labels", (head, word), label, by)
        for section, kind in KINDS.items():
            for piece in kind.find([-1, *heads]):
                self.twin.add_piece(self.sentence, total, section, piece, by)

    def expected_features(self, beta: float, gamma: float) -> np.ndarray:
        """Of the trees by their probabilities with costs, less those of the gold tree: a loss's gradient."""
        potentials = self.potentials(gamma)
        values = [
            (beta * (fsum(row[label] for row, label in zip(rows, labels, strict=True)) + parts), tree, labels)
            for tree, (rows, parts) in zip(self.trees, potentials, strict=True)
            for labels in product(range(self.rows), repeat=self.n)
        ]
        log_partition = log_sum([value for value, _, _ in values])
        gold = [
            (value, tree, labels)
            for value, tree, labels in values
            if tree == self.heads and (self.roles or list(labels) == self.labels)
        ]
        of_gold = log_sum([value for value, _, _ in gold])  # there is no cost in it
        chances = [(exp(value - log_partition), tree, labels) for value, tree, labels in values]
        chances += [(-exp(value - of_gold), tree, labels) for value, tree, labels in gold]
        counts: Counter = Counter()
        for chance, tree, labels in chances:
            for word, (head, label) in enumerate(zip(tree, labels, strict=True), 1):
                counts[head, word, label] += chance
            for section, kind in KINDS.items():
                for piece in kind.find([-1, *tree]):
                    counts[section, piece] += chance
        total = np.zeros(len(self.weights))
        for key, by in counts.items():
            if len(key) == 2:
                self.twin.add_piece(self.sentence, total, *key, by)
                continue
            self.twin.add_arc(self.sentence, total, key[:2], by)
            self.twin.add_label(self.sentence, total, self.section, key[:2], key[2], by)
        return total

    def uses(self) -> np.ndarray:
        """How many features of arcs, labels and parts share each weight."""
        words, parts, mask = TwinWords.of(self.sentence), self.twin.parts, self.twin.mask
        places: list[int] = []
        for arc in self.arcs:
            places += arc_features(words, parts["arcs"], mask, *arc)
            for at in label_blocks(words, parts[self.section], mask, *arc, None):
                places += range(at, at + self.rows)
        for section, kind in KINDS.items():
            for piece in kind.list(self.n, self.arcs):
                places += part_features(words, parts[section], mask, piece)
        return np.bincount(places, minlength=len(self.weights))


@cache
def small_cases(model: str, single_root: bool) -> list[Case]:
    """Every loss and every solver is asked about the same ones; nobody changes them."""
    rng = np.random.default_rng([21, list(MODELS).index(model), single_root])
    return [Case(rng, model, n, single_root, 0.5) for n in (1, 2, 3, 3, 4)]


@pytest.mark.parametrize("solver", ["ad3", "dual-decomposition"])
@pytest.mark.parametrize(("beta", "gamma"), PARAMETERS, ids=["perceptron", "svm"])
@roots
@models
def test_the_best_tree(model, single_root, beta, gamma, solver):
    """Where the best tree is found, its value and gradient; a worse one has a lower value."""
    found = 0
    for case in small_cases(model, single_root):
        value, gradient = case.loss(beta, gamma, solver=solver)
        expected = case.expected(beta, gamma)
        assert value <= expected + 1e-6
        heads, labels, margin = case.best(gamma)
        if value < expected - 1e-6:
            assert case.n > 2
            continue
        found += 1
        assert margin > 1e-6
        own = np.zeros(len(case.weights))
        case.add_features(own, heads, labels, 1.0)
        case.add_features(own, case.heads, case.labels, -1.0)
        np.testing.assert_allclose(gradient, own, atol=1e-6)
    assert found >= 3


@pytest.mark.parametrize("solver", ["ad3", "dual-decomposition", "hill-climbing"])
@roots
@models
def test_slopes_of_the_best_tree(model, single_root, solver):
    """By central differences, where no other tree is near."""
    rng = np.random.default_rng([2, list(MODELS).index(model), single_root])
    step, checked = 1 / 128, 0
    for case in small_cases(model, single_root):
        value, gradient = case.loss(inf, 1.0, solver=solver)
        if case.best(1.0)[2] < 0.2 or value < case.expected(inf, 1.0) - 1e-6:
            continue
        for place in some_places(rng, case, gradient):
            ends = nudged(case, place, step)
            if slope(ends, step, inf, 1.0, solver=solver) == pytest.approx(gradient[place], abs=1e-6):
                checked += 1
                continue
            # A solver without a proof can miss the best tree beside a place where it found it.
            found = [end.loss(inf, 1.0, solver=solver)[0] - end.expected(inf, 1.0) for end in ends]
            assert min(found) < -1e-6
    assert checked


def some_places(rng: np.random.Generator, case: Case, gradient: np.ndarray) -> list[int]:
    """Weights with the greatest derivatives, and some that features have, whatever their derivatives."""
    used = np.flatnonzero(case.uses())
    return [*np.argsort(-np.abs(gradient))[:5].tolist(), *rng.choice(used, size=5).tolist()]


def nudged(case: Case, place: int, step: float) -> list[Case]:
    """The same with one weight higher, and lower."""
    ends = [copy(case), copy(case)]
    for end, sign in zip(ends, (1, -1), strict=True):
        end.weights = case.weights.copy()
        end.weights[place] += sign * step
        end.known = {}
    return ends


def slope(ends: list[Case], step: float, beta: float, gamma: float, **options) -> float:
    high, low = (end.loss(beta, gamma, **options)[0] for end in ends)
    return (high - low) / (2 * step)


@pytest.mark.parametrize(("beta", "gamma"), [(1.0, 0.0), (1.0, 1.0), (2.0, 0.5)], ids=str)
@pytest.mark.parametrize("roles", [0, 3], ids=["labels", "roles"])
@roots
@models
def test_slopes_of_bethe(model, single_root, roles, beta, gamma):
    """Belief propagation's gradient is that of its own value, but for parts that are left out of it."""
    rng = np.random.default_rng([3, list(MODELS).index(model), single_root, *[roles] * bool(roles)])
    greatest = 0.0
    for n in (1, 2, 3, 4):
        case = Case(rng, model, n, single_root, 0.1 / beta, roles=roles)  # so that messages come to rest
        _, gradient = case.loss(beta, gamma, propagations=300)
        uses = case.uses()
        for place in some_places(rng, case, gradient):
            found = slope(nudged(case, place, 1 / 128), 1 / 128, beta, gamma, propagations=300)
            assert found == pytest.approx(gradient[place], abs=1e-3 + NEGLIGIBLE * uses[place])
            greatest = max(greatest, abs(found) - 2 * (1e-3 + NEGLIGIBLE * uses[place]))
    assert greatest > 0.2


def one_open_word(rng: np.random.Generator, n: int) -> list[tuple[int, int]]:
    """The arcs of a tree, and all others into one of its words: no factor sees two that are open."""
    trees = all_trees(n, single_root=False)[:, 1:]
    tree, word = trees[rng.integers(len(trees))].tolist(), int(rng.integers(1, n + 1))
    return [arc for arc in all_arcs(n) if arc[1] == word or tree[arc[1] - 1] == arc[0]]


@pytest.mark.parametrize("roles", [0, 3], ids=["labels", "roles"])
@models
def test_bethe_is_exact_without_circles(model, roles):
    rng = np.random.default_rng([4, list(MODELS).index(model), *[roles] * bool(roles)])
    greatest = 0.0
    for n in (1, 2, 3, 4, 5, 5):
        case = Case(rng, model, n, False, 0.5, one_open_word(rng, n), roles=roles)
        for beta, gamma in ((1.0, 0.0), (1.0, 1.0), (0.5, 2.0), (3.0, 1.0)):
            value, gradient = case.loss(beta, gamma, propagations=300)
            assert value == pytest.approx(case.expected(beta, gamma), abs=1e-6)
            greatest = max(greatest, value)
            assert np.isfinite(gradient).all()
    assert greatest > 0.5


@roots
@pytest.mark.parametrize("roles", [0, 2], ids=["labels", "roles"])
@pytest.mark.parametrize("model", CHARTED)
def test_sums_over_projective_trees_are_exact(model, roles, single_root):
    """Values by enumeration, gradients by the features that are expected."""
    rng = np.random.default_rng([6, CHARTED.index(model), single_root, *[roles] * bool(roles)])
    greatest = 0.0
    for n in (1, 2, 3):
        case = Case(rng, model, n, single_root, 0.4, projective=True, roles=roles)
        for beta, gamma in ((1.0, 0.0), (1.0, 1.0), (0.5, 2.0)):
            value, gradient = case.loss(beta, gamma)
            assert value == pytest.approx(case.expected(beta, gamma), abs=1e-6)
            own, uses = case.expected_features(beta, gamma), case.uses()
            assert (np.abs(gradient - own) <= 1e-5 + NEGLIGIBLE * uses).all()
            greatest = max(greatest, np.abs(own).max())
    assert greatest > 0.3


def test_a_gold_arc_that_is_no_candidate_is_no_loss():
    case = Case(np.random.default_rng(5), "all kinds", 3, True, 0.5)
    case.arcs = [arc for arc in case.arcs if arc != (case.heads[0], 1)]
    for beta in (1.0, inf):
        with pytest.raises(Exception, match="no candidate"):
            case.loss(beta, 0.0)


def test_losses_over_the_outer_set():
    """Where no tree is proved, the loss is the bound: without costs, the gradient times the weights."""
    loose = 0
    for seed in range(12):
        case = Case(np.random.default_rng([seed, 77]), "grand-siblings", 5, True, 2.0)
        options = {"solver": "dual-decomposition", "iterations": 4000}
        value, gradient = case.loss(inf, 0.0, outer="relaxation", **options)
        plain, _ = case.loss(inf, 0.0, **options)
        exact = case.expected(inf, 0.0)
        assert value >= exact - 1e-6
        assert plain <= exact + 1e-6
        if value > exact + 1e-3:
            loose += 1
            assert gradient @ case.weights == pytest.approx(value, abs=0.03 * (1 + abs(exact)))
            assert np.any(np.abs(gradient - np.round(gradient)) > 0.05)
        else:
            assert gradient @ case.weights == pytest.approx(value, abs=1e-5)
    assert loose >= 1
