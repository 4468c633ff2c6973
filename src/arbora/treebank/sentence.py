"""The types of a dependency treebank: a sentence in columns, and light views of its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from arbora import _core

if TYPE_CHECKING:
    from arbora.treebank.constituent import Constituent

UNKNOWN = "_"
COLUMNS = (
    "forms",
    "lemmas",
    "upos",
    "xpos",
    "feats",
    "heads",
    "deprels",
    "deps",
    "misc",
    "comments",
    "multiwords",
    "empty_nodes",
    "newline",
    "closing",
)
"""All that a file says of a sentence, in the order of the core."""
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


class Sentence:
    """One sentence, stored by columns: nine lists over its words, and what else its lines say.

    The word with id ``i`` is ``sentence[i]``, counted from 1 as in the file (0 is the root, not a word); its
    form is ``sentence.forms[i - 1]``. A head is an ``int``, 0 for the root, or None if it is not known.
    All columns may be changed freely; writing checks that they are of one length and fit the format.

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

    __slots__ = (*COLUMNS, "findings")

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
        count = len(forms)

        def column(name: str, values: Sequence[str] | None) -> list[str]:
            if values is not None and len(values) != count:
                raise ValueError(f"{name} has {len(values)} values for {count} forms")
            return [UNKNOWN] * count if values is None else list(values)

        if heads is not None and len(heads) != count:
            raise ValueError(f"heads has {len(heads)} values for {count} forms")
        self.forms = list(forms)
        self.lemmas = column("lemmas", lemmas)
        self.upos = column("upos", upos)
        self.xpos = column("xpos", xpos)
        self.feats = column("feats", feats)
        self.heads: list[int | None] = [None] * count if heads is None else list(heads)
        self.deprels = column("deprels", deprels)
        self.deps = column("deps", deps)
        self.misc = column("misc", misc)
        self.comments = list(comments)
        self.multiwords = list(multiwords)
        self.empty_nodes = list(empty_nodes)
        self.newline = newline
        self.closing = newline * 2 if closing is None else closing
        self.findings: dict[str, Any] | None = None

    def __len__(self) -> int:
        """The number of words; multiword tokens and empty nodes are not words."""
        return len(self.forms)

    def __bool__(self) -> bool:
        """A sentence is always true, even one that is only comments."""
        return True

    def __getitem__(self, id: int) -> Token:
        """The word with this id, from 1; a negative id counts from the end."""
        count = len(self.forms)
        if 1 <= id <= count:
            return Token(self, id)
        if -count <= id < 0:
            return Token(self, count + 1 + id)
        if id == 0:
            raise IndexError("0 is the root; words are counted from 1")
        raise IndexError(f"there is no word {id} in a sentence of {count} words")

    def __iter__(self) -> Iterator[Token]:
        """The words, in order."""
        return (Token(self, id) for id in range(1, len(self.forms) + 1))

    def __eq__(self, other: object) -> bool:
        """Sentences are equal if they are written with the same bytes."""
        if not isinstance(other, Sentence):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in COLUMNS)

    __hash__ = None  # type: ignore[assignment]  # it can be changed

    def __repr__(self) -> str:
        """The id and the first words."""
        words = " ".join(self.forms[:8]) + (" ..." if len(self.forms) > 8 else "")
        return f"<Sentence {self.sent_id}: {words}>" if self.sent_id else f"<Sentence: {words}>"

    def copy(self) -> Sentence:
        """A sentence with the same content whose columns can be changed apart from this one's."""
        twin = Sentence.__new__(Sentence)
        for name in COLUMNS:
            value = getattr(self, name)
            setattr(twin, name, value[:] if isinstance(value, list) else value)
        twin.findings = None if self.findings is None else dict(self.findings)
        twin.multiwords = [_copy_row(row) for row in self.multiwords]
        twin.empty_nodes = [_copy_row(row) for row in self.empty_nodes]
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
        return [id for id, head in enumerate(self.heads, 1) if head == 0]

    def nonprojective_words(self) -> list[int]:
        """The ids of the words whose arc crosses: some word between it and its head is not below the head.

        Raises ValueError if the heads form a cycle or are out of range.
        """
        return _core.nonprojective_words(self.heads)

    def is_projective(self) -> bool:
        """Whether no arc crosses another; unknown heads speak against nothing.

        >>> Sentence(["a", "b", "c", "d"], heads=[3, 4, 0, 3]).is_projective()
        False
        """
        return not self.nonprojective_words()

    def to_conllu(self) -> str:
        """The sentence as CoNLL-U, byte for byte as it was read if nothing was changed."""
        from arbora.treebank import conllu

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


def _column(name: str, doc: str) -> Any:
    def get(token: Token) -> Any:
        return getattr(token.sentence, name)[token.id - 1]

    def put(token: Token, value: Any) -> None:
        getattr(token.sentence, name)[token.id - 1] = value

    return property(get, put, doc=doc)


class Token:
    """A word of a sentence: a view, so that setting a field changes the sentence.

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

    form: str = _column("forms", "The word as written.")
    lemma: str = _column("lemmas", "Its dictionary form.")
    upos: str = _column("upos", "Its universal part of speech (CPOSTAG in CoNLL-X).")
    xpos: str = _column("xpos", "Its part of speech in the treebank's own set (POSTAG in CoNLL-X).")
    feats: str = _column("feats", "Its morphological features as written; see `features`.")
    head: int | None = _column("heads", "The id of its head, 0 for the root, None if unknown.")
    deprel: str = _column("deprels", "The label of the arc from its head.")
    deps: str = _column("deps", "Its enhanced dependencies as written.")
    misc: str = _column("misc", "Anything else, as written.")

    @property
    def features(self) -> dict[str, str]:
        """The features as a dictionary; a part without ``=`` has the value ``""``."""
        if self.feats == UNKNOWN:
            return {}
        return {name: value for name, _, value in (part.partition("=") for part in self.feats.split("|"))}

    def __eq__(self, other: object) -> bool:
        """Whether this is the same word of the same sentence."""
        return isinstance(other, Token) and self.sentence is other.sentence and self.id == other.id

    def __hash__(self) -> int:
        """By the sentence's identity and the id."""
        return hash((id(self.sentence), self.id))

    def __repr__(self) -> str:
        """The id and the form."""
        return f"<Token {self.id} {self.form}>"
