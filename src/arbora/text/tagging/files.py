"""From file to file: train a tagger on treebank files, tag a CoNLL-U file. What the commands wrap."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from arbora.errors import ArboraError, FileError
from arbora.learning.checkpoints import checkpoint_header, checkpoint_name
from arbora.models import check_model_name
from arbora.text.tagging.options import STAGES, TaggerOptions, TagOptions
from arbora.text.tagging.tagger import Tagger
from arbora.text.tagging.templates import TaggerTemplates
from arbora.text.tagging.training import CHECKPOINT, TaggerReport, train_tagger, untagged_word
from arbora.treebank import Sentence, read
from arbora.treebank.batches import ConlluPiece
from arbora.treebank.files import check_output, read_text
from arbora.treebank.formats import find_format
from arbora.treebank.streaming import rewrite_file


@dataclass(frozen=True, slots=True)
class TaggerSummary:
    """What training gave: the file, its size, and the accuracies on dev by column (none without dev)."""

    file: str
    bytes: int
    dev: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class TaggingReport:
    """What tagging a file did."""

    sentences: int = 0
    words: int = 0
    seconds: float = 0.0


def checkpoint_place(output: str) -> tuple[str, int]:
    """The stage and the epoch that the checkpoint of this output has got to; FileError if there is none."""
    header = checkpoint_header(output, CHECKPOINT)
    return STAGES[header["stage"]], int(header["epoch"])


def read_tagger_templates(path: str) -> TaggerTemplates:
    """The templates of a file; FileError names the line that is wrong."""
    return TaggerTemplates.parse(read_text(path), name=path)


def train_tagger_file(
    source: str,
    output: str,
    *,
    dev: str | None = None,
    options: TaggerOptions | None = None,
    templates: TaggerTemplates | None = None,
    threads: int = 1,
    resume: bool = False,
    licence: str = "",
    progress: Callable[[TaggerReport], None] | None = None,
    on_batch: Callable[[int, int], None] | None = None,
) -> TaggerSummary:
    """Train a tagger on a treebank file and write its model file; see `arbora.text.train_tagger`.

    What is wrong with the options or the output is found before anything is read. The checkpoint is
    ``output`` + ``.checkpoint``; it is removed when the model is written, not before.

    >>> import os, tempfile
    >>> model = os.path.join(tempfile.mkdtemp(), "en.tagger")
    >>> options = TaggerOptions(epochs=1, bits=(12, 12, 12))
    >>> train_tagger_file("examples/treebank/en.conllu", model, options=options).dev
    {}
    """
    options = (options or TaggerOptions()).check()
    if threads < 1:
        raise ArboraError("threads must be at least 1")
    check_model_name(output, [source] if dev is None else [source, dev])
    if resume:
        checkpoint_place(output)
    tagger = train_tagger(
        _read_tagged(source),
        None if dev is None else _read_tagged(dev),
        options,
        templates=templates,
        threads=threads,
        checkpoint=checkpoint_name(output),
        keep_checkpoint=True,
        resume=resume,
        licence=licence,
        progress=progress,
        on_batch=on_batch,
    )
    tagger.save(output)
    os.unlink(checkpoint_name(output))
    return TaggerSummary(output, os.path.getsize(output), tagger.header["report"].get("dev", {}))


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


def _read_tagged(path: str) -> list[Sentence]:
    """The sentences of a treebank in which every word has its UPOS tag; FileError names file and line."""
    format = find_format(path, None).name
    if format == "brackets":
        raise FileError("brackets have no UPOS tags: the format must be conllu or conllx", file=path)
    with read(path, format, single_root=False) as reader:
        found: list[Sentence] = list(reader)
    if not any(map(len, found)):
        raise FileError("there are no words in this treebank", file=path)
    missing = untagged_word(found)
    if missing is not None:
        sentence = found[missing[0] - 1]
        before = "".join(other.to_conllu() for other in found[: missing[0] - 1])
        rows = sentence.to_conllu().split(sentence.newline)
        own = next(n for n, row in enumerate(rows, 1) if row.startswith(f"{missing[1]}\t"))
        raise FileError(
            f"word {missing[1]} has no UPOS tag, and training needs all",
            file=path,
            line=before.count("\n") + own,
            sentence=sentence.sent_id or f"#{missing[0]}",
        )
    return found
