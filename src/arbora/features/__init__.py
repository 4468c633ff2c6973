"""Atoms and templates, declared as data."""

from arbora.features.templates import Template, Templates

__all__ = ["Template", "Templates"]
