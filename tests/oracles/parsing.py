"""The slow twin of the first-order parser: every labelled tree of a short sentence, with its probability.

The scores of arcs, labels and neighbouring labels come from the core (``oracles.features`` is their twin);
what follows from them is written out here. P(tree, labels) = P(tree) P(labels | tree): of a joint model, both
come from one score for every arc and label; of a model with a second stage, the latter from the label chains
below each head. Hidden roles of arcs are summed out of P(tree).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product
from math import exp, fsum, inf, log

import numpy as np

from arbora import _core
from arbora.dependency import DependencyParser
from arbora.dependency.linear_model import encode, make_linear_model
from arbora.dependency.options import tree_options
from arbora.features import Templates
from arbora.treebank import Sentence
from oracles.features import all_arcs
from oracles.labels import Labellings
from oracles.trees import all_trees

Heads = tuple[int, ...]
Labels = tuple[int, ...]


def log_sum(values: Sequence[float]) -> float:
    top = max(values)
    return top if top == -inf else top + log(fsum(exp(value - top) for value in values))


class Analyses:
    """All labelled trees of a sentence by a parser, of the arcs given (all, if None).

    ``heads`` and ``labels`` are what is known beforehand of words 1..n, -1 where nothing is. A known label is
    the only one; where the model never saw it, it counts 0.
    """

    def __init__(
        self,
        parser: DependencyParser,
        sentence: Sentence,
        *,
        single_root: bool = True,
        projective: bool = False,
        arcs: list[tuple[int, int]] | None = None,
        heads: Sequence[int] | None = None,
        labels: Sequence[int] | None = None,
    ) -> None:
        self.n, self.count = len(sentence), len(parser.labels)
        self.parser, self.core, self.encoded = parser, parser._core, encode([sentence])
        self.known = list(labels) if labels is not None else [-1] * self.n
        templates = Templates.parse(parser.header["templates"])
        self.joint, self.second = bool(templates.of("labels")), bool(templates.of("labeler"))
        self.has_siblings = bool(templates.of("siblings"))
        self.arcs = [
            (head, modifier)
            for head, modifier in (all_arcs(self.n) if arcs is None else arcs)
            if heads is None or heads[modifier - 1] in (-1, head)
        ]
        self._score_arcs()
        listed = set(self.arcs)
        every = all_trees(self.n, single_root, projective)[:, 1:].tolist()
        self.trees: list[Heads] = [
            tuple(tree) for tree in every if all((h, m) in listed for m, h in enumerate(tree, 1))
        ]
        scores = [self._tree_score(tree) for tree in self.trees]
        self.log_partition = log_sum(scores)
        self.log_tree = {
            tree: score - self.log_partition
            for tree, score in zip(self.trees, scores, strict=True)
            if score > -inf
        }

    def _possible(self, head: int) -> list[bool]:
        return self.parser.header["below_words" if head else "at_root"]

    def _only_possible(self, scores: np.ndarray, head: int) -> np.ndarray:
        """The scores of an arc's labels, without those that were never seen there."""
        return np.where(self._possible(head), scores, -inf)

    def _only_known(self, scores: np.ndarray, modifier: int) -> np.ndarray:
        """The scores of a word's labels, without those that it is known not to have."""
        known = self.known[modifier - 1]
        if known < 0:
            return scores
        alone = np.full(self.count, -inf)
        alone[known] = scores[known] if scores[known] > -inf else 0.0
        return alone

    def _score_arcs(self) -> None:
        weights, scale = self.parser._weights, self.parser.header.get("tree_scale", 1.0)
        alone = self.core.arc_scores(False, weights, self.encoded, 0, self.arcs)
        self.of_labels: dict[tuple[int, int], np.ndarray] = {}
        if roles := self.parser.header["options"].get("latent_roles", 0):
            rows = self.core.role_scores(weights, self.encoded, 0, self.arcs)
            assert all(len(row) == roles for row in rows)
            by = self.parser.header.get("joint_scale", scale)  # of the sum over roles
            self.of_arc = {
                arc: scale / by * log_sum([by * (score + one) for one in row])
                for arc, score, row in zip(self.arcs, alone, rows, strict=True)
            }
            return
        if not self.joint:
            self.of_arc = {arc: scale * score for arc, score in zip(self.arcs, alone, strict=True)}
            return
        rows = self.core.label_scores(False, weights, self.encoded, 0, [], self.arcs)
        for arc, score, row in zip(self.arcs, alone, rows, strict=True):
            of_labels = self._rescaled(score + np.array(row), scale, arc[0])
            self.of_labels[arc] = self._only_known(of_labels, arc[1])
        self.of_arc = {arc: log_sum(row.tolist()) for arc, row in self.of_labels.items()}

    def _rescaled(self, row: np.ndarray, scale: float, head: int) -> np.ndarray:
        """P(label | arc) by the scale of labels, P(tree) by that of trees, each on sums over labels."""
        joint = self.parser.header.get("joint_scale", scale)
        own = self._only_possible(joint * row, head)
        total = log_sum(own.tolist())
        return own if joint == scale or total == -inf else own - total + scale / joint * total

    def _tree_score(self, tree: Heads) -> float:
        return fsum(self.of_arc[h, m] for m, h in enumerate(tree, 1))

    def chains(self, tree: Heads) -> list[tuple[list[int], Labellings]]:
        """The words below each head, with all their labellings."""
        weights, scale = self.parser._weights, self.parser.header.get("label_scale", 1.0)
        result = []
        for head in sorted(set(tree)):
            family = [modifier for modifier, own in enumerate(tree, 1) if own == head]
            own = [(head, modifier) for modifier in family]
            rows = self.core.label_scores(True, weights, self.encoded, 0, list(tree), own)
            possible = [self._only_possible(scale * np.array(row), head) for row in rows]
            unary = [self._only_known(row, word) for row, word in zip(possible, family, strict=True)]
            siblings = None
            if self.has_siblings:
                flat = self.core.sibling_scores(weights, self.encoded, 0, list(tree), head)
                siblings = scale * np.reshape(flat, (self.count + 1, self.count + 1))
            result.append((family, Labellings(np.array(unary), siblings)))
        return result

    def labellings(self, tree: Heads) -> dict[Labels, float]:
        """log P(labels | tree) of every labelling that is possible."""
        if not self.second:
            rows = [self.of_labels[h, m] - self.of_arc[h, m] for m, h in enumerate(tree, 1)]
            choices = [np.flatnonzero(row > -inf).tolist() for row in rows]
            return {
                labels: fsum(row[label] for row, label in zip(rows, labels, strict=True))
                for labels in product(*choices)
            }
        found: dict[Labels, float] = {}
        chains = self.chains(tree)
        places = [modifier for family, _ in chains for modifier in family]
        for chosen in product(*(range(len(all_.labels)) for _, all_ in chains)):
            values = [
                label for (_, all_), row in zip(chains, chosen, strict=True) for label in all_.labels[row]
            ]
            labels = tuple(int(label) for _, label in sorted(zip(places, values, strict=True)))
            found[labels] = fsum(
                all_.best + all_.differences[row] - all_.log_partition
                for (_, all_), row in zip(chains, chosen, strict=True)
            )
        return found

    @cached_property
    def log_probability(self) -> dict[tuple[Heads, Labels], float]:
        """Of every labelled tree."""
        return {
            (tree, labels): of_tree + of_labels
            for tree, of_tree in self.log_tree.items()
            for labels, of_labels in self.labellings(tree).items()
        }

    @cached_property
    def head_probabilities(self) -> np.ndarray:
        """Of every arc, (n+1) x (n+1)."""
        result = np.zeros((self.n + 1, self.n + 1))
        for tree, value in self.log_tree.items():
            result[list(tree), range(1, self.n + 1)] += exp(value)
        return result

    def label_probabilities(self, tree: Heads) -> np.ndarray:
        """Of every label of every word, given the tree, n x labels."""
        result = np.zeros((self.n, self.count))
        for labels, value in self.labellings(tree).items():
            result[range(self.n), list(labels)] += exp(value)
        return result

    def best_value(self, tree: Heads) -> float:
        """What the decoder ``best`` looks for: with joint labels, the score of the best of them."""
        if not self.joint:
            return self._tree_score(tree)
        return fsum(float(self.of_labels[h, m].max()) for m, h in enumerate(tree, 1))

    def right_words(self, tree: Heads) -> float:
        """The expected number of words with the right head, and label unless a second stage finds it."""
        gains = []
        for modifier, head in enumerate(tree, 1):
            sure = 1.0
            if not self.second:
                sure = exp(float(self.of_labels[head, modifier].max()) - self.of_arc[head, modifier])
            gains.append(self.head_probabilities[head, modifier] * sure)
        return fsum(gains)


def random_parser(
    rng: np.random.Generator,
    *,
    templates: str,
    labels: int,
    pruning: float = 0.0,
    at_root: list[bool] | None = None,
    below_words: list[bool] | None = None,
    bits: int = 10,
    scale: float = 0.25,
    most_heads: int = 10,
    roles: int = 0,
    tags: int = 0,
    tag_names: list[str] | None = None,
) -> DependencyParser:
    """A parser with random weights, whose labels are A, B, C ..."""
    header = {
        "labels": [chr(ord("A") + label) for label in range(labels)],
        "at_root": at_root or [True] * labels,
        "below_words": below_words or [True] * labels,
        "templates": templates,
        "threshold": pruning,
        "options": {
            "most_heads": most_heads,
            "single_root": True,
            "projective": False,
            "latent_roles": roles,
            "latent_tags": tags,
        },
        "tree_scale": scale,
        "label_scale": scale / 2,
    }
    if tag_names:
        header["tags"] = tag_names
    if rng.random() < 0.5:
        header["joint_scale"] = float(rng.choice([0.3, 0.7, 3.0])) * scale
    padding = make_linear_model(header).padding
    return DependencyParser(
        header,
        *(
            _core.ShortWeights.rounded(rng.normal(size=size).astype(np.float32))
            for size in ((1 << bits) + padding, 1 << bits)
        ),
    )


def candidates(
    parser: DependencyParser, sentence: Sentence, single_root: bool, projective: bool, also=()
) -> list:
    """The arcs that the parser's pruner leaves."""
    trees = tree_options({"single_root": single_root, "projective": projective})
    arcs: _core.Arcs = parser._core.choose(
        parser._pruner_weights, encode([sentence]), np.array(also, np.int32), trees, 1
    )
    return arcs.of(0)
