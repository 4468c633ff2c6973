"""Spaces around tokens as MISC keeps them, and texts that are put together again from tokens and these.

``SpaceAfter=No`` is none, ``SpacesAfter=`` others than one space, ``SpacesBefore=`` those at the beginning of
a text, with UDPipe's escapes: ``\\s`` a space, ``\\t``, ``\\n``, ``\\r``, ``\\p`` a bar, ``\\\\`` a
backslash. Ours has ``\\uXXXX`` besides, for all other spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from arbora import _core
from arbora.treebank.sentence import Sentence
from arbora.treebank.tokens import surface_tokens

_PLAIN = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|([stnrp\\]))")


class Spaces(NamedTuple):
    """What stands before and after a token."""

    before: str
    after: str


def spaces_around(misc: str) -> Spaces:
    r"""The spaces around a token with this MISC.

    >>> spaces_around(r"SpacesAfter=\n\u2028"), spaces_around("SpaceAfter=No"), spaces_around("_").after
    (Spaces(before='', after='\n\u2028'), Spaces(before='', after=''), ' ')
    """
    items = dict(item.partition("=")[::2] for item in misc.split("|"))
    after = "" if items.get("SpaceAfter") == "No" else " "
    if "SpacesAfter" in items:
        after = unescaped_spaces(items["SpacesAfter"])
    return Spaces(unescaped_spaces(items.get("SpacesBefore", "")), after)


def spaces_misc(before: str, after: str) -> str:
    r"""What MISC says of these spaces.

    >>> spaces_misc("", "\t"), spaces_misc("", " "), spaces_misc("\ufeff", "")
    ('SpacesAfter=\\t', '_', 'SpaceAfter=No|SpacesBefore=\\uFEFF')
    """
    items = ["SpaceAfter=No"] if not after else []
    items += [f"SpacesAfter={_core.escape_spaces(after)}"] if after not in ("", " ") else []
    items += [f"SpacesBefore={_core.escape_spaces(before)}"] if before else []
    return "|".join(items) or "_"


def unescaped_spaces(value: str) -> str:
    r"""Spaces that MISC shows so; what is no escape stands for itself.

    >>> unescaped_spaces(r"\s\uFEFF")
    ' \ufeff'
    """
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _PLAIN[found[2]], value)


def raw_text(sentences: Iterable[Sentence]) -> str:
    """The text that sentences were cut from, by their tokens and the spaces in MISC.

    What a tokenizer of Arbora made gives the same text again to the last character, if that has a token.

    >>> raw_text([Sentence(["Go", "!"], misc=["SpaceAfter=No", "SpacesAfter=\\\\n"])])
    'Go!\\n'
    """
    pieces: list[str] = []
    for sentence in sentences:
        for token in surface_tokens(sentence):
            spaces = spaces_around(token.misc)
            pieces += (spaces.before, token.form, spaces.after)
    return "".join(pieces)
