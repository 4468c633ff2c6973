r"""Raw text, as an output: the words of sentences with the spaces that they had.

MISC tells the spaces: nothing there means one, ``SpaceAfter=No`` none, ``SpacesAfter=`` and ``SpacesBefore=``
others (``\s`` space, ``\t`` tab, ``\n`` line feed, ``\r`` carriage return, ``\p`` a bar, ``\\`` a backslash,
``\uXXXX`` any). Where that differs from ``# text`` in nothing but spaces, ``# text`` is right. An empty line
stands before ``# newdoc`` and ``# newpar``.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable

from arbora.errors import FileError
from arbora.treebank.comments import begins
from arbora.treebank.sentence import Sentence
from arbora.treebank.tokens import surface_tokens

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_CONLLU = re.compile(
    rb"\s*(?:#.*\n)*"
    rb"(?:# (?:(?:sent_id|text|global\.columns) *=|new(?:doc|par)(?: id *=|\s*\n))"
    rb"|\d[\d.-]*(?:\t[^\t\n]+){9})"
)
_UNDECIDED = re.compile(rb"\s*(?:#.*\n)*(?:#.*|\d[\d.-]*(?:\t.*)?)?")
_LONGEST_START = 1 << 16
_ESCAPED = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}


def text_pieces(pieces: Iterable[bytes], *, said: bool) -> Generator[bytes, None, None]:
    r"""The same pieces of a text; FileError if they begin as CoNLL-U does, unless text is ``said``.

    It does with a comment that treebanks have, or with a line of ten columns.

    >>> list(text_pieces([b"# Dogs\n", b"bark"], said=False))
    [b'# Dogs\nbark']
    >>> list(text_pieces([b"# sent_", b"id = s1\n"], said=False))
    Traceback (most recent call last):
    arbora.errors.FileError: this is CoNLL-U, it seems, and not text: say which by --input-format, ...
    """
    if said:
        yield from pieces
        return
    start, rest = b"", iter(pieces)
    for piece in rest:
        start += piece
        if len(start) > _LONGEST_START or not _UNDECIDED.fullmatch(start):
            break
    if _CONLLU.match(start):
        raise FileError(
            "this is CoNLL-U, it seems, and not text: say which by --input-format, conllu or text"
        )
    if start:
        yield start
    yield from rest


def encode(sentence: Sentence) -> str:
    r"""The text of a sentence, with the spaces that MISC has after the last token, but not the usual one.

    >>> encode(Sentence(["Hi", "there", "!"], misc=["_", "SpaceAfter=No", r"SpacesAfter=\n"]))
    'Hi there!\n'
    """
    tokens = [(token.form, _spaces(token.misc)) for token in surface_tokens(sentence)]
    if not tokens:
        return ""
    inside = ""
    for place, (form, (before, after)) in enumerate(tokens):
        inside += (before if place else "") + form
        if place + 1 < len(tokens):
            inside += " " if after is None else after
    first, last = tokens[0][1][0], tokens[-1][1][1]
    return first + _as_said(inside, sentence.text) + (last or "")


def separator(text: str, before: Sentence, after: Sentence) -> str:
    r"""What must stand between the text of one sentence and the next.

    >>> dogs, bark = Sentence(["Dogs"]), Sentence(["Bark"], comments=["# newpar"])
    >>> separator("Dogs", dogs, dogs), separator("Dogs", dogs, bark)
    (' ', '\n\n')
    """
    *_, last = [None, *surface_tokens(before)]
    if begins(after, "newdoc", "newpar"):
        spaces = text[len(text.rstrip()) :] if last is None else _spaces(last.misc)[1] or ""
        breaks = len(f"{spaces}|".splitlines()) - 1  # of all kinds
        return "\n" * max(2 - breaks, 0) if text else ""
    return " " if last is not None and _spaces(last.misc)[1] is None else ""


def _spaces(misc: str) -> tuple[str, str | None]:
    """The spaces before and after a token; None is what goes without saying, one."""
    items = dict(item.partition("=")[::2] for item in misc.split("|"))
    after = None
    if "SpacesAfter" in items:
        after = _unescaped(items["SpacesAfter"])
    elif items.get("SpaceAfter") == "No":
        after = ""
    return _unescaped(items.get("SpacesBefore", "")), after


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(
        lambda found: chr(int(found[1], 16)) if found[1] else _ESCAPED.get(found[2], found[0]), text
    )


def _as_said(made: str, said: str | None) -> str:
    """What ``# text`` says, if it is the same but for where spaces are; MISC knows more about their kinds."""
    if said is None or made.split() == said.split() or "".join(made.split()) != "".join(said.split()):
        return made
    return said
