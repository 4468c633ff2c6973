"""Words and tags as the Penn treebank has them: what parsers that are trained on it expect."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from arbora.treebank.phrases import escaped

_QUOTES = ('"', "\u201c", "\u201d")
_BRACES = {"-LRB-": ("{", "-LCB-"), "-RRB-": ("}", "-RCB-")}

# Tags of later treebanks, and rare ones of the Penn treebank, which a parser of a part of it may not know;
# and what comes nearest to them.
_NEAREST = {
    "HYPH": ":",
    "NFP": ":",
    "SYM": ":",
    "LS": "CD",
    "#": "$",
    "ADD": "NN",
    "GW": "NN",
    "XX": "NN",
    "FW": "NN",
    "AFX": "JJ",
    "UH": "RB",
}


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


def penn_tags(tags: Sequence[str], known: Collection[str]) -> list[str]:
    """The tags, each that is not known replaced by the nearest one of the Penn treebank, if that is known.

    >>> penn_tags(["NN", "HYPH", "GW", "NOUN"], {"NN", ":"})
    ['NN', ':', 'NN', 'NOUN']
    """
    nearest = {tag: other for tag, other in _NEAREST.items() if tag not in known and other in known}
    return [nearest.get(tag, tag) for tag in tags]
