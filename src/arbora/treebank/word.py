"""A word of a sentence, and the ways from it through the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from arbora.treebank.columns import checked_value
from arbora.treebank.rows import UNKNOWN
from arbora.treebank.walking import ancestors_of, children_of, head_of, subtree_of

if TYPE_CHECKING:
    from arbora.treebank.sentence import Sentence


def _field(name: str, doc: str) -> Any:
    def get(token: Token) -> Any:
        return getattr(token.sentence, name)[token.id - 1]

    def put(token: Token, value: Any) -> None:
        values = getattr(token.sentence, name)
        values[token.id - 1] = checked_value(name, value, token.id, len(values))

    return property(get, put, doc=doc)


class Token:
    """A word of a sentence: a view, so that setting a field changes the sentence.

    >>> from arbora.treebank import Sentence
    >>> sentence = Sentence(["Dogs"], feats=["Number=Plur"])
    >>> sentence[1].features
    {'Number': 'Plur'}
    >>> sentence[1].lemma = "dog"
    >>> sentence.lemmas
    ['dog']
    """

    __slots__ = ("id", "sentence")

    def __init__(self, sentence: Sentence, id: int) -> None:
        """View word ``id`` of a sentence."""
        self.sentence = sentence
        self.id = id

    form: str = _field("forms", "The word as written.")
    lemma: str = _field("lemmas", "Its dictionary form.")
    upos: str = _field("upos", "Its universal part of speech (CPOSTAG in CoNLL-X).")
    xpos: str = _field("xpos", "Its part of speech in the treebank's own set (POSTAG in CoNLL-X).")
    feats: str = _field("feats", "Its morphological features as written; see `features`.")
    head: int | None = _field("heads", "The id of its head, 0 for the root, None if unknown.")
    deprel: str = _field("deprels", "The label of the arc from its head.")
    deps: str = _field("deps", "Its enhanced dependencies as written.")
    misc: str = _field("misc", "Anything else, as written.")

    @property
    def features(self) -> dict[str, str]:
        """The features as a dictionary; a part without ``=`` has the value ``""``."""
        if self.feats == UNKNOWN:
            return {}
        return {name: value for name, _, value in (part.partition("=") for part in self.feats.split("|"))}

    @property
    def head_token(self) -> Self | None:
        """The word that is its head; None if that is the root, or not known."""
        head = head_of(self.sentence.heads, self.id)
        return None if head is None else self._other(head)

    @property
    def children(self) -> list[Self]:
        """The words whose head it is, in order."""
        return [self._other(id) for id in children_of(self.sentence.heads, self.id)]

    @property
    def subtree(self) -> list[Self]:
        """It and all words below it, in the order of the sentence, each once, even if arcs make a cycle."""
        return [self._other(id) for id in subtree_of(self.sentence.heads, self.id)]

    @property
    def ancestors(self) -> list[Self]:
        """Its head, the head of that, and so on up to the root; each once, even if arcs make a cycle.

        >>> from arbora.treebank import Sentence
        >>> sentence = Sentence(["Big", "dogs", "bark"], heads=[2, 3, 0])
        >>> [word.form for word in sentence[1].ancestors], [word.form for word in sentence[3].subtree]
        (['dogs', 'bark'], ['Big', 'dogs', 'bark'])
        """
        return [self._other(id) for id in ancestors_of(self.sentence.heads, self.id)]

    def _other(self, id: int) -> Self:
        return type(self)(self.sentence, id)

    def __eq__(self, other: object) -> bool:
        """Whether this is the same word of the same sentence."""
        return isinstance(other, Token) and self.sentence is other.sentence and self.id == other.id

    def __hash__(self) -> int:
        """By the sentence's identity and the id."""
        return hash((id(self.sentence), self.id))

    def __repr__(self) -> str:
        """The id and the form."""
        return f"<Token {self.id} {self.form}>"
