"""The columns of a sentence, which are checked when they are set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter, index
from typing import Any, TypeAlias

from arbora.errors import ColumnError, shown
from arbora.treebank.rows import EmptyNode, Multiword, fields_of

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


def column(name: str, doc: str) -> Any:
    """A property of a sentence whose values are kept in the slot ``_name``."""
    check = CHECKS[name]

    def put(sentence: Any, value: Any) -> None:
        setattr(sentence, "_" + name, check(name, value, len(sentence.forms)))

    return property(attrgetter("_" + name), put, doc=doc)


def check_columns(columns: Sequence[Any]) -> None:
    """ColumnError for the first of all `COLUMNS` of a sentence that could not be set so."""
    for (name, check), value in zip(CHECKS.items(), columns, strict=True):
        check(name, value, len(columns[0]))


def checked_texts(name: str, values: Any, count: int) -> list[str]:
    """A text for each word.

    >>> checked_texts("upos", ["NOUN"], 2)
    Traceback (most recent call last):
    arbora.errors.ColumnError: upos has 1 values for 2 forms
    """
    found = _of_words(name, values, count)
    if not _are_fields(found):
        for id, value in enumerate(found, 1):
            _check_field(f"{name}: word {id}", value)
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
    _check_field(f"{name}: word {id}", value)
    return value


def _are_fields(values: list[Any]) -> bool:
    """Whether each of some values is a text that a field can hold: one look at all of them together."""
    try:
        text = "\t".join(values)
        text.isascii() or text.encode()
    except (TypeError, UnicodeEncodeError):
        return False
    alone = text.count("\t") == max(len(values) - 1, 0) and "\n" not in text and "\r" not in text
    return alone and "" not in values


def _check_field(place: str, value: Any) -> None:
    """ColumnError if a field cannot hold this value."""
    _check_text(place, value, "\t\n\r", "a tab or a line end")
    if not value:
        raise ColumnError(f"{place} is empty; what is not known is written _")


def _check_text(place: str, value: Any, without: str, what: str) -> None:
    if not isinstance(value, str):
        raise ColumnError(f"{place} needs a text, not {shown(value)}")
    if any(character in value for character in without):
        raise ColumnError(f"{place} has {what} in it: {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ColumnError(f"{place}: {shown(value)} is no Unicode text that a file could hold") from None


def checked_comments(name: str, values: Any, _: int) -> list[str]:
    """Lines that begin with ``#``, as many as there are."""
    found = listed(name, values)
    for value in found:
        _check_text(f"{name}: a comment", value, "\n\r", "a line end")
        if not value.startswith("#"):
            raise ColumnError(f"{name}: a comment begins with #, not {shown(value)}")
    return found


def checked_multiwords(name: str, values: Any, count: int) -> list[Multiword]:
    """Multiword tokens of words that there are.

    >>> checked_multiwords("multiwords", [Multiword(1, 3, "zum")], 2)
    Traceback (most recent call last):
    arbora.errors.ColumnError: multiwords: 1-3 is out of range, there are 2 words
    """
    found = listed(name, values)
    for row in found:
        _check_row(name, row, Multiword)
        if not 1 <= row.first <= row.last <= count:
            raise ColumnError(f"{name}: {row.id} is out of range, there are {count} words")
    return found


def checked_nodes(name: str, values: Any, count: int) -> list[EmptyNode]:
    """Empty nodes after words that there are."""
    found = listed(name, values)
    for node in found:
        _check_row(name, node, EmptyNode)
        if not 0 <= node.after <= count:
            raise ColumnError(f"{name}: {node.id} is out of range, there are {count} words")
    return found


def checked_line_end(name: str, value: Any, _: int) -> str:
    """What ends a line."""
    if value not in ("\n", "\r\n"):
        raise ColumnError(f"{name} is a line end, \\n or \\r\\n, not {shown(value)}")
    return str(value)


def checked_line_ends(name: str, value: Any, _: int) -> str:
    """What ends lines, any number of them."""
    if not isinstance(value, str) or value.strip("\r\n"):
        raise ColumnError(f"{name} is made of line ends, not {shown(value)}")
    return value


def listed(name: str, values: Any) -> list[Any]:
    """The values as a list of their own; ColumnError if this is none, or a text."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ColumnError(f"{name} needs a list of values, not {shown(values)}")
    return list(values)


def _check_row(name: str, row: Any, kind: type[Multiword | EmptyNode]) -> None:
    """ColumnError if a row that is no word is not of its type, or has other values than a file could."""
    if not isinstance(row, kind):
        raise ColumnError(f"{name} are of the type {kind.__name__}, {shown(row)} is not")
    numbers = (row.first, row.last) if isinstance(row, Multiword) else (row.after, row.index)
    if not all(isinstance(number, int) for number in numbers):
        raise ColumnError(f"{name}: {row.id} is made of other than whole numbers")
    fields = list(fields_of(row))
    if not _are_fields(fields):
        for value in fields:
            _check_field(f"{name}: a field of {row.id}", value)


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
        raise ColumnError(f"{name}: word {id} has the head {shown(value)}, {reason}")
    return head


CHECKS: dict[str, Check] = {
    **dict.fromkeys(COLUMNS, checked_texts),
    "heads": checked_heads,
    "comments": checked_comments,
    "multiwords": checked_multiwords,
    "empty_nodes": checked_nodes,
    "newline": checked_line_end,
    "closing": checked_line_ends,
}
"""What is asked of each of `COLUMNS`, in their order."""
