"""Scores of a batch of sentences as arrays: checked once, looked at by the core, not copied without need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.dependency.array_parts import PartScores, checked_parts
from arbora.dependency.root_label import root_label
from arbora.errors import InvalidScoresError
from arbora.features import PARTS

Floats: TypeAlias = npt.NDArray[np.float64]
Arrays: TypeAlias = npt.NDArray[Any] | Sequence[npt.NDArray[Any]]
"""Of a batch: an array for each sentence, or one padded array for all."""


@dataclass(slots=True)
class ScoreGradients:
    """The gradients of losses with respect to all scores, in their shapes; None where there are no scores.

    Of parts, an array for each sentence, in the order in which they were listed.
    """

    arcs: Any
    labels: Any = None
    tags: Any = None
    tag_links: Any = None
    tag_bigrams: Any = None
    tag_trigrams: Any = None
    parts: dict[str, list[Floats]] = field(default_factory=dict)


NAMES = ("arcs", "labels", "tags", "tag_links", "tag_bigrams", "tag_trigrams")
"""Arrays in the order of the core; parts follow."""


class ArrayScores:
    """The scores of a batch of sentences, as any program computes them.

    ``arcs`` has an array for each sentence, of shape (n+1, n+1), or (n+1, n+1, labels) if arcs are scored
    with their labels: ``arcs[h, m]`` is the score of the arc from word h to word m, 0 is the root, and -inf
    is impossible. Or it is one padded array with another first dimension, and ``lengths`` tells how many
    words each sentence has (without it, all that the array has room for). The diagonal, the column of the
    root and what is beyond a sentence's words are not looked at. All other arrays come in the same form.

    ``labels``, of shape (n+1, n+1, labels): scores of labels that are found after the tree, given the head.
    ``parts``: for kinds of `arbora.features.PARTS` a `PartScores` for each sentence. ``tags``, of shape
    (n+1, tags): words have tags, with scores, which are found with the tree by belief propagation; and, if
    they are given, ``tag_links`` (n+1, n+1, tags, tags) are scores of the tags of an arc's head and modifier,
    ``tag_bigrams`` (n+1, tags, tags) of a word's tag and, before it, that of the word before it,
    ``tag_trigrams`` (n+1, tags, tags, tags) of three in a row, the word itself last.

    Arrays of float64 in C order are used as they are; others are copied once.

    >>> import numpy as np
    >>> scores = ArrayScores(np.zeros((2, 4, 4)), lengths=[3, 1])
    >>> len(scores), scores.lengths
    (2, [3, 1])
    """

    def __init__(
        self,
        arcs: Arrays,
        *,
        lengths: Sequence[int] | npt.NDArray[Any] | None = None,
        labels: Arrays | None = None,
        parts: Mapping[str, Sequence[PartScores | tuple[Any, ...]]] | None = None,
        tags: Arrays | None = None,
        tag_links: Arrays | None = None,
        tag_bigrams: Arrays | None = None,
        tag_trigrams: Arrays | None = None,
    ) -> None:
        """Check the arrays; InvalidScoresError says what is wrong with them."""
        given = (arcs, labels, tags, tag_links, tag_bigrams, tag_trigrams)
        self.is_padded = isinstance(arcs, np.ndarray)
        """Whether arrays are padded, and so are results."""
        self.arrays = [
            _per_sentence(name, own, self.is_padded) for name, own in zip(NAMES, given, strict=True)
        ]
        self._shapes = [own.shape if isinstance(own, np.ndarray) else () for own in given]
        self.lengths = self._lengths(lengths)
        self.parts = self._parts(parts or {})
        self.label_count = self._count("labels", 3, 2)
        self.tag_count = self._count("tags", 2, 1)
        self._check_shapes()
        self._check_numbers()

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def width(self) -> int:
        """The places of a padded sentence: its words and the root."""
        return int(self._shapes[0][1])

    @property
    def arcs_have_labels(self) -> bool:
        """Whether arcs are scored with their labels."""
        return any(array.ndim == 3 for array in self.arrays[0])

    def scorer(
        self, *, threshold: float = 0.0, most_heads: int = 0, labels: Sequence[str] = ()
    ) -> _core.ArrayScorer:
        """What the core finds trees by; arcs are pruned if so wished (see `ArrayParser`).

        Names of ``labels`` keep `root` to arcs from the root.
        """
        root, is_alone = root_label(labels)
        scores = [[scores for _, _, scores in own] for own in self.parts.values()]
        listed = [[(words, codes) for words, codes, _ in own] for own in self.parts.values()]
        return _core.ArrayScorer(
            self.lengths,
            [*self.arrays, *scores],
            listed,
            self.label_count,
            self.tag_count,
            threshold,
            most_heads,
            root,
            is_alone,
        )

    def one(self, place: int) -> ArrayScores:
        """The scores of one sentence alone; they are shared, not copied."""
        alone = object.__new__(ArrayScores)
        alone.is_padded, alone._shapes = (
            self.is_padded,
            [(1, *shape[1:]) if shape else () for shape in self._shapes],
        )
        alone.arrays = [own[place : place + 1] for own in self.arrays]
        alone.lengths = self.lengths[place : place + 1]
        alone.parts = {kind: own[place : place + 1] for kind, own in self.parts.items()}
        alone.label_count, alone.tag_count = self.label_count, self.tag_count
        return alone

    def zeros(self) -> tuple[ScoreGradients, list[list[Floats]]]:
        """Gradients of 0, and the same arrays in the order of the core."""
        whole: dict[str, Any] = {}
        each: list[list[Floats]] = []
        for name, own, shape in zip(NAMES, self.arrays, self._shapes, strict=True):
            whole[name] = np.zeros(shape) if shape else [np.zeros(array.shape) for array in own]
            each.append(list(whole[name]))
            if not shape and not own and name != "arcs":
                whole[name] = None
        whole["parts"] = {
            kind: [np.zeros(len(s)) for *_, s in own] for kind, own in self.parts.items() if own
        }
        each += [whole["parts"].get(kind, []) for kind in self.parts]
        return ScoreGradients(**whole), each

    def _lengths(self, lengths: Sequence[int] | npt.NDArray[Any] | None) -> list[int]:
        rooms = [len(own) - 1 if own.ndim else -1 for own in self.arrays[0]]
        if lengths is None:
            return [max(room, 0) for room in rooms]
        if not self.is_padded:
            raise InvalidScoresError("lengths are for padded arrays; a list has arrays as long as sentences")
        found = [int(length) for length in np.asarray(lengths).tolist()]
        if len(found) != len(rooms):
            raise InvalidScoresError(f"there are {len(rooms)} sentences, and {len(found)} lengths")
        for length, room in zip(found, rooms, strict=True):
            if not 0 <= length <= room:
                raise InvalidScoresError(f"a sentence has between 0 and {room} words here, not {length}")
        return found

    def _parts(
        self, parts: Mapping[str, Sequence[PartScores | tuple[Any, ...]]]
    ) -> dict[str, list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Floats]]]:
        for kind, listed in parts.items():
            if kind not in PARTS:
                raise InvalidScoresError(f"there is no kind of part {kind!r}; there are {', '.join(PARTS)}")
            if len(listed) != len(self):
                raise InvalidScoresError(f"{kind}: {len(self)} sentences need as many lists of parts")
        result: dict[str, Any] = {kind: [] for kind in PARTS}
        for kind, listed in parts.items():
            for place, (own, n) in enumerate(zip(listed, self.lengths, strict=True)):
                with _Named(place):
                    part = PartScores(*own)
                    words, codes = checked_parts(kind, part, n)
                    scores = np.ascontiguousarray(part.scores, np.float64)
                    if scores.shape != (len(words),):
                        raise InvalidScoresError(f"{kind}: {len(words)} parts have as many scores")
                    if not np.isfinite(scores).all():
                        raise InvalidScoresError(f"{kind}: scores of parts are finite numbers")
                    result[kind].append((words, codes, scores))
        return result

    def _count(self, name: str, rank: int, last: int) -> int:
        """How many labels or tags there are, by the last dimension of arrays."""
        own = self.arrays[NAMES.index(name)]
        if name == "labels" and not own:
            own = [array for array in self.arrays[0] if array.ndim == 3]
        sizes = {array.shape[last] for array in own if array.ndim == rank}
        if len(sizes) > 1:
            raise InvalidScoresError(f"sentences have different numbers of {name}: {sorted(sizes)}")
        count = sizes.pop() if sizes else 0
        if own and not count:
            raise InvalidScoresError(f"there must be at least one of the {name}")
        return int(count)

    def _check_shapes(self) -> None:
        labelled = {array.ndim for array in self.arrays[0]} == {3}
        tags, labels = (self.tag_count,), (self.label_count,)
        for name, own in zip(NAMES[3:], self.arrays[3:], strict=True):
            if own and not tags[0]:
                raise InvalidScoresError(f"{name} go with scores of tags")
        for place in range(len(self)):
            width = len(self.arrays[0][place]) if self.arrays[0][place].ndim else 1
            ends = (labels if labelled else (), labels, tags, 2 * tags, 2 * tags, 3 * tags)
            for name, own, end, fronts in zip(NAMES, self.arrays, ends, (2, 2, 1, 2, 1, 1), strict=True):
                shape = (*(width,) * fronts, *end)
                if own and own[place].shape != shape:
                    with _Named(place):
                        raise InvalidScoresError(
                            f"{name} must have the shape {_shape_text(name)}, here {shape}, "
                            f"not {own[place].shape}"
                        )

    def _check_numbers(self) -> None:
        for name, own in zip(NAMES, self.arrays, strict=True):
            for place, (array, n) in enumerate(zip(own, self.lengths, strict=False)):
                with _Named(place):
                    _check_finite(name, array, n)


class _Named:
    """Errors within name the sentence."""

    def __init__(self, place: int) -> None:
        self.place = place

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, InvalidScoresError):
            raise InvalidScoresError(f"sentence {self.place} of the batch: {error}") from None


def _per_sentence(name: str, arrays: Arrays | None, is_padded: bool) -> list[Floats]:
    if arrays is None:
        return []
    if isinstance(arrays, np.ndarray) != is_padded:
        raise InvalidScoresError(f"{name} must come as arcs do: all padded, or all lists")
    if isinstance(arrays, np.ndarray) and arrays.ndim < (3 if name in ("arcs", "labels", "tag_links") else 2):
        raise InvalidScoresError(
            f"padded {name} have the sentences as their first dimension, so that {arrays.shape} is too "
            "little; one sentence's array goes into a list"
        )
    try:
        if isinstance(arrays, np.ndarray):
            return list(np.ascontiguousarray(arrays, np.float64))
        return [np.ascontiguousarray(own, np.float64) if np.ndim(own) else np.asarray(own) for own in arrays]
    except (TypeError, ValueError):
        raise InvalidScoresError(f"{name} are no numbers") from None


def _shape_text(name: str) -> str:
    return {
        "arcs": "(n+1, n+1) or (n+1, n+1, labels)",
        "labels": "(n+1, n+1, labels)",
        "tags": "(n+1, tags)",
        "tag_links": "(n+1, n+1, tags, tags)",
        "tag_bigrams": "(n+1, tags, tags)",
        "tag_trigrams": "(n+1, tags, tags, tags)",
    }[name]


def _check_finite(name: str, array: Floats, n: int) -> None:
    """No nan and no +inf; -inf only where something can be impossible."""
    if name in ("arcs", "labels", "tag_links"):
        seen = array[: n + 1, 1 : n + 1]
    else:
        seen = array[{"tag_bigrams": 2, "tag_trigrams": 3}.get(name, 1) : n + 1]
    may_be_impossible = name in ("arcs", "labels", "tags")
    wrong = ~(seen < np.inf) if may_be_impossible else ~np.isfinite(seen)
    if name in ("arcs", "labels", "tag_links"):
        wrong = np.asarray(wrong.reshape(n + 1, n, wrong.size // ((n + 1) * n) if n else 0).any(axis=2))
        np.fill_diagonal(wrong[1:], False)  # no arcs
    if wrong.any():
        allowed = "-inf is impossible, and no other infinity" if may_be_impossible else "finite numbers"
        raise InvalidScoresError(f"{name} have a nan or an infinity; there may be {allowed}")


def places(lengths: Sequence[int]) -> Iterator[slice]:
    """Where sentences stand in flat arrays that have n+1 places for each."""
    start = 0
    for length in lengths:
        yield slice(start, start + length + 1)
        start += length + 1
