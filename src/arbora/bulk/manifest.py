"""The manifest of a bulk run: what is to do and what is done, a line each, only ever added to.

It is what makes a run exactly once: a shard's output has its name before the line that says so, and a line
that a kill cut short counts as not written. Executors may lose workers, or do a shard twice: the bytes are
the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from arbora.bulk.shards import Shard
from arbora.errors import ArboraError, FileError
from arbora.treebank.files import sync_folder

NAME = "manifest.jsonl"
VERSION = 1

Line = dict[str, Any]


@dataclass(slots=True)
class RunState:
    """What the manifests of a folder say: how the run began, its shards, and what became of them.

    ``planned``: whether all shards are known. ``done`` has the last line of each shard that has an output,
    and ``crashed`` of those that ended their workers each time.
    """

    settings: Line = field(default_factory=dict)
    plan: dict[int, Shard] = field(default_factory=dict)
    planned: bool = False
    done: dict[int, Line] = field(default_factory=dict)
    crashed: dict[int, Line] = field(default_factory=dict)

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
            self.crashed.pop(own["number"], None)
        elif kind == "crashed":
            self.crashed[own["number"]] = own
            self.done.pop(own["number"], None)
        else:
            raise ValueError(f"there is no kind {kind!r}")

    @property
    def shards(self) -> list[Shard]:
        """All shards that are known, in the order of the input."""
        return [self.plan[number] for number in sorted(self.plan)]

    def missing(self) -> list[Shard]:
        """The shards that have no output yet."""
        return [shard for shard in self.shards if shard.number not in self.done]


def read_state(folder: str | os.PathLike[str]) -> RunState:
    """What all manifests of a folder say; FileError if there is none."""
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
    return state


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
        stream = open(self.path, "ab")  # noqa: SIM115 - it is closed by `close`
        whole = Path(self.path).read_bytes().rfind(b"\n") + 1
        stream.truncate(whole)
        return stream

    def add(self, kind: str, **line: Any) -> None:
        """Put a line on the disk."""
        found = {"kind": kind, **line}
        self._stream.write(json.dumps(found, ensure_ascii=False).encode() + b"\n")
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
    with open(made, "wb") as stream:
        line = {"kind": "run", "version": VERSION, **settings}
        stream.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
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
def alone(folder: str, *, part: str | None = None) -> Iterator[None]:
    """Keep others away from a folder while it is worked on; several ``part``s go together, each one once.

    ArboraError if another process is there. The system lets go of it when a process ends, however it does.
    """
    import fcntl

    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, ".lock"), "ab") as whole:
        names = [(whole, fcntl.LOCK_EX if part is None else fcntl.LOCK_SH)]
        own = open(os.path.join(folder, f".lock.{part or 'whole'}"), "ab")  # noqa: SIM115
        with own:
            names.append((own, fcntl.LOCK_EX))
            for stream, wanted in names:
                try:
                    fcntl.flock(stream, wanted | fcntl.LOCK_NB)
                except OSError:
                    raise ArboraError(
                        f"another process works on {folder}: wait for it, or end it first"
                    ) from None
            yield
