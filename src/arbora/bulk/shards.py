"""Shards: parts of the input, cut where sentences or documents end, each of them parsed by itself.

A cut changes nothing of what is found: the tokenizer sees no further than an empty line in any case, and the
sentences of a treebank and records are each by themselves.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO

import numpy as np

from arbora.bulk.inputs import Input
from arbora.bulk.parquet import row_groups
from arbora.errors import FileError
from arbora.text.tokenizing.paragraphs import BORDER, begins_word
from arbora.treebank.files import BYTE_ORDER_MARK, COMPRESSED, open_input, read_piece

BYTES = 32 << 20
"""How large a shard is, or a little more."""
_WINDOW = 1 << 20

_BORDERS = {
    "text": BORDER,
    "conllu": re.compile(rb"\n\r?\n[\r\n]*"),
    "jsonl": re.compile(rb"\n"),
}
"""What ends a shard, in bytes."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the input: bytes of a file as they are without compression, or row groups of Parquet.

    ``first_line`` and ``first_character`` count on from file to file in texts, as if they were one;
    ``closing`` is what has to follow these bytes to end the last paragraph or sentence of a file before
    another one begins. ``digest`` is the SHA-256 of the bytes.
    """

    number: int
    path: str
    start: int
    end: int
    size: int
    digest: str
    begins: bool = False
    first_line: int = 1
    first_character: int = 0
    closing: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for the manifest."""
        return asdict(self)

    @property
    def name(self) -> str:
        """What its output is called.

        >>> Shard(17, "a.txt", 0, 9, 9, "").name
        '000017'
        """
        return f"{self.number:06d}"


def cut(inputs: Sequence[Input], kind: str, size: int, after: Shard | None = None) -> Iterator[Shard]:
    """The shards of the inputs, one after the other; those behind ``after``, if some are known already."""
    if kind == "parquet":
        yield from _cut_parquet(inputs, size, after)
        return
    number, line, character, start, place = 0, 1, 0, 0, 0
    if after is not None:
        data = read_shard(after)
        number, start = after.number + 1, after.end
        line = after.first_line + data.count(b"\n")
        character = after.first_character + count_characters(data) + len(after.closing)
        place = next(i for i, one in enumerate(inputs) if one.path == after.path)
    for one in inputs[place:]:
        for begin, data, is_last in _pieces(one.path, kind, size, start):
            closing = _closing(data, kind) if is_last and one is not inputs[-1] else ""
            yield Shard(
                number,
                one.path,
                begin,
                begin + len(data),
                len(data),
                hashlib.sha256(data).hexdigest(),
                kind == "text" and number == 0,
                line,
                character if kind == "text" else 0,  # others have documents of their own
                closing,
            )
            number += 1
            line += data.count(b"\n")
            character += count_characters(data) + len(closing)
        start, line = 0, 1


def _pieces(path: str, kind: str, size: int, start: int) -> Iterator[tuple[int, bytes, bool]]:
    """Where each shard of a file begins, its bytes, and whether it is the last; from ``start`` on."""
    with open_input(path) as stream:
        _skip(stream, start, path)
        waiting, at_end = _read(stream, path, _WINDOW), False
        if not start and waiting.startswith(BYTE_ORDER_MARK):
            start, waiting = len(BYTE_ORDER_MARK), waiting.removeprefix(BYTE_ORDER_MARK)
        while waiting:
            wanted = size + _WINDOW
            while (end := _border(waiting, kind, size, at_end)) is None:
                piece = _read(stream, path, wanted)
                at_end = not piece
                waiting += piece
                wanted = len(waiting)  # twice as much the next time, so that long rows take linear time
            yield start, waiting[:end], at_end and end == len(waiting)
            start, waiting = start + end, waiting[end:]
            if not waiting:
                waiting = _read(stream, path, _WINDOW)


def _border(data: bytes, kind: str, size: int, at_end: bool) -> int | None:
    """Where to cut: behind the first border at this size or beyond; None if more must be read to know."""
    if len(data) <= size:
        return len(data) if at_end else None
    for found in _BORDERS[kind].finditer(data, max(0, size - 1)):
        if found.end() == len(data):
            return len(data) if at_end else None
        if kind != "text" or begins_word(data[found.end() : found.end() + 4]):
            return found.end()
    return len(data) if at_end else None


def _closing(data: bytes, kind: str) -> str:
    """What has to follow the end of a file, so that what comes behind begins anew."""
    if kind == "jsonl":
        return "" if data.endswith(b"\n") else "\n"
    if kind == "conllu":
        data = data.replace(b"\r", b"")
        return "" if data.endswith(b"\n\n") else "\n" if data.endswith(b"\n") else "\n\n"
    if re.search(rb"\n[ \t\r]*\n[ \t\r\n]*\Z", data[-_WINDOW:]):
        return ""
    return "\n" if re.search(rb"\n[ \t\r]*\Z", data[-_WINDOW:]) else "\n\n"


def count_characters(data: bytes) -> int:
    """How many characters there are: bytes that do not go on with one."""
    return int(np.count_nonzero((np.frombuffer(data, np.uint8) & 0xC0) != 0x80))


def read_shard(shard: Shard) -> bytes:
    """Its bytes (not of Parquet); FileError if they are not those that were cut."""
    with open_input(shard.path) as stream:
        _skip(stream, shard.start, shard.path)
        data = _read(stream, shard.path, shard.end - shard.start)
    if hashlib.sha256(data).hexdigest() != shard.digest:
        raise FileError(
            f"this input has changed since the run began (bytes {shard.start} to {shard.end}): "
            "begin a new run in another folder",
            file=shard.path,
        )
    return data


def _read(stream: BinaryIO, path: str, count: int) -> bytes:
    """So many bytes, or all that are left."""
    found = []
    while count > 0 and (piece := read_piece(stream, path, count)):
        found.append(piece)
        count -= len(piece)
    return b"".join(found)


def _skip(stream: BinaryIO, count: int, path: str) -> None:
    if not path.endswith(COMPRESSED):
        stream.seek(count)
        return
    while count > 0 and (piece := read_piece(stream, path, min(count, _WINDOW))):
        count -= len(piece)


def _cut_parquet(inputs: Sequence[Input], size: int, after: Shard | None) -> Iterator[Shard]:
    number = 0
    for one in inputs:
        groups = row_groups(one.path)
        start = 0
        while start < len(groups):
            end, taken = start, 0
            while end < len(groups) and (taken == 0 or taken + groups[end].bytes <= size):
                taken += groups[end].bytes
                end += 1
            digest = hashlib.sha256(repr(groups[start:end]).encode()).hexdigest()
            if after is None or number > after.number:
                yield Shard(number, one.path, start, end, taken, digest)
            number, start = number + 1, end


def sentences_of_conllu(data: bytes) -> Iterable[bytes]:
    """The blocks of a treebank, each with the empty line behind it."""
    start = 0
    for found in _BORDERS["conllu"].finditer(data):
        yield data[start : found.end()]
        start = found.end()
    if data[start:].strip():
        yield data[start:]
