"""Parquet, by pyarrow, which is an extra: texts come from a column of it, and sentences become rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple

from arbora.errors import ArboraError, FileError

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
    except (OSError, arrow.ArrowException) as error:
        raise FileError(f"this is no Parquet file: {_one_line(error)}", file=path) from None


def _one_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def row_groups(path: str) -> list[RowGroup]:
    """The row groups of a file."""
    with _open(path) as file:
        found = file.metadata
        groups = [found.row_group(number) for number in range(found.num_row_groups)]
        return [RowGroup(group.num_rows, group.total_byte_size) for group in groups]


def read_rows(path: str, start: int, end: int, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """What these columns have in the row groups from ``start`` to ``end``; FileError if one lacks."""
    with _open(path) as file:
        names = file.schema_arrow.names
        for column in columns:
            if column not in names:
                raise FileError(f"there is no column {column!r}: it has {', '.join(names)}", file=path)
        for batch in file.iter_batches(row_groups=list(range(start, end)), columns=list(columns)):
            yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)


def schema() -> Any:
    """The columns of parsed sentences: one row each, and a list for every column of words."""
    arrow = pyarrow()
    text, whole = arrow.string(), arrow.int32()
    words = {
        **dict.fromkeys(("form", "lemma", "upos", "xpos", "feats"), text),
        "head": whole,
        **dict.fromkeys(("deprel", "misc"), text),
        **dict.fromkeys(("head_probability", "label_probability"), arrow.float64()),
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
