"""From file to file: tag a CoNLL-U file. What ``arbora tag`` wraps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from arbora.text.tagging.options import TagOptions
from arbora.text.tagging.tagger import Tagger
from arbora.treebank import FORMATS, Sentence, read, write
from arbora.treebank.batches import ConlluPiece
from arbora.treebank.conllx import Losses, reduced
from arbora.treebank.files import check_output
from arbora.treebank.formats import Format, find_format
from arbora.treebank.streaming import rewrite_file

TAGGED = {name: FORMATS[name] for name in ("conllu", "conllx")}
READ = TAGGED | {name: FORMATS[name] for name in ("horizontal", "vertical")}
"""Formats that have tags, and those that have words."""


@dataclass(slots=True)
class TaggingReport:
    """What tagging a file did."""

    sentences: int = 0
    words: int = 0
    seconds: float = 0.0


def tag_file(
    model: str | Tagger,
    source: str = "-",
    target: str = "-",
    options: TagOptions | None = None,
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    progress: Callable[[TaggingReport], None] | None = None,
) -> TaggingReport:
    """Tag a file, as a stream: memory does not grow with it. Old tags and lemmas are replaced.

    ``model`` is a tagger or the file of one. ``-`` is standard input or output. ``source_format``: conllu,
    conllx, horizontal or vertical; ``target_format``: conllu or conllx; told by the names if they are left
    out, and conllu for ``-``. The target gets its name only when all is written.
    """
    options = (options or TagOptions()).check()
    read_as = _format(source, source_format, READ, "--input-format")
    write_as = _format(target, target_format, TAGGED, "--format")
    check_output(target)
    tagger = model if isinstance(model, Tagger) else Tagger.load(model)
    report, started = TaggingReport(), time.perf_counter()

    def on_piece(found: ConlluPiece) -> None:
        report.sentences += found.sentences
        report.words += found.words
        if progress is not None:
            progress(report)

    def counted(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        for sentence in sentences:
            on_piece(ConlluPiece(b"", 1, len(sentence)))
            yield sentence if write_as == "conllu" else reduced(sentence, Losses())

    if read_as == write_as == "conllu":
        rewrite_file(
            source,
            target,
            lambda pieces: tagger.tag_conllu(pieces, options),
            threads=options.threads,
            batch=options.batch,
            on_piece=on_piece,
        )
    else:
        with read(source, read_as, single_root=False) as words:
            write(target, counted(tagger.tag(words, options)), write_as)
    report.seconds = time.perf_counter() - started
    return report


def _format(path: str, name: str | None, known: Mapping[str, Format], option: str) -> str:
    return find_format(
        path, "conllu" if path == "-" and name is None else name, known=known, option=option
    ).name
