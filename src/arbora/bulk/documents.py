"""The documents of a shard: what is parsed by itself if need be, so that it costs itself alone."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arbora.bulk.lines import printable
from arbora.bulk.parquet import read_rows
from arbora.bulk.shards import Shard, check_rows, count_characters, read_shard, sentences_of_conllu
from arbora.errors import ArboraError, DamagedFileError, FileError
from arbora.text.tokenizing.paragraphs import paragraphs_of_text
from arbora.text.tokenizing.tokenizer import encoded

LONGEST = 500
"""So many characters of a reason are kept, which may tell of names without end."""


@dataclass(frozen=True, slots=True)
class Document:
    """Where it begins, its bytes (as they are in the file, if it has an ``error``), and its name."""

    line: int
    data: bytes
    name: str = ""
    first_character: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Documents:
    """The records of a shard, the paragraphs of a text, the sentences of a treebank.

    Of records, the first of the ``fields`` has the text, and the second, if there is one, the name.
    """

    shard: Shard
    kind: str
    fields: Sequence[str] = ("text",)

    def __iter__(self) -> Iterator[Document]:
        """In the order of the file; last one with an error, if no more can be read of it."""
        if self.shard.error:
            return iter([Document(self.shard.first_line, b"", error=self.shard.error)])
        if self.kind == "parquet":
            return self._rows()
        return self._lines() if self.kind == "jsonl" else self._pieces()

    def _pieces(self) -> Iterator[Document]:
        data = read_shard(self.shard) + self.shard.closing.encode()
        line, character = self.shard.first_line, self.shard.first_character
        cut: Callable[[bytes], Iterable[bytes]] = (
            sentences_of_conllu if self.kind == "conllu" else paragraphs_of_text
        )
        for piece in cut(data):
            yield Document(line, piece, first_character=character)
            line += piece.count(b"\n")
            character += count_characters(piece)

    def _lines(self) -> Iterator[Document]:
        for line, data in enumerate(read_shard(self.shard).split(b"\n"), self.shard.first_line):
            if data.strip():
                try:
                    document = self._json_document(line, data)
                except Exception as error:  # whatever a record makes happen happens to it alone
                    document = Document(line, data, error=reason_of(error))
                yield document

    def _json_document(self, line: int, data: bytes) -> Document:
        try:
            record = json.loads(data)
        except RecursionError:
            return Document(line, data, error="this JSON is nested too deeply")
        except ValueError as error:
            return Document(line, data, error=f"this is no JSON: {error}")
        if not isinstance(record, dict):
            return Document(line, data, error="this is no JSON object")
        for name in self.fields:
            if name not in record:
                known = ", ".join(record) or "none"
                return Document(line, data, error=f"there is no field {name!r}: it has {known}")
        return self._document(line, data, *(record[name] for name in self.fields))

    def _rows(self) -> Iterator[Document]:
        check_rows(self.shard, self.fields)
        rows = read_rows(self.shard.path, self.shard.start, self.shard.end, self.fields)
        line = self.shard.first_line
        try:
            for row in rows:
                yield self._row(line, row)
                line += 1
        except DamagedFileError as error:
            yield Document(line, b"", error=error.reason)

    def _row(self, line: int, row: tuple[Any, ...]) -> Document:
        text = row[0]
        try:
            data = text if isinstance(text, bytes) else json.dumps(text, default=str).encode()
            return self._document(line, data, *row)
        except Exception as error:
            return Document(line, b"", error=reason_of(error))

    def _document(self, line: int, data: bytes, text: Any, name: Any = None) -> Document:
        """That of a record; without a name of its own, it has that of its file and its line there."""
        if name is None:
            name = f"{printable(os.path.basename(self.shard.path))}:{line}"
        name = " ".join(str(name).split())
        if not isinstance(text, str):
            kind = "nothing" if text is None else f"of the type {type(text).__name__}"
            return Document(line, data, name, error=f"{self.fields[0]} is no text but {kind}")
        try:
            encoded(name)
            return Document(line, encoded(text), name)
        except ArboraError as error:
            return Document(line, data, name, error=str(error))


def reason_of(error: Exception) -> str:
    """Why something failed, on one line; what is no error of Arbora's is told by its kind.

    >>> reason_of(ArboraError("this is no text")), reason_of(RecursionError("too deep"))
    ('this is no text', 'RecursionError: too deep')
    """
    reason = error.reason if isinstance(error, FileError) else str(error)
    if not isinstance(error, ArboraError):
        reason = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
    reason = " ".join(reason.split())
    return reason if len(reason) <= LONGEST else f"{reason[: LONGEST - 3]}..."
