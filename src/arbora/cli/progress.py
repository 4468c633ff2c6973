"""Progress of long work: what it shows on a terminal, and elsewhere."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from arbora.training import StoppedError, Watcher

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
    """A line for each report; on a terminal also a bar for the step that is running.

    If training is stopped, the error has the command that goes on with it.
    """
    try:
        with _shown_reports(resume) as watcher:
            yield watcher
    except StoppedError as error:
        words = [word for word in sys.argv[1:] if word != "--resume"]
        command = shlex.join(["arbora", *words, "--resume"])
        raise type(error)(error.kept, command, error.reason) from None


@contextmanager
def _shown_reports(resume: bool) -> Iterator[Watcher]:
    console = Console(stderr=True, highlight=False)
    announced = not resume

    def announce(title: str) -> None:
        nonlocal announced
        if not announced:
            announced = True
            say(f"resuming with {title}")

    def say(line: str) -> None:
        console.print(line, markup=False, soft_wrap=True)

    if not console.is_terminal:
        yield Watcher(on_report=lambda report: say(report.line), on_step=announce, on_note=say)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def begin(title: str) -> None:
            announce(title)
            bar.reset(task, description=title, total=None)

        yield Watcher(
            on_report=lambda report: say(report.line),
            on_batch=lambda done, total: bar.update(task, completed=done, total=total),
            on_step=begin,
            on_note=say,
        )
