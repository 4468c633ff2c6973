"""From file to file: tokenize a text file. What ``arbora tokenize`` wraps."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass

from arbora.errors import ArboraError, FileError
from arbora.text.tokenizing.tokenizer import Tokenizer
from arbora.treebank.batches import Skip
from arbora.treebank.converting import convert
from arbora.treebank.files import check_output, chunks, display_name, open_input, open_output
from arbora.treebank.raw_text import text_pieces
from arbora.treebank.skipping import Skipped

TEXT = "text"
PRETOKENIZED = ("horizontal", "vertical", "conllu")
"""Formats whose words stay as they are."""


@dataclass(slots=True)
class TokenizingReport(Skipped):
    """What tokenizing a file did, and what was left out."""

    sentences: int = 0
    tokens: int = 0
    words: int = 0
    seconds: float = 0.0


def tokenize_file(
    model: str | Tokenizer | None,
    source: str = "-",
    target: str = "-",
    *,
    source_format: str | None = None,
    ranges: bool = False,
    threads: int = 1,
    lenient: bool = False,
    progress: Callable[[TokenizingReport], None] | None = None,
) -> TokenizingReport:
    """Write a text file as CoNLL-U, as a stream: memory does not grow with it.

    ``model`` is a tokenizer or the file of one. ``-`` is standard input or output. The target gets its name
    only when all is written. What the ``source_format`` does not say to be ``text`` and begins as CoNLL-U
    does is refused. Words of ``horizontal``, ``vertical`` or ``conllu`` stay as they are; these need no
    model. ``lenient``: a paragraph that is no UTF-8 is left out, or a sentence that breaks another format,
    and the report counts it.
    """
    if source_format not in (None, TEXT, *PRETOKENIZED):
        known = ", ".join((TEXT, *PRETOKENIZED))
        raise ArboraError(f"there is no input format {source_format!r}; there are {known}")
    if threads < 1:
        raise ArboraError("threads must be at least 1")
    check_output(target)
    report, started = TokenizingReport(), time.perf_counter()
    if source_format not in (None, TEXT):
        if ranges:
            raise ArboraError(
                "words that are given have no places in a text: no ranges with this input format"
            )
        converted = convert(
            source,
            target,
            source_format=source_format,
            target_format="conllu",
            single_root=False,
            lenient=lenient,
        )
        report.sentences, report.skipped = converted.written, converted.skipped
        return report
    if model is None:
        raise ArboraError("raw text needs a model: give one of `arbora train tokenizer`")
    tokenizer = model if isinstance(model, Tokenizer) else Tokenizer.load(model)
    skip = report.skip_paragraphs_of(display_name(source)) if lenient else None
    said = source_format is not None
    _tokenize(tokenizer, source, target, said, ranges, threads, skip, report, progress)
    report.seconds = time.perf_counter() - started
    return report


def _tokenize(
    tokenizer: Tokenizer,
    source: str,
    target: str,
    said: bool,
    ranges: bool,
    threads: int,
    skip: Skip | None,
    report: TokenizingReport,
    progress: Callable[[TokenizingReport], None] | None,
) -> None:
    stream = open_input(source)
    pieces = text_pieces(chunks(stream, source), said=said)
    found = tokenizer.stream(pieces, ranges=ranges, threads=threads, skip=skip)
    with nullcontext() if source == "-" else stream, closing(found), open_output(target) as output:
        try:
            for piece in found:
                output.write(piece.data)
                if target == "-":
                    output.flush()
                report.sentences, report.tokens, report.words = piece.sentences, piece.tokens, piece.words
                if progress is not None:
                    progress(report)
        except FileError as error:
            error.file = display_name(source)
            raise
