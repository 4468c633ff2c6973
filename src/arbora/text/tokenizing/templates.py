"""What the tokenizer looks at: the templates of gaps between characters (language: ``arbora.features``).

A gap has a ``left`` and a ``right`` side, seen past spaces; ``left-1`` and ``right+1`` are one further on:

```text
left.char ... left-5.char      the characters, the nearest first; a run of spaces is one
left.class ... left-5.class    their classes: upper, lower, digit, opening ...
left.run left-1.run            rows of letters and digits: the nearest, and the one beyond
left.shape left-1.shape        their classes, repeated ones once
left.length                    of the nearest run, up to 8
left.between                   what lies between the gap and that run
left.word left-1.word          what spaces enclose: the piece at the gap, and the one beyond
left.word-shape                the classes of left.word
left.marks                     which of @ / : . - _ ? = and digits are in left.word
gap.spaces                     the spaces in the gap: none, one, several, a line break, a blank line
```
"""

from __future__ import annotations

from importlib.resources import files

from arbora.features import Place, Section, by_name, read_templates, write_templates
from arbora.features.language import Compiled

# Each with how far it reaches; beyond, the core has no columns.
_ATOMS = {"char": 5, "class": 5, "run": 1, "shape": 1, "word": 1}
_ATOMS |= dict.fromkeys(("length", "between", "word-shape", "marks"), 0)
_PLACES = {"left": Place(_ATOMS, "-"), "right": Place(_ATOMS, "+"), "gap": Place({"spaces": 0})}
SECTIONS = by_name(Section(name, _PLACES) for name in ("tokens", "sentences"))
"""All sections, by name."""


def _built_in(section: str) -> str:
    text = files(__package__).joinpath("templates.txt").read_text("utf-8")
    return write_templates({section: read_templates(text, SECTIONS, "templates.txt")[section]})


TOKENS = _built_in("tokens")
"""Features by which tokens end, within words."""
SENTENCES = _built_in("sentences")
"""Features by which sentences end, after a token."""


def parse_templates(text: str) -> list[Compiled]:
    """The templates of a text as the core has them; FileError names an atom that there is not.

    >>> parse_templates("[tokens]\\nleft.char & right+1.char")[0][1]
    [('left', 0, 'char'), ('right', 1, 'char')]
    >>> parse_templates("[tokens]\\nleft-9.char")
    Traceback (most recent call last):
    arbora.errors.FileError: templates:2: 'left-9.char': neighbours of left are up to 5 places away here
    """
    found = read_templates(text, SECTIONS, "templates")
    return [SECTIONS[name].compile(template) for name, own in found.items() for template in own]
