"""Progress of work that goes from file to file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console

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
