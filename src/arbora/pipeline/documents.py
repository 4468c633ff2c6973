"""What a pipeline answers: a text's sentences, whose words know how sure their heads and labels are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from arbora.dependency import BatchParser, ParseOptions, RankedTree
from arbora.dependency.output import LABEL_PROBABILITY
from arbora.errors import ArboraError, WrongTypeError
from arbora.pipeline.constituents import ParsedConstituents
from arbora.pipeline.plain_data import SPANS, refusing_data, sentence_from_dict, sentence_to_dict
from arbora.treebank import Constituent, Sentence, Token
from arbora.treebank.columns import columns_of
from arbora.treebank.findings import CERTAINTY
from arbora.treebank.findings import head_probabilities as known_probabilities
from arbora.treebank.phrases import set_constituents

Floats: TypeAlias = npt.NDArray[np.float64]
Span: TypeAlias = tuple[int, int]


class NoParserError(ArboraError, ValueError):
    """A sentence was asked for what only its parser could say, and it has none."""


class ParsedToken(Token):
    """A word of a parsed sentence: a view, as `arbora.treebank.Token` is, that also knows how sure it is."""

    __slots__ = ()
    sentence: ParsedSentence

    @property
    def start(self) -> int | None:
        """Where its token begins in the text, in characters; None if it came without a text."""
        return None if self.sentence.spans is None else self.sentence.spans[self.id - 1][0]

    @property
    def end(self) -> int | None:
        """Where its token ends in the text."""
        return None if self.sentence.spans is None else self.sentence.spans[self.id - 1][1]

    @property
    def head_probabilities(self) -> dict[int, float]:
        """Every head that is possible for the word (0: the root), the most probable first."""
        column = self.sentence.all_probabilities()[0][:, self.id]
        return {int(h): float(column[h]) for h in np.argsort(-column, kind="stable") if column[h] > 0}

    @property
    def label_probabilities(self) -> dict[str, float]:
        """Every label of its arc, given the tree, the most probable first."""
        row, labels = self.sentence.all_probabilities()[1][self.id], self.sentence.labels
        return {labels[i]: float(row[i]) for i in np.argsort(-row, kind="stable") if row[i] > 0}

    @property
    def probability(self) -> float:
        """How probable it is that the word has its head."""
        return self.sentence.head_probabilities()[self.id - 1]

    @property
    def label_probability(self) -> float:
        """How probable the word's label is, given the tree."""
        return self.sentence.label_probabilities()[self.id - 1]


class ParsedSentence(Sentence):
    """A sentence with its tree. Probabilities are worked out when they are first asked for."""

    __slots__ = ("_options", "_parser", "_probabilities")

    def __init__(
        self,
        sentence: Sentence,
        parser: BatchParser | None = None,
        options: ParseOptions | None = None,
    ) -> None:
        """The sentence's own columns and findings, and the parser that made the tree."""
        self._take(columns_of(sentence))
        self.findings = sentence.findings
        self._place = sentence._place
        self._parser = parser
        self._options = options
        self._probabilities: tuple[Floats, Floats] | None = None

    @property
    def spans(self) -> list[Span] | None:
        """Where the words' tokens stand in the text, in characters; None if they came without a text."""
        return (self.findings or {}).get(SPANS)

    @property
    def certainty(self) -> float:
        """By what the probabilities of heads are multiplied, as words and sentences may be cut otherwise.

        It is 1 where they were given, or nobody learned how often they are cut wrongly.
        """
        found: float = (self.findings or {}).get(CERTAINTY, 1.0)
        return found

    @property
    def constituents(self) -> ParsedConstituents | None:
        """The tree of phrases; None if there is none. Set it to change it."""
        tree = super().constituents
        return None if tree is None else ParsedConstituents(tree, self.constituent_probabilities)

    @constituents.setter
    def constituents(self, tree: Constituent | None) -> None:
        set_constituents(self, tree)

    @overload  # type: ignore[override]  # a list of them is no list of tokens to which any could be added
    def __getitem__(self, id: int) -> ParsedToken: ...
    @overload
    def __getitem__(self, id: slice) -> list[ParsedToken]: ...
    def __getitem__(self, id: int | slice) -> ParsedToken | list[ParsedToken]:
        """The word with this id, from 1; a negative id counts from the end. A slice is a list of words."""
        return super().__getitem__(id)  # type: ignore[return-value]  # made by `_word`

    def __iter__(self) -> Iterator[ParsedToken]:
        """The words, in order."""
        return super().__iter__()  # type: ignore[return-value]  # made by `_word`

    def _word(self, id: int) -> ParsedToken:
        return ParsedToken(self, id)

    def copy(self) -> ParsedSentence:
        """A sentence with the same content and parser whose columns can be changed apart from this one's."""
        return ParsedSentence(super().copy(), self._parser, self._options)

    @property
    def labels(self) -> list[str]:
        """All labels that the parser knows."""
        return self._own_parser().labels

    def all_probabilities(self) -> tuple[Floats, Floats]:
        """Those of all heads and labels: `arbora.dependency.DependencyParser.probabilities`.

        In a sentence that was cut out of a text, those of a word's heads add up to `certainty`.
        """
        if self._probabilities is None:
            heads, labels = self._own_parser().probabilities(self, self._options)
            self._probabilities = heads * self.certainty, labels
        return self._probabilities

    def kbest(self, k: int) -> list[RankedTree]:
        """The k most probable trees, in order, with their log-probabilities; fewer where there are fewer."""
        return next(self._own_parser().kbest([self], k, self._options))

    def head_probabilities(self) -> list[float]:
        """How probable each word's head is: as it was found with the tree, or else as the parser says now."""
        found = known_probabilities(self)
        if found is not None:
            return found
        heads = self.all_probabilities()[0]
        return [0.0 if head is None else float(heads[head, id]) for id, head in enumerate(self.heads, 1)]

    def label_probabilities(self) -> list[float]:
        """How probable each word's label is, given the tree."""
        found = (self.findings or {}).get(LABEL_PROBABILITY)
        if found is not None:
            return [float(value) for value in found]
        return [token.label_probabilities.get(token.deprel, 0.0) for token in self]

    def to_dict(self, *, probabilities: bool = False) -> dict[str, Any]:
        """Plain data, ready for JSON: all that the sentence has, and what was found of it.

        ``certificate`` is there if certificates were asked for: whether the tree is proved to be the best,
        and how far its score may be from the best (``gap``, None if that is not known). ``constituents`` is
        there if the sentence has a tree of phrases, as `ParsedConstituents.to_list` gives it.
        """
        return sentence_to_dict(self, probabilities=probabilities)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ParsedSentence:
        """The sentence of what `to_dict` gave: the same, without a parser, so it knows what is there alone.

        >>> ParsedSentence.from_dict({"words": [{"form": "Hello", "head": 0}]}).forms
        ['Hello']
        """
        with refusing_data(data):
            return cls(sentence_from_dict(data))

    def _own_parser(self) -> BatchParser:
        if self._parser is None:
            raise NoParserError("this sentence was not parsed here: it has no probabilities")
        return self._parser


class Document:
    """A text and its sentences.

    ``text[token.start:token.end]`` is what the text has for a word's token. ``document[0]`` is the first
    sentence, ``document[1:3]`` a list of the next two, and ``document.words`` has the words of all.
    """

    def __init__(self, text: str, sentences: Sequence[ParsedSentence]) -> None:
        """A document of these sentences."""
        self.text = text
        self.sentences = list(sentences)

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.sentences)

    def __iter__(self) -> Iterator[ParsedSentence]:
        """The sentences, in order."""
        return iter(self.sentences)

    @overload
    def __getitem__(self, place: int) -> ParsedSentence: ...
    @overload
    def __getitem__(self, place: slice) -> list[ParsedSentence]: ...
    def __getitem__(self, place: int | slice) -> ParsedSentence | list[ParsedSentence]:
        """The sentence at this place, from 0 as in a list, or a list of those of a slice."""
        try:
            return self.sentences[place]
        except TypeError:
            raise WrongTypeError(
                f"sentences are found by their place from 0, or by a slice, not by {place!r}"
            ) from None
        except IndexError:
            raise IndexError(f"there is no sentence {place} in a document of {len(self)}") from None

    @property
    def words(self) -> list[ParsedToken]:
        """The words of all sentences, in order."""
        return [word for sentence in self.sentences for word in sentence]

    def __repr__(self) -> str:
        """The number of sentences and the first words."""
        start = self.text if len(self.text) <= 40 else self.text[:40] + "..."
        return f"<Document of {len(self.sentences)} sentences: {start!r}>"

    def to_conllu(self) -> str:
        """All sentences as CoNLL-U."""
        return "".join(sentence.to_conllu() for sentence in self.sentences)

    def to_dict(self, *, probabilities: bool = False) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        sentences = [sentence.to_dict(probabilities=probabilities) for sentence in self.sentences]
        return {"text": self.text, "sentences": sentences}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Document:
        """The document of what `to_dict` gave: the same, without a parser."""
        with refusing_data(data):
            return cls(data["text"], [ParsedSentence.from_dict(sentence) for sentence in data["sentences"]])

    def to_spacy(self, vocab: Any = None) -> Any:
        """A ``spacy.tokens.Doc`` of the words, which needs spaCy; see `arbora.pipeline.spacy_docs`."""
        from arbora.pipeline.spacy_docs import to_spacy

        return to_spacy(self, vocab)

    @classmethod
    def from_spacy(cls, doc: Any) -> Document:
        """The document of a ``spacy.tokens.Doc``: words, tags and trees as it has them."""
        from arbora.pipeline.spacy_docs import from_spacy

        return from_spacy(doc)

    def _repr_html_(self) -> str:
        return "".join(f"<div>{drawing}</div>" for own in self.sentences for drawing in own.drawings())
