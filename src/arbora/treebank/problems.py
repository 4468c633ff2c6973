"""What can be wrong with a sentence of a ten-column file, in words."""

from __future__ import annotations

from typing import NamedTuple

from arbora.errors import FileError

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")


class Broken(NamedTuple):
    """In the place of an item that breaks its format: every problem found in it, by line."""

    problems: list[FileError]


Problem = tuple[str, int, int, int, int, str, list[int]]
"""As the core reports it: fault, line, column, first, second, text, words."""

_REASONS = {
    "byte_order_mark": "the file begins with a byte order mark (EF BB BF); remove it",
    "leading_blank": "an empty line before the first sentence",
    "columns": "ten columns are needed, this line has {first}",
    "empty_field": "column {column} ({name}) is empty; an unknown value is written _",
    "bad_id": "the id {text!r} is not a whole number from 1{ranges}",
    "id_order": "the id is {first} where {second} is next",
    "range_place": "the multiword token {text} must stand before its first word; word {first} is next",
    "range_overlap": "the multiword token {text} overlaps the one before it",
    "range_end": "the multiword token {text} goes beyond the last word, {first}",
    "empty_place": "the empty node {text} is out of place; here only {first}.{second} can stand",
    "bad_head": "the head {text!r} is not a whole number or _",
    "head_range": "the head {first} is out of range; the sentence has {second} words",
    "several_roots": "two roots: words {first} and {second} both have head 0",
    "utf8": "bad UTF-8 at byte {first} of the line (0x{second:02x})",
    "carriage_return": "a carriage return that does not end a line",
    "mixed_line_ends": "line ends of both kinds, LF and CRLF, in one sentence",
    "late_comment": "a comment after the first word; comments stand before the sentence",
}


def explain(problem: Problem, *, words_only: bool) -> str:
    """The reason of a problem, as one sentence for people.

    >>> explain(("head_range", 3, 7, 9, 4, "", []), words_only=False)
    'the head 9 is out of range; the sentence has 4 words'
    """
    fault, _, column, first, second, text, words = problem
    if fault == "cycle":
        return _explain_cycle(words)
    if fault == "columns" and first == 1:
        return "a line of spaces; sentences end with an empty line" if not text.strip() else _no_tabs(text)
    ranges = "" if words_only else ", a range of words (3-4) or an empty node (3.1)"
    name = COLUMNS[column - 1] if column else ""
    return _REASONS[fault].format(
        column=column, name=name, first=first, second=second, text=_shorten(text), ranges=ranges
    )


def _explain_cycle(words: list[int]) -> str:
    if len(words) == 1:
        return f"word {words[0]} is its own head"
    shown = [str(word) for word in words] if len(words) <= 12 else [*map(str, words[:12]), "..."]
    return f"the heads form a cycle: {' -> '.join([*shown, str(words[0])])}"


def _no_tabs(text: str) -> str:
    return f"ten columns separated by tabs are needed, this line has no tab: {_shorten(text)!r}"


def _shorten(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
