"""What a search for options has on the disk: the journal of its runs, and the best configuration."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

from arbora.errors import FileError

__all__ = ["add", "as_json", "as_toml", "journal", "name_of"]


def name_of(line: Mapping[str, Any]) -> str:
    """What a run is known by."""
    return json.dumps([line[key] for key in ("preset", "loss", "epochs", "seed")])


def add(stream: BinaryIO, line: Mapping[str, Any]) -> None:
    """Put a line of a journal on the disk."""
    stream.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    stream.flush()
    os.fsync(stream.fileno())


@contextmanager
def journal(path: str, settings: dict[str, Any]) -> Iterator[tuple[BinaryIO, dict[str, dict[str, Any]]]]:
    """The journal, to be added to, and the runs that it has; a line that a kill cut short is cut off."""
    import fcntl

    with open(path, "a+b") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise FileError("another search writes here: wait for it, or end it first", file=path) from None
        stream.seek(0)
        data = stream.read()
        whole = data[: data.rfind(b"\n") + 1]
        stream.truncate(len(whole))
        lines = [_line(path, number, raw) for number, raw in enumerate(whole.splitlines(), 1)]
        if not lines:
            add(stream, {"kind": "search", **settings})
        else:
            _check_same(path, lines[0], settings)
        yield stream, {name_of(line): line for line in lines[1:]}


def _line(path: str, number: int, raw: bytes) -> dict[str, Any]:
    try:
        line: dict[str, Any] = json.loads(raw)
        if number == 1:
            return {key: line[key] for key in ("train", "dev", "fixed")}
        return {
            key: line[key] for key in ("preset", "loss", "epochs", "seed", "las", "uas", "kept", "seconds")
        }
    except (ValueError, KeyError, TypeError):
        raise FileError("this is no line of a search", file=path, line=number) from None


def _check_same(path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    for name in ("train", "dev"):
        if old[name] != new[name]:
            raise FileError(
                f"these runs are of another {name} treebank: give that one, or another --output", file=path
            )
    for name in sorted(old["fixed"].keys() | new["fixed"].keys()):
        before, now = old["fixed"].get(name), new["fixed"].get(name)
        if before != now:
            raise FileError(
                f"these runs are with other options ({name} was {before}, not {now}): give the same ones, or "
                "another --output",
                file=path,
            )


def as_json(best: Mapping[str, Any]) -> str:
    """A configuration as JSON."""
    return json.dumps(best, ensure_ascii=False, indent=2) + "\n"


def as_toml(best: Mapping[str, Any]) -> str:
    """A configuration as TOML, which has no null: what is left to the preset is left out.

    >>> print(as_toml({"las": 0.5, "options": {"loss": "svm", "beta": None}}), end="")
    las = 0.5
    [options]
    loss = "svm"
    """
    lines = [
        f"{key} = {json.dumps(own, ensure_ascii=False)}" for key, own in best.items() if key != "options"
    ]
    options = {key: own for key, own in best["options"].items() if own is not None}
    lines += [
        "[options]",
        *(f"{key} = {json.dumps(own, ensure_ascii=False)}" for key, own in options.items()),
    ]
    return "\n".join(lines) + "\n"
