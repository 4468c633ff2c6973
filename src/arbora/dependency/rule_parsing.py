"""Parsing under rules: as without them where that breaks none, else jointly with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from arbora import _core
from arbora.dependency.graphs import Parts, parts_of
from arbora.dependency.options import ParseOptions
from arbora.dependency.parser import DependencyParser
from arbora.dependency.rule_factors import LabelledArcs, RuledTree, TreeShape, best_tree, conflict
from arbora.dependency.rule_kinds import Arc, Labels, Limit
from arbora.dependency.rules import Rules
from arbora.dependency.structure import encode
from arbora.errors import ArboraError, InfeasibleTreeError
from arbora.features import Templates
from arbora.treebank import Sentence
from arbora.treebank.batches import (
    Step,
    annotated,
    make_batch,
    make_batches,
    no_tree,
    sentences_of,
    to_sentences,
)
from arbora.treebank.sentence import UNKNOWN


def parse_with_rules(
    parser: DependencyParser,
    sentences: Iterable[Sentence],
    rules: Rules,
    options: ParseOptions | None = None,
) -> Iterator[Sentence]:
    """`DependencyParser.parse`, with trees that satisfy all rules.

    Where the parser's own tree satisfies them, it is the answer. Else the best tree that does is found on the
    parser's graph with the rules as factors; if no candidate arcs make one, with arcs that were pruned. If
    there is none at all, `InfeasibleTreeError` names rules and words that cannot be brought together.
    """
    options = (options or ParseOptions()).check()
    check_rules(options)
    if parser.tags or parser.header["options"].get("latent_tags", 0):
        kind = "that chooses tags" if parser.tags else "with hidden tags"
        raise ArboraError(f"rules go with the best tree, and a parser {kind} knows none")
    batches = make_batches(sentences, options.batch)
    return to_sentences(annotated(batches, [rules_annotator(parser, rules, options)]))


def rules_annotator(parser: DependencyParser, rules: Rules, options: ParseOptions) -> Step:
    """What `parse_with_rules` does with a batch of sentences."""
    labels = Templates.parse(parser.header["templates"])
    ruled = _RuledParser(parser, rules, options, bool(labels.labels), bool(labels.labeler))
    parse = parser.annotator(options)

    def annotate(batch: _core.Batch) -> _core.Batch:
        before = [_Columns(s.heads, s.deprels) for s in sentences_of(batch)]
        found = parse(batch)
        for place, (sentence, old) in enumerate(zip(sentences_of(found), before, strict=False)):
            if not rules.violations(sentence):
                continue
            try:
                tree = ruled.parse(sentence, old)
            except InfeasibleTreeError as error:
                found.refuse(place, error.reason)
                break
            found.set_tree(place, tree.heads, tree.labels)
            if options.certificates:
                found.set_gap(place, tree.gap)
        return found

    return annotate


def check_rules(options: ParseOptions) -> None:
    """ArboraError if these options do not go with rules."""
    if options.decoder != "best" or options.probabilities:
        raise ArboraError("rules go with the best tree: no probabilities and no other decoder with them")


class _Columns(NamedTuple):
    """What is known of a sentence's tree beforehand."""

    heads: list[int | None]
    deprels: list[str]


class _RuledParser(NamedTuple):
    parser: DependencyParser
    rules: Rules
    options: ParseOptions
    is_joint: bool
    has_labeler: bool

    def parse(self, sentence: Sentence, old: _Columns) -> RuledTree:
        """The best tree that satisfies the rules; ``old`` is what the sentence had before it was parsed."""
        keep = self.options.constraints
        given = old if keep else _Columns([None] * len(sentence), [UNKNOWN] * len(sentence))
        limits = list(self.rules.limits(sentence))
        search = _Search(self, sentence, given, limits)
        tree = search.best()
        if self.has_labeler:
            tree = replace(tree, labels=search.label_again(tree))
        sentence.heads, sentence.deprels = list(tree.heads), tree.labels
        for rule, token in self.rules.violations(sentence):  # by another hand than the factors
            raise ArboraError(
                f"the tree that was found breaks the rule {rule} at token {token}: a fault of ours"
            )
        return tree


class _Search:
    """A sentence whose best tree breaks rules."""

    def __init__(self, ruled: _RuledParser, sentence: Sentence, given: _Columns, limits: list[Limit]) -> None:
        self.ruled, self.sentence, self.given, self.limits = ruled, sentence, given, limits
        self.parser, self.encoded = ruled.parser, encode([sentence])
        self.trees = self.parser._trees(ruled.options)
        self.shape = TreeShape(len(sentence), self.trees.single_root, self.trees.projective)
        unknown = {name for name in given.deprels if name != UNKNOWN} - set(self.parser.labels)
        self.names = [*self.parser.labels, *sorted(unknown)]
        """The model's labels, and those that only the input has."""

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
        """The arcs that the pruner leaves, and those that are given."""
        nothing = np.empty(0, np.int32)
        core = self.parser._core
        listed = core.choose(self.parser._pruner_weights, self.encoded, nothing, self.trees, 1).of(0)
        given = {(head, m) for m, head in enumerate(self.given.heads, 1) if head is not None}
        free = {arc for arc in listed if self.given.heads[arc[1] - 1] is None}
        return sorted(free | given, key=lambda arc: arc[::-1])

    def _all(self) -> list[Arc]:
        words = range(1, self.shape.n + 1)
        return [
            (head, modifier)
            for modifier in words
            for head in (0, *words)
            if head != modifier and self.given.heads[modifier - 1] in (None, head)
        ]

    def _parts(self, arcs: list[Arc]) -> dict[str, Parts]:
        found = self.parser._core.part_scores(self.parser._weights, self.encoded, 0, arcs)
        return parts_of(found, self.parser.header.get("tree_scale", 1.0))

    def _scored(self, arcs: list[Arc], implied: bool) -> LabelledArcs:
        """The arcs with their scores; of words whose label is given, with that alone.

        A label that was never seen on such an arc counts 0 if it is given, or takes the arc away if what it
        implies is to hold.
        """
        core, header, weights = self.parser._core, self.parser.header, self.parser._weights
        scores = np.array(core.arc_totals(weights, self.encoded, 0, arcs, False))
        scale = header.get("joint_scale", 0.0) or header.get("tree_scale", 1.0)
        if not self.ruled.is_joint:
            scale = header.get("label_scale", 1.0)
        rows = core.label_scores(not self.ruled.is_joint, weights, self.encoded, 0, [], arcs)
        of_labels = np.full((len(arcs), len(self.names)), -inf)
        for index, (arc, row) in enumerate(zip(arcs, rows, strict=True)):
            possible = header["at_root" if arc[0] == 0 else "below_words"]
            own = np.where(possible, scale * np.array(row, np.float64), -inf)
            of_labels[index, : len(own)] = own - own.max()
            name = self.given.deprels[arc[1] - 1]
            if name == UNKNOWN:
                continue
            number = self.names.index(name)
            lacks = 0.0 if number >= len(own) else float(of_labels[index, number])
            of_labels[index] = -inf
            if lacks > -inf:
                of_labels[index, number] = lacks
            elif not implied or self.given.heads[arc[1] - 1] is not None:
                scores[index] = of_labels[index, number] = 0.0
        return LabelledArcs(arcs, scores, self.names, of_labels)

    def label_again(self, tree: RuledTree) -> list[str]:
        """Labels by the second stage; where those would break a rule, as the joint solution has them."""
        fixed = list(self.given.deprels)
        while True:
            labels = self._second_stage(tree.heads, fixed)
            broken = [limit for limit in self.limits if not limit.is_kept(tree.heads, labels)]
            if not broken:
                return labels
            for limit in broken:
                for head, modifier in limit.arcs:
                    if tree.heads[modifier - 1] == head:
                        fixed[modifier - 1] = tree.labels[modifier - 1]

    def _second_stage(self, heads: list[int], fixed: list[str]) -> list[str]:
        options = replace(self.ruled.options, constraints=False, certificates=False)
        numbers = [self.names.index(name) if name != UNKNOWN else -1 for name in fixed]
        count = len(self.parser.labels)
        batch = self.parser._annotate_natively(
            make_batch([self.sentence]),
            options,
            given_heads=np.array(heads, np.int32),
            given_labels=np.array([number if number < count else -1 for number in numbers], np.int32),
        )
        found = next(to_sentences([batch])).deprels
        return [own if name == UNKNOWN else name for own, name in zip(found, fixed, strict=True)]

    def _refusal(self) -> InfeasibleTreeError:
        """Rules and words that cannot be brought together."""
        arcs = self._scored(self._all(), implied=False)
        found = conflict(self.limits, lambda some: best_tree(self.shape, arcs, some) is not None)
        reason = " or ".join(map(self._named, found))
        return no_tree(self.sentence, f"it would break {reason}" if found else "no tree is possible")

    def _named(self, limit: Limit) -> str:
        form = self.sentence.forms[limit.token - 1]
        place = f"at token {limit.token} ({form!r})" if limit.token else "at the root"
        text = f"the rule {limit.rule}, {place}"
        if limit.labels and (limit.low or limit.labels.outside):
            wanted = Labels(limit.labels.names)
            if not any(map(wanted.match, self.parser.labels)):
                text += ", as the model has no such label"
        return text
