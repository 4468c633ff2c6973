"""Trees as text for the terminal and as SVG.

`dependency_text`, `dependency_svg`, `constituency_text` and `constituency_svg` take plain lists and anything
tree-like; `text`, `svg` and `stacked_svg` take what `arbora.treebank.read` yields.

>>> print(dependency_text(["Beliefs", "travel"], [2, 0], ["nsubj", "root"], tags=["NOUN", "VERB"]))
 ╭─▶ Beliefs  NOUN  nsubj
─┴─▶ travel   VERB  root
"""

from __future__ import annotations

from arbora.draw.api import (
    DEPENDENCY_STYLES,
    constituency_svg,
    constituency_text,
    dependency_svg,
    dependency_text,
    stacked_svg,
    svg,
    text,
)
from arbora.draw.characters import display_width
from arbora.draw.errors import DrawingError

__all__ = [
    "DEPENDENCY_STYLES",
    "DrawingError",
    "constituency_svg",
    "constituency_text",
    "dependency_svg",
    "dependency_text",
    "display_width",
    "stacked_svg",
    "svg",
    "text",
]
