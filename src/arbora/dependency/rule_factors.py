"""Rules as logic factors: the best tree, with labels where rules are about labels, that keeps all limits.

Every rule is a set of limits on how many of some arcs, with some labels, a tree has. A limit of none takes
the arcs, or the labels, away. For the others, the labels of an arc fall into classes that no limit tells
apart; if there are several, each has a variable (its score: the best label of the class, minus the best of
all), and exactly one is true if the arc is (`XorWithOutput`). A limit is then `AtMost` on such variables, or
on their negations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import factors
from arbora.dependency.graphs import Parts, make_graph
from arbora.dependency.rule_kinds import Arc, Labels, Limit
from arbora.errors import ArboraError
from arbora.factors import VariableArray
from arbora.inference import Solution

Floats: TypeAlias = npt.NDArray[np.float64]
Mask: TypeAlias = npt.NDArray[np.bool_]

ITERATIONS = 50
"""How many AD3 may take on arcs alone before an integer program takes over, which proves its answer."""
PART_ITERATIONS, PART_NODES = 200, 10
"""How many AD3 may take, at each node of branch and bound, where parts of several arcs have scores."""
FEW_ARCS = 150
"""With so many arcs and parts over them, an integer program still takes over."""


@dataclass(frozen=True, slots=True)
class LabelledArcs:
    """Candidate arcs, by modifier, then head, and what they score.

    ``scores`` are those of the arcs with their best label; ``of_labels`` (arcs x names) what other labels
    lack from that: 0 for the best, -inf for what is impossible.
    """

    arcs: list[Arc]
    scores: Floats
    names: list[str]
    of_labels: Floats


@dataclass(frozen=True, slots=True)
class TreeShape:
    """Which trees count for a sentence of ``n`` words."""

    n: int
    single_root: bool
    projective: bool


@dataclass(frozen=True, slots=True)
class RuledTree:
    """A tree that keeps all limits; ``gap``: how far from the best it may be, 0 if it is proved the best."""

    heads: list[int]
    labels: list[str]
    value: float
    gap: float


@dataclass(slots=True)
class _Choice:
    """A candidate arc that is left: for each class of labels, the limits that it counts for, and its best."""

    arc: Arc
    score: float
    counted: list[tuple[int, ...]] = field(default_factory=list)
    best: list[int] = field(default_factory=list)
    lacks: list[float] = field(default_factory=list)


def best_tree(
    shape: TreeShape,
    candidates: LabelledArcs,
    limits: Sequence[Limit],
    parts: Callable[[list[Arc]], dict[str, Parts]] | None = None,
) -> RuledTree | None:
    """The best tree that keeps all limits, or None if none does; ``parts`` tells those of some arcs.

    Without parts it is proved to be the best. With them, there is a limit to the search: if that finds no
    tree, the best one without them is the answer, and ``gap`` says what it may lack.
    """
    choices = _choices(candidates, limits)
    if {choice.arc[1] for choice in choices} != set(range(1, shape.n + 1)):
        return None
    graph = _RuledGraph(shape, choices, candidates.names, limits, {})
    first = graph.read(graph.solve()) if graph.is_possible else None
    own = parts([choice.arc for choice in choices]) if first and parts else {}
    if first is None or not any(len(part.words) for part in own.values()):
        return first
    return _RuledGraph(shape, choices, candidates.names, limits, own).improve(first)


def conflict(limits: Sequence[Limit], is_possible: Callable[[Sequence[Limit]], bool]) -> list[Limit]:
    """Some of the limits that no tree keeps all of, while it could if one of them were not there.

    Whole rules are tried first, as there are fewer of them.
    """
    kept = list(limits)
    for rule in dict.fromkeys(limit.rule for limit in limits):
        fewer = [limit for limit in kept if limit.rule != rule]
        if not is_possible(fewer):
            kept = fewer
    for limit in list(kept):
        fewer = [other for other in kept if other is not limit]
        if not is_possible(fewer):
            kept = fewer
    return kept


def _choices(candidates: LabelledArcs, limits: Sequence[Limit]) -> list[_Choice]:
    """The arcs that no limit takes away, with their classes of labels."""
    banned: set[Arc] = set()
    about: dict[Arc, list[int]] = {}
    for number, limit in enumerate(limits):
        if limit.labels is None and limit.high == 0:
            banned.update(limit.arcs)
            continue
        for arc in limit.arcs:
            about.setdefault(arc, []).append(number)
    masks = _masks(limits, candidates.names)
    found = []
    for index, (arc, score) in enumerate(zip(candidates.arcs, candidates.scores.tolist(), strict=True)):
        if arc in banned or score == -inf:
            continue
        choice = _Choice(arc, score)
        _set_classes(choice, candidates.of_labels[index], limits, about.get(arc, []), masks)
        if choice.best:
            found.append(choice)
    return found


def _masks(limits: Iterable[Limit], names: list[str]) -> dict[Labels | None, Mask]:
    sets = {limit.labels for limit in limits}
    return {own: np.array([own is None or own.match(name) for name in names], np.bool_) for own in sets}


def _set_classes(
    choice: _Choice,
    lacks: Floats,
    limits: Sequence[Limit],
    about: list[int],
    masks: dict[Labels | None, Mask],
) -> None:
    possible = lacks > -inf
    counting = []
    for number in about:
        if limits[number].high == 0:
            possible = possible & ~masks[limits[number].labels]
        else:
            counting.append(number)
    classes: dict[tuple[int, ...], int] = {}
    for label in np.flatnonzero(possible).tolist():
        counted = tuple(number for number in counting if masks[limits[number].labels][label])
        if counted not in classes or lacks[label] > lacks[classes[counted]]:
            classes[counted] = label
    choice.counted, choice.best = list(classes), list(classes.values())
    choice.lacks = [float(lacks[label]) for label in choice.best]
    if len(classes) == 1:  # the arc itself tells all
        choice.score += choice.lacks[0]


class _RuledGraph:
    """The graph of a sentence with variables for classes of labels, and factors for limits."""

    def __init__(
        self,
        shape: TreeShape,
        choices: list[_Choice],
        names: list[str],
        limits: Sequence[Limit],
        parts: dict[str, Parts],
    ) -> None:
        self.choices, self.names = choices, names
        self.sentence = make_graph(
            shape.n,
            [choice.arc for choice in choices],
            [choice.score for choice in choices],
            parts,
            single_root=shape.single_root,
            projective=shape.projective,
            joined=True,
        )
        self.graph, self.arcs = self.sentence.graph, self.sentence.arcs
        self.classes: VariableArray | None = None
        literals = self._add_labels(len(limits))
        self.is_possible = all(map(self._add_limit, limits, literals))
        """Whether no limit is out of reach by itself."""

    def _add_labels(self, limits: int) -> list[list[int]]:
        """Variables for classes of labels; returns the numbers of the variables that count for each limit."""
        literals: list[list[int]] = [[] for _ in range(limits)]

        def count(numbers: list[int], choice: _Choice) -> None:
            for number, counted in zip(numbers, choice.counted, strict=True):
                for limit in counted:
                    literals[limit].append(number)

        several = [index for index, choice in enumerate(self.choices) if len(choice.best) > 1]
        for index, choice in enumerate(self.choices):
            if len(choice.best) == 1:
                count([int(self.arcs.numbers[index])], choice)
        if several:
            scores = [score for index in several for score in self.choices[index].lacks]
            self.classes = self.graph.binary(scores, name="labels")
            ends = np.cumsum([len(self.choices[index].best) for index in several])
            inputs = [self.classes[own] for own in np.split(np.arange(len(scores)), ends[:-1])]
            for index, own in zip(several, inputs, strict=True):
                count(own.numbers.tolist(), self.choices[index])
            self.graph.add(factors.XorWithOutput(inputs, self.arcs[np.array(several)]))
        return literals

    def _add_limit(self, limit: Limit, numbers: list[int]) -> bool:
        """Factors for a limit on the variables with these numbers; False if nothing can keep it."""
        count = len(numbers)
        if count < limit.low:
            return False
        literals = VariableArray(self.graph.identity, np.array(numbers, np.int32))
        if limit.high is not None and limit.high < count:
            self.graph.add(factors.AtMost(literals, limit.high))
        if limit.low:
            self.graph.add(factors.AtMost(~literals, count - limit.low))
        return True

    def solve(self) -> Solution:
        """By AD3 if that proves its answer, else by an integer program."""
        solution = self.graph.solve("ad3", iterations=ITERATIONS)
        return solution if solution.is_certified else self._solve_program()

    def _solve_program(self) -> Solution:
        solution = self.graph.solve("ilp")
        if solution.assignment is None and not solution.infeasible:
            raise ArboraError("no tree was found that satisfies the rules, nor a proof that there is none")
        return solution

    def improve(self, tree: RuledTree) -> RuledTree:
        """The best tree that a bounded search finds, or else this one, with its value here."""
        solution = self.graph.solve("ad3", exact=True, iterations=PART_ITERATIONS, nodes=PART_NODES)
        if not solution.is_certified and len(self.choices) <= FEW_ARCS:
            solution = self._solve_program()
        found = self.read(solution)
        if found is not None:
            return found
        chosen = [tree.heads[modifier - 1] == head for head, modifier in (c.arc for c in self.choices)]
        self.graph.clamp(self.arcs, chosen)
        same = self.read(self.solve()) or tree
        return replace(same, gap=max(0.0, solution.upper_bound - same.value))

    def read(self, solution: Solution) -> RuledTree | None:
        """The tree of a solution, if it has one."""
        if solution.assignment is None:
            return None
        heads = self.sentence.heads_of(solution)
        chosen = iter([] if self.classes is None else solution.assignment_of(self.classes).tolist())
        labels = [""] * self.sentence.n
        for choice in self.choices:
            head, modifier = choice.arc
            several = len(choice.best) > 1
            for label in choice.best:
                if next(chosen) if several else heads[modifier - 1] == head:
                    labels[modifier - 1] = self.names[label]
        return RuledTree(heads, labels, solution.value, 0.0 if solution.is_certified else solution.gap)
