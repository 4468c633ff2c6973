"""The columns of a sentence, which are checked when they are set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter, index
from typing import Any, TypeAlias

from arbora.errors import ColumnError
from arbora.treebank.rows import EmptyNode, Multiword

COLUMNS = (
    "forms",
    "lemmas",
    "upos",
    "xpos",
    "feats",
    "heads",
    "deprels",
    "deps",
    "misc",
    "comments",
    "multiwords",
    "empty_nodes",
    "newline",
    "closing",
)
"""All that a file says of a sentence, in the order of the core."""

Check: TypeAlias = Callable[[str, Any, int], Any]
"""From a column's name, its new value and the number of words to what is kept, or a ColumnError."""


SLOTS = tuple("_" + name for name in COLUMNS)
columns_of = attrgetter(*SLOTS)
"""All columns of a sentence, as they are."""


class Slots:
    """Where a sentence keeps its columns, unchecked."""

    __slots__ = SLOTS
    _forms: list[str]
    _lemmas: list[str]
    _upos: list[str]
    _xpos: list[str]
    _feats: list[str]
    _heads: list[int | None]
    _deprels: list[str]
    _deps: list[str]
    _misc: list[str]
    _comments: list[str]
    _multiwords: list[Multiword]
    _empty_nodes: list[EmptyNode]
    _newline: str
    _closing: str

    def _take(self, columns: Sequence[Any]) -> None:
        (
            self._forms,
            self._lemmas,
            self._upos,
            self._xpos,
            self._feats,
            self._heads,
            self._deprels,
            self._deps,
            self._misc,
            self._comments,
            self._multiwords,
            self._empty_nodes,
            self._newline,
            self._closing,
        ) = columns


def column(name: str, check: Check, doc: str) -> Any:
    """A property of a sentence whose values are kept in the slot ``_name``."""

    def put(sentence: Any, value: Any) -> None:
        setattr(sentence, "_" + name, check(name, value, len(sentence.forms)))

    return property(attrgetter("_" + name), put, doc=doc)


def checked_texts(name: str, values: Any, count: int) -> list[str]:
    """A text for each word.

    >>> checked_texts("upos", ["NOUN"], 2)
    Traceback (most recent call last):
    arbora.errors.ColumnError: upos has 1 values for 2 forms
    """
    found = _of_words(name, values, count)
    for id, value in enumerate(found, 1):
        if not isinstance(value, str):
            raise ColumnError(f"{name}: word {id} needs a text, not {value!r}")
    return found


def checked_heads(name: str, values: Any, count: int) -> list[int | None]:
    """The number of a word for each word, 0 for the root, or None.

    >>> checked_heads("heads", [2, 3], 2)
    Traceback (most recent call last):
    arbora.errors.ColumnError: heads: word 2 has the head 3, which is not in the range 0 (the root) to 2, ...
    """
    found = _of_words(name, values, count)
    return [_head(name, id, value, count) for id, value in enumerate(found, 1)]


def checked_value(name: str, value: Any, id: int, count: int) -> Any:
    """The value of one word in a column of words."""
    if name == "heads":
        return _head(name, id, value, count)
    if not isinstance(value, str):
        raise ColumnError(f"{name}: word {id} needs a text, not {value!r}")
    return value


def checked_comments(name: str, values: Any, _: int) -> list[str]:
    """Texts, as many as there are."""
    found = listed(name, values)
    for value in found:
        if not isinstance(value, str):
            raise ColumnError(f"{name} are texts, {value!r} is none")
    return found


def checked_multiwords(name: str, values: Any, count: int) -> list[Multiword]:
    """Multiword tokens of words that there are.

    >>> checked_multiwords("multiwords", [Multiword(1, 3, "zum")], 2)
    Traceback (most recent call last):
    arbora.errors.ColumnError: multiwords: 1-3 is out of range, there are 2 words
    """
    found = listed(name, values)
    for row in found:
        if not isinstance(row, Multiword):
            raise ColumnError(f"{name} are of the type Multiword, {row!r} is not")
        if not 1 <= row.first <= row.last <= count:
            raise ColumnError(f"{name}: {row.id} is out of range, there are {count} words")
    return found


def checked_nodes(name: str, values: Any, count: int) -> list[EmptyNode]:
    """Empty nodes after words that there are."""
    found = listed(name, values)
    for node in found:
        if not isinstance(node, EmptyNode):
            raise ColumnError(f"{name} are of the type EmptyNode, {node!r} is not")
        if not 0 <= node.after <= count:
            raise ColumnError(f"{name}: {node.id} is out of range, there are {count} words")
    return found


def checked_line_end(name: str, value: Any, _: int) -> str:
    """What ends a line."""
    if value not in ("\n", "\r\n"):
        raise ColumnError(f"{name} is a line end, \\n or \\r\\n, not {value!r}")
    return str(value)


def checked_line_ends(name: str, value: Any, _: int) -> str:
    """What ends lines, any number of them."""
    if not isinstance(value, str) or value.strip("\r\n"):
        raise ColumnError(f"{name} is made of line ends, not {value!r}")
    return value


def listed(name: str, values: Any) -> list[Any]:
    """The values as a list of their own; ColumnError if this is none, or a text."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ColumnError(f"{name} needs a list of values, not {values!r}")
    return list(values)


def _of_words(name: str, values: Any, count: int) -> list[Any]:
    found = listed(name, values)
    if len(found) != count:
        raise ColumnError(f"{name} has {len(found)} values for {count} forms")
    return found


def _head(name: str, id: int, value: Any, count: int) -> int | None:
    if value is None:
        return None
    try:
        head = index(value)
    except TypeError:
        head = -1
    if not 0 <= head <= count or isinstance(value, bool):
        reason = f"which is not in the range 0 (the root) to {count}, nor None (unknown)"
        raise ColumnError(f"{name}: word {id} has the head {value!r}, {reason}")
    return head
