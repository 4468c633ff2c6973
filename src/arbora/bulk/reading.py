"""What became of a run: how far it is, and its output as one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arbora.bulk.manifest import RunState, is_sound, read_state
from arbora.bulk.outputs import BEGIN, RENUMBER
from arbora.errors import ArboraError, FileError
from arbora.treebank.files import open_input, plain_name


@dataclass(frozen=True, slots=True)
class BulkStatus:
    """How far a run is; ``damaged`` has outputs that are gone, or not what the manifest says."""

    planned: bool
    shards: int
    done: int
    sentences: int
    words: int
    failed: int
    crashed: int
    seconds: float
    settings: dict[str, Any]
    damaged: tuple[str, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether all shards are known and done, or were given up."""
        return self.planned and self.done + self.crashed == self.shards


def bulk_status(folder: str | os.PathLike[str], *, verify: bool = False) -> BulkStatus:
    """What the manifests of a folder say; with ``verify``, every output is read and compared.

    An output that is not there, or not of its size, is not done, and damaged in any case.
    """
    state = read_state(folder)
    lines = [state.done[number] for number in sorted(state.done)]
    damaged = [state.lost[number]["output"] for number in sorted(state.lost)]
    if verify:
        damaged += [line["output"] for line in lines if not is_sound(folder, line)]
    return BulkStatus(
        state.planned,
        len(state.shards),
        len(lines),
        sum(line["sentences"] for line in lines),
        sum(line["words"] for line in lines),
        sum(line["failed"] for line in lines),
        len(state.crashed),
        sum(line["seconds"] for line in lines),
        state.settings,
        tuple(sorted(damaged)),
    )


def bulk_output(folder: str | os.PathLike[str]) -> Iterator[bytes]:
    """The output of all shards in the order of the input, as ``arbora parse`` would write it; FileError if
    some lack.

    Sentences of texts and records get numbers that go through; all else is what the shards have.
    """
    state = read_state(folder)
    _check_whole(state, folder)
    format, kind = plain_name(state.settings["options"]["format"]), state.settings["kind_of_input"]
    if format not in RENUMBER:
        raise ArboraError(
            f"{format} is no stream: read {folder}/shards as a dataset, such as by pyarrow.dataset"
        )
    before = 0
    for shard in state.shards:
        line = state.done[shard.number]
        path = os.path.join(folder, line["output"])
        if not is_sound(folder, line):
            raise FileError(
                f"the output of shard {shard.number} is not what the manifest says: run the command of this "
                "run again with --verify",
                file=path,
            )
        with open_input(path) as stream:
            if kind == "conllu":
                while piece := stream.read(1 << 20):
                    yield piece
            else:
                lines = RENUMBER[format](iter(stream), f"{shard.name}-", before)
                is_first = not before and line["sentences"] and not shard.begins
                yield from BEGIN[format](lines) if kind == "text" and is_first else lines
        before += line["sentences"]


def _check_whole(state: RunState, folder: str | os.PathLike[str]) -> None:
    missing = len(state.missing())
    if missing or not state.planned:
        known = (
            f"{missing} of {len(state.shards)} shards have no output yet" if missing else "it is not cut yet"
        )
        raise FileError(f"this run is not whole: {known}; run its command again", file=os.fspath(folder))
