"""From file to file: raw text or a treebank in, trees out in any format. What ``arbora parse`` wraps."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, nullcontext
from typing import Any

from arbora import _core
from arbora.dependency import ParseOptions, Rules
from arbora.dependency.rule_parsing import check_rules, rules_annotator
from arbora.errors import ArboraError, FileError, InfeasibleTreeError, TooLongError
from arbora.models.options import options_of
from arbora.pipeline.formats import (
    BRACKETS,
    TEXT,
    TREEBANKS,
    default_input,
    default_output,
    input_format,
    output_format,
)
from arbora.pipeline.pipeline import Pipeline
from arbora.pipeline.reports import (
    ParsingReport,
    counted,
    reduced_sentences,
    sentences_of_trees,
    with_words,
)
from arbora.pipeline.shipped import completed, open_pipeline
from arbora.pipeline.writers import WRITERS, Look
from arbora.text.tokenizing.tokenizer import encoded
from arbora.treebank import FORMATS, Sentence
from arbora.treebank.batches import (
    ConlluPiece,
    Skip,
    Step,
    annotated,
    in_file,
    make_batches,
    read_batches,
    to_conllu,
    to_sentences,
    without_refused,
)
from arbora.treebank.files import check_output, chunks, display_name, open_input
from arbora.treebank.raw_text import text_pieces
from arbora.treebank.reading import Reader
from arbora.treebank.streaming import rewrite_file

DEPENDENCIES_ONLY = (
    "decoder",
    "constraints",
    "certificates",
    "solver",
    "iterations",
    "propagations",
    "constraint",
    "projective",
    "single_root",
)
"""Options that mean nothing to a parser of constituents."""


Progress = Callable[[ParsingReport], None]


def parse_file(
    model: str,
    source: str = "-",
    target: str = "-",
    options: ParseOptions | None = None,
    *,
    text: str | None = None,
    source_format: str | None = None,
    target_format: str | None = None,
    kbest: int | None = None,
    rules: Rules | None = None,
    keep_tags: bool = False,
    lenient: bool = False,
    style: str = "arcs",
    coloured: bool = False,
    progress: Progress | None = None,
) -> ParsingReport:
    """Parse a file, as a stream: memory does not grow with it; or a ``text``. Old trees are replaced.

    The model is a pipeline, or a parser alone; one of constituents is given the tokenizer and tagger that
    come with Arbora, where the source has no words or tags. ``source_format``: text, horizontal (a sentence a
    line, words between spaces), vertical (a word a line), conllu, conllx or brackets; told by the name if it
    is left out. Of ``-``, which has none, it is text, or conllu if the model has no tokenizer; what is not
    said to be text and begins as CoNLL-U does is refused. ``target_format``: conllu, conllx, brackets
    (constituents, a tree a line), json (an object a line for each sentence), text (drawn), svg or html; told
    by the name if it is left out; of ``-`` as the source if that is a treebank, else conllu. With ``kbest``,
    each of a sentence's best trees is a sentence of its own, with its rank and log-probability: constituents
    if they are written in brackets or if there are no others. With ``rules``, all trees satisfy them. With
    ``keep_tags``, or constraints, tags and lemmas of the source stay. ``lenient``: a sentence that breaks the
    format, that no tree fits or that is too long is left out, and so is a paragraph of raw text that is no
    UTF-8; the report counts them. The target gets its name only when all is written.
    """
    options = options_of(ParseOptions, options)
    _check_wishes(options, kbest, rules)
    write_as = output_format(target, target_format)
    if text is None:
        input_format(source, source_format, TEXT)
    check_output(target)
    pipeline = open_pipeline(model)
    read_as = TEXT if text is not None else input_format(source, source_format, default_input(pipeline))
    if (
        "constituents" in pipeline.adds
        and read_as not in TREEBANKS
        and not (keep_tags and read_as == BRACKETS)
    ):
        pipeline = completed(pipeline)
    write_as = write_as or default_output(pipeline, read_as)
    _check_model(pipeline, model, read_as, write_as)
    _check_options(pipeline, options, rules)
    if write_as == "conllx" and (options.probabilities or kbest is not None):
        raise ArboraError("CoNLL-X has no place for probabilities and ranks: write conllu")
    if keep_tags and read_as not in (*TREEBANKS, BRACKETS):
        raise ArboraError("--keep-tags needs an input that has tags: conllu, conllx or brackets")
    report, started = ParsingReport(), time.perf_counter()
    ranked = "constituents" if write_as == BRACKETS or "heads" not in pipeline.adds else "heads"
    skip = None if not lenient else report.skip if text is not None else report.skip_of(display_name(source))
    said = source_format is not None
    skip_read = report.skip_paragraphs_of(display_name(source)) if lenient and read_as == TEXT else skip
    steps = [_counting(report, progress)]
    for step in _steps(pipeline, options, kbest, ranked, rules, keep_tags):
        steps += [step] if skip is None else [step, without_refused(skip)]
    if write_as == "conllu" and text is None and read_as in (TEXT, "conllu"):

        def rewrite(pieces: Iterable[bytes]) -> Generator[ConlluPiece, None, None]:
            if read_as == TEXT:
                pieces = text_pieces(pieces, said=said)
            batches = _batches_of(pipeline, pieces, read_as, options, skip_read)
            return to_conllu(annotated(batches, steps), threads=options.threads)

        def on_piece(piece: ConlluPiece) -> None:
            report.written += piece.sentences

        rewrite_file(
            source,
            target,
            rewrite,
            beside=options.goes_ahead,
            batch=options.batch,
            on_piece=on_piece,
            begins_at_once=read_as != TEXT,
        )
    else:
        batches = _batches(pipeline, source, text, read_as, options, report, skip_read, said)
        found = to_sentences(annotated(batches, steps))
        sentences = counted(found if text is not None else _named(found, source), report)
        if write_as == "conllx":
            sentences = reduced_sentences(sentences, report)
        elif write_as == BRACKETS:
            sentences = with_words(sentences, report)
        WRITERS[write_as](target, sentences, Look(style, coloured, options.probabilities))
    report.seconds = time.perf_counter() - started
    return report


def _check_wishes(options: ParseOptions, kbest: int | None, rules: Rules | None) -> None:
    if rules is not None:
        check_rules(options)
        if kbest is not None:
            raise ArboraError("rules go with the best tree, not with the k best")
    if kbest is not None and kbest < 1:
        raise ArboraError("kbest must be at least 1")


def _check_model(pipeline: Pipeline, model: str, read_as: str, write_as: str) -> None:
    """FileError if the model does not add what is asked for."""
    adds = ", ".join(pipeline.adds)
    if not {"heads", "constituents"} & set(pipeline.adds):
        raise FileError(f"this model adds {adds}, and no trees: give one that parses", file=model)
    if write_as == BRACKETS and "constituents" not in pipeline.adds:
        raise FileError(
            f"this model adds {adds}, and no constituents, which brackets are made of: give one of "
            "`arbora train constituency`, or another --format",
            file=model,
        )
    if read_as == TEXT and "words" not in pipeline.adds:
        raise FileError(
            "this model has no tokenizer, so it reads no raw text: give conllu or conllx, or a model of "
            "`arbora train pipeline`, such as en",
            file=model,
        )


def _check_options(pipeline: Pipeline, options: ParseOptions, rules: Rules | None) -> None:
    """ArboraError if dependencies are meant, and there will be none."""
    if "heads" in pipeline.adds:
        return
    default = ParseOptions()
    names = [name for name in DEPENDENCIES_ONLY if getattr(options, name) != getattr(default, name)]
    for name in ["rules"] * (rules is not None) + names:
        raise ArboraError(f"{name.replace('_', ' ')}: this goes with dependencies, the model finds others")


def _steps(
    pipeline: Pipeline,
    options: ParseOptions,
    kbest: int | None,
    ranked: str,
    rules: Rules | None,
    keep_tags: bool,
) -> list[Step]:
    """What is done with every batch: one step finds the trees that are wanted."""
    instead: dict[str, Step] = {}
    keep = keep_tags or options.constraints
    if kbest is not None:
        instead[ranked] = pipeline.find(ranked).ranker(kbest, options, keep_tags=keep)
    elif rules is not None:
        instead["heads"] = rules_annotator(pipeline.parser, rules, options, keep_tags=keep)
    return pipeline.steps(options, keep_tags=keep_tags, instead=instead)


def _counting(report: ParsingReport, progress: Progress | None) -> Step:
    def count(batch: _core.Batch) -> _core.Batch:
        report.sentences += len(batch)
        report.words += batch.words()
        if progress is not None:
            progress(report)
        return batch

    return count


def _named(found: Iterator[Sentence], source: str) -> Iterator[Sentence]:
    """The same; what cannot be done for one of them is an error that names the file."""
    try:
        yield from found
    except (InfeasibleTreeError, TooLongError) as error:
        raise in_file(error, display_name(source)) from None


def _batches_of(
    pipeline: Pipeline, pieces: Iterable[bytes], format: str, options: ParseOptions, skip: Skip | None
) -> Iterator[_core.Batch]:
    if format == TEXT:
        return pipeline.tokenizer.batches(pieces, threads=options.threads, skip=skip)
    return read_batches(pieces, threads=options.threads, check=pipeline.check(options), skip=skip)


def _batches(
    pipeline: Pipeline,
    source: str,
    text: str | None,
    format: str,
    options: ParseOptions,
    report: ParsingReport,
    skip: Skip | None,
    said: bool,
) -> Iterator[_core.Batch]:
    """The words of a text, or of a file in any format."""
    if text is not None:
        yield from _batches_of(pipeline, [encoded(text)], TEXT, options, skip)
    elif format == TEXT:
        stream = open_input(source)
        with nullcontext() if source == "-" else stream, closing(chunks(stream, source)) as pieces:
            try:
                yield from _batches_of(pipeline, text_pieces(pieces, said=said), TEXT, options, skip)
            except FileError as error:
                error.file = display_name(source)
                raise
    else:
        with Reader[Any](
            source,
            FORMATS[format],
            lenient=skip is not None,
            single_root=False,
            check=pipeline.check(options),
            on_skip=skip,
        ) as reader:
            sentences = sentences_of_trees(reader, report) if format == BRACKETS else reader
            yield from make_batches(sentences, options.batch, with_places=True)
