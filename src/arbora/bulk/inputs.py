"""What a bulk run reads: files of one kind, found by their names, in folders, or by patterns."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arbora.bulk.lines import is_run
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
    """A file by its whole name, which is the same for workers elsewhere, and its bytes on the disk."""

    path: str
    bytes: int


def kind_of(path: str) -> str | None:
    """The kind of a file by its name.

    >>> kind_of("a/b.TXT.gz"), kind_of("b.pdf")
    ('text', None)
    """
    plain = plain_name(path).lower()
    return next((kind for kind, ends in ENDINGS.items() if plain.endswith(ends)), None)


def find_inputs(
    names: Sequence[str], kind: str | None = None, output: str | None = None
) -> tuple[str, list[Input]]:
    """The kind of the files, and the files in the order in which they are read.

    A folder stands for the files in it whose names tell a kind (or this kind), a pattern for what it matches;
    both in the order of names, without what is in the folder of the ``output``, and in a folder also without
    what is in those of other runs. FileError if there is nothing, a file twice, or more than one kind.
    """
    if kind is not None and kind not in ENDINGS:
        raise ArboraError(f"there is no input format {kind} in bulk; there are {', '.join(ENDINGS)}")
    top = None if output is None else os.path.realpath(output)
    paths = [os.path.abspath(path) for name in names for path in _expanded(name, kind, top)]
    seen: set[str] = set()
    for path in paths:
        if not os.path.isfile(path):
            raise FileError(
                "this is a pipe or a device: bulk reads files, so that a run can go on later", file=path
            )
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


def _expanded(name: str, kind: str | None, output: str | None) -> Iterator[str]:
    if name == "-":
        raise ArboraError("bulk reads files, so that a run can go on later: it cannot read standard input")
    if os.path.isdir(name):
        told = ((path, kind_of(path)) for path in _files_in(name, output))
        found = [path for path, own in told if own is not None and kind in (None, own)]
        if not found:
            ends = " ".join(end for own, ends in ENDINGS.items() if kind in (None, own) for end in ends)
            raise FileError(
                f"there is no file here that ends in {ends} (or so and {' '.join(COMPRESSED)})", file=name
            )
        yield from sorted(found)
    elif os.path.exists(name):
        yield name
    else:
        matched = sorted(
            path
            for path in glob.glob(name, recursive=True)
            if os.path.isfile(path) and not _is_below(path, output)
        )
        if not matched:
            raise FileError("there is no such file, and no file matches it", file=name)
        yield from matched


def _files_in(top: str, output: str | None) -> Iterator[str]:
    """The files of a folder and of those in it, but for hidden ones and for the folders of runs."""
    for folder, folders, files in os.walk(top):
        folders[:] = [
            own
            for own in folders
            if not _is_below(os.path.join(folder, own), output) and not is_run(os.path.join(folder, own))
        ]
        yield from (os.path.join(folder, file) for file in files if not file.startswith("."))


def _is_below(path: str, top: str | None) -> bool:
    real = os.path.realpath(path)
    return top is not None and (real == top or real.startswith(os.path.join(top, "")))
