"""How a worker parses a shard: all its documents together, or each by itself if something is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, TypeAlias

from arbora import _core
from arbora.bulk.documents import Document, Documents, reason_of
from arbora.bulk.inputs import RECORDS
from arbora.bulk.jobs import Job
from arbora.bulk.outputs import OUTPUTS, Output, Piece
from arbora.bulk.shards import Shard, read_shard
from arbora.errors import ArboraError, FileError
from arbora.pipeline.pipeline import Pipeline
from arbora.text.tokenizing.paragraphs import bad_byte
from arbora.treebank.batches import annotated, read_batches
from arbora.treebank.files import open_output, plain_name

AT_ONCE = 1 << 20
"""So many bytes of a shard are handed to the core at a time."""

Parsed: TypeAlias = Iterator[Piece]


class ShardParser:
    """Parses the documents of a shard; ``failures`` has those that could not be parsed, ready for JSON."""

    def __init__(self, job: Job, shard: Shard, pipeline: Pipeline) -> None:
        self.job, self.shard, self.pipeline = job, shard, pipeline
        self.documents = Documents(shard, job.kind, job.fields)
        self.steps = pipeline.steps(job.options, keep_tags=job.keep_tags)
        self.prefix = f"{shard.name}-"
        self.failures: list[dict[str, Any]] = []

    def write(self, target: str) -> tuple[int, int]:
        """Write what can be parsed; how many sentences and words that is."""
        try:
            return self._write(target, self._whole)
        except Exception:
            # Something cannot be parsed, whatever it is: now each document by itself, so that it costs itself
            # alone. What is wrong with the disk comes again.
            return self._write(target, self._one_by_one)

    def _write(self, target: str, parse: Callable[[Output], Parsed]) -> tuple[int, int]:
        sentences = words = 0
        with open_output(target, on_disk=True) as stream:
            output = OUTPUTS[plain_name(self.job.format)](
                stream, self.shard.path, self.job.options.probabilities
            )
            with closing(output):
                for piece in parse(output):
                    output.write(piece)
                    sentences += piece.sentences
                    words += piece.words
        return sentences, words

    def _whole(self, output: Output) -> Parsed:
        """All documents together, which is the fast way."""
        batches = self._records() if self.job.kind in RECORDS else self._stream()
        for batch in annotated(batches, self.steps):
            yield output.render(batch, self.shard.first_character)

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
        for document in self.documents:
            for found in self._read(document, before):
                before += len(found)
                batch.append(found)
            if batch.words() >= self.job.options.batch:
                yield batch
                batch = _core.Batch()
        if len(batch):
            yield batch

    def _one_by_one(self, output: Output) -> Parsed:
        """Each document by itself; those that cannot be parsed are left out, and become failures."""
        before = 0
        for document in self.documents:
            try:
                batches = annotated(self._read(document, before), self.steps)
                found = [output.render(batch, document.first_character) for batch in batches]
            except Exception as error:  # a document is what fails, whatever is wrong
                self._fail(document, error)
                continue
            before += sum(piece.sentences for piece in found)
            yield from found

    def _read(self, document: Document, before: int) -> Iterator[_core.Batch]:
        """The sentences of a document, whose numbers begin behind so many."""
        if document.error:
            raise ArboraError(document.error)
        if self.job.kind == "conllu":
            return read_batches([document.data])
        # The empty line makes a character that the end of the text cuts off bad, too.
        if self.job.kind == "text" and (bad := bad_byte(document.data + b"\n")) is not None:
            line = 1 + document.data.count(b"\n", 0, bad)
            raise FileError(f"byte {bad + 1} of the paragraph is no UTF-8: is this a text?", line=line)
        begins = self.job.kind in RECORDS or (self.shard.begins and before == 0)
        comment = f"newdoc id = {document.name}" if document.name else "newdoc"
        counts = _core.TextCounts(self.prefix, comment if begins else "", before)
        return self.pipeline.tokenizer.batches([document.data], counts=counts)

    def _fail(self, document: Document, error: Exception) -> None:
        """Note it, with the place; FileError if that is the end of the run."""
        line, reason = document.line, reason_of(error)
        if isinstance(error, FileError) and error.line is not None and self.job.kind not in RECORDS:
            line += error.line - 1
        if self.job.strict:
            raise FileError(reason, file=self.shard.path, line=line) from None
        self.failures.append(
            {
                "input": self.shard.path,
                "line": line,
                "shard": self.shard.number,
                **({"document": document.name} if document.name else {}),
                "reason": reason,
                "data": document.data.decode(errors="replace"),
            }
        )
