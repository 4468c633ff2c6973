"""From file to file: train a parser on treebank files, parse a treebank file. What the commands wrap."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import asdict, dataclass, field

from arbora.dependency.options import GRAPH_SOLVERS, ParseOptions, TrainingOptions
from arbora.dependency.output import set_kbest
from arbora.dependency.parser import DependencyParser
from arbora.dependency.presets import preset_templates
from arbora.dependency.rule_parsing import check_rules, parse_with_rules
from arbora.dependency.rules import Rules
from arbora.dependency.training import CHECKPOINT, EpochReport, check_recipe, train
from arbora.errors import ArboraError, FileError
from arbora.features import Templates
from arbora.learning.checkpoints import checkpoint_header, checkpoint_name
from arbora.models import check_model_name
from arbora.treebank import Sentence, read, write
from arbora.treebank.batches import ConlluPiece
from arbora.treebank.conllx import Losses, reduced
from arbora.treebank.files import check_output, read_text
from arbora.treebank.formats import find_format
from arbora.treebank.streaming import rewrite_file

SHOWN_EVERY = 100
"""How many sentences are parsed between two calls of ``progress``, at least."""


@dataclass(frozen=True, slots=True)
class TrainingSummary:
    """What training gave: the file, its size, the epoch that was kept and its scores (None without dev)."""

    file: str
    bytes: int
    kept: int
    uas: float | None
    las: float | None


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


def checkpoint_epoch(output: str) -> int:
    """How many epochs the checkpoint of this output has; FileError if there is none or it is damaged."""
    return int(checkpoint_header(output, CHECKPOINT)["epoch"])


def read_templates(path: str) -> Templates:
    """The templates of a file; FileError names the line that is wrong."""
    return Templates.parse(read_text(path), name=path)


def train_file(
    source: str,
    output: str,
    *,
    dev: str | None = None,
    options: TrainingOptions | None = None,
    templates: Templates | None = None,
    threads: int = 1,
    resume: bool = False,
    licence: str = "",
    compact_weights: bool = False,
    progress: Callable[[EpochReport], None] | None = None,
    on_batch: Callable[[int, int], None] | None = None,
) -> TrainingSummary:
    """Train a parser on a treebank file and write its model file; see `arbora.dependency.train`.

    What is wrong with the options or the output is found before anything is read. The checkpoint is
    ``output`` + ``.checkpoint``; it is removed when the model is written, not before.

    >>> import os, tempfile
    >>> model = os.path.join(tempfile.mkdtemp(), "en.model")
    >>> options = TrainingOptions(epochs=2, bits=16, pruner_bits=14)
    >>> train_file("examples/treebank/en.conllu", model, options=options).kept
    2
    """
    options = (options or TrainingOptions()).check()
    check_recipe(options)
    if templates is None:
        preset_templates(options.preset)
    if threads < 1:
        raise ArboraError("threads must be at least 1")
    check_model_name(output, [source] if dev is None else [source, dev])
    if resume:
        checkpoint_epoch(output)
    parser = train(
        read_gold(source, options.single_root),
        None if dev is None else read_gold(dev, single_root=False),
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
    parser.save(output, compact_weights=compact_weights)
    os.unlink(checkpoint_name(output))
    report = parser.header["report"]
    kept = next(row for row in report["epochs"] if row["epoch"] == report["kept"])
    return TrainingSummary(output, os.path.getsize(output), report["kept"], kept.get("uas"), kept.get("las"))


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
    read_as = _word_format(source, source_format or ("conllu" if source == "-" else None))
    write_as = _word_format(target, target_format or (read_as if target == "-" else None))
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
    parse: Callable[[Iterable[bytes]], Generator[ConlluPiece, None, None]],
    source: str,
    target: str,
    options: ParseOptions,
    report: ParsingReport,
    progress: Callable[[ParsingReport], None] | None = None,
) -> None:
    """What ``parse`` makes of a file's bytes, as it comes: no sentence becomes an object of Python."""

    def on_piece(found: ConlluPiece) -> None:
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


def read_gold(path: str, single_root: bool) -> list[Sentence]:
    """The sentences of a treebank that has some words."""
    try:
        with read(path, _word_format(path, None), single_root=single_root) as reader:
            found: list[Sentence] = list(reader)
    except FileError as error:
        if error.reason.startswith("two roots"):
            error.reason += "; --multi-root allows that"
        raise
    if not any(map(len, found)):
        raise FileError("there are no words in this treebank", file=path)
    return found


def _word_format(path: str, name: str | None) -> str:
    """The name of the file's format, which must be one of words and heads."""
    found = find_format(path, name).name
    if found not in ("conllu", "conllx"):
        raise FileError(f"the format {found} has no heads: it must be conllu or conllx", file=path)
    return found


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
