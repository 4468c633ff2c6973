"""The pipeline: a tokenizer, a tagger and a parser that work one after the other."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy.typing as npt

from arbora import _core
from arbora.dependency import DependencyParser, ParseOptions
from arbora.errors import ArboraError, FileError
from arbora.models import read_model, write_model
from arbora.pipeline.documents import Document, ParsedSentence
from arbora.pipeline.options import tagging_for
from arbora.text import Tagger, TagOptions, Tokenizer
from arbora.text.tokenizing.tokenizer import encoded
from arbora.treebank import Sentence
from arbora.treebank.batches import (
    ConlluPiece,
    Step,
    ahead,
    annotated,
    make_batches,
    read_batches,
    to_conllu,
    to_sentences,
)

ARCHITECTURE = "pipeline"
PARTS = ("tokenizer", "tagger", "parser")


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
        steps = self.steps(options)
        waiting = iter(texts)
        while texts_at_once := list(islice(waiting, batch_size)):
            batch, counts = _core.Batch(), []
            for text in texts_at_once:
                before = len(batch)
                for found in self.tokenizer.batches([encoded(text)], threads=threads):
                    batch.append(found)
                counts.append(len(batch) - before)
            parsed = to_sentences(annotated([batch], steps))
            for text, count in zip(texts_at_once, counts, strict=True):
                yield Document(text, [ParsedSentence(s, self.parser, options) for s in islice(parsed, count)])

    def annotate(
        self, sentences: Iterable[Sentence], options: ParseOptions | None = None, *, keep_tags: bool = False
    ) -> Iterator[Sentence]:
        """New sentences for those that are tokenized already, in order, with tags (unless kept) and trees."""
        options = (options or ParseOptions()).check()
        batches = make_batches(sentences, options.batch)
        found = annotated(batches, self.steps(options, keep_tags=keep_tags))
        return to_sentences(ahead(found) if options.threads > 1 else found)

    def steps(self, options: ParseOptions, *, keep_tags: bool = False) -> list[Step]:
        """What the components do with a batch of words, one after the other."""
        tagging = [] if keep_tags else [self.tagger.annotator(self.tagging(options))]
        return [*tagging, self.parser.annotator(options)]

    def tagging(self, options: ParseOptions) -> TagOptions:
        """How the tagger tags for the parser: a parser that chooses tags wants lists of them."""
        how = tagging_for(self.parser.header["options"])
        return replace(how, threads=options.threads, batch=options.batch)

    def parse_text(
        self, pieces: Iterable[bytes], options: ParseOptions | None = None, *, ranges: bool = False
    ) -> Generator[ConlluPiece, None, None]:
        """A text that comes in pieces of UTF-8, as CoNLL-U with trees; memory does not grow with it.

        No word becomes an object of Python: this is the fast way. With ``ranges``, MISC has each token's
        place, ``TokenRange=start:end``.
        """
        options = (options or ParseOptions()).check()
        batches = self.tokenizer.batches(pieces, ranges=ranges, threads=options.threads)
        return to_conllu(annotated(batches, self.steps(options)), threads=options.threads)

    def annotate_conllu(
        self, pieces: Iterable[bytes], options: ParseOptions | None = None, *, keep_tags: bool = False
    ) -> Generator[ConlluPiece, None, None]:
        """A CoNLL-U file that comes in pieces, with tags (unless they are kept) and trees."""
        options = (options or ParseOptions()).check()
        batches = read_batches(pieces, threads=options.threads)
        steps = self.steps(options, keep_tags=keep_tags)
        return to_conllu(annotated(batches, steps), threads=options.threads)


def _below(tensors: Mapping[str, npt.NDArray[Any]], part: str) -> dict[str, npt.NDArray[Any]]:
    """The tensors of one part, by the names that it gave them."""
    return {name.removeprefix(f"{part}/"): t for name, t in tensors.items() if name.startswith(f"{part}/")}
