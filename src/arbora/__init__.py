"""Arbora: syntactic parsers that say how sure they are."""

from importlib.metadata import version as _version

__version__ = _version("arbora")
