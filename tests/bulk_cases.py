"""Runs of bulk on small inputs."""

from __future__ import annotations

from pathlib import Path

from arbora.bulk import BulkOptions, bulk_output, run_bulk

TREEBANK = Path("examples/treebank")


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
