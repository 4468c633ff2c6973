"""Which words of two tokenizations of one text are the same word, by the definitions of CoNLL 2018.

All characters of the tokens, spaces left out, stand in one row; it must be the same row on both sides. A
token is a span of it, and so is a sentence. A word that is a token by itself is the same as one with the same
span on the other side. Words of multiword tokens have no spans of their own: where there are multiword tokens
on either side, all words within their joint span are aligned by a longest common subsequence of their forms.

The shared task's scorer does the same, but where tokens differ just before such a span: then it may take the
word there for a part of the span.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arbora.errors import ArboraError
from arbora.treebank import Sentence
from arbora.treebank.tokens import surface_tokens

Span = tuple[int, int]


class MismatchError(ArboraError):
    """Gold and system do not have the same sentences, words or characters."""


@dataclass(frozen=True, slots=True)
class Word:
    """Word ``id`` of ``sentence``, with the span of its token; ``joint`` if that holds several words."""

    sentence: Sentence
    id: int
    span: Span
    joint: bool

    @property
    def form(self) -> str:
        """The form, as it is compared."""
        return self.sentence.forms[self.id - 1].lower()


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is in a text: spans of tokens and sentences, and the words in their order."""

    characters: str
    tokens: list[Span]
    sentences: list[Span]
    words: list[Word]


def lay_out(sentences: Iterable[Sentence]) -> Layout:
    """The layout of a text.

    >>> found = lay_out([Sentence(["Dogs", "bark"])])
    >>> found.characters, found.tokens, found.sentences
    ('Dogsbark', [(0, 4), (4, 8)], [(0, 8)])
    """
    pieces: list[str] = []
    tokens: list[Span] = []
    spans: list[Span] = []
    words: list[Word] = []
    at = 0
    for sentence in sentences:
        begin = at
        for token in surface_tokens(sentence):
            piece = _without_spaces(token.form)
            pieces.append(piece)
            span = (at, at + len(piece))
            at = span[1]
            tokens.append(span)
            ids = range(token.first, token.last + 1)
            words += (Word(sentence, id, span, token.is_multiword) for id in ids)
        if len(sentence):  # comments alone are no sentence
            spans.append((begin, at))
    return Layout("".join(pieces), tokens, spans, words)


def _without_spaces(form: str) -> str:
    return form if form.isascii() and " " not in form else "".join(filter(_is_no_space, form))


def _is_no_space(character: str) -> bool:
    return unicodedata.category(character) != "Zs"


def check_same_text(gold: Layout, system: Layout) -> None:
    """MismatchError if the characters differ: it names the sentence and shows both sides."""
    if gold.characters == system.characters:
        return
    pairs = enumerate(zip(gold.characters, system.characters, strict=False))
    short = min(len(gold.characters), len(system.characters))
    at = next((place for place, (right, found) in pairs if right != found), short)
    number = sum(span[1] <= at for span in gold.sentences) + 1
    name = next((word.sentence.sent_id for word in gold.words if word.span[1] > at), None) or f"#{number}"
    rest = gold.characters[at : at + 20], system.characters[at : at + 20]
    raise MismatchError(
        f"sentence {name}: gold goes on with {rest[0]!r} and system with {rest[1]!r}; "
        "the texts must be the same"
    )


def align(gold: Layout, system: Layout) -> list[tuple[int, int]]:
    """The places (in gold, in system) of words that are the same, in order.

    >>> pair = [lay_out([Sentence(["a", "b"])]), lay_out([Sentence(["ab"])])]
    >>> align(*pair), align(pair[0], pair[0])
    ([], [(0, 0), (1, 1)])
    """
    regions = _joint_regions([word.span for word in gold.words + system.words if word.joint])
    alone, inside = _sorted_out(gold.words, regions)
    others, others_inside = _sorted_out(system.words, regions)
    pairs = [(place, others[span]) for span, place in alone.items() if span in others]
    for right, found in zip(inside, others_inside, strict=True):
        forms = [gold.words[place].form for place in right], [system.words[place].form for place in found]
        pairs += ((right[a], found[b]) for a, b in common_subsequence(*forms))
    return sorted(pairs)


def _joint_regions(spans: list[Span]) -> list[Span]:
    """The spans, with those that overlap made one."""
    regions: list[Span] = []
    for begin, end in sorted(spans):
        if regions and begin < regions[-1][1]:
            regions[-1] = regions[-1][0], max(end, regions[-1][1])
        else:
            regions.append((begin, end))
    return regions


def _sorted_out(words: Sequence[Word], regions: list[Span]) -> tuple[dict[Span, int], list[list[int]]]:
    """The places of words outside the regions, by their spans, and of those wholly inside each region."""
    alone: dict[Span, int] = {}
    inside: list[list[int]] = [[] for _ in regions]
    region = 0
    for place, word in enumerate(words):
        begin, end = word.span
        if begin == end:
            continue  # only spaces: it is nowhere
        while region < len(regions) and regions[region][1] <= begin:
            region += 1
        if region < len(regions) and regions[region][0] <= begin and end <= regions[region][1]:
            inside[region].append(place)
        else:
            alone[word.span] = place
    return alone, inside


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """The places of a longest common subsequence; of several, the one that leaves out of ``first`` early.

    >>> common_subsequence(["de", "le", "chat"], ["du", "chat"])
    [(2, 1)]
    """
    # longest[a][b]: of first[a:] and second[b:].
    longest = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for a in reversed(range(len(first))):
        for b in reversed(range(len(second))):
            longest[a][b] = max(longest[a + 1][b], longest[a][b + 1])
            if first[a] == second[b]:
                longest[a][b] = longest[a + 1][b + 1] + 1
    pairs, a, b = [], 0, 0
    while a < len(first) and b < len(second):
        if first[a] == second[b]:
            pairs.append((a, b))
            a, b = a + 1, b + 1
        elif longest[a][b] == longest[a + 1][b]:
            a += 1
        else:
            b += 1
    return pairs
