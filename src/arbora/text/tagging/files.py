"""From file to file: tag a CoNLL-U file. What ``arbora tag`` wraps."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from arbora._core import TreeCheck
from arbora.models.options import options_of
from arbora.text.tagging.options import TagOptions
from arbora.text.tagging.tagger import Tagger
from arbora.treebank import FORMATS, Sentence, write
from arbora.treebank.batches import ConlluPiece, Skip
from arbora.treebank.conllx import Losses, reduced
from arbora.treebank.files import check_output, display_name
from arbora.treebank.formats import Format, find_format
from arbora.treebank.reading import Reader
from arbora.treebank.skipping import Skipped
from arbora.treebank.streaming import rewrite_file

TAGGED = {name: FORMATS[name] for name in ("conllu", "conllx")}
READ = TAGGED | {name: FORMATS[name] for name in ("horizontal", "vertical")}
"""Formats that have tags, and those that have words."""


class Tags(Protocol):
    """What finds tags, as a `Tagger` does."""

    def tag(self, sentences: Iterable[Sentence], options: TagOptions | None = None) -> Iterator[Sentence]:
        """New sentences with tags."""

    def tag_conllu(
        self, pieces: Iterable[bytes], options: TagOptions | None = None, *, skip: Skip | None = None
    ) -> Generator[ConlluPiece, None, None]:
        """A CoNLL-U file that comes in pieces, with tags."""


@dataclass(slots=True)
class TaggingReport(Skipped):
    """What tagging a file did; ``skipped`` counts the sentences that were left out."""

    sentences: int = 0
    words: int = 0
    seconds: float = 0.0


def tag_file(
    model: str | Tags,
    source: str = "-",
    target: str = "-",
    options: TagOptions | None = None,
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    writes: Mapping[str, Format] = TAGGED,
    lenient: bool = False,
    progress: Callable[[TaggingReport], None] | None = None,
) -> TaggingReport:
    """Tag a file, as a stream: memory does not grow with it. Old tags and lemmas are replaced, unless kept.

    ``model`` is what finds tags, or the file of a tagger. ``-`` is standard input or output.
    ``source_format``: conllu, conllx, horizontal or vertical; ``target_format``: one of those that it
    ``writes``, conllu or conllx; told by the names if they are left out, and conllu for ``-``, which has
    none. ``lenient``: a sentence that breaks the format is left out, and the report counts it. The target
    gets its name only when all is written.
    """
    options = options_of(TagOptions, options)
    read_as = find_format(source, source_format, known=READ, option="--input-format", unnamed="conllu").name
    write_as = find_format(
        target, target_format, known=writes, option="--format", writing=True, unnamed="conllu"
    ).name
    check_output(target)
    tagger: Tags = Tagger.load(model) if isinstance(model, str) else model
    report, started = TaggingReport(), time.perf_counter()

    skip = report.skip_of(display_name(source)) if lenient else None

    def on_piece(found: ConlluPiece) -> None:
        report.sentences += found.sentences
        report.words += found.words
        if progress is not None:
            progress(report)

    def counted(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        for sentence in sentences:
            on_piece(ConlluPiece(b"", 1, len(sentence)))
            yield reduced(sentence, Losses()) if write_as == "conllx" else sentence

    if read_as == write_as == "conllu":
        rewrite_file(
            source,
            target,
            lambda pieces: tagger.tag_conllu(pieces, options, skip=skip),
            beside=options.threads > 1,
            batch=options.batch,
            on_piece=on_piece,
        )
    else:
        with Reader[Sentence](
            source, READ[read_as], lenient=lenient, single_root=False, check=TreeCheck.range, on_skip=skip
        ) as words:
            write(target, counted(tagger.tag(words, options)), writes[write_as])
    report.seconds = time.perf_counter() - started
    return report
