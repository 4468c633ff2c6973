"""Commands that are imported when they are called: a list of them costs no more than its lines."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name
from shutil import get_terminal_size
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

WIDEST = 100
"""Lines of help have at most so many characters, and just so many where there is no terminal."""


def limit_width() -> None:
    """Let lines of help be of a readable width."""
    from typer import rich_utils  # it takes time, and only help needs it

    rich_utils.MAX_WIDTH = min(get_terminal_size((WIDEST, 50)).columns, WIDEST)


class Command(TyperCommand):
    """A command whose help is of a readable width."""

    def format_help(self, *context: Any) -> None:
        """Print the help."""
        limit_width()
        super().format_help(*context)

    def collect_usage_pieces(self, *context: Any) -> list[str]:
        """Without arguments that have no name: they are there to be refused."""
        return [piece for piece in super().collect_usage_pieces(*context) if piece != "[]"]


class LazyCommand(Command):
    """The name of a command and the line about it; the command itself takes over when it is called."""

    def __init__(self, name: str, place: str, line: str) -> None:
        """``place`` is a function or a `typer.Typer`, as ``package.module:name``."""
        super().__init__(name=name, short_help=line)
        self.place = place

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> Any:
        """The context of the command itself: what runs is the command of its context."""
        return self.load().make_context(info_name, args, *rest, **extra)

    def load(self) -> Any:
        """The command itself, imported."""
        found = resolve_name(self.place)
        if isinstance(found, typer.Typer):
            return get_command(found)
        alone = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        alone.command(self.name, cls=Command)(found)
        return get_command(alone)


def lazy_group(commands: Mapping[str, tuple[str, str]]) -> type[TyperGroup]:
    """A class of groups with these commands: the name of each, its place and the line about it.

    >>> group = lazy_group({"parse": ("arbora.cli.parse:parse", "Parse a file.")})(name="arbora")
    >>> group.commands["parse"].get_short_help_str()
    'Parse a file.'
    """

    class LazyGroup(TyperGroup):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            for name, (place, line) in commands.items():
                self.add_command(LazyCommand(name, place, line))

        def format_help(self, *context: Any) -> None:
            limit_width()
            super().format_help(*context)

    return LazyGroup
