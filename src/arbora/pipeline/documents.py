"""What a pipeline answers: a text's sentences, whose words know how sure their heads and labels are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.dependency import BatchParser, ParseOptions, RankedTree
from arbora.dependency.output import (
    CERTIFICATE,
    HEAD_PROBABILITY,
    KBEST_RANK,
    LABEL_PROBABILITY,
    TREE_LOG_PROBABILITY,
)
from arbora.pipeline.constituents import ParsedConstituents, take_constituents
from arbora.treebank import Constituent, Multiword, Sentence, Token
from arbora.treebank.phrases import (
    CONSTITUENTS,
    CONSTITUENTS_JOINT_LOG_PROBABILITY,
    CONSTITUENTS_LOG_PROBABILITY,
    set_constituents,
)
from arbora.treebank.sentence import UNKNOWN

Floats: TypeAlias = npt.NDArray[np.float64]
Span: TypeAlias = tuple[int, int]

SPANS = "spans"
"""The finding that tells where words stand in their text."""

LOG_PROBABILITIES = (CONSTITUENTS_LOG_PROBABILITY, CONSTITUENTS_JOINT_LOG_PROBABILITY)

_FIELDS = {
    "form": "forms",
    "lemma": "lemmas",
    "upos": "upos",
    "xpos": "xpos",
    "feats": "feats",
    "head": "heads",
    "deprel": "deprels",
    "misc": "misc",
}


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
        for name in Sentence.__slots__:
            setattr(self, name, getattr(sentence, name))
        self._parser = parser
        self._options = options
        self._probabilities: tuple[Floats, Floats] | None = None

    @property
    def spans(self) -> list[Span] | None:
        """Where the words' tokens stand in the text, in characters; None if they came without a text."""
        return (self.findings or {}).get(SPANS)

    @property
    def constituents(self) -> ParsedConstituents | None:
        """The tree of phrases; None if there is none. Set it to change it."""
        tree = super().constituents
        return None if tree is None else ParsedConstituents(tree, self.constituent_probabilities)

    @constituents.setter
    def constituents(self, tree: Constituent | None) -> None:
        set_constituents(self, tree)

    def __getitem__(self, id: int) -> ParsedToken:
        """The word with this id, from 1; a negative id counts from the end."""
        return ParsedToken(self, super().__getitem__(id).id)

    def __iter__(self) -> Iterator[ParsedToken]:
        """The words, in order."""
        return (ParsedToken(self, id) for id in range(1, len(self.forms) + 1))

    @property
    def labels(self) -> list[str]:
        """All labels that the parser knows."""
        return self._own_parser().labels

    def all_probabilities(self) -> tuple[Floats, Floats]:
        """Those of all heads and labels: `arbora.dependency.DependencyParser.probabilities`."""
        if self._probabilities is None:
            self._probabilities = self._own_parser().probabilities(self, self._options)
        return self._probabilities

    def kbest(self, k: int) -> list[RankedTree]:
        """The k most probable trees, in order, with their log-probabilities; fewer where there are fewer."""
        return next(self._own_parser().kbest([self], k, self._options))

    def to_svg(self, *, probabilities: bool = False) -> str:
        """A picture of the tree; with probabilities, unsure arcs are pale and say how probable they are.

        Without heads, it is that of the constituents.
        """
        from arbora.draw import svg

        if (tree := self._only_constituents()) is not None:
            return tree.to_svg(probabilities=probabilities)
        return svg(self, probabilities=self.head_probabilities() if probabilities else None)

    def to_text(self, style: str = "arcs", *, probabilities: bool = False, coloured: bool = False) -> str:
        """The tree for a terminal, drawn with arcs or indented; without heads, the constituents."""
        from arbora.draw import text

        if (tree := self._only_constituents()) is not None:
            return tree.to_text(probabilities=probabilities, coloured=coloured)
        shown = self.head_probabilities() if probabilities else None
        return text(self, style, probabilities=shown, coloured=coloured)

    def head_probabilities(self) -> list[float]:
        """How probable each word's head is: as it was found with the tree, or else as the parser says now."""
        found = (self.findings or {}).get(HEAD_PROBABILITY)
        if found is not None:
            return [float(value) for value in found]
        heads = self.all_probabilities()[0]
        return [0.0 if head is None else float(heads[head, id]) for id, head in enumerate(self.heads, 1)]

    def label_probabilities(self) -> list[float]:
        """How probable each word's label is, given the tree."""
        found = (self.findings or {}).get(LABEL_PROBABILITY)
        if found is not None:
            return [float(value) for value in found]
        return [token.label_probabilities.get(token.deprel, 0.0) for token in self]

    def to_dict(self, *, probabilities: bool = False) -> dict[str, Any]:
        """Plain data, ready for JSON: words, multiword tokens, and what was found of the whole sentence.

        ``certificate`` is there if certificates were asked for: whether the tree is proved to be the best,
        and how far its score may be from the best (``gap``, None if that is not known). ``constituents`` is
        there if the sentence has a tree of phrases, as `ParsedConstituents.to_list` gives it.
        """
        words = [self._word_dict(token) for token in self]
        data: dict[str, Any] = {
            "text": self.text,
            "words": words,
            "multiwords": [{"first": m.first, "last": m.last, "form": m.form} for m in self.multiwords],
        }
        if self.has_heads and probabilities:
            columns = zip(words, self.head_probabilities(), self.label_probabilities(), strict=True)
            for word, head, label in columns:
                word |= {"probability": head, "label_probability": label}
        findings = self.findings or {}
        data |= {key: findings[key] for key in (KBEST_RANK, TREE_LOG_PROBABILITY) if key in findings}
        if CERTIFICATE in findings:
            gap = findings[CERTIFICATE]
            data[CERTIFICATE] = {"proved": gap == 0, "gap": gap if isfinite(gap) else None}
        if (tree := self.constituents) is not None:
            data[CONSTITUENTS] = tree.to_list()
        data |= {key: findings[key] for key in LOG_PROBABILITIES if key in findings}
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ParsedSentence:
        """The sentence of what `to_dict` gave; it has no parser, so no probabilities.

        >>> ParsedSentence.from_dict({"words": [{"form": "Hello", "head": 0}]}).forms
        ['Hello']
        """
        words = data["words"]
        columns: dict[str, Any] = {
            name: [word.get(key) if name == "heads" else word.get(key, "_") for word in words]
            for key, name in _FIELDS.items()
        }
        text = data.get("text")
        sentence = Sentence(
            **columns,
            comments=[] if text is None else [f"# text = {text}"],
            multiwords=[Multiword(m["first"], m["last"], m["form"]) for m in data.get("multiwords", ())],
        )
        if words and all("start" in word for word in words):
            sentence.findings = {SPANS: [(word["start"], word["end"]) for word in words]}
        if CONSTITUENTS in data:
            take_constituents(sentence, data[CONSTITUENTS])
        return cls(sentence)

    def _word_dict(self, token: ParsedToken) -> dict[str, Any]:
        word: dict[str, Any] = {"id": token.id, **{key: getattr(token, key) for key in _FIELDS}}
        if self.findings is not None:  # what MISC says of them has less digits
            items = [i for i in token.misc.split("|") if i.partition("=")[0] not in self.findings]
            word["misc"] = "|".join(items) or UNKNOWN
        if self.spans is not None:
            word |= {"start": token.start, "end": token.end}
        return word

    @property
    def has_heads(self) -> bool:
        """Whether a word has a head, or there is nothing else to show."""
        return any(head is not None for head in self.heads) or self.metadata(CONSTITUENTS) is None

    def _only_constituents(self) -> ParsedConstituents | None:
        return None if self.has_heads else self.constituents

    def _own_parser(self) -> BatchParser:
        if self._parser is None:
            raise ValueError("this sentence was not parsed here: it has no probabilities")
        return self._parser

    def drawings(self) -> Iterator[str]:
        """Pictures of all its trees."""
        if self.has_heads:
            yield self.to_svg()
        if (tree := self.constituents) is not None:
            yield tree.to_svg()

    def _repr_svg_(self) -> str:
        return self.to_svg()


class Document:
    """A text and its sentences.

    ``text[token.start:token.end]`` is what the text has for a word's token.
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
        """The document of what `to_dict` gave; it has no parser, so no probabilities."""
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
