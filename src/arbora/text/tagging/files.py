"""From file to file: tag a CoNLL-U file. What ``arbora tag`` wraps."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from arbora.errors import FileError
from arbora.text.tagging.options import TagOptions
from arbora.text.tagging.tagger import Tagger
from arbora.treebank.batches import ConlluPiece
from arbora.treebank.files import check_output
from arbora.treebank.formats import find_format
from arbora.treebank.streaming import rewrite_file


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
    progress: Callable[[TaggingReport], None] | None = None,
) -> TaggingReport:
    """Tag a CoNLL-U file, as a stream: memory does not grow with it. Old tags and lemmas are replaced.

    ``model`` is a tagger or the file of one. ``-`` is standard input or output. The target gets its name only
    when all is written.
    """
    options = (options or TagOptions()).check()
    for path in (source, target):
        if path != "-" and find_format(path, None).name != "conllu":
            raise FileError("tags are written to CoNLL-U, from CoNLL-U", file=path)
    check_output(target)
    tagger = model if isinstance(model, Tagger) else Tagger.load(model)
    report, started = TaggingReport(), time.perf_counter()

    def on_piece(found: ConlluPiece) -> None:
        report.sentences += found.sentences
        report.words += found.words
        if progress is not None:
            progress(report)

    rewrite_file(
        source,
        target,
        lambda pieces: tagger.tag_conllu(pieces, options),
        threads=options.threads,
        batch=options.batch,
        on_piece=on_piece,
    )
    report.seconds = time.perf_counter() - started
    return report
