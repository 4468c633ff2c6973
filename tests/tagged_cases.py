"""Sentences whose words have tags, hidden or chosen with the tree, and what tests of both share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from contract.test_parser import draw_sentence
from contract.test_part_graphs import templates_for
from oracles.features import Twin, all_arcs
from parse_numbers import parse_numbers

from arbora import _core
from arbora.dependency import DependencyParser, ParseOptions
from arbora.dependency.linear_model import encode
from arbora.dependency.options import tree_options
from arbora.features import Templates
from arbora.treebank import Sentence

BITS = 12
NEGLIGIBLE = 1e-3  # what is below it is left out of a gradient


class TaggedCase:
    """A sentence with candidate arcs, and weights; arcs may make parts of some kinds. Heads are to be set."""

    heads: Sequence[int]

    def __init__(
        self, rng, n: int, of_tags: str, tags: int, spread: float, *, arcs=None, single_root=False, model=""
    ) -> None:
        text = (templates_for(model) if model else "[arcs]\nhead.form & modifier.form : alone\n") + of_tags
        templates = Templates.parse(text.replace("[labels]\nmodifier.form\n", ""))
        self.core = _core.LinearModel(templates.compile(), 0.0, 10, [True], [True], tags=tags)
        self.twin, self.n, self.single_root = Twin(templates, 1, BITS), n, single_root
        self.sentence = draw_sentence(rng, n)
        self.encoded, self.arcs = encode([self.sentence]), all_arcs(n) if arcs is None else arcs
        size = (1 << BITS) + self.core.padding
        self.weights = (np.round(rng.normal(size=size) * spread * 1024) / 1024).astype(np.float32)

    def gold_tags(self) -> npt.NDArray[np.int32] | None:
        """Where each word's own stands among those that it may have; None if nobody knows them."""
        return None

    def loss(self, beta: float, gamma: float, weights=None):
        """The core's: its value and its gradient, a number for each weight."""
        options = {"single_root": self.single_root, "projective": False, "solver": "bp", "propagations": 500}
        tags = self.gold_tags()
        value, places, numbers = self.core.loss(
            self.weights if weights is None else weights, self.encoded, 0, np.array(self.heads[1:], np.int32),
            np.zeros(self.n, np.int32), self.arcs, beta, gamma, tree_options(options),
            *([] if tags is None else [tags]),
        )  # fmt: skip
        gradient = np.zeros(len(self.weights))
        np.add.at(gradient, places, numbers)
        return value, gradient

    def check_slopes(self, rng: np.random.Generator, beta: float, gamma: float) -> float:
        """The gradient is that of the value, but for what is left out of it; returns the steepest slope."""
        _, gradient = self.loss(beta, gamma)
        steepest = 0.0
        for place in map(int, [*np.argsort(-np.abs(gradient))[:6], *rng.choice(np.flatnonzero(gradient), 4)]):
            ends = []
            for sign in (1, -1):
                weights = self.weights.copy()
                weights[place] += sign / 128
                ends.append(self.loss(beta, gamma, weights)[0])
            slope = (ends[0] - ends[1]) * 64
            assert slope == pytest.approx(gradient[place], abs=1e-3 + NEGLIGIBLE * 12)
            steepest = max(steepest, abs(slope))
        return steepest


def forest(rng: np.random.Generator, n: int) -> list[tuple[int, int]]:
    """Every word has the root and one other word as candidates, and no two words are linked in two ways."""
    order = rng.permutation(n) + 1
    above = {int(word): int(rng.choice(order[:place])) for place, word in enumerate(order) if place}
    return [arc for arc in all_arcs(n) if arc[0] in (0, above.get(arc[1]))]


def check_beliefs(parser: DependencyParser, sentence: Sentence, **options):
    """Propagation of heads and that of the factor room, over binary arcs, rest at the same beliefs.

    Returns what was parsed, and the graph's tags with their beliefs.
    """
    chosen = ParseOptions(probabilities=True, propagations=500, **options)
    work = parse_numbers(parser, [sentence], chosen)
    view = parser.graph(sentence, sums=True)
    solution = view.graph.solve("bp", tolerance=1e-9, iterations=1000)
    assert solution.converged
    arcs = list(zip(view.heads.tolist(), view.modifiers.tolist(), strict=True))
    own = solution[view.arcs][[arcs.index((int(h), m)) for m, h in enumerate(work.heads, 1)]]
    np.testing.assert_allclose(work.head_probabilities, own, atol=1e-4)
    assert view.tags is not None
    return work, view.tags, solution
