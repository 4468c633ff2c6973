"""Lines of JSON, and the file of them by which the folder of a run is told."""

from __future__ import annotations

import json
import os
from typing import Any

NAME = "manifest.jsonl"
"""The manifest of a run, in its folder."""
FIRST = b'{"kind": "run", "version": '
"""What it begins with; there are other files of this name."""


def json_line(data: Any) -> bytes:
    r"""An object on a line of its own; names of files that are no UTF-8 come back as they are.

    >>> json_line({"input": "größe.txt"}) == '{"input": "größe.txt"}\n'.encode()
    True
    >>> json_line({"input": "gr\udcf6\udcdfe.txt"})
    b'{"input": "gr\\udcf6\\udcdfe.txt"}\n'
    """
    try:
        return json.dumps(data, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(data).encode() + b"\n"


def printable(path: str) -> str:
    r"""The name of a file for texts, which hold no half characters.

    >>> printable("gr\udcf6\udcdfe.txt") == "gr\ufffd\ufffde.txt"
    True
    """
    return os.fsencode(path).decode(errors="replace")


def is_run(folder: str) -> bool:
    """Whether a folder has the manifest of a run.

    >>> is_run("examples/treebank")
    False
    """
    try:
        with open(os.path.join(folder, NAME), "rb") as stream:
            return stream.read(len(FIRST)) == FIRST
    except OSError:
        return False
