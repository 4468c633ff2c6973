"""The tokens of a sentence: what is written together, be it one word or several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arbora.treebank.sentence import Sentence


class SurfaceToken(NamedTuple):
    """A token with its form and MISC; it holds the words with the ids ``first`` to ``last``."""

    form: str
    first: int
    last: int
    misc: str

    @property
    def is_multiword(self) -> bool:
        """Whether it stands in the file as a range of words."""
        return self.last > self.first


def surface_tokens(sentence: Sentence) -> Iterator[SurfaceToken]:
    """The tokens of a sentence in their order.

    >>> from arbora.treebank import Multiword
    >>> sentence = Sentence(["zu", "dem", "See"], multiwords=[Multiword(1, 2, "zum")])
    >>> [token.form for token in surface_tokens(sentence)]
    ['zum', 'See']
    """
    joint = {token.first: token for token in sentence.multiwords}
    id = 1
    while id <= len(sentence):
        token = joint.get(id)
        if token is None:
            yield SurfaceToken(sentence.forms[id - 1], id, id, sentence.misc[id - 1])
        else:
            yield SurfaceToken(token.form, id, token.last, token.misc)
        id = id + 1 if token is None else token.last + 1
