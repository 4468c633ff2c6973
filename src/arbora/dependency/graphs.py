"""A parser's view of one sentence as a factor graph of Python: for any solver, and for more factors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import factors
from arbora.factors import Factor, VariableArray
from arbora.factors.sequences import OnSides
from arbora.features import PARTS
from arbora.graphs import FactorGraph
from arbora.inference import Solution

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int32]


# Kinds of part that a factor for each head and side scores.
_ON_SIDES: dict[str, type[OnSides]] = {
    "consecutive-siblings": factors.ChildSequences,
    "tri-siblings": factors.ChildTrigrams,
}


@dataclass(frozen=True, slots=True)
class SentenceGraph:
    """A graph whose variables ``arcs`` are the candidate arcs of a sentence of ``n`` words.

    ``arcs[i]`` goes from ``heads[i]`` to ``modifiers[i]``; they come by modifier, then head. ``tags`` are
    those of words 1..n, None if the parser gives them none: one array if they are hidden, else an array of
    one variable for each word, as words may have more tags or fewer. Where arcs have scores for not being
    projective, ``paths[i, k]`` is true if and only if word k descends from (or is) word ``above[i]``.
    """

    graph: FactorGraph
    arcs: VariableArray
    heads: Integers
    modifiers: Integers
    n: int
    tags: VariableArray | tuple[VariableArray, ...] | None = None
    paths: VariableArray | None = None
    above: tuple[int, ...] = ()

    def heads_of(self, solution: Solution) -> list[int]:
        """The heads of words 1..n in a solution's assignment."""
        result = [-1] * self.n
        for arc in np.flatnonzero(solution.assignment_of(self.arcs)).tolist():
            result[self.modifiers[arc] - 1] = int(self.heads[arc])
        return result

    def round(self, solution: Solution, *, projective: bool, single_root: bool) -> list[int]:
        """The heads of words 1..n in the tree that has the most of a solution in fractions."""
        tree = solution.tree(
            self.arcs,
            heads=self.heads,
            modifiers=self.modifiers,
            projective=projective,
            single_root=single_root,
        )
        return [int(head) for head in tree[1:]]

    def value_of(self, heads: Sequence[int]) -> float:
        """The score of a tree with all its parts."""
        chosen = np.asarray(heads, np.int32)[self.modifiers - 1] == self.heads
        return self.graph.solve("ilp", given=[(self.arcs, chosen)]).value


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one kind: words (head, modifier, third, fourth) of each, and scores."""

    words: Integers
    scores: Floats


@dataclass(frozen=True, slots=True)
class TagScores:
    """Of the tags that words may have.

    An array for each word; tables (tags of the head, of the modifier) for the arcs between words; tables for
    every two and, if there are any, every three neighbours.
    """

    words: list[Floats]
    links: dict[int, Floats]
    bigrams: list[Floats]
    trigrams: list[Floats]
    are_hidden: bool


def make_graph(
    n: int,
    arcs: Sequence[tuple[int, int]],
    arc_scores: npt.ArrayLike,
    parts: dict[str, Parts],
    *,
    single_root: bool,
    projective: bool,
    joined: bool,
    tags: TagScores | None = None,
) -> SentenceGraph:
    """The graph of some candidate arcs (head, modifier) and parts over them, and tags that arcs link.

    ``joined``: one automaton for each head scores siblings and grandparents together, which is the tightest
    for solvers that maximise; without it every kind has factors of its own, as belief propagation wants it.
    """
    graph = FactorGraph()
    variables = graph.binary(arc_scores, name="arcs")
    heads = np.array([head for head, _ in arcs], np.int32)
    modifiers = np.array([modifier for _, modifier in arcs], np.int32)
    kind = factors.ProjectiveTree if projective else factors.Tree
    tree = kind(variables, heads=heads, modifiers=modifiers, single_root=single_root)
    graph.add(tree)
    index = _Index(n, list(arcs), variables)
    kept = {name: own for name, own in parts.items() if len(own.words)}
    together = {"consecutive-siblings", "grandparents", "grand-siblings"} & set(kept)
    if joined and together - {"consecutive-siblings"}:
        graph.add(index.automata(kept))
        kept = {name: own for name, own in kept.items() if name not in together}
    spanning = kept.pop("nonprojective-arcs", None)
    for name, own in kept.items():
        graph.add(index.factors_of(name, own))
    paths: VariableArray | None = None
    above: tuple[int, ...] = ()
    if spanning is not None and not projective:  # no arc of a projective tree is one
        above = tuple(sorted(set(spanning.words[:, 0].tolist())))
        paths = factors.descents(graph, tree, above)
        graph.add(index.nonprojective(spanning, dict(zip(above, paths, strict=True))))
    hidden = _add_tags(graph, variables, arcs, tags)
    return SentenceGraph(graph, variables, heads, modifiers, n, hidden, paths, above)


def _add_tags(
    graph: FactorGraph, variables: VariableArray, arcs: Sequence[tuple[int, int]], scores: TagScores | None
) -> VariableArray | tuple[VariableArray, ...] | None:
    if scores is None:
        return None
    together = graph.categorical(scores.words, name="tags") if scores.are_hidden else None
    tags = tuple(
        graph.categorical([row]) if together is None else together[[word]]
        for word, row in enumerate(scores.words)
    )
    for place, table in scores.links.items():
        head, modifier = arcs[place]
        graph.add(factors.TagLink(variables[[place]], tags[head - 1], tags[modifier - 1], table[None]))
    if scores.bigrams:
        graph.add(factors.TagChain(tags, scores.bigrams, scores.trigrams or None))
    return tags if together is None else together


def parts_of(found: Sequence[tuple[Integers, Integers, Floats]], scale: float = 1.0) -> dict[str, Parts]:
    """What the core lists of parts, by the names of their sections, with scores multiplied."""
    return {name: Parts(words, scale * scores) for name, (words, _, scores) in zip(PARTS, found, strict=True)}


def tags_of(
    found: Sequence[Sequence[float]],
    counts: list[int],
    arcs: Sequence[tuple[int, int]],
    scale: float = 1.0,
    *,
    are_hidden: bool,
) -> TagScores | None:
    """What the core says of tags, with scores multiplied; None if words have none."""
    if not any(counts):
        return None
    linked = [place for place, (head, _) in enumerate(arcs) if head]
    pairs = [(counts[arcs[place][0] - 1], counts[arcs[place][1] - 1]) for place in linked]
    words, links, bigrams, trigrams = (scale * np.array(scores) for scores in found)
    return TagScores(
        _cut(words, [(count,) for count in counts]),
        dict(zip(linked, _cut(links, pairs), strict=True)),
        _cut(bigrams, list(pairwise(counts))) if len(bigrams) else [],
        _cut(trigrams, list(zip(counts, counts[1:], counts[2:], strict=False))) if len(trigrams) else [],
        are_hidden,
    )


def _cut(scores: Floats, shapes: Sequence[tuple[int, ...]]) -> list[Floats]:
    """Tables of these shapes that follow each other in a row."""
    ends = np.cumsum([prod(shape) for shape in shapes])
    return (
        [part.reshape(shape) for part, shape in zip(np.split(scores, ends[:-1]), shapes, strict=True)]
        if len(ends)
        else []
    )


class _Index:
    """The candidate arcs of a sentence, found by either end."""

    def __init__(self, n: int, arcs: list[tuple[int, int]], variables: VariableArray) -> None:
        self.n, self.variables = n, variables
        self.number = {arc: i for i, arc in enumerate(arcs)}
        self.above: list[list[int]] = [[h for h, m in arcs if m == word] for word in range(n + 1)]
        self.left = [[m for h, m in reversed(arcs) if h == word and m < word] for word in range(n + 1)]
        self.right = [[m for h, m in arcs if h == word and m > word] for word in range(n + 1)]

    def _variables(self, arcs: Sequence[tuple[int, int]]) -> VariableArray:
        return self.variables[np.array([self.number[arc] for arc in arcs], np.int64)]

    def factors_of(self, name: str, parts: Parts) -> Factor:
        if name in _ON_SIDES:
            return self._sequences(_ON_SIDES[name], parts.scores)
        if name == "grand-siblings":
            return self.automata({name: parts})
        if name == "valencies":
            return self._counts(parts.scores)
        pairs = [self._pair(name, *words) for words in parts.words.tolist()]
        return factors.Pairs(self.variables, pairs, parts.scores)

    def _pair(self, name: str, head: int, modifier: int, third: int, fourth: int) -> tuple[int, int]:
        first = {
            "grandparents": (third, head),
            "all-siblings": (head, third),
            "head-bigrams": (third, modifier - 1),
            "crossings": (fourth, third),
        }[name]
        return self.number[first], self.number[head, modifier]

    def _sides(self) -> Iterator[tuple[int, list[int]]]:
        for head in range(self.n + 1):
            if head:
                yield head, self.left[head]
            yield head, self.right[head]

    def _sequences(self, kind: type[OnSides], scores: Floats) -> Factor:
        modifiers = [self._variables([(head, m) for m in side]) for head, side in self._sides()]
        ends = np.cumsum([kind.part_count(array.size) for array in modifiers])
        return kind.of(modifiers, np.split(scores, ends[:-1]))

    def _counts(self, scores: Floats) -> Factor:
        rows = [
            self._variables([(head, m) for m in (*self.left[head], *self.right[head])])
            for head in range(self.n + 1)
        ]
        return factors.Counts(rows, scores.reshape(len(rows), -1))

    def nonprojective(self, parts: Parts, paths: dict[int, VariableArray]) -> Factor:
        """Scores of arcs that span a word which does not descend from the head; ``paths`` of each head."""
        arcs = [(head, modifier) for head, modifier, *_ in parts.words.tolist()]
        between = [paths[arc[0]][min(arc) + 1 : max(arc)] for arc in arcs]
        return factors.AndAny(self._variables(arcs), [~words for words in between], parts.scores)

    def automata(self, parts: dict[str, Parts]) -> Factor:
        """All that is known of siblings and grandparents, in one automaton for each head."""
        siblings, pairs = self._sibling_scores(parts), self._pair_scores(parts)
        triples = iter(parts["grand-siblings"].scores.tolist()) if "grand-siblings" in parts else None
        scores = []
        for head in range(self.n + 1):
            table = []
            for above in self.above[head] or [0]:
                row = []
                for is_right, side in enumerate((self.left[head], self.right[head])):
                    for start, stop in _bigrams(side):
                        score = siblings.get((head, is_right, start, stop), 0.0)
                        if head and stop is not None:  # a word is not below its own modifier
                            score += -inf if above == stop else pairs.get((above, head, stop), 0.0)
                        row.append(score + (next(triples) if triples else 0.0))
                table.append(row)
            scores.append(table)
        words = range(self.n + 1)
        return factors.GrandSiblings.of(
            [self._variables([(above, head) for above in self.above[head]]) for head in words],
            [self._variables([(head, m) for m in self.left[head]]) for head in words],
            [self._variables([(head, m) for m in self.right[head]]) for head in words],
            scores,
        )

    def _sibling_scores(
        self, parts: dict[str, Parts]
    ) -> dict[tuple[int, int, int | None, int | None], float]:
        if "consecutive-siblings" not in parts:
            return {}
        keys = [
            (head, int(bool(head == 0 or number)), *bigram)
            for head in range(self.n + 1)
            for number, side in enumerate(
                [self.right[0]] if head == 0 else [self.left[head], self.right[head]]
            )
            for bigram in _bigrams(side)
        ]
        return dict(zip(keys, parts["consecutive-siblings"].scores.tolist(), strict=True))

    def _pair_scores(self, parts: dict[str, Parts]) -> dict[tuple[int, int, int], float]:
        if "grandparents" not in parts:
            return {}
        own = parts["grandparents"]
        return {
            (third, head, modifier): score
            for (head, modifier, third, _), score in zip(own.words.tolist(), own.scores.tolist(), strict=True)
        }


def _bigrams(side: list[int]) -> list[tuple[int | None, int | None]]:
    """Neighbours among modifiers, None being before the first and after the last, as factors number them."""
    return [
        (None if start == 0 else side[start - 1], None if stop > len(side) else side[stop - 1])
        for stop in range(1, len(side) + 2)
        for start in range(stop)
    ]
