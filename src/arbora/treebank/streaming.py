"""Streams: from one CoNLL-U file to another as bytes, piece by piece as they come; sentences in batches."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from typing import NamedTuple, TypeVar

from arbora.errors import FileError
from arbora.treebank.files import chunks, display_name, gathered, never_waits, open_input, open_output
from arbora.treebank.sentence import Sentence

Item = TypeVar("Item")

BYTES_OF_A_WORD = 128
"""About as many as a line of a rich treebank has: so many are read at once for each word of a batch."""
MOST_BYTES = 1 << 24
"""But never more than this."""


class RewrittenConllu(NamedTuple):
    """Some sentences of a CoNLL-U file as they were rewritten, as bytes, and how much that is."""

    data: bytes
    sentences: int
    words: int


def rewrite_file(
    source: str,
    target: str,
    rewrite: Callable[[Iterable[bytes]], Generator[RewrittenConllu, None, None]],
    *,
    threads: int,
    batch: int,
    on_piece: Callable[[RewrittenConllu], None],
) -> None:
    """Rewrite a file; ``-`` is standard input or output. Memory does not grow with it.

    About ``batch`` words are worked on together. With several ``threads``, reading, rewriting and writing go
    on at the same time. The target gets its name only when all is written; errors name the source.
    """
    stream = open_input(source)
    pieces = chunks(stream, source)
    all_there = never_waits(stream)
    beside = all_there and threads > 1  # compression shall not hold up the core's threads
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


def ahead(items: Iterator[Item]) -> Generator[Item, None, None]:
    """The same items, each made while the one before is being used; for what never waits for others.

    >>> list(ahead(iter(range(3))))
    [0, 1, 2]
    """
    with ThreadPoolExecutor(1) as worker:
        coming = worker.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = worker.submit(next, items, None)
            yield item


def _named(found: Iterator[RewrittenConllu], source: str) -> Iterator[RewrittenConllu]:
    try:
        yield from found
    except FileError as error:
        error.file = display_name(source)
        raise


def in_batches(sentences: Iterable[Sentence], words: int) -> Iterator[list[Sentence]]:
    """Lists of sentences that have so many words together, or a few more.

    >>> [len(batch) for batch in in_batches([Sentence(["a", "b"])] * 5, 3)]
    [2, 2, 1]
    """
    batch: list[Sentence] = []
    taken = 0
    for sentence in sentences:
        batch.append(sentence)
        taken += max(len(sentence.forms), 1)  # endlessly many empty sentences make batches too
        if taken >= words:
            yield batch
            batch, taken = [], 0
    if batch:
        yield batch
