"""Progress of long work: what it shows on a terminal, and elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from arbora.training import Watcher

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
def training_progress(resume: bool) -> Iterator[Watcher]:
    """A line for each report; on a terminal also a bar for the step that is running."""
    console = Console(stderr=True, highlight=False)
    announced = not resume

    def announce(title: str) -> None:
        nonlocal announced
        if not announced:
            announced = True
            console.print(f"resuming with {title}", markup=False, soft_wrap=True)

    if not console.is_terminal:
        yield Watcher(on_report=lambda report: typer.echo(report.line, err=True), on_step=announce)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def begin(title: str) -> None:
            announce(title)
            bar.reset(task, description=title, total=None)

        yield Watcher(
            on_report=lambda report: console.print(report.line, markup=False, soft_wrap=True),
            on_batch=lambda done, total: bar.update(task, completed=done, total=total),
            on_step=begin,
        )
