"""What a shard becomes: CoNLL-U, JSON lines or Parquet, and how those of all shards become one again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeAlias

from arbora import _core
from arbora.bulk.lines import json_line, printable
from arbora.bulk.parquet import ParquetWriter
from arbora.errors import ArboraError
from arbora.pipeline.documents import ParsedSentence
from arbora.pipeline.plain_data import SPANS
from arbora.treebank.batches import to_conllu, to_sentences
from arbora.treebank.files import COMPRESSED, plain_name
from arbora.treebank.rows import fields_of

ENDINGS = {"conllu": ".conllu", "jsonl": ".jsonl", "parquet": ".parquet"}
"""The formats of output, and the ends of their names."""


class Piece(NamedTuple):
    """Some sentences as their output has them: bytes, or rows."""

    content: Any
    sentences: int
    words: int


class Output(Protocol):
    """Takes parsed batches and writes them to a stream that is open."""

    def render(self, batch: _core.Batch, first_character: int) -> Piece:
        """The sentences of a batch, which are not written yet; ArboraError if one of them was refused.

        Offsets into the text count from ``first_character``.
        """

    def write(self, piece: Piece) -> None:
        """Write them."""

    def close(self) -> None:
        """Write the end."""


class ConlluOutput:
    """As ``arbora parse`` writes it."""

    def __init__(self, stream: BinaryIO, path: str, probabilities: bool) -> None:
        self._stream = stream

    def render(self, batch: _core.Batch, first_character: int) -> Piece:
        """A batch."""
        found = list(to_conllu([batch]))
        return Piece(
            b"".join(piece.data for piece in found),
            sum(piece.sentences for piece in found),
            sum(piece.words for piece in found),
        )

    def write(self, piece: Piece) -> None:
        """The bytes."""
        self._stream.write(piece.content)

    def close(self) -> None:
        """Nothing."""


class JsonOutput:
    """An object a line for each sentence, as ``arbora parse --format json`` writes it."""

    def __init__(self, stream: BinaryIO, path: str, probabilities: bool) -> None:
        self._stream, self._probabilities = stream, probabilities

    def render(self, batch: _core.Batch, first_character: int) -> Piece:
        """A batch."""
        sentences = list(_sentences(batch, first_character))
        lines = [json_line(own.to_dict(probabilities=self._probabilities)) for own in sentences]
        return Piece(b"".join(lines), len(sentences), sum(map(len, sentences)))

    def write(self, piece: Piece) -> None:
        """The bytes."""
        self._stream.write(piece.content)

    def close(self) -> None:
        """Nothing."""


class ParquetOutput:
    """A row for each sentence."""

    def __init__(self, stream: BinaryIO, path: str, probabilities: bool) -> None:
        self._writer, self._probabilities = ParquetWriter(stream), probabilities
        self._document = printable(path)  # until a sentence says that it begins one with a name

    def render(self, batch: _core.Batch, first_character: int) -> Piece:
        """A batch."""
        sentences = list(_sentences(batch, first_character))
        return Piece(list(map(self._row, sentences)), len(sentences), sum(map(len, sentences)))

    def write(self, piece: Piece) -> None:
        """The rows."""
        self._writer.write(piece.content)

    def _row(self, sentence: ParsedSentence) -> dict[str, Any]:
        self._document = sentence.metadata("newdoc id") or self._document
        findings = sentence.findings or {}
        found = self._probabilities and sentence.has_heads
        spans = sentence.spans
        tree = sentence.constituents
        return {
            "document": self._document,
            "sent_id": sentence.sent_id,
            "text": sentence.text,
            "comments": sentence.comments,
            "form": sentence.forms,
            "lemma": sentence.lemmas,
            "upos": sentence.upos,
            "xpos": sentence.xpos,
            "feats": sentence.feats,
            "head": sentence.heads,
            "deprel": sentence.deprels,
            "deps": sentence.deps,
            "misc": sentence.misc,
            "head_probability": sentence.head_probabilities() if found else None,
            "label_probability": sentence.label_probabilities() if found else None,
            "start": [span[0] for span in spans] if spans is not None else None,
            "end": [span[1] for span in spans] if spans is not None else None,
            "multiwords": [
                {"first": token.first, "last": token.last, "form": token.form, "misc": token.misc}
                for token in sentence.multiwords
            ],
            "empty_nodes": ["\t".join([node.id, *fields_of(node)]) for node in sentence.empty_nodes],
            "tree_log_probability": findings.get("tree_log_probability"),
            "constituents": None if tree is None else str(tree),
        }

    def close(self) -> None:
        """The end of the file."""
        self._writer.close()


OUTPUTS: dict[str, Callable[[BinaryIO, str, bool], Output]] = {
    "conllu": ConlluOutput,
    "jsonl": JsonOutput,
    "parquet": ParquetOutput,
}
"""By the names of formats."""


def output_ending(format: str) -> str:
    """What the names of outputs end with, of a format such as ``conllu.gz``; ArboraError if there is no such.

    >>> output_ending("conllu.gz")
    '.conllu.gz'
    """
    plain = plain_name(format)
    if plain not in ENDINGS or (plain == "parquet" and plain != format):
        known = ", ".join(ENDINGS)
        raise ArboraError(
            f"there is no output format {format} in bulk; there are {known}, the first two also with "
            f"{', '.join(COMPRESSED)}"
        )
    return "." + format


def _sentences(batch: _core.Batch, first_character: int) -> Iterator[ParsedSentence]:
    for sentence in to_sentences([batch]):
        findings = sentence.findings
        if first_character and findings and SPANS in findings:
            moved = [(start + first_character, end + first_character) for start, end in findings[SPANS]]
            sentence.findings = {**findings, SPANS: moved}
        yield ParsedSentence(sentence)


Renumber: TypeAlias = Callable[[Iterator[bytes], str, int], Iterator[bytes]]
"""Gives sentences whose numbers begin with a shard's name the numbers that all shards together have."""


def renumber_conllu(lines: Iterator[bytes], prefix: str, before: int) -> Iterator[bytes]:
    """Lines of CoNLL-U.

    >>> list(renumber_conllu(iter([b"# sent_id = 000001-2", b"1\\ta"]), "000001-", 40))
    [b'# sent_id = 42', b'1\\ta']
    """
    start = f"# sent_id = {prefix}".encode()
    for line in lines:
        if line.startswith(start):
            line = b"# sent_id = %d" % (int(line[len(start) :]) + before) + line[len(line.rstrip(b"\r\n")) :]
        yield line


def renumber_json(lines: Iterator[bytes], prefix: str, before: int) -> Iterator[bytes]:
    """Lines of JSON, an object each."""
    start = f"# sent_id = {prefix}"
    for line in lines:
        data = json.loads(line)
        data["comments"] = [
            f"# sent_id = {int(comment[len(start) :]) + before}" if comment.startswith(start) else comment
            for comment in data["comments"]
        ]
        yield json_line(data)


def begin_conllu(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The same with the comment that a text begins, which its first paragraph has lost with itself."""
    yield b"# newdoc\n"
    yield from lines


def begin_json(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The same of JSON."""
    data = json.loads(next(lines))
    data["comments"].insert(0, "# newdoc")
    yield json_line(data)
    yield from lines


BEGIN: dict[str, Callable[[Iterator[bytes]], Iterator[bytes]]] = {
    "conllu": begin_conllu,
    "jsonl": begin_json,
}
RENUMBER: dict[str, Renumber] = {"conllu": renumber_conllu, "jsonl": renumber_json}
