"""What parsers of sentences share, wherever scores come from: trees for sentences, batches and files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from arbora import _core
from arbora.dependency.graphs import SentenceGraph
from arbora.dependency.judging import MOST_WORDS_OF_TABLES, judge_in_batches
from arbora.dependency.options import GRAPH_SOLVERS, ParseOptions
from arbora.dependency.output import KBEST_RANK, TREE_LOG_PROBABILITY, RankedTree, check_columns
from arbora.dependency.root_label import ROOT
from arbora.dependency.scored_parser import Floats, HeadsFound, Integers, ScoredParser
from arbora.errors import InfeasibleTreeError, TooLongError, WrongTypeError
from arbora.evaluation.judging import Judgement
from arbora.models import Component
from arbora.models.options import a_count, check_like, options_of
from arbora.treebank import Sentence
from arbora.treebank.batches import (
    ConlluPiece,
    Step,
    ahead,
    annotated,
    check_of,
    forbidden_arcs,
    make_batches,
    read_batches,
    sentences_of,
    to_conllu,
    to_sentences,
)
from arbora.treebank.conllu import make_sentence
from arbora.treebank.given import a_sentence, blaming, named


class BatchParser(ScoredParser, Component):
    """A parser that scores sentences by itself: a component, whose models differ in where scores come from.

    A member has a `_scorer`, and ``_names`` for what its numbers are called. It may override
    `_annotate_natively` and `_annotate_kbest`, if the core can do more at once.
    """

    _names: _core.ParserNames

    @property
    def most_words(self) -> int | None:
        """Of a sentence that it can score; None is any number."""
        return None

    @abstractmethod
    def _scorer(self, sentences: Iterable[Sentence], *, constraints: bool = False) -> _core.Scorer:
        """The scores of sentences; with ``constraints``, what is given of their trees will bind."""

    def parse(self, sentences: Iterable[Sentence], options: ParseOptions | None = None) -> Iterator[Sentence]:
        """New sentences with heads and labels, in order; the input may be endless, and stays as it is.

        Enhanced dependencies (DEPS) are emptied where the head is another than it was. With probabilities,
        MISC gets ``HeadProbability`` and ``LabelProbability`` (that of the label, given the tree), and a
        comment gives the logarithm of the tree's probability; ``findings`` has all of them in full precision.
        A parser that chooses tags sets UPOS too, among those that MISC lists (``UposCandidates``, as
        `arbora.text.Tagger` writes it) and does no longer then; a word without such a list keeps its UPOS.
        Its MISC gets ``UposProbability`` with the others.
        """
        options = options_of(ParseOptions, options)
        found = annotated(make_batches(sentences, options.batch), [self.annotator(options)])
        return to_sentences(ahead(found) if options.goes_ahead else found)

    def step(self, options: ParseOptions, asked: Mapping[str, Any]) -> Step:
        """What the parser does in a pipeline."""
        return self.annotator(options, keep_tags=bool(asked.get("keep_tags")))

    def annotator(self, options: ParseOptions, *, keep_tags: bool = True) -> Step:
        """What the parser does with a batch of sentences: they get trees, and tags if it finds some.

        With ``keep_tags``, tags that words have (not ``_``) stay, and bind.
        """
        check_columns([*self.labels, *self.tags])
        return lambda batch: self._annotate(batch, options)

    def graph(
        self,
        sentence: Sentence,
        options: ParseOptions | None = None,
        *,
        sums: bool = False,
        joined: bool | None = None,
        given_heads: Integers | None = None,
    ) -> SentenceGraph:
        """The sentence as a factor graph over its candidate arcs, with the scores of this parser.

        Any solver of `arbora.FactorGraph` works on it, and more factors can be added. ``sums``: arcs score
        the sum over their labels, as probabilities want it, not their best label. ``joined``: siblings and
        grandparents share automata, which is best for solvers that bound, and not for those that send
        messages; None is so unless ``sums``. ``given_heads``: of every word, -1 where it
        is not known; other arcs of words with known heads are no candidates.
        """
        options = options_of(ParseOptions, options)
        a_sentence(sentence)
        check_like({"sums": sums}, {"sums": False})
        given = None if given_heads is None else with_root(_heads_for(given_heads, len(sentence)))
        with blaming([sentence]):
            scorer = self._scorer([sentence])
        return self._graph_of(scorer, 0, options, sums=sums, joined=joined, given_heads=given)

    def probabilities(
        self,
        sentence: Sentence,
        options: ParseOptions | None = None,
        *,
        given_heads: bool = False,
        constraints: bool = False,
    ) -> tuple[Floats, Floats]:
        """All probabilities of one sentence: of heads, of shape (n+1, n+1), and of labels, (n+1, labels).

        ``heads[h, m]`` is the probability that word m has the head h (0: the root). ``labels[m]`` is that of
        every label of ``self.labels`` for the arc into word m, given the tree: the best one, or with
        ``given_heads`` the one that the sentence has, of whose heads the probabilities are then all 1. With
        ``constraints``, heads and labels that the sentence has bind, and others are open. With that, or the
        option ``constraints``, heads that MISC forbids (``ForbiddenHeads=2,5``) have none.
        """
        options = options_of(ParseOptions, options)
        if len(a_sentence(sentence)) > MOST_WORDS_OF_TABLES:
            raise TooLongError(
                f"{named(sentence)} is too long for tables of all probabilities: it has {len(sentence)} "
                f"words, and they are for at most {MOST_WORDS_OF_TABLES}; parse it with probabilities instead"
            )
        with blaming([sentence]):
            scorer = self._scorer([sentence], constraints=given_heads or constraints)
            heads = with_root(self._given_heads(sentence)) if given_heads or constraints else None
            labels = with_root(self._given_labels(sentence)) if constraints else None
            forbidden = forbidden_arcs(sentence) if constraints or options.constraints else []
            return self._probabilities_of(scorer, 0, options, heads, labels, forbidden)

    def judged(
        self,
        sentences: Iterable[Sentence],
        options: ParseOptions | None = None,
        *,
        alternatives: float | None = None,
    ) -> Iterator[Judgement]:
        """What the parser thinks of the trees of sentences: see `arbora.evaluation.judge`."""
        return judge_in_batches(self, sentences, options, alternatives)

    def parse_conllu(
        self, pieces: Iterable[bytes], options: ParseOptions | None = None
    ) -> Generator[ConlluPiece, None, None]:
        """Parse a CoNLL-U file that comes in pieces; every piece is answered as soon as it is there.

        The same bytes as reading, `parse` and writing give, but no word becomes an object of Python: this is
        the fast way from file to file. The options' ``batch`` does not matter, pieces are worked on whole:
        larger ones, of a megabyte, keep several threads busy. A sentence that breaks the format, or that no
        tree fits, raises the error when all before it were handed on. Old trees that nothing is used of may
        be none.
        """
        options = options_of(ParseOptions, options)
        batches = read_batches(pieces, threads=options.threads, check=check_of(options.constraints))
        return to_conllu(annotated(batches, [self.annotator(options)]), threads=options.threads)

    def kbest(
        self, sentences: Iterable[Sentence], k: int, options: ParseOptions | None = None
    ) -> Iterator[list[RankedTree]]:
        """The k most probable labelled trees of each sentence, in order; fewer where there are fewer.

        Only arcs that survive pruning count. A model with a second stage finds them among the labellings of
        the ``max(256, 16 k)`` most probable trees, which are all that matter unless labels are very unsure.
        """
        options = options_of(ParseOptions, options)
        batches = make_batches(sentences, options.batch)
        trees: list[RankedTree] = []
        for sentence in to_sentences(annotated(batches, [self.ranker(k, options)])):
            findings = sentence.findings or {}
            if trees and findings.get(KBEST_RANK, 1) == 1:
                yield trees
                trees = []
            trees.append(
                RankedTree(
                    [head for head in sentence.heads if head is not None],
                    sentence.deprels,
                    findings.get(TREE_LOG_PROBABILITY, 0.0),
                )
            )
        if trees:
            yield trees

    def ranker(self, k: int, options: ParseOptions, *, keep_tags: bool = True) -> Step:
        """What the parser does with a batch if the k best trees are wanted, each in a sentence of its own.

        ``keep_tags`` is as for `annotator`.
        """
        k = a_count(k, "k")
        return lambda batch: self._annotate_kbest(batch, options, k)

    def _annotate(
        self, batch: _core.Batch, options: ParseOptions, scorer: _core.Scorer | None = None
    ) -> _core.Batch:
        """Trees by any solver; ``scorer`` has the scores of the batch, if they are there already."""
        natively = self._annotate_natively if scorer is None else partial(self._annotate_by, scorer)
        if options.solver not in GRAPH_SOLVERS:
            return natively(batch, options)
        heads, found = self._solve_graphs(batch, options, scorer)
        plain = replace(options, solver=None, certificates=False)
        natively(batch, plain, given_heads=heads)
        for place, own in enumerate(found if options.certificates else []):
            if own is not None:
                batch.set_gap(place, own.gap, own.rounded)
        return batch

    def _annotate_natively(
        self,
        batch: _core.Batch,
        options: ParseOptions,
        *,
        given_heads: Integers | None = None,
        given_labels: Integers | None = None,
    ) -> _core.Batch:
        """Trees by a solver of the core."""
        scorer = self._batch_scorer(batch, options)
        return self._annotate_by(scorer, batch, options, given_heads, given_labels)

    def _annotate_by(
        self,
        scorer: _core.Scorer,
        batch: _core.Batch,
        options: ParseOptions,
        given_heads: Integers | None = None,
        given_labels: Integers | None = None,
    ) -> _core.Batch:
        """Trees by a solver of the core, for a batch whose scores are there already."""
        scorer.annotate(
            self._names,
            batch,
            self._trees(options),
            options.decoder == "mbr",
            options.probabilities,
            options.constraints,
            options.threads,
            given_heads,
            given_labels,
        )
        return batch

    def _annotate_kbest(self, batch: _core.Batch, options: ParseOptions, k: int) -> _core.Batch:
        """A batch in which every sentence comes with each of its k best trees."""
        return self._batch_scorer(batch, options).annotate_kbest(
            self._names, batch, self._trees(options), options.constraints, options.threads, k
        )

    def _batch_scorer(self, batch: _core.Batch, options: ParseOptions) -> _core.Scorer:
        """The scores of a batch; from the first sentence on that was refused, nobody will ask for them."""
        sentences = list(sentences_of(batch))
        sentences += [make_sentence(batch.columns(place)) for place in range(len(sentences), len(batch))]
        for place, sentence in enumerate(sentences):
            if self.most_words is not None and len(sentence) > self.most_words:
                reason = f"it has {len(sentence)} words, and this parser takes at most {self.most_words}"
                batch.refuse(place, reason, too_long=True)
                sentences[place] = Sentence([])
        return self._scorer(sentences, constraints=options.constraints)

    def _solve_graphs(
        self, batch: _core.Batch, options: ParseOptions, scorer: _core.Scorer | None
    ) -> tuple[Integers, list[HeadsFound | None]]:
        """Heads by a solver of Python, as if given beforehand, and how far they may be from the best.

        Sentences for which it finds none are refused; those without words have no gap.
        """
        found: list[HeadsFound | None] = []
        heads: list[int] = []
        if options.constraints:
            batch.read_forbidden()
        for place in range(len(batch)):
            sentence = make_sentence(batch.columns(place))
            found.append(None)
            if not len(sentence):
                continue
            if batch.is_refused(place):
                heads += [-1] * len(sentence)
                continue
            given = with_root(self._given_heads(sentence)) if options.constraints else None
            scores, its_place = (
                (self._scorer([sentence], constraints=options.constraints), 0)
                if scorer is None
                else (scorer, place)
            )
            try:
                found[-1] = own = self._heads_by_graph(
                    scores, its_place, options, given, forbidden=batch.forbidden(place)
                )
                heads += own.heads
            except (InfeasibleTreeError, TooLongError) as error:
                batch.refuse(place, str(error), too_long=isinstance(error, TooLongError))
                heads += [-1] * len(sentence)
        return np.array(heads, np.int32), found

    def _given_heads(self, sentence: Sentence) -> Integers:
        heads = [
            0 if head is None and label == ROOT else head
            for head, label in zip(sentence.heads, sentence.deprels, strict=True)
        ]
        return np.array([-1 if head is None else head for head in heads], np.int32)

    def _given_labels(self, sentence: Sentence) -> Integers:
        numbers = {name: number for number, name in enumerate(self.labels)}
        return np.array([numbers.get(label, -1) for label in sentence.deprels], np.int32)


def _heads_for(given: Any, words: int) -> Integers:
    """Heads that are given for a sentence of so many words."""
    try:
        heads = np.asarray(given)
        fits = heads.shape == (words,) and (heads.dtype.kind in "iu" or not words)
    except ValueError:  # rows of several lengths
        fits = False
    if not fits or (words and not -1 <= heads.min() <= heads.max() <= words):
        raise WrongTypeError(f"given_heads are {words} numbers from -1 (not known) to {words}")
    return heads.astype(np.int32)


def with_root(numbers: Integers) -> Integers:
    """Numbers of words 1..n with a place for the root, as scorers have them."""
    return np.concatenate([np.array([-1], np.int32), numbers])
