"""What a pipeline answers: a text's sentences, whose words know how sure their heads and labels are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.dependency import DependencyParser, ParseOptions, RankedTree
from arbora.treebank import Multiword, Sentence, Token

Floats: TypeAlias = npt.NDArray[np.float64]
Place: TypeAlias = tuple[int, int]

_COLUMNS = {
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
    """A word of a parsed sentence: a view, as `arbora.treebank.Token` is, that also knows its chances."""

    __slots__ = ()
    sentence: ParsedSentence

    @property
    def start(self) -> int | None:
        """Where its token begins in the text, in characters; None if it came without a text."""
        return None if self.sentence.places is None else self.sentence.places[self.id - 1][0]

    @property
    def end(self) -> int | None:
        """Where its token ends in the text."""
        return None if self.sentence.places is None else self.sentence.places[self.id - 1][1]

    @property
    def head_probabilities(self) -> dict[int, float]:
        """Every head that is possible for the word (0: the root), the most probable first."""
        column = self.sentence.chances()[0][:, self.id]
        return {int(h): float(column[h]) for h in np.argsort(-column, kind="stable") if column[h] > 0}

    @property
    def label_probabilities(self) -> dict[str, float]:
        """Every label of its arc, given the tree, the most probable first."""
        row, labels = self.sentence.chances()[1][self.id], self.sentence.labels
        return {labels[i]: float(row[i]) for i in np.argsort(-row, kind="stable") if row[i] > 0}

    @property
    def probability(self) -> float:
        """How probable it is that the word has its head."""
        return self.sentence.head_chances()[self.id - 1]

    @property
    def label_probability(self) -> float:
        """How probable the word's label is, given the tree."""
        return self.label_probabilities.get(self.deprel, 0.0)


class ParsedSentence(Sentence):
    """A sentence with its tree. Probabilities are worked out when they are first asked for."""

    __slots__ = ("_chances", "_options", "_parser", "places")

    def __init__(
        self,
        sentence: Sentence,
        parser: DependencyParser | None = None,
        options: ParseOptions | None = None,
        places: Sequence[Place] | None = None,
    ) -> None:
        """The sentence's own columns, the parser that made the tree, and the words' places in the text."""
        for name in Sentence.__slots__:
            setattr(self, name, getattr(sentence, name))
        self.places = None if places is None else list(places)
        self._parser = parser
        self._options = options
        self._chances: tuple[Floats, Floats] | None = None

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

    def chances(self) -> tuple[Floats, Floats]:
        """The probabilities of all heads and labels: `arbora.dependency.DependencyParser.probabilities`."""
        if self._chances is None:
            self._chances = self._own_parser().probabilities(self, self._options)
        return self._chances

    def kbest(self, k: int) -> list[RankedTree]:
        """The k most probable trees, in order, with their log-probabilities; fewer where there are fewer."""
        return next(self._own_parser().kbest([self], k, self._options))

    def to_svg(self, *, probabilities: bool = False) -> str:
        """A picture of the tree; with probabilities, unsure arcs are pale and say how probable they are."""
        from arbora.draw import svg

        return svg(self, probabilities=self.head_chances() if probabilities else None)

    def to_text(self, style: str = "arcs", *, probabilities: bool = False, coloured: bool = False) -> str:
        """The tree for a terminal, drawn with arcs or indented."""
        from arbora.draw import text

        shown = self.head_chances() if probabilities else None
        return text(self, style, probabilities=shown, coloured=coloured)

    def head_chances(self) -> list[float]:
        """How probable each word's head is."""
        heads = self.chances()[0]
        return [0.0 if head is None else float(heads[head, id]) for id, head in enumerate(self.heads, 1)]

    def to_dict(self, *, probabilities: bool = False) -> dict[str, Any]:
        """Plain data, ready for JSON: the words, and the multiword tokens."""
        return {
            "text": self.text,
            "words": [self._word_dict(token, probabilities) for token in self],
            "multiwords": [{"first": m.first, "last": m.last, "form": m.form} for m in self.multiwords],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ParsedSentence:
        """The sentence of what `to_dict` gave; it has no parser, so no probabilities.

        >>> ParsedSentence.from_dict({"words": [{"form": "Hello", "head": 0}]}).forms
        ['Hello']
        """
        words = data["words"]
        columns: dict[str, Any] = {
            name: [word.get(key) if name == "heads" else word.get(key, "_") for word in words]
            for key, name in _COLUMNS.items()
        }
        text = data.get("text")
        sentence = Sentence(
            **columns,
            comments=[] if text is None else [f"# text = {text}"],
            multiwords=[Multiword(m["first"], m["last"], m["form"]) for m in data.get("multiwords", ())],
        )
        has_places = bool(words) and all("start" in word for word in words)
        places = [(word["start"], word["end"]) for word in words] if has_places else None
        return cls(sentence, places=places)

    def _word_dict(self, token: ParsedToken, probabilities: bool) -> dict[str, Any]:
        word: dict[str, Any] = {"id": token.id, **{key: getattr(token, key) for key in _COLUMNS}}
        if self.places is not None:
            word |= {"start": token.start, "end": token.end}
        if probabilities:
            word |= {"probability": token.probability, "label_probability": token.label_probability}
        return word

    def _own_parser(self) -> DependencyParser:
        if self._parser is None:
            raise ValueError("this sentence was not parsed here: it has no probabilities")
        return self._parser

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
        return "".join(f"<div>{sentence.to_svg()}</div>" for sentence in self.sentences)
