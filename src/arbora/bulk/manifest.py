"""The manifest of a bulk run: what is to do and what is done, a line each, only ever added to.

It is what makes a run exactly once: a shard's output has its name before the line that says so, and a line
that a kill cut short counts as not written. Executors may lose workers, or do a shard twice: the bytes are
the same.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from arbora.bulk.jobs import failures_of
from arbora.bulk.lines import NAME, json_line
from arbora.bulk.shards import Shard
from arbora.errors import ArboraError, FileError
from arbora.treebank.files import sync_folder

VERSION = 1

Line = dict[str, Any]


@dataclass(slots=True)
class RunState:
    """What the manifests of a folder say: how the run began, its shards, and what became of them.

    ``planned``: whether all shards are known. ``done`` has the last line of each shard that has an output;
    those in ``lost`` had one, which is not there any more, or not of its size. ``crashes`` has those that
    ended their workers each time, some of which were done by others, or later.
    """

    settings: Line = field(default_factory=dict)
    plan: dict[int, Shard] = field(default_factory=dict)
    planned: bool = False
    done: dict[int, Line] = field(default_factory=dict)
    lost: dict[int, Line] = field(default_factory=dict)
    crashes: dict[int, Line] = field(default_factory=dict)

    def take(self, line: Line) -> None:
        """One more line."""
        kind = line["kind"]
        own = {key: value for key, value in line.items() if key != "kind"}
        if kind == "run":
            self.settings = own
        elif kind == "shard":
            self.plan[own["number"]] = Shard(**own)  # another process may have told it already: the same
        elif kind == "planned":
            self.planned = True
        elif kind == "done":
            self.done[own["number"]] = own
            self.lost.pop(own["number"], None)
        elif kind == "crashed":
            self.crashes[own["number"]] = own
        else:
            raise ValueError(f"there is no kind {kind!r}")

    @property
    def shards(self) -> list[Shard]:
        """All shards that are known, in the order of the input."""
        return [self.plan[number] for number in sorted(self.plan)]

    @property
    def crashed(self) -> dict[int, Line]:
        """The shards that ended their workers, and that nobody has done."""
        return {number: line for number, line in self.crashes.items() if number not in self.done}

    def missing(self) -> list[Shard]:
        """The shards that have no output yet."""
        return [shard for shard in self.shards if shard.number not in self.done]


def read_state(folder: str | os.PathLike[str]) -> RunState:
    """What all manifests of a folder say, which has to have one; an output that is not there is not done."""
    first = os.path.join(folder, NAME)
    if not os.path.exists(first):
        raise FileError("there is no bulk run here: it has no manifest.jsonl", file=os.fspath(folder))
    state = RunState()
    others = sorted(set(glob(os.path.join(glob_escape(folder), "manifest*.jsonl"))) - {first})
    for path in [first, *others]:
        for line in read_lines(path):
            state.take(line)
    if not state.settings:
        raise FileError("this manifest does not say how the run began", file=first)
    for number, line in list(state.done.items()):
        if not _is_there(folder, line):
            state.lost[number] = state.done.pop(number)
    return state


def _is_there(folder: str | os.PathLike[str], line: Line) -> bool:
    """Whether an output is there, of its size, and the list of what is not in it."""
    try:
        size = os.path.getsize(os.path.join(folder, line["output"]))
    except OSError:
        return False
    return size == line["bytes"] and (
        not line["failed"] or os.path.exists(os.path.join(folder, failures_of(line["number"])))
    )


def is_sound(folder: str | os.PathLike[str], line: Line) -> bool:
    """Whether an output is what its line says, and the list of what is not in it as long."""
    if not _is_there(folder, line) or digest_of(os.path.join(folder, line["output"])) != line["digest"]:
        return False
    failed: int = line["failed"]
    return not failed or failed == Path(folder, failures_of(line["number"])).read_bytes().count(b"\n")


def digest_of(path: str) -> str:
    """The SHA-256 of a file."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def glob_escape(folder: str | os.PathLike[str]) -> str:
    """The folder for a pattern, in which its own characters mean nothing."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in os.fspath(folder))


def read_lines(path: str) -> Iterator[Line]:
    """The whole lines of a manifest; FileError for one that says nothing, but a last one that is cut off."""
    data = Path(path).read_bytes()
    for number, raw in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), 1):
        try:
            line = json.loads(raw)
            RunState().take(line)
        except (ValueError, TypeError, KeyError) as error:
            raise FileError(f"this is no line of a manifest: {error}", file=path, line=number) from None
        yield line


class Manifest:
    """A manifest that is written to; what it and others beside it say is its ``state``."""

    def __init__(self, folder: str, name: str = NAME) -> None:
        """Open it, or begin one; what a kill cut short at its end is cut off."""
        self.folder, self.path = folder, os.path.join(folder, name)
        self.state = read_state(folder) if os.path.exists(os.path.join(folder, NAME)) else RunState()
        self._stream = self._open()

    def _open(self) -> BinaryIO:
        with _named(self.path):
            stream = open(self.path, "ab")  # noqa: SIM115 - it is closed by `close`
            whole = Path(self.path).read_bytes().rfind(b"\n") + 1
            stream.truncate(whole)
        return stream

    def add(self, kind: str, **line: Any) -> None:
        """Put a line on the disk."""
        found = {"kind": kind, **line}
        with _named(self.path):
            self._stream.write(json_line(found))
            self._stream.flush()
            os.fsync(self._stream.fileno())
        self.state.take(found)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()


def begin(folder: str, settings: Line) -> None:
    """Make the manifest of a new run, whole or not at all; nothing if another process was faster."""
    path = os.path.join(folder, NAME)
    made = f"{path}.{os.getpid()}.part"
    with _named(path):
        with open(made, "wb") as stream:
            stream.write(json_line({"kind": "run", "version": VERSION, **settings}))
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(made, path)
        except FileExistsError:
            pass
        finally:
            os.unlink(made)
        sync_folder(folder)


@contextmanager
def _named(path: str) -> Iterator[None]:
    """What the system refuses names this file."""
    try:
        yield
    except OSError as error:
        raise FileError(error.strerror or str(error), file=path) from None


@contextmanager
def alone(folder: str, *, part: str | None = None) -> Iterator[None]:
    """Keep others away from a folder while it is worked on; several ``part``s go together, each one once.

    ArboraError if another process is there. The system lets go of it when a process ends, however it does.
    """
    import fcntl

    with _named(folder):
        os.makedirs(folder, exist_ok=True)
        whole = open(os.path.join(folder, ".lock"), "ab")  # noqa: SIM115
    with whole:
        with _named(folder):
            own = open(os.path.join(folder, f".lock.{part or 'whole'}"), "ab")  # noqa: SIM115
        with own:
            for stream, wanted in (
                (whole, fcntl.LOCK_EX if part is None else fcntl.LOCK_SH),
                (own, fcntl.LOCK_EX),
            ):
                try:
                    fcntl.flock(stream, wanted | fcntl.LOCK_NB)
                except OSError:
                    raise ArboraError(
                        f"another process works on {folder}: wait for it, or end it first"
                    ) from None
            yield


@contextmanager
def locked(folder: str, name: str) -> Iterator[None]:
    """Wait until no other process does what has this name in the folder."""
    import fcntl

    path = os.path.join(folder, f".lock.{name}")
    with _named(path):
        stream = open(path, "ab")  # noqa: SIM115
    with stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
