"""Runs of bulk on small inputs."""

from __future__ import annotations

import json
from pathlib import Path

from arbora.bulk import BulkOptions, bulk_output, run_bulk

TREEBANK = Path("examples/treebank")


class InProcess:
    """Works here, so that tests need no processes."""

    def __init__(self, workers=1, address=None) -> None:
        pass

    def run(self, function, tasks, on_start, files):
        for task in tasks:
            on_start("here", task.number)
            yield function(task, *[None for _ in files])


def text_of(paragraphs: int, start: int = 0) -> str:
    """A text whose paragraphs are all different."""
    return "".join(
        f"Paragraph {number} has a dog.  It barks at {number * 7} cats!\n\n"
        for number in range(start, start + paragraphs)
    )


def output(inputs, folder, **more) -> bytes:
    """What a whole run gives."""
    options = more.pop("options", None) or BulkOptions(shard_bytes=more.pop("shard_bytes", 300))
    run_bulk([str(one) for one in inputs], folder, options=options, **more)
    return b"".join(bulk_output(folder))


def failures(folder) -> list[dict]:
    """What a run lists as not parsed."""
    return [json.loads(line) for line in (folder / "failed.jsonl").read_bytes().splitlines()]
