"""Trees by scores that come from outside: everything that Arbora has, for any other program's arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.dependency.array_scores import Arrays, ArrayScores, places
from arbora.dependency.graphs import SentenceGraph
from arbora.dependency.options import ParseOptions
from arbora.dependency.scored_parser import ScoredParser
from arbora.errors import ArboraError, InfeasibleTreeError, WrongTypeError, shown
from arbora.models.options import check_like, options_of

Integers: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ArrayParse:
    """What was found for one sentence: arrays of n+1 places, the root's first (-1, 0).

    ``labels`` are numbers; None if scores know none. ``tags`` likewise. Probabilities are there if they were
    asked for: of the head of each word, of its label given the tree, of its tag. ``log_probability`` is that
    of the whole labelled tree. ``gap``: by how much the tree's score may be less than the best; 0 is proved.
    """

    heads: Integers
    labels: Integers | None
    tags: Integers | None
    head_probabilities: Floats | None
    label_probabilities: Floats | None
    tag_probabilities: Floats | None
    log_probability: float | None
    gap: float


class ArrayParses(Sequence[ArrayParse]):
    """What was found for a batch: an `ArrayParse` for each sentence, or arrays for all of them.

    The arrays of words come in the form of the scores: one for each sentence, or padded with -1 (numbers)
    or 0 (probabilities) to (sentences, n+1).
    """

    def __init__(self, parses: _core.Parses, gaps: list[float], scores: ArrayScores) -> None:
        """From what the core found."""
        self._scores = scores
        self._flat = {
            "heads": parses.heads,
            "labels": parses.labels if scores.label_count else None,
            "tags": parses.tags if scores.tag_count else None,
        }
        has_probabilities = bool(len(parses.log_probabilities)) or not len(scores)
        for name in ("head", "label", "tag"):
            asked = has_probabilities and (name == "head" or self._flat[f"{name}s"] is not None)
            self._flat[f"{name}_probabilities"] = getattr(parses, f"{name}_probabilities") if asked else None
        self.log_probabilities: Floats | None = parses.log_probabilities if has_probabilities else None
        """Of the labelled trees, (sentences,)."""
        self.gaps: Floats = np.array(gaps, np.float64)
        """By how much trees' scores may be less than the best, (sentences,)."""

    def __len__(self) -> int:
        return len(self._scores)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        own = list(places(self._scores.lengths))[place]
        return self._one(place, own)

    def __iter__(self) -> Iterator[ArrayParse]:
        return (self._one(place, own) for place, own in enumerate(places(self._scores.lengths)))

    def _one(self, place: int, own: slice) -> ArrayParse:
        found: dict[str, Any] = {
            name: None if flat is None else flat[own] for name, flat in self._flat.items()
        }
        log = None if self.log_probabilities is None else float(self.log_probabilities[place])
        return ArrayParse(**found, log_probability=log, gap=float(self.gaps[place]))

    @property
    def heads(self) -> Any:
        """Heads of words."""
        return self._words("heads")

    @property
    def labels(self) -> Any:
        """Numbers of labels; None if scores know none."""
        return self._words("labels")

    @property
    def tags(self) -> Any:
        """Numbers of tags; None if scores know none."""
        return self._words("tags")

    @property
    def head_probabilities(self) -> Any:
        """Of the heads that were found; None if nobody asked."""
        return self._words("head_probabilities")

    @property
    def label_probabilities(self) -> Any:
        """Of the labels that were found, given the tree; None if nobody asked."""
        return self._words("label_probabilities")

    @property
    def tag_probabilities(self) -> Any:
        """Of the tags that were found; None if nobody asked."""
        return self._words("tag_probabilities")

    def _words(self, name: str) -> Any:
        flat = self._flat[name]
        if flat is None:
            return None
        each = [flat[own] for own in places(self._scores.lengths)]
        return _padded(each, flat.dtype, self._scores.width) if self._scores.is_padded else each


@dataclass(frozen=True, slots=True)
class ArrayTrees:
    """The k best trees of a sentence, a row each; labels are None if scores know none."""

    heads: Integers
    labels: Integers | None
    log_probabilities: Floats


class ArrayParser(ScoredParser):
    """A parser whose scores come as arrays: best trees, probabilities, k best trees, constraints, graphs.

    ``labels`` and ``tags`` are names, which rules and `SentenceGraph` need; without them scores may have any
    number. If a label is called `root`, arcs from the root alone can have it, whatever its scores; and if all
    are relations of Universal Dependencies, those arcs have no other. ``single_root`` and ``projective``:
    which trees count. ``solver``, ``iterations`` and ``propagations`` matter where parts of several arcs have
    scores, or tags, or where ``constraint`` asks for less than a tree; they and the former are overridden by
    `ParseOptions`. Arcs are pruned by their own probabilities if there is a ``threshold``: those stay that
    are at least so many times as probable as the word's most probable one, and at most ``most_heads`` for a
    word (0: any number). That makes many parts affordable, and results are those over what is left.

    >>> import numpy as np
    >>> from arbora.dependency import ArrayParser, ArrayScores
    >>> scores = np.array([[0, 1, 2], [0, 0, 3], [0, 5, 0]], dtype=float)
    >>> parser = ArrayParser()
    >>> parses = parser.parse(ArrayScores([scores]))
    >>> parses[0].heads
    array([-1,  2,  0], dtype=int32)
    """

    def __init__(
        self,
        labels: Iterable[str] = (),
        tags: Iterable[str] = (),
        *,
        single_root: bool = True,
        projective: bool = False,
        solver: str = "dual-decomposition",
        iterations: int = 200,
        propagations: int = 10,
        constraint: str = "tree",
        threshold: float = 0.0,
        most_heads: int = 0,
    ) -> None:
        """A parser; ArboraError if an option makes no sense."""
        ParseOptions(
            solver=solver, iterations=iterations, propagations=propagations, constraint=constraint
        ).check()
        check_like({"threshold": threshold, "most_heads": most_heads}, {"threshold": 0.0, "most_heads": 0})
        if not 0 <= threshold < 1:
            raise ArboraError(f"threshold must be at least 0 and below 1, not {threshold}")
        if most_heads < 0:
            raise ArboraError("most_heads must not be negative")
        self.labels, self.tags = list(labels), list(tags)
        self.threshold, self.most_heads = threshold, most_heads
        self.settings = {
            "single_root": single_root,
            "projective": projective,
            "solver": solver,
            "iterations": iterations,
            "propagations": propagations,
            "constraint": constraint,
        }

    def parse(
        self,
        scores: ArrayScores,
        options: ParseOptions | None = None,
        *,
        given_heads: Arrays | None = None,
        given_labels: Arrays | None = None,
    ) -> ArrayParses:
        """The trees of a batch; InfeasibleTreeError names the first sentence that has none.

        ``given_heads`` and ``given_labels`` bind: an array of n+1 places for each sentence, or a padded one,
        as the scores are; -1 is not known. The options' ``constraints`` and ``batch`` do not matter.
        """
        options = self._options(options, scores)
        given = self._given(scores, given_heads, given_labels)
        parses, gaps, reasons = self._parse_batch(self._scorer(scores), options, *given)
        for place in sorted(reasons):
            raise _no_tree(place, reasons[place])
        return ArrayParses(parses, gaps, scores)

    def kbest(
        self,
        scores: ArrayScores,
        k: int,
        options: ParseOptions | None = None,
        *,
        given_heads: Arrays | None = None,
        given_labels: Arrays | None = None,
    ) -> list[ArrayTrees]:
        """The k most probable labelled trees of each sentence, in order; fewer where there are fewer."""
        options = self._options(options, scores)
        given = self._given(scores, given_heads, given_labels)
        result = []
        for place, found in enumerate(self._kbest_batch(self._scorer(scores), k, options, *given)):
            heads, labels, log_probabilities, reason = found
            if reason:
                raise _no_tree(place, reason)
            result.append(ArrayTrees(heads, labels if scores.label_count else None, log_probabilities))
        return result

    def probabilities(
        self, scores: ArrayScores, options: ParseOptions | None = None, *, given_heads: Arrays | None = None
    ) -> list[tuple[Floats, Floats]]:
        """All probabilities of each sentence: of heads, (n+1, n+1), and of labels, (n+1, labels).

        ``heads[h, m]`` is the probability that word m has the head h (0: the root); ``labels[m]`` is that of
        every label for the arc into word m, given the best tree, or the heads that are given.
        """
        options = self._options(options, scores)
        given, _ = self._given(scores, given_heads, None)
        scorer = self._scorer(scores)
        result = []
        for place, own in enumerate(places(scores.lengths)):
            try:
                heads = None if given is None else given[own]
                result.append(self._probabilities_of(scorer, place, options, heads))
            except InfeasibleTreeError as error:
                raise _no_tree(place, str(error)) from None
        return result

    def graph(
        self,
        scores: ArrayScores,
        place: int = 0,
        options: ParseOptions | None = None,
        *,
        sums: bool = False,
        joined: bool | None = None,
        given_heads: Arrays | None = None,
        given_labels: Arrays | None = None,
    ) -> SentenceGraph:
        """The sentence at this place as a factor graph over its candidate arcs, for any solver.

        ``sums``: arcs score the sum over their labels, as probabilities need it, not their best label.
        ``joined``: siblings and grandparents share automata, which is best for solvers that bound, and not
        for those that send messages; None is so unless ``sums``.
        """
        options = self._options(options, scores)
        place = range(len(scores))[place]
        given = self._given(scores, given_heads, given_labels)
        own = list(places(scores.lengths))[place]
        heads, labels = (None if each is None else each[own] for each in given)
        return self._graph_of(
            self._scorer(scores), place, options,
            sums=sums, joined=joined, given_heads=heads, given_labels=labels,
        )  # fmt: skip

    def _options(self, options: ParseOptions | None, scores: ArrayScores) -> ParseOptions:
        options = options_of(ParseOptions, options)
        if not isinstance(scores, ArrayScores):
            raise WrongTypeError(f"ArrayScores are needed, not {shown(scores)}")
        counts = (self.labels, scores.label_count, "labels"), (self.tags, scores.tag_count, "tags")
        for names, count, what in counts:
            if names and len(names) != count and len(scores):
                raise ArboraError(f"this parser knows {len(names)} {what}, and the scores have {count}")
        if scores.tag_count and (options.certificates or options.solver not in (None, "bp")):
            raise ArboraError("tags are found by bp: there is no other solver with them, and no certificate")
        return options

    def _scorer(self, scores: ArrayScores) -> _core.ArrayScorer:
        return scores.scorer(threshold=self.threshold, most_heads=self.most_heads, labels=self.labels)

    def _given(
        self, scores: ArrayScores, heads: Arrays | None, labels: Arrays | None
    ) -> tuple[Integers | None, Integers | None]:
        if labels is not None and not scores.label_count:
            raise ArboraError("labels are given, and the scores have none")
        return (
            flatten(scores, heads, "given heads", None),
            flatten(scores, labels, "given labels", scores.label_count),
        )


def flatten(scores: ArrayScores, arrays: Arrays | None, name: str, count: int | None) -> Integers | None:
    """Numbers of words, one array of n+1 places for each sentence, as the core has them.

    They are below ``count``, or heads of words if that is None; -1 is not known.
    """
    if arrays is None:
        return None
    if len(arrays) != len(scores):
        raise ArboraError(f"{name}: there are {len(scores)} sentences, and {len(arrays)} arrays")
    flat = []
    for place, (own, n) in enumerate(zip(arrays, scores.lengths, strict=True)):
        found = np.asarray(own)
        width = scores.width if scores.is_padded else n + 1
        if found.shape != (width,) or not np.issubdtype(found.dtype, np.integer):
            raise ArboraError(
                f"{name} of sentence {place}: there must be {width} integers, the root's (-1) first, "
                f"not {found.dtype} of shape {found.shape}"
            )
        found = found[: n + 1].astype(np.int32)
        found[0] = -1
        most = n if count is None else count - 1
        if ((found < -1) | (found > most)).any():
            raise ArboraError(f"{name} of sentence {place} must be between 0 and {most}, or -1")
        if count is None and (found[1:] == np.arange(1, n + 1)).any():
            raise ArboraError(f"{name} of sentence {place}: a word is its own head")
        flat.append(found)
    return np.concatenate(flat) if flat else np.empty(0, np.int32)


def _padded(each: list[npt.NDArray[Any]], kind: np.dtype[Any], width: int) -> npt.NDArray[Any]:
    result = np.full((len(each), width), -1 if np.issubdtype(kind, np.integer) else 0, kind)
    for row, own in zip(result, each, strict=True):
        row[: len(own)] = own
    return result


def _no_tree(place: int, reason: str) -> InfeasibleTreeError:
    return InfeasibleTreeError(f"sentence {place} of the batch has no tree: {reason}")
