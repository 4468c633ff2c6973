"""What parsers think of trees that are there, against enumeration of all trees."""

from __future__ import annotations

from dataclasses import replace
from math import exp, fsum, inf

import numpy as np
import pytest
from contract.test_parser import MODELS, draw_model, draw_sentence, options_for
from oracles.parsing import Analyses, candidates
from oracles.trees import KINDS, all_trees

from arbora.dependency import ParseOptions
from arbora.evaluation import Judgement, judge
from arbora.treebank import Sentence


def annotate(rng: np.random.Generator, sentence: Sentence, names: list[str], known: float = 1.0) -> None:
    """A random tree, of which each head and label is known with this chance."""
    trees = all_trees(len(sentence), single_root=False)[:, 1:]
    heads = trees[rng.integers(len(trees))].tolist()
    sentence.heads = [head if rng.random() < known else None for head in heads]
    labels = rng.choice([*names, "unheard-of"], size=len(sentence)).tolist()
    sentence.deprels = [label if rng.random() < known else "_" for label in labels]


def judged(parser, sentence, kind, **more) -> Judgement:
    return next(judge([sentence], parser, options=options_for(kind, **more), alternatives=0.0))


def completed(parser, sentence: Sentence, kind) -> tuple[int, ...]:
    """The best tree with the heads that are known: of the kind, or else of any."""
    known = [-1 if head is None else head for head in sentence.heads]
    if -1 not in known:
        return tuple(known)
    fits = [
        any(all(k in (-1, h) for k, h in zip(known, tree, strict=True)) for tree in trees[:, 1:].tolist())
        for trees in [all_trees(len(sentence), *kind)]
    ]
    single_root, projective = kind if fits[0] else (False, False)
    analyses = Analyses(parser, sentence, single_root=single_root, projective=projective, heads=known)
    return max(analyses.log_tree, key=analyses.best_value)


def known_labels(analyses: Analyses, tree, numbers: list[int]) -> float:
    """The probability of the labels that are known, given the tree."""
    fits = [
        value
        for labels, value in analyses.labellings(tree).items()
        if all(wanted in (-1, label) for wanted, label in zip(numbers, labels, strict=True))
    ]
    return fsum(map(exp, fits))


def check(found: Judgement, parser, sentence: Sentence, kind) -> None:
    tree = completed(parser, sentence, kind)
    arcs = candidates(parser, sentence, *kind, also=tree)
    own = Analyses(parser, sentence, single_root=kind[0], projective=kind[1], arcs=arcs)
    free = Analyses(parser, sentence, single_root=False)  # of labels, given any tree
    names = [*parser.labels, "_"]
    numbers = [-1 if name == "_" else names.index(name) if name in names else -2 for name in sentence.deprels]
    of_labels = free.label_probabilities(tree)
    expected_errors = []
    for m, (word, head, number) in enumerate(zip(found.words, sentence.heads, numbers, strict=True), 1):
        sure = 1.0
        if number == -1:
            assert word.label_probability is None
        else:
            sure = of_labels[m - 1, number] if number >= 0 else 0.0
            assert word.label_probability == pytest.approx(sure, abs=1e-9)
        if head is None:
            assert (word.head_probability, word.probability) == (None, None)
            continue
        assert word.head_probability == pytest.approx(own.head_probabilities[head, m], abs=1e-9)
        expected_errors.append(1 - own.head_probabilities[head, m] * sure)
    assert found.expected_errors == pytest.approx(fsum(expected_errors), abs=1e-9)
    if None in sentence.heads:
        assert found.tree_log_probability is None
    else:
        log_tree = own.log_tree.get(tree, -inf)
        expected = exp(log_tree) * known_labels(free, tree, numbers)
        assert exp(found.tree_log_probability) == pytest.approx(expected, abs=1e-9)
    check_preferred(found, own, parser, sentence)
    for m, others in enumerate(found.alternatives, 1):
        heads = [p for _, p in others.heads]
        assert heads == sorted(heads, reverse=True)
        assert chances(others.heads) == pytest.approx(chances(enumerate(own.head_probabilities[:, m])))
        own_labels = zip(parser.labels, of_labels[m - 1], strict=True)
        assert chances(others.labels) == pytest.approx(chances(own_labels))


def chances(pairs) -> dict:
    """Without those that are 0, or were 0 but for what sums round away."""
    return {key: p for key, p in pairs if p > 1e-15}


def check_preferred(found: Judgement, own: Analyses, parser, sentence: Sentence) -> None:
    best = tuple(word.best_head for word in found.words)
    assert own.best_value(best) == pytest.approx(max(map(own.best_value, own.log_tree)), abs=1e-9)
    labels = own.label_probabilities(best)
    for m, word in enumerate(found.words, 1):
        sure = labels[m - 1, parser.labels.index(word.best_deprel)]
        both = own.head_probabilities[word.best_head, m] * sure
        assert word.best_probability == pytest.approx(both, abs=1e-9)
    differ = [
        head is not None and (head != word.best_head or label not in ("_", word.best_deprel))
        for head, label, word in zip(sentence.heads, sentence.deprels, found.words, strict=True)
    ]
    assert found.disagreements == sum(differ)


@pytest.mark.parametrize("pruning", [0.0, 0.3])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", MODELS)
def test_enumeration(model, kind, pruning):
    rng = np.random.default_rng([MODELS.index(model), *kind, int(pruning > 0)])
    for n, labels in [(1, 2), (2, 2), (3, 2), (4, 2), (3, 3)]:
        parser, sentence = draw_model(rng, model, labels, pruning=pruning), draw_sentence(rng, n)
        for known in (1.0,) if pruning else (1.0, 0.6):  # the pruner sees what is known
            annotate(rng, sentence, parser.labels, known)
            check(judged(parser, sentence, kind), parser, sentence, kind)


def test_batches_and_threads_change_nothing():
    rng = np.random.default_rng(5)
    parser = draw_model(rng, "second-stage", 3, pruning=0.1)
    sentences = [draw_sentence(rng, int(n)) for n in rng.integers(0, 6, size=30)]
    for sentence in sentences:
        if len(sentence):
            annotate(rng, sentence, parser.labels, 0.8)
    before = [sentence.copy() for sentence in sentences]
    one = list(judge(sentences, parser, alternatives=0.1))
    for changes in ({"batch": 1}, {"batch": 7, "threads": 3}, {"threads": 2}):
        options = replace(ParseOptions(), **changes)
        assert list(judge(sentences, parser, alternatives=0.1, options=options)) == one
    assert sentences == before
