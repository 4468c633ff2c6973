"""What a worker does: one shard from disk to disk, by a model that it opens once."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from arbora import _core
from arbora.bulk.inputs import RECORDS
from arbora.bulk.outputs import OUTPUTS, output_ending
from arbora.bulk.parquet import read_rows
from arbora.bulk.shards import (
    Shard,
    count_characters,
    read_shard,
    sentences_of_conllu,
)
from arbora.dependency import ParseOptions
from arbora.errors import ArboraError, FileError
from arbora.executors import Crashed, Refused, answered
from arbora.models import restored
from arbora.pipeline.pipeline import Pipeline
from arbora.pipeline.shipped import as_pipeline, open_pipeline
from arbora.text.tokenizing.paragraphs import paragraphs_of_text
from arbora.text.tokenizing.tokenizer import encoded
from arbora.treebank.batches import annotated, read_batches, refusal_of
from arbora.treebank.files import open_output, plain_name

SHARDS = "shards"
"""The folder of outputs within that of the run."""
FAILURES = "failures"
"""The folder of what could not be parsed, a file for each shard that has such."""
AT_ONCE = 1 << 20
"""So many bytes of a shard are handed to the core at a time."""


@dataclass(frozen=True, slots=True)
class Job:
    """All that workers must know, besides the shard, and the bytes of a model whose file they cannot open."""

    folder: str
    model: str
    model_digest: str
    kind: str
    format: str
    options: ParseOptions
    field: str = "text"
    id_field: str | None = None
    keep_tags: bool = False
    strict: bool = False

    def output_of(self, shard: Shard) -> str:
        """The name of its output, within the folder."""
        return f"{SHARDS}/{shard.name}{output_ending(self.format)}"

    def failures_of(self, shard: Shard) -> str:
        """The name of the file that lists what could not be parsed; only there if need be."""
        return f"{FAILURES}/{shard.name}.jsonl"


@dataclass(slots=True)
class Done:
    """What came of a shard; ``failed`` counts the documents that are not in its output."""

    number: int
    output: str
    digest: str = ""
    bytes: int = 0
    sentences: int = 0
    words: int = 0
    failed: int = 0
    seconds: float = 0.0
    worker: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for the manifest."""
        return asdict(self)


Answer: TypeAlias = Done | Refused | Crashed


@dataclass(frozen=True, slots=True)
class Document:
    """What is parsed by itself if need be: where it begins, its bytes, or why it has none, and its name."""

    line: int
    data: bytes
    name: str = ""
    first_character: int = 0
    error: str = ""


def work(job: Job, shard: Shard, model: bytes | None = None) -> Answer:
    """Parse a shard: its output has its name only when it is whole and on the disk."""
    answer: Answer = answered(_work, job, shard, model, place=job.folder)
    return answer


def _work(job: Job, shard: Shard, model: bytes | None) -> Done:
    started = time.perf_counter()
    pipeline = opened(job.model, job.model_digest, model)
    done = Done(shard.number, job.output_of(shard))
    target, failed = (os.path.join(job.folder, own) for own in (done.output, job.failures_of(shard)))
    for path in (target, failed):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with suppress(FileNotFoundError):
        os.unlink(failed)
    parser = ShardParser(job, shard, pipeline)
    try:
        parser.write(target, done, parser.whole)
    except ArboraError:
        if job.strict:
            raise
        # Something cannot be parsed: now each document by itself, so that it costs itself alone.
        done.sentences = done.words = 0
        parser.write(target, done, parser.one_by_one)
    if parser.failures:
        done.failed = len(parser.failures)
        with open_output(failed, on_disk=True) as stream:
            for row in parser.failures:
                stream.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
    done.digest, done.bytes = digest_of(target), os.path.getsize(target)
    done.seconds = round(time.perf_counter() - started, 6)
    done.worker = f"{os.uname().nodename}:{os.getpid()}"
    return done


Parsed: TypeAlias = Iterator[tuple[_core.Batch, int]]
"""Batches that are parsed, and where their text begins, in characters."""


class ShardParser:
    """Parses the documents of a shard; ``failures`` has those that could not be parsed, ready for JSON."""

    def __init__(self, job: Job, shard: Shard, pipeline: Pipeline) -> None:
        self.job, self.shard, self.pipeline = job, shard, pipeline
        self.steps = pipeline.steps(job.options, keep_tags=job.keep_tags)
        self.prefix = f"{shard.name}-"
        self.failures: list[dict[str, Any]] = []

    def write(self, target: str, done: Done, parse: Callable[[], Parsed]) -> None:
        """Write what is parsed."""
        with open_output(target, on_disk=True) as stream:
            output = OUTPUTS[plain_name(self.job.format)](
                stream, self.shard.path, self.job.options.probabilities
            )
            with closing(output):
                for batch, first_character in parse():
                    sentences, words = output.write(batch, first_character)
                    done.sentences += sentences
                    done.words += words

    def whole(self) -> Parsed:
        """All documents together, which is the fast way."""
        batches = self._records() if self.job.kind in RECORDS else self._stream()
        for batch in annotated(batches, self.steps):
            yield batch, self.shard.first_character

    def _stream(self) -> Iterator[_core.Batch]:
        data = read_shard(self.shard) + self.shard.closing.encode()
        pieces = (data[start : start + AT_ONCE] for start in range(0, len(data), AT_ONCE))
        if self.job.kind == "conllu":
            return read_batches(pieces)
        counts = _core.TextCounts(self.prefix, "newdoc" if self.shard.begins else "")
        return self.pipeline.tokenizer.batches(pieces, counts=counts)

    def _records(self) -> Iterator[_core.Batch]:
        """Documents that are short share a batch."""
        before, batch = 0, _core.Batch()
        for document in self.documents():
            for found in self._read(document, before):
                before += len(found)
                batch.append(found)
            if batch.words() >= self.job.options.batch:
                yield batch
                batch = _core.Batch()
        if len(batch):
            yield batch

    def one_by_one(self) -> Parsed:
        """Each document by itself; those that cannot be parsed are left out, and become failures."""
        before = 0
        for document in self.documents():
            try:
                found = list(annotated(self._read(document, before), self.steps))
                for batch in found:
                    if batch.sound < len(batch):
                        raise refusal_of(batch)
            except ArboraError as error:
                self._fail(document, error)
                continue
            before += sum(map(len, found))
            for batch in found:
                yield batch, document.first_character

    def _read(self, document: Document, before: int) -> Iterator[_core.Batch]:
        """The sentences of a document, whose numbers begin behind so many."""
        if document.error:
            raise ArboraError(document.error)
        if self.job.kind == "conllu":
            return read_batches([document.data])
        begins = self.job.kind in RECORDS or (self.shard.begins and before == 0)
        comment = f"newdoc id = {document.name}" if document.name else "newdoc"
        counts = _core.TextCounts(self.prefix, comment if begins else "", before)
        return self.pipeline.tokenizer.batches([document.data], counts=counts)

    def documents(self) -> Iterator[Document]:
        """The records of a shard, the paragraphs of a text, the sentences of a treebank."""
        if self.job.kind == "parquet":
            yield from self._rows()
            return
        data = read_shard(self.shard) + self.shard.closing.encode()
        line, character = self.shard.first_line, self.shard.first_character
        cut: dict[str, Callable[[bytes], Iterable[bytes]]] = {
            "jsonl": lambda whole: whole.split(b"\n"),
            "conllu": sentences_of_conllu,
            "text": paragraphs_of_text,
        }
        for piece in cut[self.job.kind](data):
            if self.job.kind != "jsonl":
                yield Document(line, piece, first_character=character)
                line += piece.count(b"\n")
                character += count_characters(piece)
                continue
            if piece.strip():
                yield self._json_document(line, piece)
            line += 1

    def _json_document(self, line: int, data: bytes) -> Document:
        try:
            record = json.loads(data)
        except ValueError as error:
            return Document(line, data, error=f"this is no JSON: {error}")
        if not isinstance(record, dict):
            return Document(line, data, error="this is no JSON object")
        wanted = [self.job.field] + ([self.job.id_field] if self.job.id_field else [])
        for name in wanted:
            if name not in record:
                return Document(line, data, error=f"there is no field {name!r}: it has {', '.join(record)}")
        return self._document(line, *(record[name] for name in wanted))

    def _rows(self) -> Iterator[Document]:
        columns = [self.job.field] + ([self.job.id_field] if self.job.id_field else [])
        rows = read_rows(self.shard.path, self.shard.start, self.shard.end, columns)
        for number, row in enumerate(rows, self.shard.first_line):
            yield self._document(number, *row)

    def _document(self, line: int, text: Any, name: Any = None) -> Document:
        """That of a record; without a name of its own, it has that of its file and its line there."""
        if name is None:
            name = f"{os.path.basename(self.shard.path)}:{line}"
        name = " ".join(str(name).split())
        if not isinstance(text, str):
            kind = "nothing" if text is None else f"of the type {type(text).__name__}"
            return Document(line, b"", name, error=f"{self.job.field} is no text but {kind}")
        try:
            return Document(line, encoded(text), name)
        except ArboraError as error:
            return Document(line, b"", name, error=str(error))

    def _fail(self, document: Document, error: ArboraError) -> None:
        line = document.line
        if isinstance(error, FileError) and error.line is not None:
            line += error.line - 1 if self.job.kind not in RECORDS else 0
        self.failures.append(
            {
                "input": self.shard.path,
                "line": line,
                "shard": self.shard.number,
                **({"document": document.name} if document.name else {}),
                "reason": error.reason if isinstance(error, FileError) else str(error),
                "data": document.data.decode(errors="replace"),
            }
        )


def opened(path: str, digest: str, data: bytes | None) -> Pipeline:
    """The model, which is opened once in each process: from its file, or from the bytes of it."""
    if data is not None:
        if digest not in _OPENED:
            _OPENED.clear()  # memory is for one
            _OPENED[digest] = as_pipeline(restored(data))
        return _OPENED[digest]
    found = open_pipeline(path)
    origin = next(own.origin for own in (found, *found.components.values()) if own.origin is not None)
    if origin.digest != digest:
        raise FileError("this model is another one than when the run began, its hash differs", file=path)
    return found


_OPENED: dict[str, Pipeline] = {}
"""Models that came as bytes, by their digests."""


def digest_of(path: str) -> str:
    """The SHA-256 of a file."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
