"""What a bulk run reads: files of one kind, found by their names, in folders, or by patterns."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arbora.errors import ArboraError, FileError
from arbora.treebank.files import COMPRESSED, plain_name

ENDINGS = {
    "text": (".txt",),
    "conllu": (".conllu",),
    "jsonl": (".jsonl", ".ndjson"),
    "parquet": (".parquet",),
}
"""The kinds of input, and by which ends of names they are told."""
RECORDS = ("jsonl", "parquet")
"""Those in which each record is a document."""


@dataclass(frozen=True, slots=True)
class Input:
    """A file, and how many bytes it has on the disk."""

    path: str
    bytes: int


def kind_of(path: str) -> str | None:
    """The kind of a file by its name.

    >>> kind_of("a/b.TXT.gz"), kind_of("b.pdf")
    ('text', None)
    """
    plain = plain_name(path).lower()
    return next((kind for kind, ends in ENDINGS.items() if plain.endswith(ends)), None)


def find_inputs(names: Sequence[str], kind: str | None = None) -> tuple[str, list[Input]]:
    """The kind of the files, and the files in the order in which they are read.

    A folder stands for the files in it whose names tell a kind (or this kind), a pattern for what it matches;
    both in the order of names. FileError if there is nothing, a file twice, or more than one kind.
    """
    if kind is not None and kind not in ENDINGS:
        raise ArboraError(f"there is no input format {kind} in bulk; there are {', '.join(ENDINGS)}")
    paths = [path for name in names for path in _expanded(name, kind)]
    seen: set[str] = set()
    for path in paths:
        real = os.path.realpath(path)
        if real in seen:
            raise FileError("this file is named twice", file=path)
        seen.add(real)
    kinds = {kind or _told(path): path for path in reversed(paths)}
    if len(kinds) > 1:
        told = ", ".join(f"{one} ({path})" for one, path in sorted(kinds.items()))
        raise ArboraError(f"the inputs are of several kinds: {told}; give those of one kind")
    found = [Input(path, os.path.getsize(path)) for path in paths]
    return next(iter(kinds)), found


def _told(path: str) -> str:
    kind = kind_of(path)
    if kind is None:
        raise FileError(
            f"the name does not tell what is in this file; say --input-format {', '.join(ENDINGS)}", file=path
        )
    return kind


def _expanded(name: str, kind: str | None) -> Iterator[str]:
    if name == "-":
        raise ArboraError("bulk reads files, so that a run can go on later: it cannot read standard input")
    if os.path.isdir(name):
        found = [
            os.path.join(folder, file)
            for folder, _, files in os.walk(name)
            for file in files
            if not file.startswith(".") and (kind_of(file) == kind if kind else kind_of(file))
        ]
        if not found:
            ends = " ".join(end for own, ends in ENDINGS.items() if kind in (None, own) for end in ends)
            raise FileError(
                f"there is no file here that ends in {ends} (or so and {' '.join(COMPRESSED)})", file=name
            )
        yield from sorted(found)
    elif os.path.exists(name):
        yield name
    else:
        matched = sorted(path for path in glob.glob(name, recursive=True) if os.path.isfile(path))
        if not matched:
            raise FileError("there is no such file, and no file matches it", file=name)
        yield from matched
