"""The types of a dependency treebank: a sentence in columns, and light views of its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from copy import deepcopy
from html import escape
from operator import index
from typing import TYPE_CHECKING, Any, Self, overload

from arbora import _core
from arbora.errors import ArboraError, ColumnError, WrongTypeError
from arbora.treebank.columns import (
    COLUMNS,
    Slots,
    checked_texts,
    column,
    columns_of,
    listed,
)
from arbora.treebank.findings import head_probabilities
from arbora.treebank.rows import UNKNOWN, EmptyNode, Multiword, fields_of
from arbora.treebank.walking import children_of
from arbora.treebank.word import Token

if TYPE_CHECKING:
    from arbora.treebank.constituent import Constituent

__all__ = ["COLUMNS", "UNKNOWN", "EmptyNode", "Multiword", "Sentence", "Token", "fields_of"]


NO_PLACE = (0, 0, True)
"""Of a sentence that was read from no file: else the line that it begins at, and which one it is, from 1; and
whether its words have lines of their own."""


class Sentence(Slots):
    """One sentence, stored by columns: nine lists over its words, and what else its lines say.

    The word with id ``i`` is ``sentence[i]``, counted from 1 as in the file (0 is the root, not a word); its
    form is ``sentence.forms[i - 1]``. A head is an ``int``, 0 for the root, or None if it is not known.
    ``sentence[1:3]`` is the list of words 1 and 2. A column that is set must have a value for every word;
    what is changed within a list is checked when the sentence is written.

    ``newline`` ends each line; ``closing`` is all that follows the last line's text, the blank line included.
    ``findings`` is what models have said of it beside the columns, by the names that files have for it, in
    full precision: a number for each word (``HeadProbability``), or one for the sentence
    (``tree_log_probability``); None if there is nothing.

    >>> sentence = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> sentence[1].form, sentence[1].head, sentence[-1].form
    ('Dogs', 2, 'bark')
    >>> sentence[1].deprel = "csubj"
    >>> print(sentence.to_conllu(), end="")
    1	Dogs	_	NOUN	_	_	2	csubj	_	_
    2	bark	_	VERB	_	_	0	root	_	_
    <BLANKLINE>
    """

    __slots__ = ("_place", "findings")

    forms: list[str] = column("forms", "The words as written.")
    lemmas: list[str] = column("lemmas", "Their dictionary forms.")
    upos: list[str] = column("upos", "Their universal parts of speech.")
    xpos: list[str] = column("xpos", "Their parts of speech in the treebank's own set.")
    feats: list[str] = column("feats", "Their morphological features as written.")
    heads: list[int | None] = column("heads", "The ids of their heads, 0 for the root.")
    deprels: list[str] = column("deprels", "The labels of the arcs from their heads.")
    deps: list[str] = column("deps", "Their enhanced dependencies as written.")
    misc: list[str] = column("misc", "Anything else of each word, as written.")
    comments: list[str] = column("comments", "The lines before the first, with ``#``.")
    multiwords: list[Multiword] = column("multiwords", "Words written together.")
    empty_nodes: list[EmptyNode] = column("empty_nodes", "Nodes that are no words.")
    newline: str = column("newline", "What ends each line.")
    closing: str = column("closing", "What follows the last line's text.")

    def __init__(
        self,
        forms: Sequence[str] = (),
        lemmas: Sequence[str] | None = None,
        upos: Sequence[str] | None = None,
        xpos: Sequence[str] | None = None,
        feats: Sequence[str] | None = None,
        heads: Sequence[int | None] | None = None,
        deprels: Sequence[str] | None = None,
        deps: Sequence[str] | None = None,
        misc: Sequence[str] | None = None,
        *,
        comments: Sequence[str] = (),
        multiwords: Sequence[Multiword] = (),
        empty_nodes: Sequence[EmptyNode] = (),
        newline: str = "\n",
        closing: str | None = None,
    ) -> None:
        """Build a sentence from its columns; those left out are unknown (``_``, or None for heads)."""
        own = listed("forms", forms)
        count = len(own)
        self._forms = checked_texts("forms", own, count)
        self.lemmas = _filled(lemmas, count)
        self.upos = _filled(upos, count)
        self.xpos = _filled(xpos, count)
        self.feats = _filled(feats, count)
        self.heads = [None] * count if heads is None else heads  # type: ignore[assignment]  # a list is made of it
        self.deprels = _filled(deprels, count)
        self.deps = _filled(deps, count)
        self.misc = _filled(misc, count)
        self.comments = comments  # type: ignore[assignment]
        self.multiwords = multiwords  # type: ignore[assignment]
        self.empty_nodes = empty_nodes  # type: ignore[assignment]
        self.newline = newline
        self.closing = newline * 2 if closing is None else closing
        self.findings: dict[str, Any] | None = None
        self._place = NO_PLACE

    def __len__(self) -> int:
        """The number of words; multiword tokens and empty nodes are not words."""
        return len(self.forms)

    def __bool__(self) -> bool:
        """A sentence is always true, even one that is only comments."""
        return True

    @overload
    def __getitem__(self, id: int) -> Token: ...
    @overload
    def __getitem__(self, id: slice) -> list[Token]: ...
    def __getitem__(self, id: int | slice) -> Token | list[Token]:
        """The word with this id, from 1; a negative id counts from the end. A slice is a list of words."""
        if isinstance(id, slice):
            return [self._word(own) for own in self._ids(id)]
        return self._word(self._id(id))

    def __iter__(self) -> Iterator[Token]:
        """The words, in order."""
        return map(self._word, range(1, len(self.forms) + 1))

    def _word(self, id: int) -> Token:
        return Token(self, id)

    def _id(self, id: int) -> int:
        count = len(self.forms)
        try:
            number = index(id)
        except TypeError:
            raise WrongTypeError(
                f"words are found by their number from 1, or by a slice, not by {id!r}"
            ) from None
        if number == 0:
            raise IndexError("0 is the root; words are counted from 1")
        if not -count <= number <= count:
            raise IndexError(f"there is no word {number} in a sentence of {count} words")
        return number if number > 0 else count + 1 + number

    def _ids(self, ids: slice) -> list[int]:
        try:
            return [id for id in range(len(self.forms) + 1)[ids] if id]
        except (TypeError, ValueError):
            raise WrongTypeError(
                f"a slice of words has whole numbers, and a step that is not 0: {ids!r}"
            ) from None

    def __eq__(self, other: object) -> bool:
        """Sentences are equal if they are written with the same bytes."""
        if not isinstance(other, Sentence):
            return NotImplemented
        return bool(columns_of(self) == columns_of(other))

    __hash__ = None  # type: ignore[assignment]  # it can be changed

    def __repr__(self) -> str:
        """The id and the first words."""
        words = " ".join(map(str, self.forms[:8])) + (" ..." if len(self.forms) > 8 else "")
        return f"<Sentence {self.sent_id}: {words}>" if self.sent_id else f"<Sentence: {words}>"

    def __str__(self) -> str:
        """The tree, drawn for a terminal; if it cannot be drawn, the first words."""
        try:
            return self.to_text()
        except ArboraError:
            return repr(self)

    @classmethod
    def of_columns(cls, columns: Sequence[Any]) -> Self:
        """A sentence of all `COLUMNS`, which are sound and nobody else's: nothing is checked or copied."""
        sentence = cls.__new__(cls)
        sentence._take(columns)
        sentence.findings = None
        sentence._place = NO_PLACE
        return sentence

    def copy(self) -> Sentence:
        """A sentence with the same content whose columns can be changed apart from this one's."""
        twin = Sentence.of_columns([value[:] if type(value) is list else value for value in columns_of(self)])
        twin._multiwords = [_copy_row(row) for row in self._multiwords]
        twin._empty_nodes = [_copy_row(row) for row in self._empty_nodes]
        twin.findings = None if self.findings is None else dict(self.findings)
        twin._place = self._place
        return twin

    def __copy__(self) -> Sentence:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Sentence:
        twin = self.copy()
        twin.findings = deepcopy(self.findings, memo)
        return twin

    def metadata(self, key: str) -> str | None:
        """The value of the first comment ``# key = value``; None if there is none.

        >>> Sentence(comments=["# newdoc id = d1"]).metadata("newdoc id")
        'd1'
        """
        for comment in self.comments:
            name, equals, value = comment[1:].partition("=")
            if equals and name.strip() == key:
                return value.strip()
        return None

    @property
    def sent_id(self) -> str | None:
        """The value of ``# sent_id = ...``."""
        return self.metadata("sent_id")

    @property
    def text(self) -> str | None:
        """The value of ``# text = ...``."""
        return self.metadata("text")

    @property
    def constituents(self) -> Constituent | None:
        """The tree of phrases that the comment ``# constituents = (S ...)`` tells; None if there is none.

        It is a new tree each time: set it to change it. Its words are as brackets write them (``-LRB-``), its
        tags are its own.

        >>> sentence = Sentence(["Go"], comments=["# constituents = (S (VP (VB Go)))"])
        >>> sentence.constituents.spans()
        [('S', 0, 1), ('VP', 0, 1)]
        """
        from arbora.treebank.phrases import get_constituents

        return get_constituents(self)

    @constituents.setter
    def constituents(self, tree: Constituent | None) -> None:
        from arbora.treebank.phrases import set_constituents

        set_constituents(self, tree)

    @property
    def constituent_probabilities(self) -> list[float] | None:
        """How probable each constituent is, in the order of ``constituents.spans()``; None if nobody said."""
        from arbora.treebank.phrases import get_probabilities

        return get_probabilities(self)

    @property
    def roots(self) -> list[int]:
        """The ids of the words whose head is the root."""
        return children_of(self.heads, 0)

    @property
    def root(self) -> Token | None:
        """The word whose head is the root; None if there is none, ArboraError if there are several.

        >>> Sentence(["Dogs", "bark"], heads=[2, 0]).root
        <Token 2 bark>
        """
        found = self.roots
        if len(found) > 1:
            raise ArboraError(
                f"{len(found)} words of this sentence are roots ({', '.join(map(str, found))}): see `roots`"
            )
        return self._word(found[0]) if found else None

    def nonprojective_words(self) -> list[int]:
        """The ids of the words whose arc crosses: some word between it and its head is not below the head.

        Raises ColumnError if the heads form a cycle or are out of range.
        """
        with self._blamed():
            try:
                return _core.nonprojective_words(self.heads)
            except ValueError as error:
                raise ColumnError(str(error)) from None

    def _blamed(self) -> AbstractContextManager[None]:
        """Around what takes the columns as they are."""
        from arbora.treebank.given import blaming

        return blaming([self])

    def is_projective(self) -> bool:
        """Whether no arc crosses another; unknown heads speak against nothing.

        >>> Sentence(["a", "b", "c", "d"], heads=[3, 4, 0, 3]).is_projective()
        False
        """
        return not self.nonprojective_words()

    @property
    def has_heads(self) -> bool:
        """Whether a word has a head, or there is nothing else to show."""
        return any(head is not None for head in self.heads) or self.metadata("constituents") is None

    def head_probabilities(self) -> list[float]:
        """How probable each word's head is, as it was found or as MISC says; ArboraError if nobody said."""
        found = head_probabilities(self)
        if found is None:
            raise ArboraError("nothing says how probable the heads of this sentence are: parse it")
        return found

    def to_svg(self, *, probabilities: bool | None = None) -> str:
        """A picture of the tree; with probabilities, unsure arcs are pale and say how probable they are.

        They are shown if the sentence carries some (in ``findings``, MISC or comments), or if they are
        asked for, which may be an ArboraError then. Without heads, it is a picture of the constituents.
        """
        from arbora.draw import svg

        with self._blamed():
            return svg(self, probabilities=self._shown(probabilities))

    def to_text(
        self, style: str = "arcs", *, probabilities: bool | None = None, coloured: bool = False
    ) -> str:
        """The tree for a terminal, drawn with arcs or indented; without heads, the constituents.

        Probabilities are shown as by `to_svg`.

        >>> print(Sentence(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"]).to_text())
         ╭─▶ Dogs  nsubj
        ─┴─▶ bark  root
        """
        from arbora.draw import text

        with self._blamed():
            return text(self, style, probabilities=self._shown(probabilities), coloured=coloured)

    def _shown(self, probabilities: bool | None) -> Any:
        """As drawings take them."""
        if not probabilities:
            return probabilities
        return self.head_probabilities() if self.has_heads else self.constituent_probabilities

    def drawings(self) -> Iterator[str]:
        """Pictures of all its trees."""
        from arbora.draw import constituency_svg

        if self.has_heads:
            yield self.to_svg()
        if (tree := self.constituents) is not None:
            yield constituency_svg(tree, self.constituent_probabilities)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        try:
            return "".join(f"<div>{drawing}</div>" for drawing in self.drawings())
        except ArboraError as error:  # a notebook shows whatever there is
            return f"<pre>{escape(repr(self))}\n{escape(str(error))}</pre>"

    def to_conllu(self) -> str:
        """The sentence as CoNLL-U, byte for byte as it was read if nothing was changed."""
        from arbora.treebank import conllu

        with self._blamed():
            return conllu.encode(self)

    @staticmethod
    def from_conllu(text: str, *, single_root: bool = True) -> Sentence:
        """The one sentence in this CoNLL-U text; FileError if there is none, more than one, or a broken one.

        >>> Sentence.from_conllu("1\\tHello\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n").forms
        ['Hello']
        """
        from arbora.treebank import conllu

        return conllu.decode_one(text, single_root=single_root)


def _copy_row(row: Any) -> Any:
    return type(row)(**{name: getattr(row, name) for name in type(row).__slots__})


def _filled(values: Sequence[str] | None, count: int) -> Any:
    return [UNKNOWN] * count if values is None else values
