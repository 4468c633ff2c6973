"""Formats that are parsed and written: by their names, or by the names of files."""

from __future__ import annotations

from arbora.errors import FileError
from arbora.pipeline.pipeline import Pipeline
from arbora.treebank.files import plain_name
from arbora.treebank.formats import find_format

TEXT = "text"
"""Raw text, as an input; drawn trees, as an output."""
TREEBANKS = ("conllu", "conllx")
BRACKETS = "brackets"
PRETOKENIZED = ("horizontal", "vertical")
OUTPUTS = (TEXT, *TREEBANKS, BRACKETS, "json", "svg", "html")


def default_input(pipeline: Pipeline) -> str:
    """What is read where nothing tells."""
    return TEXT if "words" in pipeline.adds else "conllu"


def input_format(source: str, name: str | None, default: str) -> str:
    """The format of a source: as it is named, or as its name tells; FileError if there is no such."""
    if name is not None:
        known = (TEXT, *PRETOKENIZED, *TREEBANKS, BRACKETS)
        if name not in known:
            raise FileError(f"there is no input format {name}; there are {', '.join(known)}", file=source)
        return name
    if plain_name(source).lower().endswith(".txt"):
        return TEXT
    try:
        return find_format(source).name
    except FileError:
        return default


def output_format(target: str, name: str | None) -> str | None:
    """The format of a target: as it is named, or as its name tells, which may be nothing."""
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
    return found if found in (*TREEBANKS, BRACKETS) else None


def default_output(pipeline: Pipeline, read_as: str) -> str:
    """What is written where nothing tells: the same treebank, if it can hold the trees that are found."""
    same = read_as in TREEBANKS or (read_as == BRACKETS and "constituents" in pipeline.adds)
    return read_as if same else "conllu"
