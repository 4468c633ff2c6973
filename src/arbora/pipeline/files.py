"""From file to file: raw text or a treebank in, trees out in any format. What ``arbora parse`` wraps."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass, field
from html import escape

from arbora import _core
from arbora.dependency import ParseOptions, Rules
from arbora.dependency.rule_parsing import check_rules, rules_annotator
from arbora.draw import svg
from arbora.draw import text as drawn
from arbora.draw.gallery import exhibits, write_svg
from arbora.errors import ArboraError, FileError
from arbora.evaluation.calibration import head_probabilities
from arbora.pipeline.documents import ParsedSentence
from arbora.pipeline.pipeline import Pipeline
from arbora.pipeline.shipped import open_pipeline
from arbora.text.tokenizing.tokenizer import encoded
from arbora.treebank import Sentence, read, write
from arbora.treebank.batches import (
    ConlluPiece,
    Step,
    annotated,
    make_batches,
    read_batches,
    to_conllu,
    to_sentences,
)
from arbora.treebank.conllx import Losses, reduced
from arbora.treebank.files import check_output, chunks, display_name, open_input, open_output
from arbora.treebank.formats import find_format
from arbora.treebank.streaming import rewrite_file

TEXT = "text"
"""Raw text, as an input; drawn trees, as an output."""
TREEBANKS = ("conllu", "conllx")
PRETOKENIZED = ("horizontal", "vertical")
OUTPUTS = (TEXT, *TREEBANKS, "json", "svg", "html")


@dataclass(slots=True)
class ParsingReport:
    """What parsing a file did; ``written`` differs from ``sentences`` with k best trees.

    ``lost`` counts what the output's format cannot hold.
    """

    sentences: int = 0
    words: int = 0
    written: int = 0
    seconds: float = 0.0
    lost: dict[str, int] = field(default_factory=dict)


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
    style: str = "arcs",
    coloured: bool = False,
    progress: Progress | None = None,
) -> ParsingReport:
    """Parse a file, as a stream: memory does not grow with it; or a ``text``. Old trees are replaced.

    The model is a pipeline, or a parser alone. ``source_format``: text, horizontal (a sentence a line, words
    between spaces), vertical (a word a line), conllu or conllx; told by the name if it is left out, and where
    that tells nothing text, or conllu if the model has no tokenizer. ``target_format``: conllu, conllx, json
    (an object a line for each sentence), text (drawn), svg or html; told by the name if it is left out, else
    as the source if that is a treebank, else conllu. With ``kbest``, each of a sentence's best trees is a
    sentence of its own, with its rank and log-probability. With ``rules``, all trees satisfy them. The target
    gets its name only when all is written.
    """
    options = (options or ParseOptions()).check()
    _check_wishes(options, kbest, rules)
    write_as = _output_format(target, target_format)
    if text is None and source_format is not None:
        _input_format(source, source_format, "")
    check_output(target)
    pipeline = open_pipeline(model)
    read_as = TEXT if text is not None else _input_format(source, source_format, _default_input(pipeline))
    _check_model(pipeline, model, read_as)
    write_as = write_as or (read_as if read_as in TREEBANKS else "conllu")
    if write_as == "conllx" and (options.probabilities or kbest is not None):
        raise ArboraError("CoNLL-X has no place for probabilities and ranks: write conllu")
    if keep_tags and read_as not in TREEBANKS:
        raise ArboraError("--keep-tags needs an input that has tags: conllu or conllx")
    report, started = ParsingReport(), time.perf_counter()
    steps = [_counting(report, progress), *_steps(pipeline, options, kbest, rules, keep_tags)]
    if write_as == "conllu" and text is None and read_as in (TEXT, "conllu"):

        def rewrite(pieces: Iterable[bytes]) -> Generator[ConlluPiece, None, None]:
            batches = _batches_of(pipeline, pieces, read_as, options)
            return to_conllu(annotated(batches, steps), threads=options.threads)

        def on_piece(piece: ConlluPiece) -> None:
            report.written += piece.sentences

        rewrite_file(source, target, rewrite, threads=options.threads, batch=options.batch, on_piece=on_piece)
    else:
        batches = _batches(pipeline, source, text, read_as, options)
        sentences = _written(to_sentences(annotated(batches, steps)), report)
        if write_as == "conllx":
            sentences = reduced_sentences(sentences, report)
        _WRITERS[write_as](target, sentences, _Look(style, coloured, options.probabilities))
    report.seconds = time.perf_counter() - started
    return report


def _check_wishes(options: ParseOptions, kbest: int | None, rules: Rules | None) -> None:
    if rules is not None:
        check_rules(options)
        if kbest is not None:
            raise ArboraError("rules go with the best tree, not with the k best")
    if kbest is not None and kbest < 1:
        raise ArboraError("kbest must be at least 1")


def _check_model(pipeline: Pipeline, model: str, read_as: str) -> None:
    """FileError if the model does not add what is asked for."""
    if "heads" not in pipeline.adds:
        adds = ", ".join(pipeline.adds)
        raise FileError(f"this model adds {adds}, and no trees: give one that parses", file=model)
    if read_as == TEXT and "words" not in pipeline.adds:
        raise FileError(
            "this model has no tokenizer, so it reads no raw text: give conllu or conllx, or a model of "
            "`arbora train pipeline`, such as en",
            file=model,
        )


def _steps(
    pipeline: Pipeline, options: ParseOptions, kbest: int | None, rules: Rules | None, keep_tags: bool
) -> list[Step]:
    """What is done with every batch: the last step finds the tree that is wanted."""
    steps = pipeline.steps(options, keep_tags=keep_tags)
    if kbest is not None:
        return [*steps[:-1], pipeline.parser.ranker(kbest, options)]
    if rules is not None:
        return [*steps[:-1], rules_annotator(pipeline.parser, rules, options)]
    return steps


def _counting(report: ParsingReport, progress: Progress | None) -> Step:
    def count(batch: _core.Batch) -> _core.Batch:
        report.sentences += len(batch)
        report.words += batch.words()
        if progress is not None:
            progress(report)
        return batch

    return count


def _default_input(pipeline: Pipeline) -> str:
    return TEXT if "words" in pipeline.adds else "conllu"


def _input_format(source: str, name: str | None, default: str) -> str:
    if name is not None:
        known = (TEXT, *PRETOKENIZED, *TREEBANKS)
        if name not in known:
            raise FileError(f"there is no input format {name}; there are {', '.join(known)}", file=source)
        return name
    try:
        found = find_format(source).name
    except FileError:
        return default
    if found not in (*PRETOKENIZED, *TREEBANKS):
        raise FileError(f"{found} have no words to parse: give text, or conllu", file=source)
    return found


def _output_format(target: str, name: str | None) -> str | None:
    if name is not None:
        if name not in OUTPUTS:
            raise FileError(f"there is no output format {name}; there are {', '.join(OUTPUTS)}", file=target)
        return name
    for ending in ("json", "jsonl", "svg", "html", "txt"):
        if target.endswith("." + ending):
            return {"jsonl": "json", "txt": TEXT}.get(ending, ending)
    try:
        found = find_format(target).name
    except FileError:
        return None
    return found if found in TREEBANKS else None


def _batches_of(
    pipeline: Pipeline, pieces: Iterable[bytes], format: str, options: ParseOptions
) -> Iterator[_core.Batch]:
    if format == TEXT:
        return pipeline.tokenizer.batches(pieces, threads=options.threads)
    return read_batches(pieces, threads=options.threads)


def _batches(
    pipeline: Pipeline, source: str, text: str | None, format: str, options: ParseOptions
) -> Iterator[_core.Batch]:
    """The words of a text, or of a file in any format."""
    if text is not None:
        yield from _batches_of(pipeline, [encoded(text)], TEXT, options)
    elif format == TEXT:
        stream = open_input(source)
        with nullcontext() if source == "-" else stream, closing(chunks(stream, source)) as pieces:
            try:
                yield from _batches_of(pipeline, pieces, TEXT, options)
            except FileError as error:
                error.file = display_name(source)
                raise
    else:
        with read(source, format, single_root=False) as reader:
            yield from make_batches(reader, options.batch)


def _written(sentences: Iterable[Sentence], report: ParsingReport) -> Iterator[Sentence]:
    for sentence in sentences:
        report.written += 1
        yield sentence


def reduced_sentences(sentences: Iterable[Sentence], report: ParsingReport) -> Iterator[Sentence]:
    """The sentences without what CoNLL-X cannot hold, which is counted."""
    for sentence in sentences:
        losses = Losses()
        plain = reduced(sentence, losses)
        for what, count in asdict(losses).items():
            if count:
                name = what.replace("_", " ")
                report.lost[name] = report.lost.get(name, 0) + count
        if len(plain):
            yield plain
        else:
            report.lost["sentences without words"] = report.lost.get("sentences without words", 0) + 1


class _Look:
    """How drawn trees look: the style, colours, and whether probabilities are shown."""

    def __init__(self, style: str, coloured: bool, probabilities: bool) -> None:
        self.style, self.coloured, self.probabilities = style, coloured, probabilities

    def of(self, sentence: Sentence) -> list[float] | None:
        """The probabilities to be shown."""
        return head_probabilities(sentence) if self.probabilities else None


def _write_treebank(format: str) -> Callable[[str, Iterator[Sentence], _Look], None]:
    def write_as(target: str, sentences: Iterator[Sentence], _: _Look) -> None:
        write(target, sentences, format)

    return write_as


def _write_json(target: str, sentences: Iterator[Sentence], look: _Look) -> None:
    with open_output(target) as stream:
        for sentence in sentences:
            data = ParsedSentence(sentence).to_dict(probabilities=look.probabilities)
            stream.write(json.dumps(data, ensure_ascii=False).encode() + b"\n")


def _write_drawn(target: str, sentences: Iterator[Sentence], look: _Look) -> None:
    with open_output(target) as stream:
        for place, sentence in enumerate(sentences):
            picture = drawn(sentence, look.style, look.of(sentence), coloured=look.coloured)
            stream.write((("\n" if place else "") + picture + "\n").encode())


def _write_svg(target: str, sentences: Iterator[Sentence], _: _Look) -> None:
    write_svg(target, exhibits(sentences))


def _write_html(target: str, sentences: Iterator[Sentence], look: _Look) -> None:
    with open_output(target) as stream:
        stream.write(b'<!doctype html>\n<meta charset="utf-8">\n<title>Trees</title>\n')
        for sentence in sentences:
            heading = escape(sentence.text or " ".join(sentence.forms))
            stream.write(f"<h3>{heading}</h3>\n{svg(sentence, look.of(sentence))}\n".encode())


_WRITERS: dict[str, Callable[[str, Iterator[Sentence], _Look], None]] = {
    **{name: _write_treebank(name) for name in TREEBANKS},
    "json": _write_json,
    TEXT: _write_drawn,
    "svg": _write_svg,
    "html": _write_html,
}
