"""Atoms and templates, declared as data."""

from arbora.features.templates import SECTIONS, Template, Templates

__all__ = ["SECTIONS", "Template", "Templates"]
