"""Trees that are there, judged by a parser: batches of them go through the core."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from arbora.dependency.options import ParseOptions
from arbora.errors import ArboraError
from arbora.evaluation.judging import Alternatives, Judgement, WordJudgement
from arbora.models.options import check_like, options_of
from arbora.treebank import Sentence
from arbora.treebank.batches import in_runs
from arbora.treebank.given import blaming
from arbora.treebank.sentence import UNKNOWN

if TYPE_CHECKING:
    from arbora.dependency.batch_parser import BatchParser

MOST_WORDS_OF_TABLES = 8000
"""A table of the probabilities of all heads has half a gigabyte then."""
NOT_KNOWN, NO_SUCH = -1, -2
"""Numbers of labels that are not annotated, and of those that the parser has never seen."""

Prepare: TypeAlias = Callable[[list[Sentence]], list[Sentence]]
"""What is done with sentences first: new ones come of it."""


def judge_in_batches(
    parser: BatchParser,
    sentences: Iterable[Sentence],
    options: ParseOptions | None,
    alternatives: float | None,
    prepare: Prepare | None = None,
) -> Iterator[Judgement]:
    """A judgement for each sentence, in order; so many words as the options say are worked on together."""
    options = replace(
        options_of(ParseOptions, options), probabilities=True, certificates=False, nodes=None
    ).check()
    parser._trees(options)  # what does not go with this parser is no fault of a sentence
    if alternatives is not None:
        check_like({"alternatives": alternatives}, {"alternatives": 0.0})
        if not 0 <= alternatives <= 1:
            raise ArboraError(f"the least probability of alternatives is between 0 and 1, not {alternatives}")
    for waiting in in_runs(sentences, options.batch):
        yield from _judge_some(parser, waiting, options, alternatives, prepare)


def _judge_some(
    parser: BatchParser,
    sentences: list[Sentence],
    options: ParseOptions,
    least: float | None,
    prepare: Prepare | None,
) -> Iterator[Judgement]:
    """Together those that can be judged; if one breaks that, each by itself, so that it breaks no other."""
    errors = [_problem(parser, sentence) for sentence in sentences]
    sound = [s for s, error in zip(sentences, errors, strict=True) if error is None]
    try:
        with blaming(sound):
            ready = prepare(sound) if prepare else sound
            found = iter(_judge_batch(parser, ready, options, least) if ready else ())
    except ArboraError as error:
        if len(sentences) == 1:
            yield Judgement(error=str(error))
            return
        for sentence in sentences:
            yield from _judge_some(parser, [sentence], options, least, prepare)
        return
    for problem in errors:
        yield Judgement(error=problem) if problem else next(found)


def _problem(parser: BatchParser, sentence: Sentence) -> str | None:
    """Why a sentence cannot be judged, as far as it shows before."""
    most = min(MOST_WORDS_OF_TABLES, parser.most_words or MOST_WORDS_OF_TABLES)
    if len(sentence) > most:
        return f"it has {len(sentence)} words, and at most {most} can be judged"
    try:
        sentence.nonprojective_words()
    except ValueError as error:
        return f"its heads make no tree: {error}"
    return None


def _judge_batch(
    parser: BatchParser, sentences: list[Sentence], options: ParseOptions, least: float | None
) -> list[Judgement]:
    numbers = {label: number for number, label in enumerate(parser.labels)}
    numbers[UNKNOWN] = NOT_KNOWN
    other = NO_SUCH if parser.labels else NOT_KNOWN
    heads: list[int] = []
    labels: list[int] = []
    for sentence in sentences:
        heads += [NOT_KNOWN, *(NOT_KNOWN if head is None else head for head in sentence.heads)]
        labels += [NOT_KNOWN, *(numbers.get(label, other) for label in sentence.deprels)]
    found = parser._scorer(sentences).judge(
        parser._trees(options),
        options.decoder == "mbr",
        options.threads,
        np.array(heads, np.int32),
        np.array(labels, np.int32),
        least,
    )
    return [
        Judgement(error=error) if error else _judgement(sentence, parser.labels, rest, least is not None)
        for sentence, (error, *rest) in zip(sentences, found, strict=True)
    ]


def _judgement(
    sentence: Sentence, labels: Sequence[str], found: Sequence[Any], with_others: bool
) -> Judgement:
    log_probability, *columns, heads, choices = found
    words = [
        WordJudgement(_known(head), _known(label), best_head, _name(labels, best_label), probability)
        for head, label, best_head, best_label, probability in zip(*columns, strict=True)
    ]
    judged = [own.probability for own in words if own.probability is not None]
    return Judgement(
        words,
        _known(log_probability),
        sum(1 - probability for probability in judged),
        sum(map(_differs, sentence.heads, sentence.deprels, words)),
        [
            Alternatives(own, [(labels[label], p) for label, p in names])
            for own, names in zip(heads, choices, strict=True)
        ]
        if with_others
        else None,
    )


def _differs(head: int | None, label: str, word: WordJudgement) -> bool:
    return head is not None and (head != word.best_head or (label != UNKNOWN and label != word.best_deprel))


def _known(number: float) -> float | None:
    return None if isnan(number) else number


def _name(labels: Sequence[str], number: int) -> str:
    return labels[number] if number >= 0 else UNKNOWN
