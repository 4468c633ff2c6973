"""Tags without trees: by a tagger, or by a pipeline whose parser finds tags itself."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator

from arbora import _core
from arbora.dependency import ParseOptions
from arbora.errors import ArboraError
from arbora.models.options import options_of
from arbora.pipeline.pipeline import Pipeline
from arbora.pipeline.shipped import DEFAULT, find_component, open_pipeline
from arbora.text import Tagger, TagOptions
from arbora.text.tagging.files import Tags
from arbora.treebank import Sentence
from arbora.treebank.batches import (
    ConlluPiece,
    Skip,
    Step,
    annotated,
    make_batches,
    read_batches,
    to_conllu,
    to_sentences,
)


def find_tagger(name: str | os.PathLike[str] = DEFAULT) -> Tags:
    """What finds tags in a model: a tagger, or a pipeline whose parser does it.

    >>> sentence = next(find_tagger().tag([Sentence(["It", "works"])]))
    >>> sentence.upos
    ['PRON', 'VERB']
    """
    found = find_component(name, adds="upos")
    return found if isinstance(found, Tagger) else PipelineTagger(open_pipeline(name))


class PipelineTagger:
    """Tags and lemmas by a pipeline whose parser finds tags itself; trees stay as they are."""

    def __init__(self, pipeline: Pipeline) -> None:
        """``pipeline`` has a neural parser."""
        self.pipeline = pipeline

    def tag(self, sentences: Iterable[Sentence], options: TagOptions | None = None) -> Iterator[Sentence]:
        """New sentences with tags, as `arbora.text.Tagger.tag` gives them."""
        options = options_of(TagOptions, options)
        return to_sentences(annotated(make_batches(sentences, options.batch), self._steps(options)))

    def tag_conllu(
        self, pieces: Iterable[bytes], options: TagOptions | None = None, *, skip: Skip | None = None
    ) -> Generator[ConlluPiece, None, None]:
        """A CoNLL-U file that comes in pieces, as `arbora.text.Tagger.tag_conllu` tags it."""
        options = options_of(TagOptions, options)
        batches = read_batches(pieces, threads=options.threads, check=_core.TreeCheck.range, skip=skip)
        return to_conllu(annotated(batches, self._steps(options)), threads=options.threads)

    def _steps(self, options: TagOptions) -> list[Step]:
        if options.probabilities or options.candidates:
            raise ArboraError("a neural parser's tags have no probabilities, and no candidates beside them")
        parser = self.pipeline.find("upos")
        tagging = parser.tagging_step(keep_tags=options.keep_tags, threads=options.threads)
        whole = ParseOptions(threads=options.threads, batch=options.batch)
        return self.pipeline.steps(whole, keep_tags=options.keep_tags, instead={"heads": tagging})
