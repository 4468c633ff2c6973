"""Words as the Penn treebank writes them: what parsers that are trained on it expect."""

from __future__ import annotations

from collections.abc import Sequence

from arbora.treebank.phrases import escaped

_QUOTES = ('"', "\u201c", "\u201d")
_BRACES = {"-LRB-": ("{", "-LCB-"), "-RRB-": ("}", "-RCB-")}


def penn_words(forms: Sequence[str], tags: Sequence[str]) -> list[str]:
    """The words as that treebank has them: brackets by name, quotes by their direction, which the tags tell.

    Words that are so already stay as they are.

    >>> penn_words(['"', "(", "No", ")", '"'], ["``", "-LRB-", "UH", "-RRB-", "''"])
    ['``', '-LRB-', 'No', '-RRB-', "''"]
    """
    return [_penn_word(form, tag) for form, tag in zip(forms, tags, strict=True)]


def _penn_word(form: str, tag: str) -> str:
    if form in _QUOTES and tag in ("``", "''"):
        return tag
    brace, name = _BRACES.get(tag, ("", ""))
    return name if form == brace else escaped(form)
