"""The pipeline: components that work one after the other."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy.typing as npt

from arbora import _core
from arbora.dependency import BatchParser, ParseOptions
from arbora.dependency.judging import judge_in_batches
from arbora.errors import ArboraError
from arbora.evaluation.judging import Judgement
from arbora.models import Component, Parts, Tensors, below, find_architecture, under
from arbora.models.checking import a_list, a_mapping, a_name, some_names
from arbora.models.options import a_count, options_of
from arbora.pipeline.documents import Document, ParsedSentence
from arbora.pipeline.inputs import as_sentences, check_text, check_texts
from arbora.pipeline.tags import fill_tags
from arbora.text import Tagger, Tokenizer
from arbora.text.tokenizing.tokenizer import encoded
from arbora.treebank import Sentence
from arbora.treebank.batches import (
    ConlluPiece,
    Step,
    ahead,
    annotated,
    check_of,
    make_batches,
    read_batches,
    to_conllu,
    to_sentences,
)

ARCHITECTURE = "pipeline"
TREES = ("heads", "constituents")
"""What is not found anew where trees are judged."""


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
        """The tagger: it adds tags, or if the parser does that, lemmas."""
        found = self.find("upos")
        own: Tagger = found if isinstance(found, Tagger) else self.find("lemmas")
        return own

    @cached_property
    def parser(self) -> BatchParser:
        """The component that adds trees."""
        found: BatchParser = self.find("heads")
        return found

    @property
    def adds(self) -> tuple[str, ...]:
        """What all components add."""
        return tuple(dict.fromkeys(column for own in self.components.values() for column in own.adds))

    @property
    def members(self) -> Mapping[str, Component]:
        """The components, by name."""
        return self.components

    @property
    def header(self) -> dict[str, Any]:  # type: ignore[override]
        """What its file says."""
        return self.to_parts()[0]

    def add_to_report(self, name: str, facts: Any) -> None:
        """It is the card that says how it was trained."""
        self.card[name] = facts

    @classmethod
    def from_parts(cls, header: dict[str, Any], tensors: Tensors) -> Pipeline:
        """The pipeline of a header and tensors as `to_parts` gives them."""
        components = []
        for own in a_list(header["components"], "components"):
            name = a_name(a_mapping(own, "a component")["name"], "the name of a component")
            whole = {key: value for key, value in own.items() if key != "name"}
            kind = find_architecture(whole["architecture"]).load_class()
            if "version" in header:  # of the file
                whole["version"] = header["version"]
            components.append((name, kind.from_parts(whole, below(tensors, f"{name}/"))))
        names = some_names([name for name, _ in components], "components")
        pipeline = cls(components, a_mapping(header["card"], "card"))
        if "words" not in pipeline.adds:
            raise ValueError(f"none of its {len(names)} components makes words of text")
        return pipeline

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
        check_text(text)
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
        batch_size = a_count(batch_size, "batch_size")
        options = replace(options_of(ParseOptions, options), threads=threads).check()
        steps = self.steps(options)
        waiting = iter(check_texts(texts))
        while texts_at_once := list(islice(waiting, batch_size)):
            batch, counts = _core.Batch(), []
            for text in texts_at_once:
                before = len(batch)
                for found in self.tokenizer.batches([encoded(text)], threads=threads):
                    batch.append(found)
                counts.append(len(batch) - before)
            parsed = to_sentences(annotated([batch], steps))
            parser = self.parser if "heads" in self.adds else None
            for text, count in zip(texts_at_once, counts, strict=True):
                yield Document(text, [ParsedSentence(s, parser, options) for s in islice(parsed, count)])

    def annotate(
        self,
        sentences: Iterable[Sentence | Sequence[str]],
        options: ParseOptions | None = None,
        *,
        keep_tags: bool = False,
    ) -> Iterator[ParsedSentence]:
        """New sentences for those that are tokenized already, in order, with tags and trees.

        Each is a `Sentence`, or a list of words. With ``keep_tags``, tags and lemmas that it has (not ``_``)
        stay, and the tagger fills in the others; constraints among the options keep them too. What comes out
        knows probabilities and k-best trees as sentences of a text do.

        >>> import arbora
        >>> sentence = next(arbora.load().annotate([["Dogs", "bark", "."]]))
        >>> sentence[1].deprel, sentence[1].probability > 0.5
        ('nsubj', True)
        """
        options = options_of(ParseOptions, options)
        batches = make_batches(as_sentences(sentences), options.batch)
        found = annotated(batches, self.steps(options, keep_tags=keep_tags))
        parser = self.parser if "heads" in self.adds else None
        parsed = to_sentences(ahead(found) if options.goes_ahead else found)
        return (ParsedSentence(sentence, parser, options) for sentence in parsed)

    def judged(
        self,
        sentences: Iterable[Sentence],
        options: ParseOptions | None = None,
        *,
        alternatives: float | None = None,
    ) -> Iterator[Judgement]:
        """What the parser thinks of the trees of sentences: see `arbora.evaluation.judge`."""
        options = options_of(ParseOptions, options)
        tags = self.steps(options, keep_tags=True, instead=dict.fromkeys(TREES, _nothing))

        def prepare(waiting: list[Sentence]) -> list[Sentence]:
            return fill_tags(waiting, tags)

        return judge_in_batches(self.parser, sentences, options, alternatives, prepare)

    def steps(
        self,
        options: ParseOptions,
        *,
        keep_tags: bool = False,
        instead: Mapping[str, Step] | None = None,
    ) -> list[Step]:
        """What the components do with a batch of words, one after the other.

        ``keep_tags``: tags and lemmas that are there stay, as they do with constraints. ``instead`` is done
        in place of the component that adds such a column.
        """
        others = instead or {}
        asked = {name: value for own in self.components.values() for name, value in own.asks.items()}
        asked["keep_tags"] = keep_tags or options.constraints
        return [
            next((others[column] for column in component.adds if column in others), None)
            or component.step(options, asked)
            for component in self.components.values()
            if "words" not in component.adds
        ]

    def check(self, options: ParseOptions) -> _core.TreeCheck:
        """What must hold of trees that sentences have: nothing if they are neither used nor stay."""
        return check_of(options.constraints or "heads" not in self.adds)

    def parse_text(
        self, pieces: Iterable[bytes], options: ParseOptions | None = None, *, ranges: bool = False
    ) -> Generator[ConlluPiece, None, None]:
        """A text that comes in pieces of UTF-8, as CoNLL-U with trees; memory does not grow with it.

        No word becomes an object of Python: this is the fast way. With ``ranges``, MISC has each token's
        place, ``TokenRange=start:end``.
        """
        options = options_of(ParseOptions, options)
        batches = self.tokenizer.batches(pieces, ranges=ranges, threads=options.threads)
        return to_conllu(annotated(batches, self.steps(options)), threads=options.threads)

    def annotate_conllu(
        self, pieces: Iterable[bytes], options: ParseOptions | None = None, *, keep_tags: bool = False
    ) -> Generator[ConlluPiece, None, None]:
        """A CoNLL-U file that comes in pieces, with tags and trees; see `annotate`.

        Old trees that nothing is used of may be none.
        """
        options = options_of(ParseOptions, options)
        batches = read_batches(pieces, threads=options.threads, check=self.check(options))
        steps = self.steps(options, keep_tags=keep_tags)
        return to_conllu(annotated(batches, steps), threads=options.threads)


def _nothing(batch: _core.Batch) -> _core.Batch:
    return batch
