"""The best tree of one sentence that satisfies rules, by the scores of any scorer."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from arbora import _core
from arbora.dependency.graphs import Parts, parts_of
from arbora.dependency.root_label import ROOT
from arbora.dependency.rule_factors import LabelledArcs, RuledTree, TreeShape, best_tree, conflict
from arbora.dependency.rule_kinds import Arc, Labels, Limit
from arbora.dependency.rules import Rules
from arbora.errors import ArboraError, InfeasibleTreeError
from arbora.treebank import Sentence
from arbora.treebank.batches import no_tree
from arbora.treebank.sentence import UNKNOWN


class GivenTree(NamedTuple):
    """What is known of a sentence's tree beforehand: None and ``_`` are not."""

    heads: list[int | None]
    deprels: list[str]
    forbidden: frozenset[Arc] = frozenset()
    """Arcs that no tree may have."""

    @classmethod
    def nothing(cls, n: int) -> GivenTree:
        """Of a sentence of n words, nothing."""
        return cls([None] * n, [UNKNOWN] * n)


def best_ruled_tree(
    scorer: _core.Scorer,
    trees: _core.TreeOptions,
    labels: list[str],
    sentence: Sentence,
    given: GivenTree,
    rules: Rules,
) -> RuledTree:
    """The best tree that satisfies the rules, of a scorer's one sentence, which gets it.

    InfeasibleTreeError if there is none.
    """
    search = _Search(scorer, trees, labels, sentence, given, list(rules.limits(sentence)))
    tree = search.best()
    if scorer.labels_follow:
        tree = replace(tree, labels=search.label_again(tree))
    search.check_root(tree)
    sentence.heads, sentence.deprels = list(tree.heads), tree.labels
    for rule, token in rules.violations(sentence):  # by another hand than the factors
        raise ArboraError(f"the tree that was found breaks the rule {rule} at token {token}: a fault of ours")
    return tree


class _Search:
    """A sentence whose best tree breaks rules."""

    def __init__(
        self,
        scorer: _core.Scorer,
        trees: _core.TreeOptions,
        labels: list[str],
        sentence: Sentence,
        given: GivenTree,
        limits: list[Limit],
    ) -> None:
        self.scorer, self.trees, self.labels = scorer, trees, labels
        self.sentence, self.given, self.limits = sentence, given, limits
        self.shape = TreeShape(len(sentence), trees.single_root, trees.projective)
        unknown = {name for name in given.deprels if name != UNKNOWN} - set(labels)
        self.names = [*labels, *sorted(unknown)]
        """The scorer's labels, and those that only the input has."""

    def best(self) -> RuledTree:
        """The best tree; InfeasibleTreeError if there is none."""
        # What a given label implies of the head binds only if a tree goes with it, as without rules.
        for implied in [True] if set(self.given.deprels) == {UNKNOWN} else [True, False]:
            tree = self._best_of(self._candidates(), implied)
            if tree is not None:
                return tree
            found = best_tree(self.shape, self._scored(self._all(), implied), self.limits)
            if found is not None:
                widened = {*self._candidates(), *((h, m) for m, h in enumerate(found.heads, 1))}
                return self._best_of(sorted(widened, key=lambda arc: arc[::-1]), implied) or found
        raise self._refusal()

    def _best_of(self, arcs: list[Arc], implied: bool) -> RuledTree | None:
        return best_tree(self.shape, self._scored(arcs, implied), self.limits, self._parts)

    def _candidates(self) -> list[Arc]:
        """The arcs that the scorer chooses, and those that are given."""
        listed = self.scorer.choose(0, self.trees, forbidden=list(self.given.forbidden))
        given = {(head, m) for m, head in enumerate(self.given.heads, 1) if head is not None}
        free = {arc for arc in listed if self.given.heads[arc[1] - 1] is None}
        return sorted(free | given, key=lambda arc: arc[::-1])

    def _all(self) -> list[Arc]:
        words = range(1, self.shape.n + 1)
        return [
            (head, modifier)
            for modifier in words
            for head in (0, *words)
            if head != modifier
            and self.given.heads[modifier - 1] in (None, head)
            and (head, modifier) not in self.given.forbidden
        ]

    def _parts(self, arcs: list[Arc]) -> dict[str, Parts]:
        return parts_of(self.scorer.part_scores(0, arcs))

    def _scored(self, arcs: list[Arc], implied: bool) -> LabelledArcs:
        """The arcs with their scores; of words whose label is given, with that alone.

        A label that arcs from such a head never have counts 0 if it is given, or takes the arc away if what
        it implies is to hold.
        """
        scores = np.array(self.scorer.arc_totals(0, arcs, False))
        rows = self.scorer.label_scores(0, arcs)
        count = rows.shape[1]
        of_labels = np.full((len(arcs), len(self.names)), -inf)
        if not count:
            of_labels[:, : len(self.labels)] = 0.0
        for index, (arc, own) in enumerate(zip(arcs, rows, strict=True)):
            if count and own.max() > -inf:
                of_labels[index, :count] = own - own.max()
            name = self.given.deprels[arc[1] - 1]
            if name == UNKNOWN:
                continue
            number = self.names.index(name)
            lacks = 0.0 if number >= count else float(of_labels[index, number])
            of_labels[index] = -inf
            if lacks > -inf:
                of_labels[index, number] = lacks
            elif self.scorer.may_have_label(arc[0], number):
                continue  # by its own score it is impossible
            elif not implied or self.given.heads[arc[1] - 1] is not None:
                scores[index] = of_labels[index, number] = 0.0
        return LabelledArcs(arcs, scores, self.names, of_labels)

    def label_again(self, tree: RuledTree) -> list[str]:
        """Labels as they follow the tree; where those would break a rule, as the joint solution has them."""
        fixed = list(self.given.deprels)
        while True:
            labels = self._labels_of(tree.heads, fixed)
            broken = [limit for limit in self.limits if not limit.is_kept(tree.heads, labels)]
            if not broken:
                return labels
            for limit in broken:
                for head, modifier in limit.arcs:
                    if tree.heads[modifier - 1] == head:
                        fixed[modifier - 1] = tree.labels[modifier - 1]

    def _labels_of(self, heads: list[int], fixed: list[str]) -> list[str]:
        numbers = [self.labels.index(name) if name in self.labels else -1 for name in fixed]
        parses = self.scorer.parse(
            self.trees, False, False, 1, np.array([-1, *heads], np.int32), np.array([-1, *numbers], np.int32)
        )
        found = [self.labels[label] for label in parses.labels[1:].tolist()]
        return [own if name == UNKNOWN else name for own, name in zip(found, fixed, strict=True)]

    def check_root(self, tree: RuledTree) -> None:
        """InfeasibleTreeError if what is given left no tree but one where `root` is below a word."""
        for token, (head, label) in enumerate(zip(tree.heads, tree.labels, strict=True), 1):
            if head and label == ROOT:
                raise no_tree(
                    self.sentence,
                    f"what is given leaves token {token} `root`, the label of arcs from the root",
                    token,
                )

    def _refusal(self) -> InfeasibleTreeError:
        """Rules and words that cannot be brought together."""
        arcs = self._scored(self._all(), implied=False)
        found = conflict(self.limits, lambda some: best_tree(self.shape, arcs, some) is not None)
        reason = " or ".join(map(self._named, found))
        word = found[0].token if len(found) == 1 else 0
        return no_tree(self.sentence, f"it would break {reason}" if found else "no tree is possible", word)

    def _named(self, limit: Limit) -> str:
        form = self.sentence.forms[limit.token - 1]
        place = f"at token {limit.token} ({form!r})" if limit.token else "at the root"
        text = f"the rule {limit.rule}, {place}"
        if limit.labels and (limit.low or limit.labels.outside):
            required = Labels(limit.labels.names)
            if not any(map(required.match, self.labels)):
                text += ", as the model has no such label"
        return text
