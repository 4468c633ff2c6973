"""``arbora inspect``: what is in a model file."""

from __future__ import annotations

import json
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arbora.errors import ArboraError
from arbora.models import find_architecture, inspect_model
from arbora.pipeline.shipped import existing_model

FIRST = ("epoch", "loss", "uas", "las")
"""Columns of the training report that come first, if they are there."""


def inspect_command(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A model file, or the name of one that comes with Arbora, such as en."
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with everything.")] = False,
) -> None:
    """Show what is in a model file: what it is for, how it was trained, and its weights.

    Of a pipeline: its card with data, licence and scores, and every component with its options. The file is
    checked on the way: a damaged one is refused. **Heaviest templates** are those with the
    greatest share of the squared weight.

    Examples: `arbora inspect en`, `arbora inspect my.model`
    """
    facts = inspect_model(existing_model(model))
    if as_json:
        typer.echo(json.dumps(facts))
        return
    console = Console()
    header = facts["header"]
    card = header["card"] if isinstance(header.get("card"), dict) else {}
    console.print(_main_table(facts))
    _print_tables(console, header)
    for own in _rows(header.get("components")):
        console.print(
            _table_of(
                own.get("name"),
                [("architecture", own.get("architecture")), *_header_rows(own, card.get("licence"))],
            )
        )
        _print_tables(console, own)
    console.print(_tensor_table(facts))


def _print_tables(console: Console, header: dict[str, Any]) -> None:
    """How it was trained, epoch by epoch, and what the architecture has to show."""
    report = header.get("report")
    epochs = _rows(report.get("epochs")) if isinstance(report, dict) else []
    tables: dict[str, list[dict[str, Any]]] = _own(header, "tables", {})
    for title, rows in ({"Training": epochs} | tables).items():
        if rows:
            console.print(_any_table(title, rows))


def _main_table(facts: dict[str, Any]) -> Table:
    header = facts["header"]
    return _table_of(
        facts["file"],
        [
            ("architecture", header["architecture"]),
            ("format version", header["version"]),
            ("written by arbora", header.get("arbora")),
            *_header_rows(header),
            ("file size", f"{facts['bytes']:,} bytes"),
            ("compact", "yes" if facts["compact"] else "no"),
        ],
    )


def _header_rows(header: dict[str, Any], of_all: object = None) -> list[tuple[str, Any]]:
    """What a header says that is of use to people; so of a component's in a pipeline.

    A component that has no licence of its own has that ``of_all``, if the pipeline's card names one.
    """
    return [
        *_own(header, "facts", []),
        ("options", header.get("options")),
        (
            "licence of the data",
            (of_all or "not given") if header.get("licence") == "" else header.get("licence"),
        ),
        *_report_rows(header.get("report")),
    ]


def _table_of(title: object, rows: list[tuple[str, Any]]) -> Table:
    table = Table(title=_text(title), show_header=False)
    for name, value in rows:
        if value is not None:
            table.add_row(_text(name), _text(value))
    return table


Found = TypeVar("Found")


def _own(header: dict[str, Any], kind: str, nothing: Found) -> Found:
    """What the architecture itself makes of a header; nothing if that cannot be: `--json` shows all of it."""
    try:
        found: Found = getattr(find_architecture(header["architecture"]), kind)(header)
        return found
    except (ArboraError, AttributeError, KeyError, TypeError, ValueError):
        return nothing


def _report_rows(report: object) -> list[tuple[str, Any]]:
    """What the training report says besides its epochs."""
    found = report if isinstance(report, dict) else {}
    return [(f"training: {name}", value) for name, value in found.items() if name != "epochs"]


def _rows(value: object) -> list[dict[str, Any]]:
    """The rows of a table in the header; what is none is left to ``--json``."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _any_table(title: str, rows: list[dict[str, Any]]) -> Table:
    """Rows with any keys; numbers stand to the right."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    names.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    table = Table(title=title)
    for name in names:
        words = any(isinstance(row.get(name), str) and name != "mass" for row in rows)
        table.add_column(_text(name), justify="left" if words else "right")
    for row in rows:
        table.add_row(*(_text(row.get(name, "")) for name in names))
    return table


def _tensor_table(facts: dict[str, Any]) -> Table:
    table = Table(title="Tensors")
    for column in ("name", "type", "shape", "bytes", "not zero", "greatest"):
        table.add_column(column, justify="left" if column in ("name", "type") else "right")
    for row in facts["tensors"]:
        table.add_row(*_tensor_cells(row))
    if "weights" in facts:
        table.add_section()
        table.add_row(*_tensor_cells(facts["weights"] | {"name": "weights, expanded"}))
    return table


def _tensor_cells(row: dict[str, Any]) -> list[Text]:
    shape = " x ".join(f"{size:,}" for size in row["shape"]) or "one number"
    greatest = "not finite" if row["greatest"] is None else f"{row['greatest']:.4g}"
    nonzero = f"{100 * row['nonzero']:.1f} %"
    return [
        _text(cell) for cell in (row["name"], row["dtype"], shape, f"{row['bytes']:,}", nonzero, greatest)
    ]


def _text(value: Any) -> Text:
    """A value of the header as it is: no markup, and no character that would move the cursor."""
    if isinstance(value, float):
        shown = f"{value:.5g}"
    elif isinstance(value, dict):
        shown = ", ".join(f"{key}={_text(item)}" for key, item in value.items())
    elif isinstance(value, list):
        shown = ", ".join(str(_text(item)) for item in value)
    else:
        shown = str(value)
    return Text(shown if shown.isprintable() else ascii(shown))
