"""What all parsers share, wherever their scores come from: trees, probabilities and graphs by a scorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.dependency.array_scores import places
from arbora.dependency.graphs import SentenceGraph, make_graph, parts_of, tags_of
from arbora.dependency.options import GRAPH_SOLVERS, ParseOptions, tree_options
from arbora.errors import ArboraError, InfeasibleTreeError, TooLongError
from arbora.inference import find_solver
from arbora.inference.solution import CERTIFICATE_TOLERANCE
from arbora.models.options import a_count

Integers: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]
Arcs: TypeAlias = Sequence[tuple[int, int]]
"""Some arcs of one sentence: (head, modifier), 0 is the root."""


class HeadsFound(NamedTuple):
    """Heads of words 1..n by a solver on a graph, and by how much their tree may lack from the best."""

    heads: list[int]
    gap: float
    rounded: bool = False
    """Whether the solver found fractions, of which this tree was made."""


class BatchFound(NamedTuple):
    """What parsing found for a batch; gaps of sentences, and why some have no tree (by their places)."""

    parses: _core.Parses
    gaps: list[float]
    reasons: dict[int, str]


class ScoredParser:
    """A parser over a source of scores, which `_core.Scorer` is for a batch of sentences.

    What is given beforehand are flat arrays with n+1 places for each sentence, the root's first; -1 is not
    known.
    """

    labels: list[str]
    tags: list[str]
    hidden_tags: bool = False
    """Whether words have tags that nobody names."""
    settings: Mapping[str, Any]
    """Which trees count and how they are found, unless options say otherwise: see `tree_options`."""

    def _trees(self, options: ParseOptions) -> _core.TreeOptions:
        if (self.tags or self.hidden_tags) and (options.certificates or options.solver not in (None, "bp")):
            kind = "chooses tags, by bp" if self.tags else "has hidden tags, which bp sums out"
            raise ArboraError(f"this parser {kind}: there is no other solver, and no certificate")
        return tree_options(self.settings, options)

    def _graph_of(
        self,
        scorer: _core.Scorer,
        place: int,
        options: ParseOptions,
        *,
        sums: bool = False,
        joined: bool | None = None,
        given_heads: Integers | None = None,
        given_labels: Integers | None = None,
        forbidden: Arcs = (),
    ) -> SentenceGraph:
        """One sentence as a factor graph over its candidate arcs; what is given has n+1 places."""
        trees = self._trees(options)
        listed = scorer.choose(place, trees, given_heads, given_labels, list(forbidden))
        counts, *of_tags = scorer.tag_scores(place, listed)
        return make_graph(
            scorer.lengths[place],
            listed,
            scorer.arc_totals(place, listed, sums, given_labels),
            parts_of(scorer.part_scores(place, listed)),
            single_root=trees.single_root,
            projective=trees.projective,
            joined=not sums if joined is None else joined,
            tags=tags_of(of_tags, counts, listed, are_hidden=self.hidden_tags),
        )

    def _heads_by_graph(
        self,
        scorer: _core.Scorer,
        place: int,
        options: ParseOptions,
        given_heads: Integers | None,
        given_labels: Integers | None = None,
        forbidden: Arcs = (),
    ) -> HeadsFound:
        """By a solver of Python; InfeasibleTreeError if it finds no tree, TooLongError if it does not try."""
        assert options.solver is not None
        if scorer.lengths[place] > options.exact_length:
            raise TooLongError(
                f"it has {scorer.lengths[place]} words, and the solver {options.solver} takes sentences of "
                f"at most {options.exact_length} (exact_length)"
            )
        has_bound = "upper_bound" in find_solver(options.solver).gives
        graph = self._graph_of(
            scorer,
            place,
            options,
            joined=has_bound,
            given_heads=given_heads,
            given_labels=given_labels,
            forbidden=forbidden,
        )
        solution = graph.graph.solve(options.solver)
        if solution.infeasible:
            raise InfeasibleTreeError("no tree is possible")
        bound = solution.upper_bound if has_bound else inf
        if solution.assignment is not None:
            return HeadsFound(graph.heads_of(solution), _gap(solution.value, bound))
        trees = self._trees(options)
        heads = graph.round(solution, projective=trees.projective, single_root=trees.single_root)
        return HeadsFound(heads, _gap(graph.value_of(heads), bound) if has_bound else inf, rounded=True)

    def _parse_batch(
        self,
        scorer: _core.Scorer,
        options: ParseOptions,
        given_heads: Integers | None = None,
        given_labels: Integers | None = None,
        forbidden: Sequence[Arcs] | None = None,
    ) -> BatchFound:
        """All sentences of a batch, by any solver."""
        if options.solver in GRAPH_SOLVERS:
            return self._parse_by_graphs(scorer, options, given_heads, given_labels, forbidden)
        parses = scorer.parse(
            self._trees(options),
            options.decoder == "mbr",
            options.probabilities,
            options.threads,
            given_heads,
            given_labels,
            None if forbidden is None else list(map(list, forbidden)),
        )
        return BatchFound(parses, parses.gaps, {place: reason for place, _, reason in parses.errors})

    def _parse_by_graphs(
        self,
        scorer: _core.Scorer,
        options: ParseOptions,
        given_heads: Integers | None,
        given_labels: Integers | None,
        forbidden: Sequence[Arcs] | None,
    ) -> BatchFound:
        """Heads by graphs of Python; then the rest as if they had been given."""
        found, gaps, reasons = [], [0.0] * len(scorer), {}
        for place, own in enumerate(places(scorer.lengths)):
            found.append(np.full(own.stop - own.start, -1, np.int32))
            if own.stop - own.start == 1:
                continue
            try:
                own_found = self._heads_by_graph(
                    scorer,
                    place,
                    options,
                    _part(given_heads, own),
                    _part(given_labels, own),
                    forbidden[place] if forbidden else (),
                )
                found[-1][1:], gaps[place] = own_found.heads, own_found.gap
            except (InfeasibleTreeError, TooLongError) as error:
                reasons[place] = str(error)
        given = np.concatenate(found) if found else np.empty(0, np.int32)
        plain = replace(options, solver=None, certificates=False, nodes=None)
        parses, _, others = self._parse_batch(scorer, plain, given, given_labels)
        return BatchFound(parses, gaps, {**others, **reasons})

    def _kbest_batch(
        self,
        scorer: _core.Scorer,
        k: int,
        options: ParseOptions,
        given_heads: Integers | None = None,
        given_labels: Integers | None = None,
    ) -> Sequence[tuple[Integers, Integers, Floats, str]]:
        """Of every sentence the k best trees: heads, labels, log-probabilities, and why there are none."""
        k = a_count(k, "k")
        return scorer.kbest(self._trees(options), options.threads, k, given_heads, given_labels)

    def _probabilities_of(
        self,
        scorer: _core.Scorer,
        place: int,
        options: ParseOptions,
        given_heads: Integers | None,
        given_labels: Integers | None = None,
        forbidden: Arcs = (),
    ) -> tuple[Floats, Floats]:
        """Of one sentence: of heads (n+1, n+1), and of labels of the best tree's arcs (n+1, labels)."""
        return scorer.distributions(place, self._trees(options), given_heads, given_labels, list(forbidden))


def _gap(value: float, bound: float) -> float:
    """How much more the best could score; 0 if it is proved that it does not."""
    is_proved = isfinite(bound) and value >= bound - CERTIFICATE_TOLERANCE * (1 + abs(bound))
    return 0.0 if is_proved else max(bound - value, 0.0)


def _part(given: Integers | None, own: slice) -> Integers | None:
    return None if given is None else given[own]
