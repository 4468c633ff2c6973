"""The pipeline: components that work one after the other."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy.typing as npt

from arbora.dependency import DependencyParser, ParseOptions
from arbora.errors import ArboraError
from arbora.models import Component, Parts, Tensors, below, find_architecture, under
from arbora.pipeline.documents import Document, ParsedSentence, Place
from arbora.pipeline.options import tagging_for
from arbora.text import Tagger, TagOptions, Tokenizer
from arbora.treebank import Sentence
from arbora.treebank.streaming import RewrittenConllu

ARCHITECTURE = "pipeline"
_RANGE = "TokenRange="


class Pipeline(Component):
    """From raw text to trees: components by name, each of which adds something to sentences, in this order.

    Make one with :func:`arbora.pipeline.train_pipeline`, or `load` it from a file; :func:`arbora.load` gives
    one that is there already.
    """

    architecture = ARCHITECTURE

    def __init__(
        self, components: Iterable[tuple[str, Component]], card: Mapping[str, Any] | None = None
    ) -> None:
        """A pipeline of these components; ``card`` is what its file says about data, licence and scores."""
        self.components = dict(components)
        self.card = dict(card or {})

    def __getitem__(self, name: str) -> Component:
        return self.components[name]

    def find(self, adds: str) -> Any:
        """The component that adds this column; ArboraError if there is none.

        >>> import arbora
        >>> arbora.load().find("upos").tags[:3]
        ['ADJ', 'ADP', 'ADV']
        """
        for component in self.components.values():
            if adds in component.adds:
                return component
        raise ArboraError(f"this pipeline has no component that adds {adds}: {', '.join(self.components)}")

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The component that makes sentences of text."""
        found: Tokenizer = self.find("words")
        return found

    @cached_property
    def tagger(self) -> Tagger:
        """The component that adds tags."""
        found: Tagger = self.find("upos")
        return found

    @cached_property
    def parser(self) -> DependencyParser:
        """The component that adds trees."""
        found: DependencyParser = self.find("heads")
        return found

    @property
    def adds(self) -> tuple[str, ...]:
        """What all components add."""
        return tuple(dict.fromkeys(column for own in self.components.values() for column in own.adds))

    @property
    def header(self) -> dict[str, Any]:  # type: ignore[override]
        """What its file says."""
        return self.to_parts()[0]

    @classmethod
    def from_parts(cls, header: dict[str, Any], tensors: Tensors) -> Pipeline:
        """The pipeline of a header and tensors as `to_parts` gives them."""
        components = []
        for own in _component_headers(header):
            name = own["name"]
            whole = {key: value for key, value in own.items() if key != "name"}
            kind = find_architecture(whole["architecture"]).load_class()
            if "version" in header:  # of the file
                whole["version"] = header["version"]
            components.append((name, kind.from_parts(whole, below(tensors, f"{name}/"))))
        return cls(components, header["card"])

    def to_parts(self, *, compact_weights: bool = False) -> Parts:
        """The header and the tensors of the model file; compact ones have 8-bit weights in the parser."""
        headers: list[dict[str, Any]] = []
        tensors: dict[str, npt.NDArray[Any]] = {}
        for name, component in self.components.items():
            header, own = component.to_parts(compact_weights=compact_weights)
            headers.append({**{k: v for k, v in header.items() if k != "version"}, "name": name})
            tensors |= under(f"{name}/", own)
        return {"architecture": ARCHITECTURE, "card": self.card, "components": headers}, tensors

    def __call__(self, text: str, options: ParseOptions | None = None) -> Document:
        """The text's sentences with tags and trees."""
        return next(self.pipe([text], options=options))

    def pipe(
        self,
        texts: Iterable[str],
        *,
        batch_size: int = 64,
        threads: int = 1,
        options: ParseOptions | None = None,
    ) -> Iterator[Document]:
        """The same for many texts, in order; so many are worked on at once. The input may be endless."""
        if batch_size < 1:
            raise ArboraError("batch_size must be at least 1")
        options = replace(options or ParseOptions(), threads=threads).check()
        waiting = iter(texts)
        while batch := list(islice(waiting, batch_size)):
            tokenized = [self.tokenizer.tokenize(text, ranges=True) for text in batch]
            places = [[_take_places(sentence) for sentence in sentences] for sentences in tokenized]
            parsed = self.annotate((s for sentences in tokenized for s in sentences), options)
            for text, own in zip(batch, places, strict=True):
                found = zip(islice(parsed, len(own)), own, strict=True)
                yield Document(text, [ParsedSentence(s, self.parser, options, place) for s, place in found])

    def annotate(
        self, sentences: Iterable[Sentence], options: ParseOptions | None = None, *, keep_tags: bool = False
    ) -> Iterator[Sentence]:
        """Sentences that are tokenized already, in order, with tags (unless they are kept) and trees."""
        options = (options or ParseOptions()).check()
        if not keep_tags:
            sentences = self.tagger.tag(sentences, self.tagging(options))
        return self.parser.parse(sentences, options)

    def tagging(self, options: ParseOptions) -> TagOptions:
        """How the tagger tags for the parser: a parser that chooses tags wants lists of them."""
        how = tagging_for(self.parser.header["options"])
        return replace(how, threads=options.threads, batch=options.batch)

    def parse_text(
        self, pieces: Iterable[bytes], options: ParseOptions | None = None, *, ranges: bool = False
    ) -> Generator[RewrittenConllu, None, None]:
        """A text that comes in pieces of UTF-8, as CoNLL-U with trees; memory does not grow with it.

        No word becomes an object of Python: this is the fast way. With ``ranges``, MISC has each token's
        place, ``TokenRange=start:end``.
        """
        options = (options or ParseOptions()).check()
        tokenized = self.tokenizer.stream(pieces, ranges=ranges, threads=options.threads)
        return self.annotate_conllu((piece.data for piece in tokenized), options)

    def annotate_conllu(
        self, pieces: Iterable[bytes], options: ParseOptions | None = None, *, keep_tags: bool = False
    ) -> Generator[RewrittenConllu, None, None]:
        """A CoNLL-U file that comes in pieces, with tags (unless they are kept) and trees."""
        options = (options or ParseOptions()).check()
        if not keep_tags:
            pieces = (piece.data for piece in self.tagger.tag_conllu(pieces, self.tagging(options)))
        return self.parser.parse_conllu(pieces, options)


def _component_headers(header: dict[str, Any]) -> list[dict[str, Any]]:
    """The headers of the components, in order.

    Files that were written before a pipeline was a list have three, by name: when the model that is shipped
    is made anew, all but the last line can go.
    """
    if "components" not in header and "tokenizer" in header:
        return [{**header[name], "name": name} for name in ("tokenizer", "tagger", "parser")]
    found: list[dict[str, Any]] = header["components"]
    return found


def _take_places(sentence: Sentence) -> list[Place]:
    """The places of the words' tokens, which the tokenizer wrote into MISC; they are taken out of it."""
    places: list[Place] = [(0, 0)] * len(sentence)
    for row in sentence.multiwords:
        row.misc, place = _take_place(row.misc)
        for word in range(row.first, row.last + 1):
            places[word - 1] = place
    covered = {word for row in sentence.multiwords for word in range(row.first, row.last + 1)}
    for index, misc in enumerate(sentence.misc):
        if index + 1 not in covered:
            sentence.misc[index], places[index] = _take_place(misc)
    return places


def _take_place(misc: str) -> tuple[str, Place]:
    """MISC without the place, and the place.

    >>> _take_place("SpaceAfter=No|TokenRange=3:7")
    ('SpaceAfter=No', (3, 7))
    """
    items = misc.split("|")
    start, _, end = (
        next(item for item in items if item.startswith(_RANGE)).removeprefix(_RANGE).partition(":")
    )
    return "|".join(item for item in items if not item.startswith(_RANGE)) or "_", (int(start), int(end))
