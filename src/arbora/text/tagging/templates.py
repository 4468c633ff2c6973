"""The templates of taggers: their sections, declared, and files of them (language: ``arbora.features``).

A template such as ``word.lower & word+1.known-tags`` joins atoms of the word or of a neighbour up to three
places away. A file has four sections for each stage, ``upos``, ``morph`` and ``lemma``: ``[upos]`` scores
labels, ``[upos-bigrams]`` a label with the one before it, ``[upos-trigrams]`` with the two before it.
``[upos-candidates]`` is for the dictionary: the labels of a word are those that training has seen with the
first of these templates that it knows; after a colon stands how often it must have been seen, in training
and, if that is another number, afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import files

from arbora import _core
from arbora.features import Place, Section, Template, atoms_by, by_name, read_templates, write_templates
from arbora.features.language import Compiled
from arbora.text.tagging.options import STAGES

FOUND = ("upos", "morph")
"""Atoms that stages find, by the stages' names: later stages can use them."""
KINDS = {"labels": "", "bigrams": "-bigrams", "trigrams": "-trigrams", "candidates": "-candidates"}
"""What the templates of a stage are for, and how the names of their sections end."""


def _sections() -> Iterator[Section]:
    for number, stage in enumerate(STAGES):
        atoms = (*atoms_by("form", "model"), *FOUND[:number])
        word = {"word": Place(dict.fromkeys(atoms, _core.word_reach))}
        for ending in KINDS.values():
            name = stage + ending
            later = {atom: f"{atom} is not known yet in [{name}]" for atom in FOUND[number:]}
            yield Section(name, word, counts=ending == "-candidates", reasons=later)


SECTIONS = by_name(_sections())
"""All sections, by name."""


def least_counts(template: Template) -> tuple[int, int]:
    """How often a template of candidates must have been seen: in training, and afterwards.

    >>> least_counts(SECTIONS["lemma-candidates"].read("word.form & word-1.upos : 10 1"))
    (10, 1)
    """
    counts = [int(count) for count in template.qualifiers]
    return counts[0], counts[-1]


@dataclass(slots=True)
class TaggerTemplates:
    """The templates of a tagger, in their sections.

    >>> len(default_templates().of("upos")) > 30
    True
    """

    sections: dict[str, list[Template]] = field(default_factory=dict)

    def of(self, section: str) -> list[Template]:
        """The templates of a section."""
        return self.sections.get(section, [])

    @classmethod
    def parse(cls, text: str, name: str = "templates") -> TaggerTemplates:
        """The templates of a file's text; FileError names the line that is wrong, and why.

        >>> TaggerTemplates.parse("[upos]\\nword.form").of("upos")
        [Template(atoms=('word.form',), qualifiers=())]
        """
        return cls(read_templates(text, SECTIONS, name))

    def __str__(self) -> str:
        return write_templates({section: self.of(section) for section in SECTIONS})

    def compile(self, stage: str) -> dict[str, list[Compiled]]:
        """A stage's templates as the core takes them, by what they are for."""
        return {
            kind: [SECTIONS[stage + ending].compile(template) for template in self.of(stage + ending)]
            for kind, ending in KINDS.items()
        }


def default_templates() -> TaggerTemplates:
    """The templates that taggers are trained with if no others are given."""
    return TaggerTemplates.parse(files(__package__).joinpath("templates.txt").read_text("utf-8"))
