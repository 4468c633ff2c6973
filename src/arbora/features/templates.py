"""Feature templates as text: which atoms are joined, in which company, compiled to what the core interprets.

A template is one line, ``head.form & modifier.upos : alone distance``. Before the colon stand atoms joined
by ``&``: an atom of a word (``head``, ``modifier``, a neighbour such as ``head+1`` or ``modifier-1``, or
``between``: every word in between), or of the arc (``tags-between``). After it stands the company:
``alone``, with the ``direction`` of the arc, with its ``distance`` (direction and binned distance); without
a colon, alone and with the distance.

A template file has up to ten sections: ``[pruner]`` for the choice of candidate arcs, ``[arcs]`` for their
scores, ``[labels]`` for the scores of an arc's label, ``[labeler]`` for those of a second stage, which sees
the tree (``first-child``, ``last-child`` of the modifier, ``grandparent``), ``[siblings]`` (head atoms only,
no company) for the scores of neighbouring labels below one head, ``[roles]`` for the scores of an arc's
hidden role, ``[tags]`` for those of a word's tag, if it is hidden or to be chosen (atoms of the modifier,
which is the word, alone), ``[tag-links]`` for those of the tags of an arc's two words, ``[tag-bigrams]`` and
``[tag-trigrams]`` for those of a word's tag with the one and the two before it (as ``[tags]``). Beside them
stand sections for parts of several arcs (``PARTS``). ``#`` begins a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

from arbora import _core
from arbora.errors import FileError

ATOMS = _core.atom_names()
ARC_ATOMS = _core.arc_atom_names()
# What the third and the fourth word of parts of several arcs are called; None where there is none.
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
"""Sections about parts of several arcs, in the order of the core."""
HIDDEN = ("roles", "tags", "tag-links", "tag-bigrams", "tag-trigrams")
"""Sections about what parsers add to the words and arcs: roles of arcs, tags of words."""
SECTIONS = ("pruner", "arcs", "labels", "labeler", "siblings", *HIDDEN, *PARTS)
COMPANY = ("alone", "direction", "distance")
DEFAULT_COMPANY = ("alone", "distance")
_WORDS = "head|modifier|between|first-child|last-child|grandparent|sibling|earlier-sibling|other-head|other"
_WORD_ATOM = re.compile(rf"({_WORDS})([+-]\d)?\.([a-z0-9-]+)")
_RELATIVES = {"first-child": ("modifier", 100), "last-child": ("modifier", 101), "grandparent": ("head", 102)}
_TREE_OFFSETS = {offset for _, offset in _RELATIVES.values()}

Side: TypeAlias = list[tuple[int, int]]
Compiled: TypeAlias = tuple[int, list[Side], list[int], bool, bool, bool]


@dataclass(frozen=True, slots=True)
class Template:
    """One template: its atoms as written, and the company it comes in.

    >>> Template.parse("head.form & modifier-1.upos : direction")
    Template(atoms=('head.form', 'modifier-1.upos'), company=('direction',))
    """

    atoms: tuple[str, ...]
    company: tuple[str, ...] = DEFAULT_COMPANY

    @classmethod
    def parse(cls, text: str, section: str = "") -> Template:
        """The template that a line of a section writes; ValueError says what is wrong with it."""
        written, colon, company = text.partition(":")
        template = cls(
            tuple(atom.strip() for atom in written.split("&")),
            tuple(company.split()) if colon else DEFAULT_COMPANY,
        )
        template.compile(section)
        return template

    def __str__(self) -> str:
        return " & ".join(self.atoms) + " : " + " ".join(self.company)

    def compile(self, section: str = "") -> Compiled:
        """What the core takes: seed, three sides, arc atoms, three flags; ValueError if it is no template.

        Equal templates of different sections have different weights.
        """
        sides: dict[str, Side] = {"head": [], "modifier": [], "between": [], "third": [], "fourth": []}
        arc: list[int] = []
        for atom in self.atoms:
            if atom in ARC_ATOMS:
                arc.append(ARC_ATOMS.index(atom))
                continue
            role, offset, name = _parse_atom(atom, section)
            sides[role].append((offset, ATOMS.index(name)))
        _check_sides(sides, arc, self.company)
        _check_section(sides, arc, self.company, section)
        seed = _core.hash_text(section + ": " + " & ".join(self.atoms))
        flags = [name in self.company for name in COMPANY]
        return (seed, list(sides.values()), arc, flags[0], flags[1], flags[2])


def _parse_atom(atom: str, section: str) -> tuple[str, int, str]:
    found = _WORD_ATOM.fullmatch(atom)
    if not found or found[3] not in ATOMS:
        raise ValueError(
            f"{atom!r} is no atom: write head, modifier or between, a dot and one of "
            f"{', '.join(ATOMS)}; or one of {', '.join(ARC_ATOMS)}"
        )
    if section in PARTS and found[1] in PARTS[section]:
        return ("third", "fourth")[PARTS[section].index(found[1])], int(found[2] or 0), found[3]
    if found[1] in ("sibling", "earlier-sibling", "other-head", "other"):
        raise ValueError(f"{atom!r}: there is no {found[1]} in [{section}]")
    if found[1] == "between" and found[2]:
        raise ValueError(f"{atom!r}: words in between have no neighbours here")
    if found[1] in _RELATIVES and found[2]:
        raise ValueError(f"{atom!r}: relatives in the tree have no neighbours here")
    if found[1] in _RELATIVES:
        return *_RELATIVES[found[1]], found[3]
    return found[1], int(found[2] or 0), found[3]


def _check_sides(sides: dict[str, Side], arc: list[int], company: tuple[str, ...]) -> None:
    if not company or set(company) - set(COMPANY):
        raise ValueError(f"the company is one or more of {', '.join(COMPANY)}, not {' '.join(company)!r}")
    several = [
        role for role, side in sides.items() if [atom for _, atom in side].count(ATOMS.index("feat")) > 1
    ]
    if several:
        raise ValueError(f"only one feat can be joined on the side of the {several[0]}")
    if not sides["between"]:
        return
    if arc or "distance" in company:
        raise ValueError("words in between come alone or with the direction, and without atoms of the arc")
    if any(atom == ATOMS.index("feat") for role in ("head", "modifier") for _, atom in sides[role]):
        raise ValueError("beside words in between, head and modifier have no feat; feats would do")


def _check_section(sides: dict[str, Side], arc: list[int], company: tuple[str, ...], section: str) -> None:
    """What the section cannot see would be left out without a word."""
    sees_tree = any(offset in _TREE_OFFSETS for side in sides.values() for offset, _ in side)
    if section == "valencies" and sides["modifier"]:
        raise ValueError(f"[{section}] is about a head alone, and knows no modifier")
    if section in PARTS and (sides["between"] or arc):
        raise ValueError(f"[{section}] takes no words in between, and no atoms of the arc")
    if section in PARTS and any(atom == ATOMS.index("feat") for side in sides.values() for _, atom in side):
        raise ValueError(f"[{section}] takes no feat; feats would do")
    if sees_tree and section not in ("", "labeler", "siblings"):
        raise ValueError(f"[{section}] is about arcs before there is a tree, so it knows no relatives in one")
    if sides["between"] and section in ("labels", "labeler", "roles", "tag-links"):
        raise ValueError(
            f"[{section}] takes no words in between; atoms of the arc such as tags-between would do"
        )
    if section == "siblings" and (sides["modifier"] or sides["between"] or arc):
        raise ValueError(
            "[siblings] is about a head and two of its modifiers, so it takes atoms of the head only"
        )
    about_words = ("tags", "tag-bigrams", "tag-trigrams")
    if section in about_words and (sides["head"] or sides["between"] or arc or company != ("alone",)):
        raise ValueError(f"[{section}] is about one word, so it takes atoms of the modifier only, alone")
    # The default may stand there written out, as it does in the headers of models.
    if section == "siblings" and company not in (("alone",), DEFAULT_COMPANY):
        raise ValueError(
            "[siblings] is about a head and two of its modifiers, not about an arc, so it takes no direction "
            "and no distance: leave out the colon"
        )


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
        [Template(atoms=('grandparent.upos', 'head.upos'), company=('alone',))]
        """
        found: list[Template] = (
            self.parts.get(section, []) if section in PARTS else getattr(self, section.replace("-", "_"))
        )
        return found

    @classmethod
    def parse(cls, text: str, name: str = "templates") -> Templates:
        """The templates of a file's text; errors name the line.

        >>> Templates.parse("[arcs]\\nhead.upos & modifier.upos").arcs[0].company
        ('alone', 'distance')
        """
        result = cls()
        title = ""
        for number, line in enumerate(text.splitlines(), 1):
            content = line.partition("#")[0].strip()
            if not content:
                continue
            if content.startswith("["):
                title = content[1:-1]
                if content != f"[{title}]" or title not in SECTIONS:
                    raise FileError(
                        f"there is no section {content}; there are {', '.join(SECTIONS)}",
                        file=name,
                        line=number,
                    )
                continue
            if not title:
                raise FileError("a template before the first section, such as [arcs]", file=name, line=number)
            try:
                template = Template.parse(content, title)
            except ValueError as error:
                raise FileError(str(error), file=name, line=number) from None
            (result.parts.setdefault(title, []) if title in PARTS else result.of(title)).append(template)
        return result

    def __str__(self) -> str:
        parts = []
        for section in SECTIONS:
            if section not in (*HIDDEN, *PARTS) or self.of(section):
                parts += [f"[{section}]", *map(str, self.of(section))]
        return "\n".join(parts) + "\n"

    def compile(self) -> dict[str, list[Compiled]]:
        """Every section as the core takes it."""
        return {section: [template.compile(section) for template in self.of(section)] for section in SECTIONS}
