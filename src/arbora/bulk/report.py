"""What a run did, and what could not be parsed, in one file."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arbora.bulk.jobs import failures_of
from arbora.bulk.lines import json_line
from arbora.bulk.manifest import RunState, locked, read_state
from arbora.treebank.files import open_output

FAILED = "failed.jsonl"
"""The file of a run's folder that lists the documents that could not be parsed, if any."""
SLOWEST = 3
"""So many of the slowest shards are named in the end."""


@dataclass(slots=True)
class BulkReport:
    """What a run did, and what its folder has now.

    ``shards`` counts all that are known, ``done`` those with an output, ``worked`` those of this run;
    ``failed`` documents are not in the output. ``seconds`` is this run's; ``slowest`` has lines of its
    manifest.
    """

    folder: str
    shards: int = 0
    done: int = 0
    worked: int = 0
    sentences: int = 0
    words: int = 0
    failed: int = 0
    crashed: int = 0
    seconds: float = 0.0
    slowest: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether all shards have an output, with all documents."""
        return self.done == self.shards and not self.failed and not self.crashed


def sum_up(report: BulkReport) -> None:
    """Sum up all that the folder has now, and put the failures of all shards into one file.

    Other processes with other parts of the run may have ended in the meantime, or end now: so the manifests
    are read again, by one process at a time, and the last one has seen all.
    """
    with locked(report.folder, "failed"):
        state = read_state(report.folder)
        lines = [state.done[number] for number in sorted(state.done)]
        report.shards, report.done = len(state.shards), len(lines)
        report.sentences, report.words = (sum(line[key] for line in lines) for key in ("sentences", "words"))
        report.failed = sum(line["failed"] for line in lines)
        report.crashed = len(state.crashed)
        report.slowest = sorted(lines, key=lambda line: -line["seconds"])[:SLOWEST]
        if report.failed or report.crashed:
            _write_failures(report.folder, state)
        else:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(report.folder, FAILED))


def _write_failures(folder: str, state: RunState) -> None:
    """List all documents that are not in the output, in the order of the input."""
    with open_output(os.path.join(folder, FAILED)) as stream:
        for shard in state.shards:
            if state.done.get(shard.number, {}).get("failed"):
                # If it is gone, another process does the shard again at the moment, and then comes here.
                with suppress(FileNotFoundError):
                    stream.write(Path(folder, failures_of(shard.number)).read_bytes())
            elif shard.number in state.crashed:
                reason = state.crashed[shard.number]["reason"]
                row = {"input": shard.path, "line": shard.first_line, "shard": shard.number, "reason": reason}
                stream.write(json_line(row))
