"""From file to file: train a tokenizer on treebank files, tokenize a text file. What the commands wrap."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass

from arbora.errors import ArboraError, FileError
from arbora.learning.checkpoints import checkpoint_header, checkpoint_name
from arbora.models import check_model_name
from arbora.text.tokenizing.checkpoints import CHECKPOINT, TokenizerReport
from arbora.text.tokenizing.options import TokenizerOptions
from arbora.text.tokenizing.tokenizer import Tokenizer
from arbora.text.tokenizing.training import train_tokenizer
from arbora.treebank import Sentence, read
from arbora.treebank.converting import convert
from arbora.treebank.files import check_output, chunks, display_name, open_input, open_output

TEXT = "text"
PRETOKENIZED = ("horizontal", "vertical", "conllu")
"""Formats whose words stay as they are."""


@dataclass(frozen=True, slots=True)
class TokenizerSummary:
    """What training gave: the file, its size, the epoch that was kept and its scores (None without dev)."""

    file: str
    bytes: int
    kept: int
    token_f1: float | None
    sentence_f1: float | None


@dataclass(slots=True)
class TokenizingReport:
    """What tokenizing a file did."""

    sentences: int = 0
    tokens: int = 0
    words: int = 0
    seconds: float = 0.0


def tokenizer_epochs_done(output: str) -> int:
    """How many epochs the checkpoint of this output has seen; FileError if there is none."""
    return len(checkpoint_header(output, CHECKPOINT)["reports"])


def train_tokenizer_file(
    source: str,
    output: str,
    *,
    dev: str | None = None,
    options: TokenizerOptions | None = None,
    resume: bool = False,
    licence: str = "",
    progress: Callable[[TokenizerReport], None] | None = None,
) -> TokenizerSummary:
    """Train a tokenizer on a treebank file and write its model file; see `arbora.text.train_tokenizer`.

    The checkpoint is ``output`` + ``.checkpoint``; it is removed when the model is written, not before.

    >>> import os, tempfile
    >>> model = os.path.join(tempfile.mkdtemp(), "en.tokenizer")
    >>> options = TokenizerOptions(epochs=2, bits=12)
    >>> train_tokenizer_file("examples/treebank/en.conllu", model, options=options).kept
    2
    """
    options = (options or TokenizerOptions()).check()
    check_model_name(output, [source] if dev is None else [source, dev])
    if resume:
        tokenizer_epochs_done(output)
    tokenizer = train_tokenizer(
        _read(source),
        None if dev is None else _read(dev),
        options,
        checkpoint=checkpoint_name(output),
        keep_checkpoint=True,
        resume=resume,
        licence=licence,
        progress=progress,
    )
    tokenizer.save(output)
    os.unlink(checkpoint_name(output))
    report = tokenizer.header["report"]
    kept = report["epochs"][report["kept"] - 1]
    return TokenizerSummary(
        output, os.path.getsize(output), report["kept"], kept.get("token_f1"), kept.get("sentence_f1")
    )


def _read(path: str) -> list[Sentence]:
    """The sentences of a treebank that has some words."""
    with read(path, "conllu", single_root=False) as reader:
        found = list(reader)
    if not any(map(len, found)):
        raise FileError("there are no words in this treebank", file=display_name(path))
    return found


def tokenize_file(
    model: str | Tokenizer | None,
    source: str = "-",
    target: str = "-",
    *,
    source_format: str = TEXT,
    ranges: bool = False,
    threads: int = 1,
    progress: Callable[[TokenizingReport], None] | None = None,
) -> TokenizingReport:
    """Write a text file as CoNLL-U, as a stream: memory does not grow with it.

    ``model`` is a tokenizer or the file of one. ``-`` is standard input or output. The target gets its name
    only when all is written. Words of the ``source_format`` ``horizontal``, ``vertical`` or ``conllu`` stay
    as they are; these need no model.
    """
    if source_format not in (TEXT, *PRETOKENIZED):
        known = ", ".join((TEXT, *PRETOKENIZED))
        raise ArboraError(f"there is no input format {source_format!r}; there are {known}")
    if threads < 1:
        raise ArboraError("threads must be at least 1")
    check_output(target)
    report, started = TokenizingReport(), time.perf_counter()
    if source_format != TEXT:
        if ranges:
            raise ArboraError(
                "words that are given have no places in a text: no ranges with this input format"
            )
        report.sentences = convert(
            source, target, source_format=source_format, target_format="conllu", single_root=False
        ).written
        return report
    if model is None:
        raise ArboraError("raw text needs a model: give one of `arbora train tokenizer`")
    tokenizer = model if isinstance(model, Tokenizer) else Tokenizer.load(model)
    _tokenize(tokenizer, source, target, ranges, threads, report, progress)
    report.seconds = time.perf_counter() - started
    return report


def _tokenize(
    tokenizer: Tokenizer,
    source: str,
    target: str,
    ranges: bool,
    threads: int,
    report: TokenizingReport,
    progress: Callable[[TokenizingReport], None] | None,
) -> None:
    stream = open_input(source)
    found = tokenizer.stream(chunks(stream, source), ranges=ranges, threads=threads)
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
