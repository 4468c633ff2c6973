"""What can be wrong with data that is to be drawn."""

from __future__ import annotations

from arbora.errors import ArboraError


class DrawingError(ArboraError, ValueError):
    """Data that describes no tree, such as a head beyond the last word.

    >>> import arbora.draw
    >>> arbora.draw.dependency_text(["Go"], [7], ["root"])
    Traceback (most recent call last):
    arbora.draw.errors.DrawingError: word 1: head 7 is not between 0 and 1
    """
