"""From file to file: raw text or a treebank in, trees out in any format. What ``arbora parse`` wraps."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, nullcontext
from html import escape

from arbora.dependency import ParseOptions, Rules
from arbora.dependency.files import (
    ParsingReport,
    parse_counted,
    parse_file,
    reduced_sentences,
    write_parsed,
)
from arbora.dependency.options import GRAPH_SOLVERS
from arbora.dependency.parser import ARCHITECTURE as PARSER
from arbora.dependency.rule_parsing import check_rules
from arbora.draw import svg
from arbora.draw import text as drawn
from arbora.draw.gallery import exhibits, write_svg
from arbora.errors import ArboraError, FileError
from arbora.evaluation.calibration import head_probabilities
from arbora.models import read_model
from arbora.pipeline.documents import ParsedSentence
from arbora.pipeline.pipeline import Pipeline
from arbora.treebank import Sentence, conllu, read, write
from arbora.treebank.files import check_output, chunks, display_name, open_input, open_output
from arbora.treebank.formats import find_format

TEXT = "text"
"""Raw text, as an input; drawn trees, as an output."""
TREEBANKS = ("conllu", "conllx")
PRETOKENIZED = ("horizontal", "vertical")
OUTPUTS = (TEXT, *TREEBANKS, "json", "svg", "html")

Progress = Callable[[ParsingReport], None]


def parse_any_file(
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
    """Parse a file by a pipeline, or by a parser alone if the model is one, as a stream; or a ``text``.

    ``source_format``: text, horizontal (a sentence a line, words between spaces), vertical (a word a line),
    conllu or conllx; told by the name if it is left out, and text where that tells nothing.
    ``target_format``: conllu, conllx, json (an object a line for each sentence), text (drawn), svg or
    html; conllu if it is left out and the name does not tell. The target gets its name when all is written.
    """
    options = (options or ParseOptions()).check()
    architecture = read_model(model, verify=False).header["architecture"]
    write_as = _output_format(target, target_format)
    is_treebank = text is None and write_as in (*TREEBANKS, None) and source_format in (*TREEBANKS, None)
    if architecture == PARSER and is_treebank:
        return parse_file(
            model,
            source,
            target,
            options,
            source_format=source_format,
            target_format=target_format,
            kbest=kbest,
            rules=rules,
            progress=progress,
        )
    if architecture == PARSER:
        raise FileError(
            "this model is a parser alone, which reads and writes conllu and conllx; text and pictures need "
            "a model of `arbora train pipeline`, such as en",
            file=model,
        )
    if rules is not None:
        check_rules(options)
        if kbest is not None:
            raise ArboraError("rules go with the best tree, not with the k best")
    if kbest is not None and kbest < 1:
        raise ArboraError("kbest must be at least 1")
    read_as = TEXT if text is not None else _input_format(source, source_format)
    write_as = write_as or "conllu"
    if write_as == "conllx" and (options.probabilities or kbest is not None):
        raise ArboraError("CoNLL-X has no place for probabilities and ranks: write conllu")
    if keep_tags and read_as not in TREEBANKS:
        raise ArboraError("--keep-tags needs an input that has tags: conllu or conllx")
    check_output(target)
    pipeline = Pipeline.load(model)
    report, started = ParsingReport(), time.perf_counter()
    is_plain = text is None and kbest is None and rules is None and options.solver not in GRAPH_SOLVERS
    if is_plain and write_as == "conllu" and read_as in (TEXT, "conllu"):
        write_parsed(
            (lambda pieces: pipeline.parse_text(pieces, options))
            if read_as == TEXT
            else (lambda pieces: pipeline.annotate_conllu(pieces, options, keep_tags=keep_tags)),
            source,
            target,
            options,
            report,
            progress,
        )
    else:
        sentences = (
            _sentences(pipeline, source, read_as) if text is None else iter(pipeline.tokenizer.tokenize(text))
        )
        if not keep_tags:
            sentences = pipeline.tagger.tag(sentences, pipeline.tagging(options))
        parsed = parse_counted(pipeline.parser, sentences, options, kbest, rules, report, progress)
        parsed = _written(parsed, report)
        if write_as == "conllx":
            parsed = reduced_sentences(parsed, report)
        _WRITERS[write_as](target, parsed, _Look(style, coloured, options.probabilities))
    report.seconds = time.perf_counter() - started
    return report


def _input_format(source: str, name: str | None) -> str:
    if name is not None:
        known = (TEXT, *PRETOKENIZED, *TREEBANKS)
        if name not in known:
            raise FileError(f"there is no input format {name}; there are {', '.join(known)}", file=source)
        return name
    try:
        found = find_format(source).name
    except FileError:
        return TEXT
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


def _sentences(pipeline: Pipeline, source: str, format: str) -> Iterator[Sentence]:
    if format != TEXT:
        with read(source, format, single_root=False) as reader:
            yield from reader
        return
    stream = open_input(source)
    with nullcontext() if source == "-" else stream, closing(chunks(stream, source)) as pieces:
        found = pipeline.tokenizer.stream(pieces)
        try:
            yield from conllu.scan((piece.data for piece in found), False)  # type: ignore[misc]
        except FileError as error:
            error.file = display_name(source)
            raise


def _written(sentences: Iterable[Sentence], report: ParsingReport) -> Iterator[Sentence]:
    for sentence in sentences:
        report.written += 1
        yield sentence


class _Look:
    """How drawn trees look: the style, colours, and whether probabilities are shown."""

    def __init__(self, style: str, coloured: bool, probabilities: bool) -> None:
        self.style, self.coloured, self.probabilities = style, coloured, probabilities

    def chances(self, sentence: Sentence) -> list[float] | None:
        """What parsing wrote into MISC."""
        return head_probabilities(sentence) if self.probabilities else None


def _write_treebank(format: str) -> Callable[[str, Iterator[Sentence], _Look], None]:
    def write_as(target: str, sentences: Iterator[Sentence], _: _Look) -> None:
        write(target, sentences, format)

    return write_as


def _write_json(target: str, sentences: Iterator[Sentence], look: _Look) -> None:
    with open_output(target) as stream:
        for sentence in sentences:
            data = ParsedSentence(sentence).to_dict()
            comments = {key: sentence.metadata(key) for key in ("kbest_rank", "tree_log_probability")}
            data |= {key: float(value) for key, value in comments.items() if value is not None}
            for word, chance in zip(data["words"], look.chances(sentence) or [], strict=False):
                word["probability"] = chance
            stream.write(json.dumps(data, ensure_ascii=False).encode() + b"\n")


def _write_drawn(target: str, sentences: Iterator[Sentence], look: _Look) -> None:
    with open_output(target) as stream:
        for place, sentence in enumerate(sentences):
            picture = drawn(sentence, look.style, look.chances(sentence), coloured=look.coloured)
            stream.write((("\n" if place else "") + picture + "\n").encode())


def _write_svg(target: str, sentences: Iterator[Sentence], _: _Look) -> None:
    write_svg(target, exhibits(sentences))


def _write_html(target: str, sentences: Iterator[Sentence], look: _Look) -> None:
    with open_output(target) as stream:
        stream.write(b'<!doctype html>\n<meta charset="utf-8">\n<title>Trees</title>\n')
        for sentence in sentences:
            heading = escape(sentence.text or " ".join(sentence.forms))
            stream.write(f"<h3>{heading}</h3>\n{svg(sentence, look.chances(sentence))}\n".encode())


_WRITERS: dict[str, Callable[[str, Iterator[Sentence], _Look], None]] = {
    **{name: _write_treebank(name) for name in TREEBANKS},
    "json": _write_json,
    TEXT: _write_drawn,
    "svg": _write_svg,
    "html": _write_html,
}
