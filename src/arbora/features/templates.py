"""The templates of parsers: their sections, declared, and files of them (the language: ``language.py``).

A template such as ``head.form & modifier.upos : alone distance`` joins atoms of words (``head``,
``modifier``, a neighbour such as ``head+1``, or ``between``: every word in between) and of the arc
(``arc.tags-between``).
After the colon stand the variants in which its features come: ``alone``, with the ``direction`` of the arc,
with its ``distance`` (direction and binned distance); without a colon, alone and with the distance.

A template file has up to ten sections: ``[pruner]`` for the choice of candidate arcs, ``[arcs]`` for their
scores, ``[labels]`` for the scores of an arc's label, ``[labeler]`` for those of a second stage, which sees
the tree (``first-child``, ``last-child`` of the modifier, ``grandparent``), ``[siblings]`` (head atoms only,
alone) for the scores of neighbouring labels below one head, ``[roles]`` for the scores of an arc's hidden
role, ``[tags]`` for those of a word's tag, if it is hidden or to be chosen (atoms of the modifier, which is
the word, alone), ``[tag-links]`` for those of the tags of an arc's two words, ``[tag-bigrams]`` and
``[tag-trigrams]`` for those of a word's tag with the one and the two before it (as ``[tags]``). Beside them
stand sections for parts of several arcs (``PARTS``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from arbora.features.inventory import ARC_ATOMS, atoms_by
from arbora.features.language import (
    Atom,
    Compiled,
    Place,
    Section,
    Template,
    by_name,
    read_templates,
    write_templates,
)

PARTS: dict[str, tuple[str | None, str | None]] = {
    "consecutive-siblings": ("sibling", None),
    "all-siblings": ("sibling", None),
    "grandparents": ("grandparent", None),
    "grand-siblings": ("sibling", "grandparent"),
    "head-bigrams": ("other-head", None),
    "crossings": ("other", None),
    "tri-siblings": ("sibling", "earlier-sibling"),
    "valencies": (None, None),
    "nonprojective-arcs": (None, None),
}
"""Sections about parts of several arcs: what their third and fourth word are called, if they have them."""
HIDDEN = ("roles", "tags", "tag-links", "tag-bigrams", "tag-trigrams")
"""Sections about what parsers add to the words and arcs: roles of arcs, tags of words."""
VARIANTS = ("alone", "direction", "distance")
DEFAULT_VARIANTS = ("alone", "distance")

_REACH = 9
_SINGLE = dict.fromkeys(atoms_by("form", "columns", "sentence"), _REACH)
_ALL = _SINGLE | dict.fromkeys(atoms_by("set"), _REACH)
_HERE = dict.fromkeys(_ALL, 0)  # without neighbours
_HEAD, _MODIFIER = {"head": Place(_ALL)}, {"modifier": Place(_ALL)}
_BETWEEN, _ARC = {"between": Place(_HERE)}, {"arc": Place(dict.fromkeys(ARC_ATOMS, 0))}
_CHILDREN = {name: Place(_HERE) for name in ("first-child", "last-child")}
_GRANDPARENT = {"grandparent": Place(_HERE, core="parent")}
_SIDES = {"first-child": "modifier", "last-child": "modifier", "grandparent": "head"}


def _check(atoms: list[Atom], variants: tuple[str, ...]) -> None:
    """What is true of all sections."""
    sets = [_SIDES.get(atom.place, atom.place) for atom in atoms if atom.name in atoms_by("set")]
    several = [side for side in sets if sets.count(side) > 1]
    if several:
        raise ValueError(f"only one feat can be joined on the side of the {several[0]}")
    places = {atom.place for atom in atoms}
    if "between" not in places:
        return
    if "arc" in places or "distance" in variants:
        raise ValueError("words in between come alone or with the direction, and without atoms of the arc")
    if set(sets) - {"between"}:
        raise ValueError("beside words in between, head and modifier have no feat; feats would do")


def _reasons(name: str) -> dict[str, str]:
    """Why a section lacks what other sections have."""
    tree = f"[{name}] is about arcs before there is a tree, so it knows no relatives in one"
    reasons = dict.fromkeys((*_CHILDREN, *_GRANDPARENT), tree)
    if name in PARTS:
        reasons |= dict.fromkeys(
            ("between", "arc"), f"[{name}] takes no words in between, and no atoms of the arc"
        )
        reasons["feat"] = f"[{name}] takes no feat; feats would do"
        reasons["modifier"] = f"[{name}] is about a head alone, and knows no modifier"
    elif name == "siblings":
        head = "[siblings] is about a head and two of its modifiers, so it takes atoms of the head only"
        reasons = dict.fromkeys(("modifier", "between", "arc", *_CHILDREN), head)
    elif name in ("tags", "tag-bigrams", "tag-trigrams"):
        word = f"[{name}] is about one word, so it takes atoms of the modifier only, alone"
        reasons |= dict.fromkeys(("head", "between", "arc"), word)
    else:
        other = f"[{name}] takes no words in between; atoms of the arc such as arc.tags-between would do"
        reasons["between"] = other
    return reasons


def _sections() -> Iterator[Section]:
    def declare(name: str, *places: dict[str, Place], alone: bool = False) -> Section:
        known = {place: what for own in places for place, what in own.items()}
        if alone:
            return Section(name, known, ("alone",), ("alone",), reasons=_reasons(name), check=_check)
        return Section(name, known, VARIANTS, DEFAULT_VARIANTS, reasons=_reasons(name), check=_check)

    yield declare("pruner", _HEAD, _MODIFIER, _BETWEEN, _ARC)
    yield declare("arcs", _HEAD, _MODIFIER, _BETWEEN, _ARC)
    yield declare("labels", _HEAD, _MODIFIER, _ARC)
    yield declare("labeler", _HEAD, _MODIFIER, _ARC, _CHILDREN, _GRANDPARENT)
    yield declare("siblings", _HEAD, _GRANDPARENT, alone=True)
    yield declare("roles", _HEAD, _MODIFIER, _ARC)
    yield declare("tags", _MODIFIER, alone=True)
    yield declare("tag-links", _HEAD, _MODIFIER, _ARC)
    yield declare("tag-bigrams", _MODIFIER, alone=True)
    yield declare("tag-trigrams", _MODIFIER, alone=True)
    for name, (third, fourth) in PARTS.items():
        words = {"head": "head", third: "third", fourth: "fourth"}
        if name != "valencies":
            words["modifier"] = "modifier"
        yield declare(name, {word: Place(_SINGLE, core=core) for word, core in words.items() if word})


SECTIONS = by_name(_sections())
"""All sections, by name."""


@dataclass(slots=True)
class Templates:
    """The templates of a parser, in their sections."""

    pruner: list[Template] = field(default_factory=list)
    arcs: list[Template] = field(default_factory=list)
    labels: list[Template] = field(default_factory=list)
    labeler: list[Template] = field(default_factory=list)
    siblings: list[Template] = field(default_factory=list)
    roles: list[Template] = field(default_factory=list)
    tags: list[Template] = field(default_factory=list)
    tag_links: list[Template] = field(default_factory=list)
    tag_bigrams: list[Template] = field(default_factory=list)
    tag_trigrams: list[Template] = field(default_factory=list)
    parts: dict[str, list[Template]] = field(default_factory=dict)

    def of(self, section: str) -> list[Template]:
        """The templates of a section.

        >>> Templates.parse("[grandparents]\\ngrandparent.upos & head.upos : alone").of("grandparents")
        [Template(atoms=('grandparent.upos', 'head.upos'), qualifiers=('alone',))]
        """
        found: list[Template] = (
            self.parts.get(section, []) if section in PARTS else getattr(self, section.replace("-", "_"))
        )
        return found

    @classmethod
    def parse(cls, text: str, name: str = "templates") -> Templates:
        """The templates of a file's text; FileError names the line that is wrong, and why.

        >>> Templates.parse("[arcs]\\nhead.upos & modifier.upos").arcs[0].qualifiers
        ('alone', 'distance')
        """
        found = read_templates(text, SECTIONS, name)
        parts = {section: own for section, own in found.items() if section in PARTS}
        return cls(
            **{section.replace("-", "_"): own for section, own in found.items() if section not in PARTS},
            parts=parts,
        )

    def __str__(self) -> str:
        may_lack = (*HIDDEN, *PARTS)
        return write_templates(
            {name: self.of(name) for name in SECTIONS if name not in may_lack or self.of(name)}
        )

    def compile(self) -> dict[str, list[Compiled]]:
        """Every section as the core takes it."""
        return {
            name: [section.compile(template) for template in self.of(name)]
            for name, section in SECTIONS.items()
        }
