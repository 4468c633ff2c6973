"""Atoms and templates, declared as data: one inventory and one language for all models."""

from arbora.features.inventory import ARC_ATOMS, WORD_ATOMS, atoms_by
from arbora.features.language import Place, Section, Template, by_name, read_templates, write_templates
from arbora.features.templates import PARTS, SECTIONS, Templates

__all__ = [
    "ARC_ATOMS",
    "PARTS",
    "SECTIONS",
    "WORD_ATOMS",
    "Place",
    "Section",
    "Template",
    "Templates",
    "atoms_by",
    "by_name",
    "read_templates",
    "write_templates",
]
