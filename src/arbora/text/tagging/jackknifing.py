"""Tags for training data by taggers that have not seen it, as a parser will meet them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from arbora.errors import ArboraError
from arbora.text.tagging.options import TaggerOptions, TagOptions
from arbora.text.tagging.tagger import Tagger
from arbora.text.tagging.training import train_tagger
from arbora.treebank import Sentence

__all__ = ["count_folds", "jackknife_tags", "tag_fold"]


def jackknife_tags(
    sentences: Sequence[Sentence],
    options: TaggerOptions | None = None,
    *,
    folds: int = 10,
    threads: int = 1,
    how: TagOptions | None = None,
    like: Tagger | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Sentence]:
    """Copies of the sentences with tags and lemmas by taggers that have not seen them, in order.

    The sentences are cut into ``folds`` runs of about one length; those of each are tagged by a tagger that
    is trained on all others. ``how`` says what else it tells of them; ``threads`` are for all of it.
    ``like``: a tagger whose calibration these have, as they have no dev data of their own. ``progress`` gets
    the folds done and to do.

    >>> from arbora.treebank import read
    >>> treebank = list(read("examples/treebank/en.conllu"))
    >>> tagged = list(jackknife_tags(treebank, TaggerOptions(epochs=1, bits=(12, 12, 12)), folds=2))
    >>> [s.forms for s in tagged] == [s.forms for s in treebank]
    True
    """
    folds = count_folds(sentences, folds)
    for fold in range(1, folds + 1):
        yield from tag_fold(sentences, fold, folds, options, threads=threads, how=how, like=like)
        if progress is not None:
            progress(fold, folds)


def count_folds(sentences: Sequence[Sentence], folds: int) -> int:
    """How many folds there can be, at most so many; ArboraError if it is less than two."""
    if folds < 2:
        raise ArboraError("there must be at least 2 folds")
    if len(sentences) < 2:
        raise ArboraError("at least 2 sentences are needed to tag each by a tagger that has not seen it")
    return min(folds, len(sentences))


def tag_fold(
    sentences: Sequence[Sentence],
    fold: int,
    folds: int,
    options: TaggerOptions | None = None,
    *,
    threads: int = 1,
    how: TagOptions | None = None,
    like: Tagger | None = None,
) -> Iterator[Sentence]:
    """One of the folds of `jackknife_tags`, counted from 1."""
    edges = np.linspace(0, len(sentences), folds + 1).round().astype(int).tolist()
    start, end = edges[fold - 1], edges[fold]
    others = [*sentences[:start], *sentences[end:]]
    tagger = train_tagger(others, options=options, dev_fraction=0.0, threads=threads)
    if like is not None:
        tagger = _calibrated(tagger, like)
    copies = (sentence.copy() for sentence in sentences[start:end])
    return tagger.tag(copies, replace(how or TagOptions(), threads=threads))


def _calibrated(tagger: Tagger, like: Tagger) -> Tagger:
    """A tagger that makes probabilities of scores as another does."""
    stages = {
        name: {**facts, "scale": like.header["stages"][name]["scale"]}
        for name, facts in tagger.header["stages"].items()
    }
    return Tagger({**tagger.header, "stages": stages}, tagger.tensors)
