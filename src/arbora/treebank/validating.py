"""Find everything that is wrong with a treebank file, and count what is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from arbora import _core
from arbora.errors import FileError
from arbora.treebank import checks, conllu
from arbora.treebank.constituent import TRACE, Constituent
from arbora.treebank.files import chunks, display_name, open_input
from arbora.treebank.formats import Format, find_format
from arbora.treebank.problems import Broken
from arbora.treebank.sentence import Sentence
from arbora.treebank.universal_checks import Remark, remarks

Beyond: TypeAlias = Callable[[Sentence], Iterable[tuple[int, str]]]
"""What else is wrong with a sentence: ids of words, and reasons."""


@dataclass(slots=True)
class Finding:
    """One thing found: an error stops reading, a warning does not."""

    severity: str
    line: int | None
    sentence: str | None
    reason: str

    def text(self, file: str) -> str:
        """The finding as one line."""
        warning = "warning: " if self.severity == "warning" else ""
        return str(FileError(warning + self.reason, file=file, line=self.line, sentence=self.sentence))


@dataclass(slots=True)
class Report:
    """The state of a file: counts of its sound sentences, and how many errors and warnings were found."""

    file: str
    format: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    broken: int = 0
    errors: int = 0
    warnings: int = 0


def validate(
    path: str,
    *,
    format: str | None = None,
    single_root: bool | None = None,
    deep: bool = True,
    universal: bool = False,
    beyond: Beyond | None = None,
    found: Callable[[Finding], None] = lambda finding: None,
) -> Report:
    """Read the whole file, hand every finding to ``found`` as it comes, and report.

    ``deep`` looks also at what reading CoNLL-U does not need: FEATS, DEPS, the comments sent_id and text.
    ``universal`` looks at what Universal Dependencies ask, for which all of the former is an error, too.
    ``beyond`` tells errors that this room knows nothing of, such as broken rules.

    >>> validate("/no/such.conllu").errors
    1
    """
    report = Report(display_name(path))
    try:
        for finding in _findings(path, format, single_root, (deep, universal), beyond, report):
            report.errors += finding.severity == "error"
            report.warnings += finding.severity == "warning"
            found(finding)
    except FileError as error:
        report.errors += 1
        found(Finding("error", error.line, error.sentence, error.reason))
    return report


def _findings(
    path: str,
    format: str | None,
    single_root: bool | None,
    looks: tuple[bool, bool],
    beyond: Beyond | None,
    report: Report,
) -> Iterator[Finding]:
    deep, universal = looks
    chosen = find_format(path, format, option="--format")
    report.format = chosen.name
    if universal and chosen.name != "conllu":
        raise FileError(f"Universal Dependencies come as conllu, and this is {chosen.name}", file=path)
    if beyond is not None and chosen.name == "brackets":
        raise FileError("rules are about words and their heads, and brackets have none", file=path)
    counted = _count_tree if chosen.name == "brackets" else _count_sentence
    report.counts = counted(None)
    ids: set[str] = set()
    odd: list[FileError] = []
    pieces = chunks(open_input(path), path, begins_at_once=chosen.begins_at_once, warn=odd.append)
    for line, item in _numbered(chosen, pieces, single_root):
        if deep:
            yield from (Finding("warning", each.line, None, each.reason) for each in odd)
        odd.clear()
        if isinstance(item, Broken):
            report.broken += 1
            yield from (Finding("error", e.line, e.sentence, e.reason) for e in item.problems)
            continue
        for what, count in counted(item).items():
            report.counts[what] += count
        if (deep or universal) and chosen.name == "conllu":
            yield from _remarks(item, line, ids, deep=deep, universal=universal)
        if deep and chosen.has_heads and chosen.name != "conllu":
            yield from _roots_below_words(item)
        for id, reason in beyond(item) if beyond else ():
            yield Finding("error", _word_line(item, str(id)), item.sent_id, f"{id}: {reason}")


def _numbered(
    format: Format, pieces: Iterator[bytes], single_root: bool | None
) -> Iterator[tuple[int, Any | Broken]]:
    """The items, each with its first line; only warnings need it, so other formats than CoNLL-U say 0."""
    if format.name != "conllu":
        yield from ((0, item) for item in format.scan(pieces, single_root))
        return
    lines, pieces = conllu.begun(pieces)
    decoder = _core.ConlluDecoder(single_root is not False, False, 1 + lines)
    for number, (line, problems, rest) in enumerate(conllu.decoded(decoder, pieces), 1):
        if problems is not None:
            yield line, conllu.broken(number, problems, rest)
            continue
        sentence = conllu.make_sentence(rest)
        sentence._place = (line, number, True)
        yield line, sentence


def _roots_below_words(sentence: Sentence) -> Iterator[Finding]:
    for place, reason in checks.roots_below_words(sentence):
        yield Finding("warning", _word_line(sentence, place), sentence.sent_id, f"{place}: {reason}")


def _word_line(sentence: Sentence, place: str) -> int | None:
    """The line of a word, if the format gives it one."""
    line, _, has_word_lines = sentence._place
    return checks.line_of(sentence, line, place) if line and has_word_lines else None


def _remarks(
    sentence: Sentence, line: int, ids: set[str], *, deep: bool, universal: bool
) -> Iterator[Finding]:
    name = sentence.sent_id
    found = [Remark(place, reason, universal) for place, reason in checks.warnings(sentence)]
    if name is not None:
        if name in ids:
            found.append(Remark("", "another sentence has the same sent_id", universal))
        ids.add(name)
    if universal:
        found = list(dict.fromkeys([*found, *remarks(sentence)]))  # some things are said by both
    for place, reason, is_error in found:
        at = checks.line_of(sentence, line, place) if place else line
        if deep or is_error:
            severity = "error" if is_error else "warning"
            yield Finding(severity, at, name, f"{place}: {reason}" if place else reason)


def _count_sentence(sentence: Sentence | None) -> dict[str, int]:
    return {
        "sentences": 1 if sentence else 0,
        "words": len(sentence) if sentence else 0,
        "multiword tokens": len(sentence.multiwords) if sentence else 0,
        "empty nodes": len(sentence.empty_nodes) if sentence else 0,
        "unknown heads": sentence.heads.count(None) if sentence else 0,
        "nonprojective arcs": len(sentence.nonprojective_words()) if sentence else 0,
    }


def _count_tree(tree: Constituent | None) -> dict[str, int]:
    leaves = list(tree.preterminals()) if tree else []
    traces = sum(leaf.label == TRACE for leaf in leaves)
    return {"trees": 1 if tree else 0, "words": len(leaves) - traces, "traces": traces}
