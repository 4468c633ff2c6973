"""Formats that are parsed and written: by their names, or by the names of files."""

from __future__ import annotations

from collections.abc import Sequence

from arbora.errors import FileError
from arbora.pipeline.pipeline import Pipeline
from arbora.treebank.files import is_unnamed, plain_name
from arbora.treebank.formats import WRITTEN, find_format

TEXT = "text"
"""Raw text, as an input; drawn trees, as an output."""
TREEBANKS = ("conllu", "conllx")
BRACKETS = "brackets"
PRETOKENIZED = ("horizontal", "vertical")
OUTPUTS = (TEXT, *TREEBANKS, BRACKETS, "json", "svg", "html")


def default_input(pipeline: Pipeline) -> str:
    """What is read from `-`, where nothing tells."""
    return TEXT if "words" in pipeline.adds else "conllu"


def input_format(source: str, name: str | None, unnamed: str) -> str:
    """The format of a source: as it is named, or as its name tells; FileError if there is no such.

    What has no name, such as ``-``, is ``unnamed``.

    >>> input_format("book.txt.gz", None, "conllu"), input_format("-", None, "conllu")
    ('text', 'conllu')
    """
    known = {format: WRITTEN[format] for format in (TEXT, *PRETOKENIZED, *TREEBANKS, BRACKETS)}
    if name is not None and name not in known:
        raise FileError(
            f"there is no input format {name}; for --input-format there are {', '.join(known)}", file=source
        )
    return find_format(source, name, known=known, option="--input-format", unnamed=unnamed).name


def output_format(target: str, name: str | None, *, known: Sequence[str] = OUTPUTS) -> str | None:
    """The format of a target: as it is named, or as its name tells; None if it has no name, such as ``-``.

    FileError if it is none of those ``known``.

    >>> output_format("trees.svg.gz", None), output_format("-", None)
    ('svg', None)
    """
    found = name or _told_format(target)
    if found is None:
        if is_unnamed(target):
            return None
        reason = f"the name does not tell the format: say which by --format, one of {', '.join(known)}"
        raise FileError(reason, file=target)
    if found not in known:
        whence = "there is no output format" if name else "the name tells of another format,"
        raise FileError(f"{whence} {found}; for --format there are {', '.join(known)}", file=target)
    return found


def _told_format(target: str) -> str | None:
    plain = plain_name(target).lower()
    for ending in ("json", "jsonl", "svg", "html"):
        if plain.endswith("." + ending):
            return {"jsonl": "json"}.get(ending, ending)
    try:
        return find_format(target, known=WRITTEN, writing=True).name
    except FileError:
        return None


def default_output(pipeline: Pipeline, read_as: str) -> str:
    """What is written where nothing tells: the same treebank, if it can hold the trees that are found."""
    same = read_as in TREEBANKS or (read_as == BRACKETS and "constituents" in pipeline.adds)
    return read_as if same else "conllu"
