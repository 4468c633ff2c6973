"""Streams: from one file to another as bytes, piece by piece as they come."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, nullcontext

from arbora.errors import ArboraError
from arbora.treebank.batches import ConlluPiece, ahead, in_file
from arbora.treebank.files import chunks, display_name, gathered, never_waits, open_input, open_output

BYTES_OF_A_WORD = 128
"""About as many as a line of a rich treebank has: so many are read at once for each word of a batch."""
MOST_BYTES = 1 << 24
"""But never more than this."""


def rewrite_file(
    source: str,
    target: str,
    rewrite: Callable[[Iterable[bytes]], Generator[ConlluPiece, None, None]],
    *,
    beside: bool,
    batch: int,
    on_piece: Callable[[ConlluPiece], None],
    begins_at_once: bool = True,
) -> None:
    """Rewrite a file; ``-`` is standard input or output. Memory does not grow with it.

    About ``batch`` words are worked on together. ``beside``: reading, rewriting and writing go on at the same
    time, where all input is there. The target gets its name only when all is written; errors name the source.
    In CoNLL-U the first sentence ``begins_at_once``; in text there may be empty lines.
    """
    stream = open_input(source)
    pieces = chunks(stream, source, begins_at_once=begins_at_once)
    all_there = never_waits(stream)
    beside = all_there and beside  # compression shall not hold up the core's threads
    if all_there:
        pieces = gathered(pieces, min(batch * BYTES_OF_A_WORD, MOST_BYTES))
    if beside:
        pieces = ahead(pieces)
    rewritten = rewrite(pieces)
    if beside:
        rewritten = ahead(rewritten)
    with (
        nullcontext() if source == "-" else stream,
        closing(pieces),
        closing(rewritten),
        open_output(target) as output,
    ):
        for found in _named(rewritten, source):
            output.write(found.data)
            if target == "-":
                output.flush()  # whoever waits for it gets it before the next piece is waited for
            on_piece(found)


def _named(found: Iterator[ConlluPiece], source: str) -> Iterator[ConlluPiece]:
    try:
        yield from found
    except ArboraError as error:
        raise in_file(error, display_name(source)) from None
