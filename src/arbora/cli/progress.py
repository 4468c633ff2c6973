"""Progress of long work: what it shows on a terminal, and elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

Report = TypeVar("Report")


@contextmanager
def shown_progress(
    output: str, title: str, describe: Callable[[Report], str]
) -> Iterator[Callable[[Report], None] | None]:
    """What is done so far, where it disturbs nobody: on a terminal, if the output is not there too."""
    console = Console(stderr=True)
    if output == "-" or not console.is_terminal:
        yield None
        return
    with console.status(f"{title} ...") as status:
        yield lambda report: status.update(f"{title} ... {describe(report)}")


@contextmanager
def training_progress(
    first: str, line: Callable[[Report], str], following: Callable[[Report], str]
) -> Iterator[tuple[Callable[[Report], None], Callable[[int, int], None] | None]]:
    """A line for each report, and on a terminal a bar for what is running: ``first``, then ``following``."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield lambda report: typer.echo(line(report), err=True), None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(first, total=None)

        def on_report(report: Report) -> None:
            console.print(line(report), markup=False, soft_wrap=True)
            bar.reset(task, description=following(report), total=None)

        yield on_report, lambda done, total: bar.update(task, completed=done, total=total)
