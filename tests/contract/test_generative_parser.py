"""Generative models as parsers, against enumeration: best trees, probabilities, samples, rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache, cached_property
from math import log

import numpy as np
import pytest
from contract.test_trees_sample import deviation
from generative_cases import (
    LABELS,
    STRANGE,
    TAGS,
    WORDS,
    chances_of,
    english,
    given_of,
    items_of,
    kind_of,
    learned_of,
    options_of,
    random_counts,
    trained,
    twin_of,
)
from oracles.generative import Told, Tree
from oracles.trees import all_trees, is_tree

from arbora.dependency import ParseOptions, Rules
from arbora.dependency.rule_parsing import parse_with_rules
from arbora.errors import ArboraError
from arbora.generative.estimation import ExpectedCounts
from arbora.generative.parser import GenerativeParser
from arbora.treebank import Sentence

NEAR = {"rel": 1e-9, "abs": 1e-9}
KINDS = {
    "bigram": {"model": "bigram"},
    "projective-bigram": {"model": "bigram", "projective": True},
    "valence": {"model": "valence"},
}
UNITS = ["tags", "words", "tags-and-words"]
kinds = pytest.mark.parametrize("name", KINDS)
roots = pytest.mark.parametrize("single_root", [True, False], ids=["single", "many"])
labellings = pytest.mark.parametrize("labels", [1, 2], ids=["plain", "labels"])
POINTS = [(), (0,), (2,), (1, 2), (0, 2, 4), (3, 4, 5)]
"""Where punctuation is put into a sentence, one after the other."""


class Case:
    """A parser with counts by chance, a sentence, and all trees of its words without punctuation."""

    def __init__(
        self,
        name: str,
        labels: int,
        single_root: bool,
        turn: int,
        n: int,
        points: tuple[int, ...],
        distance: bool = False,
    ) -> None:
        rng = np.random.default_rng([turn, n, labels])
        options = options_of(
            **KINDS[name], single_root=single_root, units=UNITS[turn % 3], addend=0.3, punctuation=False,
            direction=turn % 2 == 0, distance=distance,
        )  # fmt: skip
        forms, tags = rng.choice([*WORDS, STRANGE], n).tolist(), rng.choice([*TAGS, STRANGE], n).tolist()
        bare = Sentence(forms, upos=tags)
        kind, self.labels = kind_of(options, labels), labels
        expected = ExpectedCounts(kind, items_of(kind, [bare], with_trees=False))
        expected.set_counts(random_counts(rng, expected, 0.2))
        header, tensors = learned_of(kind, expected).to_parts()
        self.parser = GenerativeParser.from_parts({"architecture": "generative-parser", **header}, tensors)
        twin, given = twin_of(kind), given_of(bare, labels)
        self.told = Told.of(twin, given, chances_of(twin, kind, [given], expected.tables, 0.3))
        forms, tags = list(forms), list(tags)
        for point in points:
            forms.insert(point, ",")
            tags.insert(point, "PUNCT")
        self.sentence = Sentence(forms, upos=tags)
        self.kept = [place for place, tag in enumerate(tags, 1) if tag != "PUNCT"]

    def whole(self, tree: Tree) -> tuple[list[int], list[str]]:
        """A tree over all words: punctuation hangs from the word before it, or at the beginning after it."""
        own = {0: 0, **dict(enumerate(self.kept, 1))}
        heads, names = [], []
        for place in range(1, len(self.sentence) + 1):
            if place in self.kept:
                at = self.kept.index(place)
                heads.append(own[tree[0][at]])
                plain = "dep" if heads[-1] else "root"
                names.append(plain if self.labels == 1 else LABELS[tree[1][at]])
            else:
                before = [other for other in self.kept if other < place]
                heads.append(before[-1] if before else self.kept[0])
                names.append("dep" if self.labels == 1 else LABELS[self.labels - 1])
        return heads, names

    @cached_property
    def posterior(self) -> dict[tuple[tuple[int, ...], tuple[str, ...]], float]:
        """p(tree | words) of all trees."""
        found = {}
        for tree, chance in zip(self.told.trees, self.told.posterior(), strict=True):
            heads, names = self.whole(tree)
            found[tuple(heads), tuple(names)] = chance
        return found

    def of_words(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(names[place - 1] for place in self.kept)

    def marginals(self) -> np.ndarray:
        """p(head, modifier | words)."""
        n = len(self.sentence)
        found = np.zeros((n + 1, n + 1))
        for (heads, _), chance in self.posterior.items():
            found[list(heads), range(1, n + 1)] += chance
        return found


@cache
def cases(name: str, labels: int, single_root: bool) -> list[Case]:
    """Most tests ask for the same ones; nobody changes them."""
    found = []
    for turn, points in enumerate(POINTS * 2):
        n = max(1 + turn % 4 if turn % 5 else 4, max(points, default=0) - len(points) + 1)
        found.append(Case(name, labels, single_root, turn, n, points, distance=turn % 4 > 1))
    return found


@kinds
@labellings
@roots
def test_best_trees(name, labels, single_root):
    for case in cases(name, labels, single_root):
        found = next(case.parser.parse([case.sentence], ParseOptions(probabilities=True)))
        trees = case.posterior
        own = trees[tuple(found.heads), tuple(found.deprels)]
        assert own == pytest.approx(max(trees.values()), **NEAR)
        assert found.findings["tree_log_probability"] == pytest.approx(log(own), **NEAR)
        assert case.sentence.heads == [None] * len(case.sentence)


@labellings
@roots
def test_the_best_tree_is_the_first_of_the_k_best(labels, single_root):
    """A valence model has a chart, so that nothing is left open."""
    for turn in range(60):
        case = Case("valence", labels, single_root, turn, 2 + turn % (4 if labels == 1 else 3), ())
        ((best,),) = case.parser.kbest([case.sentence], 1)
        found = next(case.parser.parse([case.sentence]))
        trees = case.posterior
        assert trees[tuple(best.heads), tuple(best.deprels)] == pytest.approx(max(trees.values()), **NEAR)
        assert trees[tuple(found.heads), tuple(found.deprels)] == pytest.approx(max(trees.values()), **NEAR)


@kinds
@labellings
def test_distances_do_not_count_punctuation(name, labels):
    """The model has learned from sentences without it."""
    for points in ((2,), (1, 2), (0, 2, 4), (1, 1, 1, 1, 1)):
        case = Case(name, labels, True, 0, 4, points, distance=True)
        heads, _ = case.parser.probabilities(case.sentence)
        np.testing.assert_allclose(heads, case.marginals(), rtol=0, atol=1e-9)
        found = next(case.parser.parse([case.sentence]))
        trees = case.posterior
        assert trees[tuple(found.heads), tuple(found.deprels)] == pytest.approx(max(trees.values()), **NEAR)


@kinds
@labellings
@roots
def test_kbest(name, labels, single_root):
    for case in cases(name, labels, single_root):
        trees = case.posterior
        (found,) = case.parser.kbest([case.sentence], 6)
        got = [tree.log_probability for tree in found]
        assert got == pytest.approx([log(own) for own in sorted(trees.values())[::-1][:6]], **NEAR)
        named = [(tuple(tree.heads), tuple(tree.deprels)) for tree in found]
        assert len(set(named)) == len(named)
        assert [log(trees[one]) for one in named] == pytest.approx(got, **NEAR)


@kinds
@labellings
@roots
def test_probabilities(name, labels, single_root):
    for case in cases(name, labels, single_root):
        heads, names = case.parser.probabilities(case.sentence)
        np.testing.assert_allclose(heads, case.marginals(), rtol=0, atol=1e-9)
        found = next(case.parser.parse([case.sentence], ParseOptions(probabilities=True)))
        sure = [heads[head, word] for word, head in enumerate(found.heads, 1)]
        assert found.findings["HeadProbability"] == pytest.approx(sure, **NEAR)
        wanted = np.zeros(names[1:].shape)
        for (own, labelled), chance in case.posterior.items():
            if list(own) == found.heads:
                for word, label in enumerate(labelled):
                    wanted[word, case.parser.labels.index(label)] += chance
        np.testing.assert_allclose(names[1:], wanted / wanted.sum(axis=1, keepdims=True), rtol=0, atol=1e-9)


@kinds
@roots
def test_most_right_arcs(name, single_root):
    different = 0
    for case in cases(name, 1, single_root):
        found = next(case.parser.parse([case.sentence], ParseOptions(decoder="mbr")))
        marginals, words = case.marginals(), range(1, len(case.sentence) + 1)
        values = {heads: marginals[list(heads), words].sum() for heads, _ in case.posterior}
        assert values[tuple(found.heads)] == pytest.approx(max(values.values()), **NEAR)
        best = max(case.posterior.items(), key=lambda pair: pair[1])[0][0]
        different += values[best] < max(values.values()) - 1e-9
    assert different or name != "bigram"


@kinds
@labellings
@roots
def test_samples(name, labels, single_root):
    deviations = []
    for case in cases(name, labels, single_root)[5:]:
        trees = case.posterior
        (drawn,) = case.parser.sample([case.sentence], 2000, seed=3)
        seen = Counter((tuple(tree.heads), tuple(tree.deprels)) for tree in drawn)
        assert set(seen) <= set(trees)
        for tree in drawn[:20]:
            own = trees[tuple(tree.heads), tuple(tree.deprels)]
            assert tree.log_probability == pytest.approx(log(own), **NEAR)
        if len(trees) > 1:
            counts = np.array([seen[one] for one in trees])
            deviations.append(deviation(counts, np.array(list(trees.values()))))
    assert len(deviations) > 3
    assert max(deviations) < 4.5


def test_samples_are_by_the_seed():
    case = Case("valence", 2, True, 0, 4, (2,))
    first, second = case.parser.sample([case.sentence] * 2, 50, seed=1)
    assert first != second
    assert [first, second] == list(case.parser.sample([case.sentence] * 2, 50, seed=1, threads=2))
    assert next(case.parser.sample([Sentence([])], 2))[0].heads == []
    with pytest.raises(ArboraError, match="count must be at least 1"):
        next(case.parser.sample([case.sentence], 0))


@kinds
@labellings
@roots
def test_what_the_input_has_is_kept(name, labels, single_root):
    """Heads of words and of punctuation; the rest is the best that goes with them."""
    rng = np.random.default_rng(5)
    free = ParseOptions(constraints=True)
    for case in cases(name, labels, single_root):
        trees = case.posterior
        heads, _ = list(trees)[rng.integers(len(trees))]
        given = [int(head) if rng.random() < 0.5 else None for head in heads]
        sentence = Sentence(case.sentence.forms, upos=case.sentence.upos, heads=given)
        found = next(case.parser.parse([sentence], free))
        fitting = {
            (tree, case.of_words(names)): chance
            for (tree, names), chance in trees.items()
            if all(one in (None, head) for one, head in zip(given, tree, strict=True))
        }
        own = fitting[tuple(found.heads), case.of_words(found.deprels)]
        assert own == pytest.approx(max(fitting.values()), **NEAR)


@pytest.mark.parametrize("name", ["bigram", "valence"])
def test_the_label_of_punctuation_does_not_depend_on_what_is_given(name):
    """The model has never seen any, and has nothing to say of its label."""
    for turn in range(6):
        case = Case(name, 2, True, turn, 3, (1, 3))
        free = next(case.parser.parse([case.sentence]))
        heads = [head if tag == "PUNCT" else None for head, tag in zip(free.heads, free.upos, strict=True)]
        sentence = Sentence(case.sentence.forms, upos=case.sentence.upos, heads=heads)
        assert next(case.parser.parse([sentence], ParseOptions(constraints=True))).deprels == free.deprels


@kinds
@roots
@pytest.mark.parametrize("head", [1, 2, 5])
def test_punctuation_with_a_head_of_its_own(name, single_root, head):
    """A comma that does not hang from the word before it, and one that is a head."""
    case = Case(name, 1, single_root, 2, 4, (2,))  # the third of five words
    for given in ([None, None, head, None, None], [None, None, head, None, 3 if head != 5 else None]):
        sentence = Sentence(case.sentence.forms, upos=case.sentence.upos, heads=given)
        found = next(case.parser.parse([sentence], ParseOptions(constraints=True)))
        assert all(one in (None, got) for one, got in zip(given, found.heads, strict=True))
        assert is_tree(np.array([-1, *found.heads]), single_root, False)


@kinds
@roots
def test_punctuation_whose_host_is_forbidden(name, single_root):
    case = Case(name, 1, single_root, 2, 4, (2,))  # the third of five words, which hangs from the second
    misc = ["_", "_", "ForbiddenHeads=0,2", "_", "_"]
    sentence = Sentence(case.sentence.forms, upos=case.sentence.upos, misc=misc)
    assert next(case.parser.parse([sentence])).heads[2] == 2
    found = next(case.parser.parse([sentence], ParseOptions(constraints=True)))
    assert found.heads[2] in (1, 4, 5)
    assert is_tree(np.array([-1, *found.heads]), single_root, False)


@kinds
@roots
def test_ilp_finds_the_same_tree(name, single_root):
    for case in cases(name, 1, single_root)[::2]:
        trees = {heads: chance for (heads, _), chance in case.posterior.items()}
        graph = case.parser.graph(case.sentence)
        heads = graph.heads_of(graph.graph.solve("ilp"))
        assert trees[tuple(heads)] == pytest.approx(max(trees.values()), **NEAR)
        found = next(case.parser.parse([case.sentence], ParseOptions(solver="ilp")))
        assert trees[tuple(found.heads)] == pytest.approx(max(trees.values()), **NEAR)


@kinds
@roots
def test_rules(name, single_root):
    """The best tree of those in which no B has modifiers."""
    changed = 0
    for case in cases(name, 1, single_root):
        trees = {heads: chance for (heads, _), chance in case.posterior.items()}
        tags = case.sentence.upos
        kept = {
            heads: chance
            for heads, chance in trees.items()
            if not any(head and tags[head - 1] == "B" for head in heads)
        }
        if not kept:
            continue
        rules = Rules.parse("no children under upos=B")
        found = next(parse_with_rules(case.parser, [case.sentence], rules))
        assert kept[tuple(found.heads)] == pytest.approx(max(kept.values()), **NEAR)
        changed += max(kept.values()) < max(trees.values()) - 1e-9
    assert changed > 0


@pytest.mark.parametrize("name", ["bigram", "valence"])
def test_batches_and_threads(name):
    data = english()
    parser = trained(data, options_of(**KINDS[name], iterations=3, punctuation=False))
    ways = [ParseOptions(), ParseOptions(batch=1), ParseOptions(threads=2, batch=30)]
    answers = [[(one.heads, one.deprels) for one in parser.parse(data, way)] for way in ways]
    assert answers[0] == answers[1] == answers[2]
    for sentence, (heads, _) in zip(data, answers[0], strict=True):
        assert is_tree(np.array([-1, *heads]), True, name == "valence")
        for word, tag in enumerate(sentence.upos, 1):
            if tag == "PUNCT" and word > 1 and sentence.upos[word - 2] != "PUNCT":
                assert heads[word - 1] == word - 1


@pytest.mark.parametrize("name", ["bigram", "valence"])
@pytest.mark.parametrize("punctuation", [True, False], ids=["all", "no-punctuation"])
@pytest.mark.parametrize("labels", [(), ("k", "k"), ("k", "l")], ids=["plain", "one-label", "two-labels"])
def test_odd_sentences(name, punctuation, labels):
    """No words, one word, nothing but punctuation; and a model that has seen a single label."""
    data = [
        Sentence([]),
        Sentence(["a"], upos=["X"]),
        Sentence([".", "."], upos=["PUNCT"] * 2),
        Sentence(["a", ","], upos=["X", "PUNCT"]),
    ]
    names = [*(labels or "__"), "k" if labels else "_"]
    train = [Sentence(["a", "b", "."], upos=["X", "Y", "PUNCT"], heads=[0, 1, 2], deprels=names)]
    parser = trained(train, options_of(**KINDS[name], punctuation=punctuation, labels=bool(labels)))
    found = list(parser.parse(data))
    assert [len(one.heads) for one in found] == [0, 1, 2, 2]
    assert found[1].heads == [0]
    assert all(is_tree(np.array([-1, *one.heads]), True, True) for one in found)
    assert {label for one in found for label in one.deprels} <= set(labels or ("root", "dep"))
    assert [len(trees[0].heads) for trees in parser.sample(data)] == [0, 1, 2, 2]
    assert np.isfinite(parser.log_probabilities(data)).all()


def test_long_sentences_of_a_valence_model():
    parser = trained(english(), options_of(model="valence"))
    with pytest.raises(ArboraError, match=r"it has 251 words, and this parser takes at most 250"):
        list(parser.parse([Sentence(["a"] * 251, upos=["X"] * 251)]))


def test_the_twin_counts_all_trees():
    """The bigram model's share of each tree is one over their number."""
    for single_root in (True, False):
        twin = twin_of(kind_of(options_of(single_root=single_root)))
        for n in (1, 2, 3, 4):
            number = n ** (n - 1) if single_root else (n + 1) ** (n - 1)
            assert len(all_trees(n, single_root, False)) == number
            assert twin.shared(n) == pytest.approx(1 / number)
