"""The templates of span parsers: their sections, declared, and files of them (language: ``arbora.features``).

A template such as ``first.xpos & last+1.lower`` joins atoms of a span. Places are ``first`` and ``last``, its
first and last word, and in ``[rules]`` ``split``, the first word of the right one of its two parts, each with
neighbours up to three places away; ``span``, and in ``[rules]`` ``left`` and ``right``, are the span and its
parts as wholes. The tag of a word is its ``xpos``.

``[coarse]`` and ``[nodes]`` score the symbols of spans, for the small model and for the model of trees.
``[rules]`` scores how a span is split; after the colon stands with what its features are joined: ``parent``,
the symbol above; ``left-child``, ``right-child``, that and the symbol of a child; ``rule``, all three.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from arbora import _core
from arbora.features import Place, Section, Template, atoms_by, by_name, read_templates, write_templates
from arbora.features.language import Compiled

TAG = "xpos"
"""The atom of a word's tag."""
RUN_ATOMS: tuple[str, ...] = tuple(_core.run_atom_names())
"""Atoms of several words in a row."""
VIEWS: tuple[str, ...] = tuple(_core.rule_view_names())
"""With what templates of rules are joined."""

_WORD = Place(dict.fromkeys((*atoms_by("form"), TAG), _core.word_reach))
_RUN = Place(dict.fromkeys(RUN_ATOMS, 0))
_SPAN: Mapping[str, Place] = {"first": _WORD, "last": _WORD, "span": _RUN}
_SPLIT: Mapping[str, Place] = {**_SPAN, "split": _WORD, "left": _RUN, "right": _RUN}


def _section(name: str) -> Section:
    unsplit = f"[{name}] is about a span whatever its parts are, so it knows no split, left or right"
    return Section(name, _SPAN, reasons=dict.fromkeys(("split", "left", "right"), unsplit))


SECTIONS = by_name(
    [_section("coarse"), _section("nodes"), Section("rules", _SPLIT, VIEWS, ("parent", "rule"))]
)
"""All sections, by name."""


@dataclass(slots=True)
class SpanTemplates:
    """The templates of a span parser, in their sections.

    >>> len(default_templates().of("nodes")) > 30
    True
    """

    sections: dict[str, list[Template]] = field(default_factory=dict)

    def of(self, section: str) -> list[Template]:
        """The templates of a section."""
        return self.sections.get(section, [])

    @classmethod
    def parse(cls, text: str, name: str = "templates") -> SpanTemplates:
        """The templates of a file's text; FileError names the line that is wrong, and why.

        >>> SpanTemplates.parse("[nodes]\\nfirst.lower & span.length").of("nodes")
        [Template(atoms=('first.lower', 'span.length'), qualifiers=())]
        """
        return cls(read_templates(text, SECTIONS, name))

    def __str__(self) -> str:
        return write_templates({section: self.of(section) for section in SECTIONS})

    def compile(self, section: str) -> list[Compiled]:
        """A section's templates as the core takes them."""
        return [SECTIONS[section].compile(template) for template in self.of(section)]


def default_templates() -> SpanTemplates:
    """The templates that span parsers are trained with if no others are given."""
    return SpanTemplates.parse(files(__package__).joinpath("templates.txt").read_text("utf-8"))
