"""Colours for the terminal, or none."""

from __future__ import annotations

from dataclasses import dataclass

from rich.style import Style

_BOLD, _DIM, _LABEL = Style(bold=True), Style(dim=True), Style(color="cyan")


@dataclass(frozen=True)
class Painter:
    """Paints text by what it means; with `coloured` false it returns the text as it is.

    >>> Painter(coloured=False).bold("word")
    'word'
    >>> Painter(coloured=True).bold("word")
    '\\x1b[1mword\\x1b[0m'
    """

    coloured: bool

    def bold(self, text: str) -> str:
        """Paint a word of the sentence."""
        return self._painted(text, _BOLD)

    def dim(self, text: str) -> str:
        """Paint lines and tags, which stand back behind the words."""
        return self._painted(text, _DIM)

    def label(self, text: str) -> str:
        """Paint the name of a relation or a phrase."""
        return self._painted(text, _LABEL)

    def _painted(self, text: str, style: Style) -> str:
        return style.render(text) if self.coloured and text else text
