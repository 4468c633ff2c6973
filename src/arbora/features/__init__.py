"""Atoms and templates, declared as data."""

from arbora.features.templates import PARTS, SECTIONS, Template, Templates

__all__ = ["PARTS", "SECTIONS", "Template", "Templates"]
