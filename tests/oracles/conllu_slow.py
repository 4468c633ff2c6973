"""The slow twin of the CoNLL-U reader: pure Python, the whole text at once, from the format's description.

It shares no code with `arbora.treebank`. A sentence comes out as a plain dictionary, or as the list of its
problems: pairs of a line number and a kind.
"""

from __future__ import annotations

import re
from typing import Any

NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
NAMES = ("forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps", "misc")


def blocks(data: bytes) -> list[tuple[int, list[bytes], bytes]]:
    """(first line, lines without their last line end, closing) of each sentence."""
    found: list[tuple[int, list[bytes], bytes]] = []
    lines = re.findall(rb"[^\n]*\n|[^\n]+$", data)
    at = 0
    while at < len(lines):
        start = at
        while at < len(lines) and lines[at] not in (b"\n", b"\r\n"):
            at += 1
        text = lines[start:at]
        blank_from = at
        while at < len(lines) and lines[at] in (b"\n", b"\r\n"):
            at += 1
        blanks = b"".join(lines[blank_from:at])
        ending = re.search(rb"(\r?\n)?\Z", text[-1])[0] if text else b""
        found.append((start + 1, text, ending + blanks))
    return found


def read(data: bytes, *, single_root: bool = True) -> list[dict[str, Any] | list[tuple[int, str]]]:
    """Every sentence as a dictionary, or as its problems in the order of the lines."""
    return [
        read_block(line, lines, closing, single_root)
        for line, lines, closing in blocks(data)
        if lines  # otherwise these are the empty lines before the first sentence
    ]


def read_block(
    first_line: int, raw: list[bytes], closing: bytes, single_root: bool
) -> dict[str, Any] | list[tuple[int, str]]:
    problems: list[tuple[int, str]] = []
    endings = {"\r\n" if line.endswith(b"\r\n") else "\n" for line in raw if line.endswith(b"\n")}
    result: dict[str, Any] = {name: [] for name in NAMES}
    result |= {"comments": [], "multiwords": [], "empty_nodes": [], "closing": closing.decode()}
    result["newline"] = endings.pop() if len(endings) == 1 else "\n"
    lines_of_words: list[int] = []
    next_empty = 1
    for line, bytes_ in enumerate(raw, first_line):
        text = re.sub(rb"\r?\n\Z", b"", bytes_)
        if b"\r" in text:
            problems.append((line, "carriage_return"))
        try:
            row = text.decode()
        except UnicodeDecodeError:
            return [(line, "utf8")]  # enough to compare: the first problem
        if row.startswith("#"):
            if result["forms"] or result["multiwords"] or result["empty_nodes"]:
                problems.append((line, "late_comment"))
            result["comments"].append(row)
            continue
        fields = row.split("\t")
        if len(fields) != 10:
            return [*problems, (line, "columns")]
        if "" in fields:
            return [*problems, (line, "empty_field")]
        next_id = len(result["forms"]) + 1
        if NUMBER.fullmatch(fields[0]) and fields[0] != "0":
            if int(fields[0]) != next_id:
                return [*problems, (line, "id_order")]
            next_empty = 1
            lines_of_words.append(line)
            if fields[6] != "_" and not NUMBER.fullmatch(fields[6]):
                problems.append((line, "bad_head"))
                fields[6] = "_"
            for name, value in zip(NAMES, fields[1:], strict=True):
                head = None if value == "_" else int(value) if name == "heads" else 0
                result[name].append(head if name == "heads" else value)
        elif match := re.fullmatch(rf"({NUMBER.pattern})-({NUMBER.pattern})", fields[0]):
            first, last = int(match[1]), int(match[2])
            if first < 1 or last < first:
                return [*problems, (line, "bad_id")]
            if result["multiwords"] and first <= result["multiwords"][-1][1]:
                problems.append((line, "range_overlap"))
            elif first != next_id:
                problems.append((line, "range_place"))
            result["multiwords"].append((first, last, *fields[1:]))
        elif match := re.fullmatch(rf"({NUMBER.pattern})\.({NUMBER.pattern})", fields[0]):
            if match[2] == "0":
                return [*problems, (line, "bad_id")]
            if (int(match[1]), int(match[2])) != (next_id - 1, next_empty):
                problems.append((line, "empty_place"))
            next_empty = int(match[2]) + 1
            inside = bool(result["multiwords"]) and result["multiwords"][-1][0] == next_id
            result["empty_nodes"].append((int(match[1]), int(match[2]), *fields[1:], inside))
        else:
            return [*problems, (line, "bad_id")]
    if len(endings) > 1 or (
        endings and len({line[-2:] == b"\r\n" for line in raw if line[-1:] == b"\n"}) > 1
    ):
        problems.append((first_line, "mixed_line_ends"))
    problems += structure(result, lines_of_words, single_root)
    return problems or result


def structure(result: dict[str, Any], lines: list[int], single_root: bool) -> list[tuple[int, str]]:
    heads, count = result["heads"], len(result["heads"])
    problems = [(0, "range_end") for _, last, *_ in result["multiwords"] if last > count]
    outside = [(lines[i], "head_range") for i, head in enumerate(heads) if head is not None and head > count]
    if outside:
        return problems + outside
    roots = [line for line, head in zip(lines, heads, strict=True) if head == 0]
    if single_root:
        problems += [(line, "several_roots") for line in roots[1:]]
    for word in range(1, count + 1):
        walk = [word]
        while heads[walk[-1] - 1] and heads[walk[-1] - 1] not in walk:
            walk.append(heads[walk[-1] - 1])
        if heads[walk[-1] - 1] == word and word == min(walk):
            problems.append((lines[word - 1], "cycle"))
    return problems
