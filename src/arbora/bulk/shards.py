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
from arbora.bulk.parquet import digest_of_rows, row_groups
from arbora.errors import DamagedFileError, FileError
from arbora.text.tokenizing.paragraphs import BORDER, begins_word
from arbora.treebank.files import BYTE_ORDER_MARK, COMPRESSED, open_input, read_piece

BYTES = 32 << 20
"""How large a shard is, or a little more."""
EVERY = 32
"""Of a compressed file, shards are twice as large after so many of them. To read one, all that is before it
is unpacked too: so each byte is unpacked some 50 times at the most, and not as often as there are shards."""
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
    another one begins. ``digest`` is the SHA-256 of the bytes, of Parquet of the columns that are read.
    ``first_line`` is a row of the file there. A shard with an ``error`` has no bytes: it says why no more can
    be read of a file that is damaged.
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
    error: str = ""

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


def cut(
    inputs: Sequence[Input],
    kind: str,
    size: int,
    known: Sequence[Shard] = (),
    columns: Sequence[str] = (),
) -> Iterator[Shard]:
    """The shards of the inputs, one after the other; those behind the ones that are ``known`` already.

    Of Parquet, ``columns`` are those that will be read.
    """
    if kind == "parquet":
        yield from _cut_parquet(inputs, size, known, columns)
        return
    number, line, character, start, place, before = len(known), 1, 0, 0, 0, 0
    if known:
        last = known[-1]
        place = next(i for i, one in enumerate(inputs) if one.path == last.path)
        character = last.first_character
        if last.error:
            place += 1
        else:
            data = read_shard(last)
            start, before = last.end, sum(shard.path == last.path for shard in known)
            line = last.first_line + data.count(b"\n")
            character += count_characters(data) + len(last.closing)
    for one in inputs[place:]:
        for begin, data, is_last, error in _pieces(one.path, kind, size, start, before):
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
                error,
            )
            number += 1
            line += data.count(b"\n")
            character += count_characters(data) + len(closing)
        start, line, before = 0, 1, 0


def _pieces(
    path: str, kind: str, size: int, start: int, before: int
) -> Iterator[tuple[int, bytes, bool, str]]:
    """Where each shard of a file begins, its bytes, and whether it is the last; from ``start`` on.

    ``before`` are known already. If the file is damaged, there is a last one that has no bytes, and says why.
    """
    with open_input(path) as stream:
        _skip(stream, start, path)
        source = _Source(stream, path, kind)
        if not start:
            source.more(_WINDOW)
            if source.data.startswith(BYTE_ORDER_MARK):
                start, source.data = len(BYTE_ORDER_MARK), source.data.removeprefix(BYTE_ORDER_MARK)
        while True:
            own = size << (before // EVERY) if path.endswith(COMPRESSED) else size
            wanted = own + _WINDOW
            while (end := _border(source.data, kind, own, source.at_end)) is None:
                source.more(wanted)
                wanted = len(source.data)  # twice as much the next time, so that long rows take linear time
            if not source.data:
                break
            yield start, source.data[:end], source.at_end and end == len(source.data), ""
            start, source.data, before = start + end, source.data[end:], before + 1
        if source.error:
            yield start, b"", False, source.error


class _Source:
    """A file that is cut: what was read of it and is in no shard yet; if it is damaged, why there is no more.

    What stands behind the last border before damage is left out: nobody could say how it went on.
    """

    def __init__(self, stream: BinaryIO, path: str, kind: str) -> None:
        self.data, self.at_end, self.error = b"", False, ""
        self._stream, self._path, self._kind = stream, path, kind

    def more(self, count: int) -> None:
        """Read so many bytes more, or all that are left."""
        found = [self.data]
        try:
            while count > 0 and (piece := read_piece(self._stream, self._path, count)):
                found.append(piece)
                count -= len(piece)
            self.at_end = count > 0
        except DamagedFileError as error:
            self.at_end, self.error = True, error.reason
        self.data = b"".join(found)
        if self.error:
            ends = [border.end() for border in _BORDERS[self._kind].finditer(self.data)]
            self.data = self.data[: ends[-1] if ends else 0]


def _border(data: bytes, kind: str, size: int, at_end: bool) -> int | None:
    """Where to cut: behind the first border at this size or beyond; None if more must be read to know."""
    if len(data) <= size:
        return len(data) if at_end else None
    for found in _BORDERS[kind].finditer(data, max(0, size - 1)):
        if found.end() == len(data):
            return len(data) if at_end else None
        if kind != "text":
            return found.end()
        # Spaces in front of the first word are that word's.
        if begins_word(data[found.end() : found.end() + 4]) and not data[: found.end()].isspace():
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
    if shard.error:
        raise DamagedFileError(shard.error, file=shard.path, line=shard.first_line)
    try:
        with open_input(shard.path) as stream:
            _skip(stream, shard.start, shard.path)
            data = _read(stream, shard.path, shard.end - shard.start)
    except DamagedFileError:  # which it was not
        raise _changed(shard, "bytes") from None
    if hashlib.sha256(data).hexdigest() != shard.digest:
        raise _changed(shard, "bytes")
    return data


def check_rows(shard: Shard, columns: Sequence[str]) -> None:
    """FileError if the rows of a shard of Parquet are not those that were cut."""
    if shard.error:
        raise DamagedFileError(shard.error, file=shard.path, line=shard.first_line)
    try:
        digest = digest_of_rows(shard.path, shard.start, shard.end, columns)
    except (DamagedFileError, ValueError, IndexError):  # no file of Parquet any more, or one of fewer rows
        digest = ""
    if digest != shard.digest:
        raise _changed(shard, "row groups")


def _changed(shard: Shard, what: str) -> FileError:
    return FileError(
        f"this input has changed since the run began ({what} {shard.start} to {shard.end}): "
        "begin a new run in another folder",
        file=shard.path,
    )


def _read(stream: BinaryIO, path: str, count: int) -> bytes:
    """So many bytes, or all that are left; never more, so that damage which stands behind them is not met."""
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


def _cut_parquet(
    inputs: Sequence[Input], size: int, known: Sequence[Shard], columns: Sequence[str]
) -> Iterator[Shard]:
    number, place, after = len(known), 0, known[-1] if known else None
    if after is not None:
        place = next(i for i, one in enumerate(inputs) if one.path == after.path) + bool(after.error)
    for one in inputs[place:]:
        start, row = 0, 1
        try:
            groups = row_groups(one.path, columns)
            if after is not None and after.path == one.path:
                start = after.end
                row = after.first_line + sum(group.rows for group in groups[after.start : start])
            while start < len(groups):
                end, taken = start, 0
                while end < len(groups) and (taken == 0 or taken + groups[end].bytes <= size):
                    taken += groups[end].bytes
                    end += 1
                digest = digest_of_rows(one.path, start, end, columns)
                yield Shard(number, one.path, start, end, taken, digest, first_line=row)
                row += sum(group.rows for group in groups[start:end])
                number, start = number + 1, end
        except DamagedFileError as error:
            yield Shard(number, one.path, start, start, 0, "", first_line=row, error=error.reason)
            number += 1


def sentences_of_conllu(data: bytes) -> Iterable[bytes]:
    """The blocks of a treebank, each with the empty line behind it."""
    start = 0
    for found in _BORDERS["conllu"].finditer(data):
        yield data[start : found.end()]
        start = found.end()
    if data[start:].strip():
        yield data[start:]
