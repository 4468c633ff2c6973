"""The names of atoms, as the core has them: one inventory for all models."""

from __future__ import annotations

from arbora import _core

SOURCES = dict(_core.word_atom_names())
"""Atoms of words, and by what each is found: ``form``, ``columns``, ``sentence``, ``set``, ``model``."""
WORD_ATOMS = tuple(SOURCES)
ARC_ATOMS = tuple(_core.arc_atom_names())
"""Atoms of an arc: what lies between its words."""


def atoms_by(*sources: str) -> tuple[str, ...]:
    """The atoms of words that are found by these.

    >>> atoms_by("set", "model")
    ('feat', 'known-tags')
    """
    return tuple(name for name, source in SOURCES.items() if source in sources)
