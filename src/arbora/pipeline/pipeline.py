"""The pipeline: a tokenizer, a tagger and a parser that work one after the other."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy.typing as npt

from arbora.dependency import DependencyParser, ParseOptions
from arbora.errors import ArboraError, FileError
from arbora.models import read_model, write_model
from arbora.pipeline.documents import Document, ParsedSentence, Place
from arbora.pipeline.options import tagging_for
from arbora.text import Tagger, TagOptions, Tokenizer
from arbora.treebank import Sentence
from arbora.treebank.streaming import RewrittenConllu

ARCHITECTURE = "pipeline"
PARTS = ("tokenizer", "tagger", "parser")
_RANGE = "TokenRange="


class Pipeline:
    """From raw text to trees. It does not change, and serves any number of threads.

    Make one with :func:`arbora.pipeline.train_pipeline`, or `load` it from a file; :func:`arbora.load` gives
    one that is there already.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        tagger: Tagger,
        parser: DependencyParser,
        card: Mapping[str, Any] | None = None,
    ) -> None:
        """A pipeline of these parts; ``card`` is what its file says about data, licence and scores."""
        self.tokenizer = tokenizer
        self.tagger = tagger
        self.parser = parser
        self.card = dict(card or {})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Pipeline:
        """The pipeline of a model file; FileError if it is not one."""
        model = read_model(path, architecture=ARCHITECTURE)
        try:
            headers = {part: {**model.header[part], "version": model.header["version"]} for part in PARTS}
            own = {part: _below(model.tensors, part) for part in PARTS}
            return cls(
                Tokenizer(headers["tokenizer"], own["tokenizer"]),
                Tagger(headers["tagger"], own["tagger"]),
                DependencyParser.from_parts(headers["parser"], own["parser"], str(path)),
                model.header["card"],
            )
        except (IndexError, KeyError, TypeError, ValueError, AttributeError, ArboraError) as error:
            reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            raise FileError(f"this is no pipeline that Arbora can use: {reason}", file=str(path)) from None

    def save(self, path: str | os.PathLike[str], *, compact_weights: bool = False) -> None:
        """Write the model file, whole or not at all; compact ones have 8-bit weights in the parser."""
        parser_header, parser_tensors = self.parser.to_parts(compact_weights=compact_weights)
        headers = {"tokenizer": self.tokenizer.header, "tagger": self.tagger.header, "parser": parser_header}
        tensors = {
            "tokenizer": self.tokenizer.tensors(),
            "tagger": self.tagger.tensors,
            "parser": parser_tensors,
        }
        plain = {
            part: {k: v for k, v in header.items() if k != "version"} for part, header in headers.items()
        }
        write_model(
            path,
            {"architecture": ARCHITECTURE, "card": self.card, **plain},
            {f"{part}/{name}": tensor for part in PARTS for name, tensor in tensors[part].items()},
        )

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


def _below(tensors: Mapping[str, npt.NDArray[Any]], part: str) -> dict[str, npt.NDArray[Any]]:
    """The tensors of one part, by the names that it gave them."""
    return {name.removeprefix(f"{part}/"): t for name, t in tensors.items() if name.startswith(f"{part}/")}


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
