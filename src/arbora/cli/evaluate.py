"""``arbora evaluate``: how good a parse is."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from arbora.cli.evaluate_brackets import bracket_table, evaluate_trees
from arbora.errors import ArboraError, FileError
from arbora.evaluation import (
    Calibration,
    Evaluation,
    MismatchError,
    calibrations,
    compare,
    evaluate,
    evaluate_raw_text,
)
from arbora.evaluation.attachment import SCORES, no_head
from arbora.treebank import Sentence, read
from arbora.treebank.files import chunks, display_name, open_input
from arbora.treebank.formats import find_format
from arbora.treebank.lines import line_of_word


def evaluate_files(
    gold: str,
    system: str,
    other: str | None = None,
    *,
    raw_text: bool = False,
    annotated_only: bool = False,
    input_format: str | None = None,
) -> dict[str, Any]:
    """Everything about a parse as plain data; ``other`` is a second parse to compare it with.

    ``annotated_only``: words without a gold head do not count for what needs one; then there is no
    calibration.
    If the words are not the same, or with ``raw_text``, it has the scores of CoNLL 2018 alone. If a file is
    in brackets, it has bracket scores. ``input_format`` is that of files whose names tell none, as `-`, which
    is CoNLL-U without it.
    """
    files = [gold, system] + ([] if other is None else [other])
    if files.count("-") > 1:
        raise ArboraError("standard input can be read once: only one of the files is `-`")
    formats = {file: _format(file, input_format) for file in files}
    if "brackets" in formats.values():
        if raw_text:
            raise ArboraError("--raw-text is for dependencies: bracket scores need the same words")
        if annotated_only:
            raise ArboraError("--annotated-only is for dependencies: brackets have no words without a head")
        return evaluate_trees(formats, gold, system, other)
    right: list[Sentence] = list(read(gold, formats[gold], single_root=False))
    found: list[Sentence] = list(read(system, formats[system], single_root=False))
    second: list[Sentence] | None = None
    if other is not None:
        second = list(read(other, formats[other], single_root=False))
    if not annotated_only:
        _check_heads(gold, right)
    if not raw_text:
        try:
            return (_annotated_words if annotated_only else _same_words)(right, found, second)
        except MismatchError:
            if other is not None:
                raise
    elif other is not None:
        raise ArboraError("--compare needs the same words on both sides: it does not go with --raw-text")
    result = evaluate_raw_text(right, found, annotated_only=annotated_only)
    if annotated_only:
        return result.as_dict()
    heads, arcs = list(map(bool, result.right_heads)), list(map(bool, result.right_arcs))
    return {**result.as_dict(), **_calibration(found, heads, arcs)}


def _format(file: str, input_format: str | None) -> str:
    """The format that the name tells, or else the one that is said, which must be one in any case."""
    try:
        told = find_format(file).name
    except FileError:
        told = None
    name = told if input_format is None else input_format
    said = find_format(file, name, option="--input-format", unnamed="conllu").name
    return told or said


def _check_heads(path: str, gold: list[Sentence]) -> None:
    """FileError that names the line of the first word that has no head."""
    for number, sentence in enumerate(gold, 1):
        if None not in sentence.heads:
            continue
        word = sentence.heads.index(None) + 1
        line = None
        if path != "-":  # which cannot be read again
            line = line_of_word(chunks(open_input(path), path, warn=lambda _: None), number, word)
        raise FileError(
            no_head(word), file=display_name(path), line=line, sentence=sentence.sent_id or f"#{number}"
        )


def _same_words(right: list[Sentence], found: list[Sentence], other: list[Sentence] | None) -> dict[str, Any]:
    result = evaluate(right, found)
    report = {**result.as_dict(), **_calibration(found, result.right_heads, result.right_arcs)}
    if other is not None:
        report["comparison"] = _comparison(result, evaluate(right, other))
    return report


def _calibration(found: list[Sentence], right_heads: list[bool], right_arcs: list[bool]) -> dict[str, Any]:
    calibrated = calibrations(found, right_heads, right_arcs)
    return {"calibration": {name: asdict(each) for name, each in calibrated.items()}} if calibrated else {}


def _annotated_words(
    right: list[Sentence], found: list[Sentence], other: list[Sentence] | None
) -> dict[str, Any]:
    result = evaluate(right, found, annotated_only=True)
    if not result.words:
        raise ArboraError("no word of the gold treebank has a head: there is nothing to score")
    if other is None:
        return result.as_dict()
    second = evaluate(right, other, annotated_only=True)
    return {**result.as_dict(), "comparison": _comparison(result, second)}


def _comparison(first: Evaluation, second: Evaluation) -> dict[str, Any]:
    words = [count for _, _, count in first.correct]
    return {
        name: asdict(compare([row[i] for row in first.correct], [row[i] for row in second.correct], words))
        for i, name in enumerate(("UAS", "LAS with subtypes"))
    }


def evaluate_command(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="The treebank with the right trees.")],
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="The same words, parsed.")],
    compare_with: Annotated[
        str | None,
        typer.Option("--compare", metavar="OTHER", help="A second parse: is the difference significant?"),
    ] = None,
    details: Annotated[
        bool,
        typer.Option("--details", help="Also by label; dependencies also by length and distance."),
    ] = False,
    raw_text: Annotated[
        bool,
        typer.Option(
            "--raw-text",
            help="The scores of CoNLL 2018, as they are given where the words differ, in any case.",
        ),
    ] = False,
    annotated_only: Annotated[
        bool,
        typer.Option(
            "--annotated-only",
            help="Words without a head in GOLD (`_`) do not count, and those without a relation for UAS "
            "alone. Otherwise every word of GOLD must have a head.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with everything.")] = False,
    input_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="conllu, conllx or brackets, of files whose names do not tell: one of them may be `-`, "
            "standard input, which is conllu if this is left out.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Score a parsed treebank against the gold one: both must have the same text.

    **UAS**: words with the right head. **LAS**: and the right relation, without subtypes, as in the CoNLL
    2018 shared task; **CLAS**: the same for content words. If every word's MISC has `HeadProbability=`
    or `LabelProbability=`, their calibration is shown: of heads, of labels where the head is right (they are
    probabilities given the tree), and of labelled arcs, by the product of both.

    If the text was cut into other words or sentences, all is found out from characters, as in that task:
    precision, recall and F1 of tokens, sentences, words, and of what is right on words that are. A word that
    is none of GOLD counts as one with a wrong head for calibration.

    Trees in brackets get bracket scores, as EVALB gives them with its usual parameters: recall, precision and
    F1 of labelled brackets, exact match, crossing brackets, accuracy of tags; for all sentences and short
    ones. The other file may be CoNLL-U with constituents.

    Examples: `arbora evaluate dev.conllu parsed.conllu --compare baseline.conllu`,
    `arbora evaluate dev.mrg parsed.mrg --details`
    """
    report = evaluate_files(
        gold,
        system,
        compare_with,
        raw_text=raw_text,
        annotated_only=annotated_only,
        input_format=input_format,
    )
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False))
        return
    console = Console()
    if "aligned_words" in report:
        console.print(_raw_text_table(report))
    else:
        console.print(bracket_table(report) if "groups" in report else _main_table(report))
    if details:
        for name in ("labels", "lengths", "distances"):
            if name in report:
                console.print(_detail_table(name, report[name]))
    if "calibration" in report:
        for name, fields in report["calibration"].items():
            calibration = Calibration(**fields)
            typer.echo(f"Probabilities of {name}: expected calibration error {calibration.error:.4f}")
            console.print(_calibration_table(name, calibration))
    for name, found in report.get("comparison", {}).items():
        gap, p = 100 * found["difference"], found["p_value"]
        typer.echo(f"{name}: {gap:+.2f} against {compare_with}, p = {p:.4f} (paired permutation)")


def _main_table(report: dict[str, Any]) -> Table:
    table = Table(title=f"{report['sentences']} sentences, {report['words']} words")
    table.add_column("score")
    table.add_column("all words", justify="right")
    table.add_column("no punctuation", justify="right")
    scores = report["scores"]
    for name in SCORES:
        cells = [scores.get(name), scores.get(f"{name}, no punctuation")]
        table.add_row(name, *("" if cell is None else f"{100 * cell['f1']:.2f}" for cell in cells))
    for name, key in (("whole trees, heads", "exact_heads"), ("whole trees", "exact_trees")):
        table.add_row(name, f"{100 * report[key] / max(report['sentences'], 1):.2f}", "")
    return table


def _detail_table(name: str, ratios: dict[str, dict[str, float]]) -> Table:
    table = Table(title=f"By {name.removesuffix('s')}")
    for column in (name.removesuffix("s"), "gold", "precision", "recall", "F1"):
        table.add_column(column, justify="left" if column == name.removesuffix("s") else "right")
    rows = list(ratios.items())
    if name == "labels":
        rows.sort(key=lambda item: -item[1]["gold"])
    for key, row in rows:
        table.add_row(key, str(row["gold"]), *_shares(row))
    return table


def _raw_text_table(report: dict[str, Any]) -> Table:
    table = Table(title=f"From raw text; {report['aligned_words']} words are the same")
    for column in ("score", "precision", "recall", "F1"):
        table.add_column(column, justify="left" if column == "score" else "right")
    for name, row in report["scores"].items():
        table.add_row(name, *_shares(row))
    return table


def _shares(row: dict[str, float]) -> list[str]:
    return [f"{100 * row[name]:.2f}" for name in ("precision", "recall", "f1")]


def _calibration_table(name: str, calibration: Calibration) -> Table:
    table = Table()
    for column in ("at least", "share of words", f"right {name}"):
        table.add_column(column, justify="right")
    for threshold, share, accuracy in calibration.coverage:
        table.add_row(f"{threshold:.2f}", f"{100 * share:.2f}", f"{100 * accuracy:.2f}")
    return table
