"""``arbora bulk status`` and ``arbora bulk cat``: what became of a run."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from arbora.bulk import BulkStatus, bulk_output, bulk_status
from arbora.bulk.lines import json_line
from arbora.errors import ArboraError
from arbora.treebank.files import open_output

UNFINISHED = 1
"""The exit code where there is more to do."""
INCOMPLETE = 3
"""The exit code where some documents could not be parsed."""


def status(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The output of `arbora bulk`.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Read every output, and compare it with its digest.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Say how far a run is; it may be going on.

    Exits with 0 if it is whole, with 1 if there is more to do, with 3 if all is done, but some documents
    could not be parsed; with 2 if outputs are damaged or gone.
    """
    found = bulk_status(folder, verify=verify)
    if as_json:
        print(json_line(asdict(found)).decode(), end="")
    else:
        _tell_status(found)
    if found.damaged:
        raise ArboraError(
            f"{len(found.damaged)} outputs are damaged or gone: the command of the run makes them anew if it "
            "is run again with --verify"
        )
    if not found.is_over:
        raise typer.Exit(UNFINISHED)
    if found.failed or found.crashed:
        raise typer.Exit(INCOMPLETE)


def _tell_status(found: BulkStatus) -> None:
    known = f"{found.shards:,}" if found.planned else f"{found.shards:,} or more"
    print(f"shards     {found.done:,} of {known}")
    print(f"sentences  {found.sentences:,}")
    print(f"words      {found.words:,}")
    print(f"seconds    {found.seconds:,.1f} of all workers")
    print(f"failed     {found.failed:,} documents, {found.crashed:,} shards")
    print(f"model      {found.settings['model']} {found.settings['model_digest'][:12]}")
    for output in found.damaged:
        print(f"damaged    {output}")


def cat(
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="The output of `arbora bulk`, all of it done.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="What to write; `-` is standard output.")
    ] = "-",
) -> None:
    """Write the output of all shards in the order of the input, as `arbora parse` would have done.

    Texts count as one text, an empty line between two files; sentences are numbered through.
    """
    with open_output(output) as stream:
        for piece in bulk_output(folder):
            stream.write(piece)
    sys.stdout.flush()
