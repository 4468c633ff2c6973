"""Scores for the tags of neighbouring words, and for the tags of words that are linked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.factors.base import Factor, binary, categorical, scores
from arbora.factors.variables import VariableArray


class TagChain(Factor):
    """Scores for the tags of every two neighbouring words and, if given, of every three: one factor.

    ``tags`` is an array of n categories in a row, or a list of arrays if they differ in how many values they
    have. ``bigrams[i]`` is a table over the tags of words i and i + 1, ``trigrams[i]`` over those of three;
    one table serves for all places. -inf forbids. Every cell is a part. It takes O(n g^2), with trigrams
    O(n g^3).

    >>> import arbora
    >>> graph = arbora.FactorGraph()
    >>> tags = graph.categorical([[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    >>> graph.add(arbora.factors.TagChain(tags, [[0.0, 1.0], [1.0, 0.0]]))
    >>> print(graph.solve("enumerate").assignment_of(tags))
    [1 0 1]
    """

    name = "TagChain"

    def __init__(
        self,
        tags: VariableArray | Sequence[VariableArray],
        bigrams: npt.ArrayLike | Sequence[npt.ArrayLike] = 0.0,
        trigrams: npt.ArrayLike | Sequence[npt.ArrayLike] | None = None,
    ) -> None:
        """One factor over all tags."""
        arrays = (tags,) if isinstance(tags, VariableArray) or not isinstance(tags, Iterable) else tags
        self.inputs = tuple(categorical(array, self.name) for array in arrays)
        values = [array.values for array in self.inputs for _ in range(array.size)]
        if not values:
            raise ArboraError("TagChain needs at least one variable")
        self.bigrams = _tables(bigrams, values, 2)
        self.trigrams = [] if trigrams is None else _tables(trigrams, values, 3)

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factor to the native graph."""
        tags = np.concatenate([array.numbers.ravel() for array in self.inputs]).astype(np.int32)
        graph.add_tag_chain(tags, _in_a_row(self.bigrams), _in_a_row(self.trigrams))


class TagLink(Factor):
    """Many factors, each with scores for the tags of two words, which count if a link is true.

    The binary ``links`` and the categorical ``first`` and ``second`` are broadcast to a common shape, and
    there is a factor for every place in it. The scores have that shape, and then an axis for each word's tag;
    one table serves for all. -inf forbids. Every pair of linked tags is a part. It takes O(g^2) each.

    >>> import arbora
    >>> graph = arbora.FactorGraph()
    >>> links, tags = graph.binary([[0.0, 0.1], [0.2, 0.0]]), graph.categorical([[0.0, 0.5], [0.0, 0.0]])
    >>> i, j = [0, 1], [1, 0]
    >>> graph.add(arbora.factors.TagLink(links[i, j], tags[i], tags[j], [[0.0, -2.0], [1.0, -2.0]]))
    >>> print(graph.solve("enumerate").assignment_of(tags))
    [1 0]
    """

    name = "TagLink"

    def __init__(
        self, links: VariableArray, first: VariableArray, second: VariableArray, tag_scores: npt.ArrayLike
    ) -> None:
        """One factor for each link, with its table."""
        self.inputs = (
            binary(links, self.name),
            categorical(first, self.name),
            categorical(second, self.name),
        )
        try:
            self._shape = np.broadcast_shapes(links.shape, first.shape, second.shape)
        except ValueError:
            raise ArboraError("TagLink: links and tags have shapes that do not fit together") from None
        self.scores = scores(tag_scores, (*self._shape, first.values, second.values), self.name)

    def add_to(self, graph: _core.FactorGraph) -> None:
        """Add the factors to the native graph."""
        columns = [np.broadcast_to(array.numbers, self._shape).ravel() for array in self.inputs]
        graph.add_tag_links(np.stack(columns, axis=1).astype(np.int32).ravel(), self.scores.ravel())


def _tables(
    given: npt.ArrayLike | Sequence[npt.ArrayLike], values: list[int], length: int
) -> list[npt.NDArray[np.float64]]:
    """A table for every `length` neighbours; `given` is one for all, or one for each place."""
    shapes = [tuple(values[i : i + length]) for i in range(len(values) - length + 1)]
    tables: Sequence[npt.ArrayLike]
    try:
        array = np.asarray(given, np.float64)
        tables = [array] * len(shapes) if array.ndim <= length else list(array)
    except (TypeError, ValueError):  # tables of different shapes, if anything
        tables = given if isinstance(given, (list, tuple)) else []
    if len(tables) != len(shapes):
        raise ArboraError(f"TagChain needs {len(shapes)} tables over {length} tags, or one for all")
    return [scores(table, shape, "TagChain") for table, shape in zip(tables, shapes, strict=True)]


def _in_a_row(tables: list[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    return np.concatenate([np.zeros(0), *(table.ravel() for table in tables)])
