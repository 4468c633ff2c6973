"""From file to file: parse a treebank file. What ``arbora parse`` wraps."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import asdict, dataclass, field

from arbora.dependency.options import GRAPH_SOLVERS, ParseOptions
from arbora.dependency.output import set_kbest
from arbora.dependency.parser import DependencyParser
from arbora.dependency.rule_parsing import check_rules, parse_with_rules
from arbora.dependency.rules import Rules
from arbora.dependency.treebanks import word_format
from arbora.errors import ArboraError
from arbora.treebank import Sentence, read, write
from arbora.treebank.conllx import Losses, reduced
from arbora.treebank.files import check_output
from arbora.treebank.streaming import RewrittenConllu, rewrite_file

SHOWN_EVERY = 100
"""How many sentences are parsed between two calls of ``progress``, at least."""


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


def parse_file(
    model: str,
    source: str = "-",
    target: str = "-",
    options: ParseOptions | None = None,
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    kbest: int | None = None,
    rules: Rules | None = None,
    progress: Callable[[ParsingReport], None] | None = None,
) -> ParsingReport:
    """Parse a treebank file, as a stream: memory does not grow with it. Old heads and labels are replaced.

    ``-`` is standard input or output. Without a format, ``-`` is CoNLL-U on the way in and as the input on
    the way out; other names tell it. The target gets its name only when all is written. With ``kbest``, each
    of a sentence's best trees is a sentence of its own, with its rank and log-probability as comments. With
    ``rules``, all trees satisfy them.
    """
    options = (options or ParseOptions()).check()
    if rules is not None:
        check_rules(options)
        if kbest is not None:
            raise ArboraError("rules go with the best tree, not with the k best")
    if kbest is not None and kbest < 1:
        raise ArboraError("kbest must be at least 1")
    read_as = word_format(source, source_format or ("conllu" if source == "-" else None))
    write_as = word_format(target, target_format or (read_as if target == "-" else None))
    if write_as == "conllx" and (options.probabilities or kbest is not None):
        raise ArboraError("CoNLL-X has no place for probabilities and ranks: write conllu")
    check_output(target)
    parser = DependencyParser.load(model)
    report, started = ParsingReport(), time.perf_counter()
    native = options.solver not in GRAPH_SOLVERS
    if native and (read_as, write_as, kbest, rules) == ("conllu", "conllu", None, None):
        write_parsed(
            lambda pieces: parser.parse_conllu(pieces, options), source, target, options, report, progress
        )
    else:
        _parse_sentences(
            parser, (source, read_as), (target, write_as), options, kbest, rules, report, progress
        )
    report.seconds = time.perf_counter() - started
    return report


def write_parsed(
    parse: Callable[[Iterable[bytes]], Generator[RewrittenConllu, None, None]],
    source: str,
    target: str,
    options: ParseOptions,
    report: ParsingReport,
    progress: Callable[[ParsingReport], None] | None = None,
) -> None:
    """What ``parse`` makes of a file's bytes, as it comes: no sentence becomes an object of Python."""

    def on_piece(found: RewrittenConllu) -> None:
        shown = report.sentences // SHOWN_EVERY
        report.sentences += found.sentences
        report.words += found.words
        if progress is not None and report.sentences // SHOWN_EVERY > shown:
            progress(report)

    rewrite_file(
        source,
        target,
        parse,
        threads=options.threads,
        batch=options.batch,
        on_piece=on_piece,
    )
    report.written = report.sentences


def _parse_sentences(
    parser: DependencyParser,
    source: tuple[str, str],
    target: tuple[str, str],
    options: ParseOptions,
    kbest: int | None,
    rules: Rules | None,
    report: ParsingReport,
    progress: Callable[[ParsingReport], None] | None,
) -> None:
    """From any format to any; source and target are names and formats."""
    with read(*source, single_root=False) as reader:
        parsed = parse_counted(parser, reader, options, kbest, rules, report, progress)
        if (source[1], target[1]) == ("conllu", "conllx"):
            parsed = reduced_sentences(parsed, report)
        report.written = write(target[0], parsed, target[1])


def parse_counted(
    parser: DependencyParser,
    sentences: Iterable[Sentence],
    options: ParseOptions,
    kbest: int | None,
    rules: Rules | None,
    report: ParsingReport,
    progress: Callable[[ParsingReport], None] | None,
) -> Iterator[Sentence]:
    """The sentences with trees: the best, the k best, or those that satisfy rules; they are counted."""
    counted = _counted(sentences, report, progress)
    if kbest is not None:
        return _ranked(parser, counted, kbest, options)
    if rules is not None:
        return parse_with_rules(parser, counted, rules, options)
    return parser.parse(counted, options)


def _counted(
    sentences: Iterable[Sentence], report: ParsingReport, progress: Callable[[ParsingReport], None] | None
) -> Iterator[Sentence]:
    for sentence in sentences:
        report.sentences += 1
        report.words += len(sentence.forms)
        if progress is not None and report.sentences % SHOWN_EVERY == 0:
            progress(report)
        yield sentence


def _ranked(
    parser: DependencyParser, sentences: Iterable[Sentence], k: int, options: ParseOptions
) -> Iterator[Sentence]:
    """The sentences with each of their k best trees; those without words as they are."""
    waiting: deque[Sentence] = deque()

    def remembered() -> Iterator[Sentence]:
        for sentence in sentences:
            waiting.append(sentence)
            yield sentence

    for trees in parser.kbest(remembered(), k, options):
        sentence = waiting.popleft()
        if len(sentence):
            yield from set_kbest(sentence, trees)
        else:
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
