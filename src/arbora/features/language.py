"""The language of feature templates, for parsers, taggers and tokenizers alike.

A template is one line: which facts are looked at together. Its atoms are joined by ``&``; an atom is a place
or a neighbour of it such as ``head-1`` or ``word+2``, a dot and a name: ``head.form & modifier-1.upos``.
``bias`` looks at nothing. After a colon stand qualifiers, if the section has any: the variants in which
features come, or how often something must have been seen. ``[name]`` begins a section, ``#`` a comment.

Which sections there are, which places and atoms they know and what may follow the colon is data: a
``Section`` declares it, and reading, checking and compiling follow. To the core go names only, so that a
saved model means the same whatever else there is beside the things that it names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from arbora import _core
from arbora.errors import FileError

BIAS = "bias"
"""How a template without atoms is written."""

Compiled: TypeAlias = tuple[int, list[tuple[str, int, str]], list[str]]
"""What the core takes: seed; (place, offset, name) of every atom; qualifiers."""

_ATOM = re.compile(r"([a-z]+(?:-[a-z]+)*)([+-]\d)?\.([a-z]+(?:-[a-z]+)*\d?)")


@dataclass(frozen=True, slots=True)
class Template:
    """One template: its atoms and its qualifiers, as written.

    >>> str(Template(("head.form", "modifier.upos"), ("alone", "distance")))
    'head.form & modifier.upos : alone distance'
    """

    atoms: tuple[str, ...]
    qualifiers: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " : ".join(
            [" & ".join(self.atoms) or BIAS, *([" ".join(self.qualifiers)] * bool(self.qualifiers))]
        )


@dataclass(frozen=True, slots=True)
class Place:
    """What atoms can be asked of: their names, each with how far away a neighbour may be.

    ``sides``: whether neighbours lie before it (``-``), after it (``+``) or on both sides. ``core``: what the
    core calls it, if not by the same name.
    """

    atoms: Mapping[str, int]
    sides: str = "-+"
    core: str = ""


@dataclass(frozen=True, slots=True)
class Atom:
    """An atom taken apart.

    >>> PLACES = {"word": Place({"form": 1})}
    >>> Section("upos", PLACES).atom("word-1.form")
    Atom(written='word-1.form', place='word', offset=-1, name='form')
    """

    written: str
    place: str
    offset: int
    name: str


@dataclass(frozen=True, slots=True)
class Section:
    """What the templates of one section may be made of.

    ``variants`` are the qualifiers that it takes, ``default`` those that stand for none; with ``counts`` the
    qualifiers are one or two numbers instead. ``reasons`` say why a place or an atom that others have is not
    here. ``check`` raises ValueError where atoms and qualifiers do not go together.

    >>> section = Section("morph", {"word": Place({"form": 3, "lower": 3})})
    >>> section.read("word.form & word+1.lower")
    Template(atoms=('word.form', 'word+1.lower'), qualifiers=())
    >>> section.read("word+4.form")
    Traceback (most recent call last):
    ValueError: 'word+4.form': neighbours of word are up to 3 places away here
    """

    name: str
    places: Mapping[str, Place]
    variants: tuple[str, ...] = ()
    default: tuple[str, ...] = ()
    counts: bool = False
    reasons: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[list[Atom], tuple[str, ...]], None] | None = None

    def read(self, line: str) -> Template:
        """The template that a line writes; ValueError says what is wrong with it."""
        written, colon, after = line.partition(":")
        names = tuple(name.strip() for name in written.split("&"))
        qualifiers = tuple(after.split())
        self._check_qualifiers(qualifiers, bool(colon))
        template = Template(() if names == (BIAS,) else names, qualifiers if colon else self.default)
        atoms = [self.atom(name) for name in template.atoms]
        if self.check is not None:
            self.check(atoms, template.qualifiers)
        return template

    def _check_qualifiers(self, qualifiers: tuple[str, ...], written: bool) -> None:
        if self.counts:
            if not (
                len(qualifiers) in (1, 2) and all(count.isdecimal() and int(count) for count in qualifiers)
            ):
                raise ValueError(
                    f"[{self.name}] needs after a colon how often a template must have been seen, such as "
                    "`word.form : 10`"
                )
        elif written and not self.variants:
            raise ValueError(f"[{self.name}] takes nothing after a colon")
        elif written and (not qualifiers or set(qualifiers) - set(self.variants)):
            raise ValueError(
                f"after the colon of [{self.name}] stand one or more of {', '.join(self.variants)}, "
                f"not {' '.join(qualifiers)!r}"
            )

    def atom(self, written: str) -> Atom:
        """An atom of this section; ValueError if it is none."""
        found = _ATOM.fullmatch(written)
        if found is None:
            raise ValueError(f"{written!r} is no atom: {self._usage()}")
        place, offset, name = found[1], int(found[2] or 0), found[3]
        if place not in self.places:
            raise ValueError(self.reasons.get(place, f"{written!r}: there is no {place} in [{self.name}]"))
        known = self.places[place]
        if name not in known.atoms:
            raise ValueError(self.reasons.get(name, f"{written!r} is no atom: {self._usage()}"))
        reach = known.atoms[name]
        if offset and not reach:
            raise ValueError(f"{written!r}: {place}.{name} has no neighbours here")
        if abs(offset) > reach:
            raise ValueError(f"{written!r}: neighbours of {place} are up to {reach} places away here")
        if offset and ("-" if offset < 0 else "+") not in known.sides:
            raise ValueError(f"{written!r}: neighbours of {place} lie on its other side")
        return Atom(written, place, offset, name)

    def _usage(self) -> str:
        names = ", ".join(dict.fromkeys(name for place in self.places.values() for name in place.atoms))
        return f"write {' or '.join(self.places)}, a dot and one of {names}"

    def compile(self, template: Template) -> Compiled:
        """What the core takes. Equal templates of different sections have different weights."""
        atoms = [self.atom(written) for written in template.atoms]
        return (
            _core.hash_text(f"{self.name}: " + (" & ".join(template.atoms) or BIAS)),
            [(self.places[atom.place].core or atom.place, atom.offset, atom.name) for atom in atoms],
            list(template.qualifiers),
        )


def by_name(sections: Iterable[Section]) -> dict[str, Section]:
    """Sections by their names."""
    return {section.name: section for section in sections}


def read_templates(text: str, sections: Mapping[str, Section], file: str) -> dict[str, list[Template]]:
    """The templates of a text by their sections; FileError names the line that is wrong, and why."""
    result: dict[str, list[Template]] = {}
    section: Section | None = None
    for number, line in enumerate(text.splitlines(), 1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        try:
            if content.startswith("["):
                title = content[1:-1]
                if content != f"[{title}]" or title not in sections:
                    raise ValueError(f"there is no section {content}; there are {', '.join(sections)}")
                section = sections[title]
            elif section is None:
                raise ValueError(f"a template before the first section, such as [{next(iter(sections))}]")
            else:
                result.setdefault(section.name, []).append(section.read(content))
        except ValueError as error:
            raise FileError(str(error), file=file, line=number) from None
    return result


def write_templates(templates: Mapping[str, Iterable[Template]]) -> str:
    """The text of templates; ``read_templates`` reads it back.

    >>> print(write_templates({"upos": [Template(("word.form",)), Template(())], "lemma": []}), end="")
    [upos]
    word.form
    bias
    [lemma]
    """
    lines = [line for name, own in templates.items() for line in (f"[{name}]", *map(str, own))]
    return "".join(f"{line}\n" for line in lines)
