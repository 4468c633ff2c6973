"""Templates of taggers as text: what is looked at together when a label is chosen, and when candidates are.

A template is one line, ``word.lower & word+1.tags``: atoms of the word or of a neighbour up to three places
away, joined by ``&``; ``alone`` looks at nothing. A file has four sections for each stage, ``upos``,
``morph`` and ``lemma``: ``[upos]`` scores labels, ``[upos-bigrams]`` a label with the one before it,
``[upos-trigrams]`` with the two before it. ``[upos-candidates]`` is for the dictionary: the labels of a word
are those that training has seen with the first of these templates that it knows; after a colon stands how
often it must have been seen, in training and, if that is another number, afterwards. ``#`` begins a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TypeAlias

from arbora import _core
from arbora.errors import FileError
from arbora.text.tagging.options import STAGES

ATOMS = _core.word_atom_names()
FOUND = {"upos": 1, "morph": 2}
"""Atoms that stages find: they can be used from this stage on."""
SECTIONS = tuple(
    f"{stage}{kind}" for stage in STAGES for kind in ("", "-bigrams", "-trigrams", "-candidates")
)
_ATOM = re.compile(r"word([+-]\d)?\.([a-z0-9]+)")

Compiled: TypeAlias = tuple[int, list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class WordTemplate:
    """One template: its atoms as written and, of candidates, how often it must have been seen.

    >>> WordTemplate.parse("word.form & word-1.upos : 10 1", "lemma-candidates")
    WordTemplate(atoms=('word.form', 'word-1.upos'), least=(10, 1))
    """

    atoms: tuple[str, ...]
    least: tuple[int, int] = (1, 1)

    @classmethod
    def parse(cls, text: str, section: str) -> WordTemplate:
        """The template that a line of a section writes; ValueError says what is wrong with it."""
        written, colon, counts = text.partition(":")
        atoms = tuple(atom.strip() for atom in written.split("&"))
        least = [int(count) if count.isdecimal() else 0 for count in counts.split()] or [0]
        if section.endswith("-candidates") and (min(least) < 1 or len(least) > 2):
            raise ValueError("candidates say how often they must have been seen, such as `word.form : 10`")
        if colon and not section.endswith("-candidates"):
            raise ValueError("a colon and a number are for candidates only")
        template = cls(() if atoms == ("alone",) else atoms, (least[0] or 1, least[-1] or 1))
        template.compile(section)
        return template

    def __str__(self) -> str:
        return " & ".join(self.atoms) or "alone"

    def compile(self, section: str) -> Compiled:
        """What the core takes: seed and references; ValueError if it is no template."""
        stage = STAGES.index(section.partition("-")[0])
        references = []
        for atom in self.atoms:
            found = _ATOM.fullmatch(atom)
            if not found or found[2] not in ATOMS:
                raise ValueError(
                    f"{atom!r} is no atom: write word, or a neighbour such as word-1, a dot and one of "
                    f"{', '.join(ATOMS)}"
                )
            offset = int(found[1] or 0)
            if abs(offset) > _core.word_reach:
                raise ValueError(f"{atom!r}: neighbours are up to {_core.word_reach} places away")
            if FOUND.get(found[2], 0) > stage:
                raise ValueError(f"{atom!r} is not known yet in [{section}]")
            references.append((offset, ATOMS.index(found[2])))
        return _core.hash_text(f"{section}: {self}"), references


@dataclass(slots=True)
class TaggerTemplates:
    """The templates of a tagger, in their sections.

    >>> len(default_templates().of("upos")) > 30
    True
    """

    sections: dict[str, list[WordTemplate]] = field(default_factory=dict)

    def of(self, section: str) -> list[WordTemplate]:
        """The templates of a section."""
        return self.sections.get(section, [])

    @classmethod
    def parse(cls, text: str, name: str = "templates") -> TaggerTemplates:
        """The templates of a file's text; FileError names the line that is wrong.

        >>> TaggerTemplates.parse("[upos]\\nword.form").of("upos")
        [WordTemplate(atoms=('word.form',), least=(1, 1))]
        """
        result, section = cls(), ""
        for number, line in enumerate(text.splitlines(), 1):
            content = line.partition("#")[0].strip()
            if not content:
                continue
            try:
                if content.startswith("["):
                    section = content[1:-1]
                    if content != f"[{section}]" or section not in SECTIONS:
                        raise ValueError(f"there is no section {content}; there are {', '.join(SECTIONS)}")
                elif not section:
                    raise ValueError("a template before the first section, such as [upos]")
                else:
                    result.sections.setdefault(section, []).append(WordTemplate.parse(content, section))
            except ValueError as error:
                raise FileError(str(error), file=name, line=number) from None
        return result

    def __str__(self) -> str:
        lines = []
        for section in SECTIONS:
            lines.append(f"[{section}]")
            for template in self.of(section):
                counts = (
                    f" : {template.least[0]} {template.least[1]}" if section.endswith("-candidates") else ""
                )
                lines.append(f"{template}{counts}")
        return "\n".join(lines) + "\n"

    def compile(self, stage: str) -> list[list[Compiled]]:
        """A stage's templates as the core takes them."""
        return [
            [template.compile(section) for template in self.of(section)]
            for section in SECTIONS
            if section.partition("-")[0] == stage
        ]


def default_templates() -> TaggerTemplates:
    """The templates that taggers are trained with if no others are given."""
    return TaggerTemplates.parse(files(__package__).joinpath("templates.txt").read_text("utf-8"))
