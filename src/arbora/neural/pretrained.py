"""A pretrained encoder with its tokenizer: whether they belong together, and what tells it from others."""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path

from arbora.errors import ArboraError
from arbora.models import Tensors
from arbora.neural.folders import find_folder, read_config, read_folder
from arbora.neural.shapes import EncoderShape
from arbora.neural.subwords import Subwords, read_subwords

FILES = ("config.json", "model.safetensors", "tokenizer.json")
MOST_UNUSED = 1023
"""Rows of embeddings that no sub-word has: tables are made longer, to round numbers or for words to come."""


def read_encoder(
    encoder: str | os.PathLike[str], layers: int | None
) -> tuple[EncoderShape, Tensors, Subwords]:
    """What a folder (see `find_folder`) holds; FileError or ArboraError if it cannot be used.

    >>> read_encoder("nowhere/at/all", None)
    Traceback (most recent call last):
    arbora.errors.FileError: nowhere/at/all: there is no such folder, and no installed package of that name
    """
    folder = find_folder(encoder)
    shape, tensors = read_folder(folder, layers)
    subwords = read_subwords(folder)
    if not 0 <= shape.vocabulary - subwords.vocabulary <= MOST_UNUSED:
        raise ArboraError(
            f"{os.fspath(encoder)}: the tokenizer has {subwords.vocabulary} sub-words, and the encoder "
            f"{shape.vocabulary}: they do not belong together"
        )
    _check_marks(folder, shape, subwords)
    return shape, tensors, subwords


def _check_marks(folder: Path, shape: EncoderShape, subwords: Subwords) -> None:
    """The tokenizer's marks are those of the configuration.

    Not for the kind bert: there nothing depends on the configuration's, and files that people use have wrong
    ones, such as a padding of 0 beside a tokenizer of XLM-R, whose padding is 1.
    """
    if shape.kind == "bert":
        return
    config = read_config(str(folder / "config.json"))
    theirs = {"pad_token_id": shape.first_position - 1} | {
        name: config[name] for name in ("bos_token_id", "eos_token_id") if type(config.get(name)) is int
    }
    ours = {"pad_token_id": subwords.pad, "bos_token_id": subwords.cls, "eos_token_id": subwords.sep}
    for name, number in theirs.items():
        if number != ours[name]:
            raise ArboraError(
                f"{folder}: {name} is {number} in config.json, and {ours[name]} by tokenizer.json: they do "
                "not belong together"
            )


def digest_of(encoder: str | os.PathLike[str]) -> int:
    """A checksum of the files of an encoder."""
    folder, found = find_folder(encoder), 0
    for name in FILES:
        with open(folder / name, "rb") as stream:
            while piece := stream.read(1 << 20):
                found = zlib.crc32(piece, found)
    return found


def told_of(encoder: str | os.PathLike[str]) -> dict[str, str]:
    """What models say of their encoder: its name, and its licence if the folder's README begins with one.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory(suffix="-small") as folder:
    ...     _ = Path(folder, "README.md").write_text("---\\nlicense: apache-2.0\\n---\\n# Small")
    ...     found = told_of(folder)
    >>> found["name"].endswith("-small"), found["licence"]
    (True, 'apache-2.0')
    """
    try:
        text = (find_folder(encoder) / "README.md").read_text("utf-8", errors="replace")
    except OSError:
        text = ""
    fields = text.split("\n---", 1)[0] if text.startswith("---\n") else ""
    licence = re.search(r"^license: *(\S.*?) *$", fields, re.MULTILINE)
    return {"name": Path(encoder).resolve().name, "licence": licence[1] if licence else ""}
