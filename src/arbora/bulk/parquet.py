"""Parquet, by pyarrow, which is an extra: texts come from a column of it, and sentences become rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple

from arbora.errors import ArboraError, DamagedFileError, FileError

ROWS = 4096
"""So many sentences make a row group."""


def pyarrow() -> Any:
    """The modules pyarrow and pyarrow.parquet; ArboraError if they are not installed."""
    try:
        import_module("pyarrow.parquet")
    except ImportError:
        raise ArboraError('Parquet needs pyarrow: pip install "arbora[parquet]"') from None
    return import_module("pyarrow")


class RowGroup(NamedTuple):
    """Rows that are stored together."""

    rows: int
    bytes: int


def _open(path: str) -> Any:
    arrow = pyarrow()
    try:
        return arrow.parquet.ParquetFile(path)
    except (FileNotFoundError, PermissionError) as error:
        raise FileError(one_line(error.strerror or error), file=path) from None
    except (OSError, arrow.ArrowException) as error:
        raise DamagedFileError(f"this is no Parquet file: {one_line(error)}", file=path) from None


def one_line(error: object) -> str:
    """What an error of another package says, on one line.

    >>> one_line(ValueError("a page is damaged\\nat 4"))
    'a page is damaged'
    """
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def row_groups(path: str, columns: Sequence[str] = ()) -> list[RowGroup]:
    """The row groups of a file; FileError if it lacks a column."""
    with _open(path) as file:
        _check_columns(file, path, columns)
        found = file.metadata
        groups = [found.row_group(number) for number in range(found.num_row_groups)]
        return [RowGroup(group.num_rows, group.total_byte_size) for group in groups]


def _check_columns(file: Any, path: str, columns: Sequence[str]) -> None:
    names = file.schema_arrow.names
    for column in columns:
        if column not in names:
            raise FileError(f"there is no column {column!r}: it has {', '.join(names)}", file=path)


def digest_of_rows(path: str, start: int, end: int, columns: Sequence[str]) -> str:
    """The SHA-256 of what the file has of some columns in the row groups from ``start`` to ``end``.

    These are the bytes as they are stored, so nothing is unpacked, and other columns are not read.
    """
    found = hashlib.sha256()
    with _open(path) as file, open(path, "rb") as stream:
        for number in range(start, end):
            group = file.metadata.row_group(number)
            found.update(f"{group.num_rows};".encode())
            for chunk in map(group.column, range(group.num_columns)):
                if chunk.path_in_schema.startswith(tuple(f"{name}." for name in columns)) or (
                    chunk.path_in_schema in columns
                ):
                    places = (chunk.dictionary_page_offset, chunk.data_page_offset)
                    _update(found, stream, min(filter(None, places)), chunk.total_compressed_size)
    return found.hexdigest()


def _update(digest: Any, stream: BinaryIO, start: int, count: int) -> None:
    stream.seek(start)
    while count > 0 and (piece := stream.read(min(count, 1 << 20))):
        digest.update(piece)
        count -= len(piece)


def read_rows(path: str, start: int, end: int, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """What these columns have in the row groups from ``start`` to ``end``; FileError if one lacks.

    DamagedFileError where no more can be read. A text that is no UTF-8 is its bytes.
    """
    with _open(path) as file:
        _check_columns(file, path, columns)
        batches = file.iter_batches(row_groups=list(range(start, end)), columns=list(columns))
        while (batch := _next(batches, path)) is not None:
            yield from zip(*(_values(batch.column(name)) for name in columns), strict=True)


def _next(batches: Iterator[Any], path: str) -> Any:
    try:
        return next(batches, None)
    except (OSError, pyarrow().ArrowException) as error:
        raise DamagedFileError(f"no more can be read of this file: {one_line(error)}", file=path) from None


def _values(column: Any) -> list[Any]:
    try:
        found: list[Any] = column.to_pylist()
        return found
    except UnicodeDecodeError:
        return [_value(cell) for cell in column]


def _value(cell: Any) -> Any:
    try:
        return cell.as_py()
    except UnicodeDecodeError:
        return cell.as_buffer().to_pybytes()


def schema() -> Any:
    """The columns of parsed sentences: one row each, and a list for every column of words."""
    arrow = pyarrow()
    text, whole = arrow.string(), arrow.int32()
    words = {
        **dict.fromkeys(("form", "lemma", "upos", "xpos", "feats"), text),
        "head": whole,
        **dict.fromkeys(("deprel", "deps", "misc"), text),
        **dict.fromkeys(("head_probability", "label_probability"), arrow.float32()),
        **dict.fromkeys(("start", "end"), arrow.int64()),
    }
    token = arrow.struct([("first", whole), ("last", whole), ("form", text), ("misc", text)])
    return arrow.schema(
        [
            ("document", text),
            ("sent_id", text),
            ("text", text),
            ("comments", arrow.list_(text)),
            *((name, arrow.list_(kind)) for name, kind in words.items()),
            ("multiwords", arrow.list_(token)),
            ("empty_nodes", arrow.list_(text)),
            ("tree_log_probability", arrow.float64()),
            ("constituents", text),
        ]
    )


class ParquetWriter:
    """Writes rows to an open file, `ROWS` in a group whatever comes at once."""

    def __init__(self, stream: BinaryIO) -> None:
        self._arrow, self._rows = pyarrow(), list[dict[str, Any]]()
        self._writer = self._arrow.parquet.ParquetWriter(stream, schema(), compression="zstd")

    def write(self, rows: Sequence[dict[str, Any]]) -> None:
        """Some more."""
        self._rows += rows
        while len(self._rows) >= ROWS:
            self._flush(ROWS)

    def _flush(self, count: int) -> None:
        table = self._arrow.Table.from_pylist(self._rows[:count], schema=schema())
        self._writer.write_table(table)
        del self._rows[:count]

    def close(self) -> None:
        """Write what is left, and the end of the file."""
        if self._rows:
            self._flush(len(self._rows))
        self._writer.close()
