"""Rows of a sentence that are no words: multiword tokens and empty nodes."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter

UNKNOWN = "_"
fields_of = attrgetter("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
"""FORM to MISC of a multiword token or an empty node."""


@dataclass(slots=True)
class Multiword:
    """A multiword token: words ``first`` to ``last`` are written together as ``form``.

    >>> Multiword(1, 2, "don't").id
    '1-2'
    """

    first: int
    last: int
    form: str
    lemma: str = UNKNOWN
    upos: str = UNKNOWN
    xpos: str = UNKNOWN
    feats: str = UNKNOWN
    head: str = UNKNOWN
    deprel: str = UNKNOWN
    deps: str = UNKNOWN
    misc: str = UNKNOWN

    @property
    def id(self) -> str:
        """The id as written in the file."""
        return f"{self.first}-{self.last}"


@dataclass(slots=True)
class EmptyNode:
    """A node of the enhanced graph that is no word: the ``index``-th one after word ``after`` (0: first).

    ``inside`` tells that its line stands below that of the multiword token which begins with the next word.

    >>> EmptyNode(8, 1, "reported").id
    '8.1'
    """

    after: int
    index: int
    form: str = UNKNOWN
    lemma: str = UNKNOWN
    upos: str = UNKNOWN
    xpos: str = UNKNOWN
    feats: str = UNKNOWN
    head: str = UNKNOWN
    deprel: str = UNKNOWN
    deps: str = UNKNOWN
    misc: str = UNKNOWN
    inside: bool = False

    @property
    def id(self) -> str:
        """The id as written in the file."""
        return f"{self.after}.{self.index}"
