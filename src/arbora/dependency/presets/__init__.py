"""Presets: named sets of templates, one text file each."""

from __future__ import annotations

from importlib.resources import files

from arbora.errors import ArboraError
from arbora.features import Templates

PRESETS = ("first-order", "second-order")


def preset_templates(name: str) -> Templates:
    """The templates of a preset.

    >>> len(preset_templates("first-order").arcs) > 50
    True
    """
    if name not in PRESETS:
        raise ArboraError(f"there is no preset {name!r}; there is {', '.join(PRESETS)}")
    text = files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    return Templates.parse(text, name=f"preset {name}")
