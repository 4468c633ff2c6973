"""Parsing under rules: as without them where that breaks none, else jointly with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.dependency.array_parser import ArrayParser
from arbora.dependency.array_scores import ArrayScores, places
from arbora.dependency.batch_parser import BatchParser
from arbora.dependency.options import ParseOptions
from arbora.dependency.rule_search import GivenTree, best_ruled_tree
from arbora.dependency.rules import Rules
from arbora.errors import ArboraError, InfeasibleTreeError, TooLongError, WrongTypeError, shown
from arbora.models.options import options_of
from arbora.treebank import Sentence
from arbora.treebank.batches import (
    Step,
    annotated,
    forbidden_arcs,
    make_batches,
    no_tree,
    to_sentences,
)
from arbora.treebank.conllu import make_sentence
from arbora.treebank.given import named
from arbora.treebank.sentence import UNKNOWN

Integers: TypeAlias = npt.NDArray[np.int32]


def parse_with_rules(
    parser: BatchParser | ArrayParser,
    sentences: Iterable[Sentence],
    rules: Rules,
    options: ParseOptions | None = None,
    *,
    scores: ArrayScores | None = None,
) -> Iterator[Sentence]:
    """`DependencyParser.parse`, with trees that satisfy all rules; with an `ArrayParser`, by these scores.

    Where the parser's own tree satisfies them, it is the answer. Else the best tree that does is found on the
    parser's graph with the rules as factors; if no candidate arcs make one, with arcs that were pruned. If
    there is none at all, `InfeasibleTreeError` names rules and words that cannot be brought together.
    """
    options = options_of(ParseOptions, options)
    check_rules(options)
    if not isinstance(parser, (BatchParser, ArrayParser)):
        raise WrongTypeError(f"a parser of dependencies is needed, not {shown(parser)}")
    if not isinstance(rules, Rules):
        raise WrongTypeError(f"rules are arbora.dependency.Rules, not {shown(rules)}")
    if isinstance(parser, ArrayParser) and scores is not None and not scores.tag_count:
        return _arrays_with_rules(parser, list(sentences), scores, rules, options)
    if isinstance(parser, ArrayParser):
        raise ArboraError("rules for an ArrayParser go with its scores, and those have no tags")
    if scores is not None:
        raise ArboraError("scores go with an ArrayParser; this parser has its own")
    if parser.tags or parser.header["options"].get("latent_tags", 0):
        kind = "that chooses tags" if parser.tags else "with hidden tags"
        raise ArboraError(f"rules go with the best tree, and a parser {kind} knows none")
    batches = make_batches(sentences, options.batch)
    return to_sentences(annotated(batches, [rules_annotator(parser, rules, options)]))


def rules_annotator(
    parser: BatchParser, rules: Rules, options: ParseOptions, *, keep_tags: bool = True
) -> Step:
    """What `parse_with_rules` does with a batch of sentences; ``keep_tags`` is for parsers that tag."""
    parse = parser.annotator(options, keep_tags=keep_tags)

    def annotate(batch: _core.Batch) -> _core.Batch:
        before = _all_sentences(batch)
        found = parse(batch)
        for place, (sentence, old) in enumerate(zip(_all_sentences(found), before, strict=True)):
            if found.is_refused(place) or not rules.violations(sentence):
                continue
            if len(sentence) > options.exact_length:
                found.refuse(place, _too_long(sentence, options), too_long=True)
                continue
            given = (
                GivenTree(old.heads, old.deprels, frozenset(found.forbidden(place)))
                if options.constraints
                else GivenTree.nothing(len(sentence))
            )
            try:
                scorer, trees = (
                    parser._scorer([sentence], constraints=options.constraints),
                    parser._trees(options),
                )
                tree = best_ruled_tree(scorer, trees, parser.labels, sentence, given, rules)
            except InfeasibleTreeError as error:
                found.refuse(place, error.reason, word=error.word)
                continue
            found.set_tree(place, tree.heads, tree.labels, _deps_that_stay(old, tree.heads))
            if options.certificates:
                found.set_gap(place, tree.gap)
        return found

    return annotate


def _all_sentences(batch: _core.Batch) -> list[Sentence]:
    """The sentences of a batch, refused ones too."""
    return [make_sentence(batch.columns(place)) for place in range(len(batch))]


def _deps_that_stay(old: Sentence, heads: Sequence[int | None]) -> list[str]:
    """Enhanced dependencies of the words whose head is the one that was there."""
    return [
        deps if before == after else UNKNOWN
        for deps, before, after in zip(old.deps, old.heads, heads, strict=True)
    ]


def check_rules(options: ParseOptions) -> None:
    """ArboraError if these options do not go with rules."""
    if options.decoder != "best" or options.probabilities:
        raise ArboraError("rules go with the best tree: no probabilities and no other decoder with them")


def _arrays_with_rules(
    parser: ArrayParser,
    sentences: list[Sentence],
    scores: ArrayScores,
    rules: Rules,
    options: ParseOptions,
) -> Iterator[Sentence]:
    """The same where scores come as arrays; sentences get new heads and labels, and lose enhanced ones."""
    if len(sentences) != len(scores):
        raise ArboraError(f"there are {len(sentences)} sentences, and scores of {len(scores)}")
    labels = parser.labels or ([UNKNOWN] if not scores.label_count else [])
    if not labels:
        raise ArboraError("rules know labels by name: the parser needs the names of its labels")
    given = [
        GivenTree(s.heads, s.deprels, frozenset(forbidden_arcs(s)))
        if options.constraints
        else GivenTree.nothing(len(s))
        for s in sentences
    ]
    numbers = {name: number for number, name in enumerate(labels)}
    heads = [np.array([-1, *(-1 if h is None else h for h in own.heads)], np.int32) for own in given]
    known = [np.array([-1, *(numbers.get(name, -1) for name in own.deprels)], np.int32) for own in given]
    parses = parser._parse_batch(
        parser._scorer(scores),
        options,
        _join(heads),
        _join(known) if scores.label_count else None,
        [list(own.forbidden) for own in given],
    )
    for place, (sentence, own, where) in enumerate(
        zip(sentences, given, places(scores.lengths), strict=True)
    ):
        if place in parses.reasons:
            raise no_tree(sentence, parses.reasons[place])
        found = sentence.copy()
        found.heads = parses.parses.heads[where][1:].tolist()
        names = [labels[label] for label in parses.parses.labels[where][1:].tolist()]
        found.deprels = [new if old == UNKNOWN else old for new, old in zip(names, own.deprels, strict=True)]
        if len(found) and rules.violations(found):
            if len(found) > options.exact_length:
                raise TooLongError(f"{named(found)} is too long: {_too_long(found, options)}")
            scorer = parser._scorer(scores.one(place))
            best_ruled_tree(scorer, parser._trees(options), labels, found, own, rules)
        found.deps = _deps_that_stay(sentence, found.heads)
        yield found


def _too_long(sentence: Sentence, options: ParseOptions) -> str:
    """Why no other tree is looked for: there would be factors of millions of arcs."""
    return (
        f"its tree breaks a rule, and rules choose trees of at most {options.exact_length} words "
        f"(exact_length), not {len(sentence)}"
    )


def _join(arrays: list[Integers]) -> Integers:
    """Arrays one after the other."""
    return np.concatenate(arrays) if arrays else np.empty(0, np.int32)
