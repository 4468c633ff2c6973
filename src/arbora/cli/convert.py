"""``arbora convert``: a treebank from one format to another."""

from __future__ import annotations

from typing import Annotated

import typer

from arbora.cli.options import MultiRoot
from arbora.treebank import FORMATS, converting
from arbora.treebank.formats import WRITTEN

_TOLD = "told by the file's name if left out."


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="The file to read; `-` is standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="The file to write; `-` is standard output.")],
    source_format: Annotated[
        str | None,
        typer.Option("--from", metavar="FORMAT", help=f"Format of IN: {', '.join(FORMATS)}; {_TOLD}"),
    ] = None,
    target_format: Annotated[
        str | None,
        typer.Option("--to", metavar="FORMAT", help=f"Format of OUT: {', '.join(WRITTEN)}; {_TOLD}"),
    ] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Skip sentences that break the format, and count them.")
    ] = False,
    multi_root: MultiRoot = None,
    without_traces: Annotated[
        bool,
        typer.Option(
            "--without-traces", help="Brackets: leave out traces (-NONE-) and what holds only them."
        ),
    ] = False,
    without_functions: Annotated[
        bool, typer.Option("--without-functions", help="Brackets: write NP for NP-SBJ-1.")
    ] = False,
) -> None:
    """Convert a treebank from one format to another.

    **Same format**: CoNLL-U and CoNLL-X come out byte for byte; brackets come out one tree a line.

    **conllu to conllx**: words, tags, features, heads and labels are kept. Comments, multiword tokens,
    empty nodes, DEPS and MISC are lost, and counted on standard error.

    **conllx to conllu**: everything is kept; PHEAD and PDEPREL go to MISC. Sentences with several roots stay
    so, which strict readers of CoNLL-U refuse.

    **brackets to conllu or conllx**: words and their tags (as XPOS) are kept; there are no heads. Traces are
    lost. Constituents go to a comment of conllu, `# constituents = (S ...)`, and come back from there; conllx
    loses them.

    **horizontal** has a sentence a line, its words separated by spaces; **vertical** has a word a line and an
    empty line after each sentence. To them, words alone are kept.

    **To text** (`.txt`): the text that was, with its spaces (`SpaceAfter=No`, `SpacesAfter`, `SpacesBefore`;
    `# text` where these are missing) and an empty line before `# newpar` and `# newdoc`.

    OUT gets its name only when all is written: after an error there is no half of it.

    Example: `arbora convert wsj.mrg.gz wsj.conllu --lenient`
    """
    report = converting.convert(
        source,
        target,
        source_format=source_format,
        target_format=target_format,
        lenient=lenient,
        single_root=None if multi_root is None else not multi_root,
        without_traces=without_traces,
        without_functions=without_functions,
    )
    notes = [f"{report.written} written"]
    if report.skipped:
        notes.append(f"{report.skipped} skipped")
    if report.several_roots:
        notes.append(f"{report.several_roots} with several roots (read them with --multi-root)")
    notes += [f"lost: {count} {what}" for what, count in report.lost.items()]
    typer.echo(", ".join(notes), err=True)
