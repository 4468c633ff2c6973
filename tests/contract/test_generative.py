"""Generative models against enumeration: likelihood, expected counts, EM and counting, by definition."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from generative_cases import (
    STRANGE,
    TAGS,
    WORDS,
    chances_of,
    given_of,
    items_of,
    key_of,
    kind_of,
    learned_of,
    options_of,
    outcomes_of,
    partly_given,
    random_counts,
    sentence_of,
    trained,
    twin_of,
)
from oracles.generative import Chances, Event, Told, one_update

from arbora.generative.estimation import ExpectedCounts
from arbora.generative.kinds import GenerativeModel
from arbora.generative.scoring import LearnedModel
from arbora.generative.units import Units
from arbora.treebank import Sentence

NEAR = {"rel": 1e-9, "abs": 1e-12}
KINDS = {
    "bigram": {"model": "bigram"},
    "projective-bigram": {"model": "bigram", "projective": True},
    "valence": {"model": "valence"},
}
PLACES = [
    {"direction": direction, "distance": distance}
    for direction in (True, False)
    for distance in (False, True)
]
kinds = pytest.mark.parametrize("name", KINDS)
units = pytest.mark.parametrize("units", ["tags", "words", "tags-and-words"])
roots = pytest.mark.parametrize("single_root", [True, False], ids=["single", "many"])
labellings = pytest.mark.parametrize("labels", [1, 2, 3], ids=["plain", "two-labels", "three-labels"])


def lengths(labels: int) -> range:
    """So that there are some thousand trees at most."""
    return range(1, {1: 6, 2: 5, 3: 4}[labels])


class Case:
    """A corpus, a model with counts by chance, and the twin with the same."""

    def __init__(
        self, kind: GenerativeModel, sentences: list[Sentence], rng: np.random.Generator, zeros: float = 0.3
    ) -> None:
        self.kind, self.twin, self.sentences = kind, twin_of(kind), sentences
        self.givens = [given_of(sentence, kind.labels) for sentence in sentences]
        addend = kind.options.addend
        self.expected = ExpectedCounts(kind, items_of(kind, sentences))
        self.expected.set_counts(random_counts(rng, self.expected, zeros if addend else 0.0))
        self.chances = chances_of(self.twin, kind, self.givens, self.expected.tables, addend)
        self.told = [Told.of(self.twin, given, self.chances) for given in self.givens]

    def check_counts(self, found: dict[str, np.ndarray], wanted: dict[Event, float]) -> None:
        """Every event has its count, and nothing else has any."""
        rest = {name: own.copy() for name, own in found.items()}
        for event, count in wanted.items():
            name, key = key_of(self.kind, event)
            place = int(np.searchsorted(self.expected.keys[name], key))
            assert self.expected.keys[name][place] == key
            assert found[name][place] == pytest.approx(count, **NEAR), event
            rest[name][place] = 0
        assert all(np.abs(own).max() < 1e-12 for own in rest.values())


def cases(name: str, units: str, labels: int, single_root: bool, given: bool = False):
    """Every sort of place, with and without an addend; sentences of all lengths between them."""
    for turn, (place, addend) in enumerate(product(PLACES, (0.0, 0.3))):
        rng = np.random.default_rng([turn, labels, single_root])
        options = options_of(**KINDS[name], units=units, single_root=single_root, addend=addend, **place)
        kind = kind_of(options, labels)
        own = [n for n in lengths(labels) if n < 4 or (n + turn) % 4 == 0]
        sentences = [sentence_of(rng, n) for n in own]
        if given:
            sentences = [partly_given(rng, sentence, kind) for sentence in sentences]
        yield Case(kind, sentences, rng)


@kinds
@units
@labellings
@roots
def test_likelihood_and_expected_counts(name, units, labels, single_root):
    for case in cases(name, units, labels, single_root):
        learned = learned_of(case.kind, case.expected)
        wanted = [told.value() for told in case.told]
        assert learned.log_probabilities(case.sentences).tolist() == pytest.approx(wanted, **NEAR)
        counts, value = case.expected.expect()
        assert value == pytest.approx(sum(wanted), **NEAR)
        case.check_counts(counts, sum_of(told.expected() for told in case.told))


def sum_of(parts) -> dict[Event, float]:
    found: dict[Event, float] = {}
    for part in parts:
        for event, count in part.items():
            found[event] = found.get(event, 0.0) + count
    return found


@kinds
@labellings
@roots
def test_what_is_given_binds_and_the_rest_is_summed_out(name, labels, single_root):
    bound = 0
    for case in cases(name, "tags", labels, single_root, given=True):
        counts, value = case.expected.expect()
        assert value == pytest.approx(sum(told.value() for told in case.told), **NEAR)
        case.check_counts(counts, sum_of(told.expected() for told in case.told))
        for item, told in zip(case.expected.items, case.told, strict=True):
            bound += (item.heads[1:] >= 0).sum()
            scores = learned_of(case.kind, case.expected).scores([item])
            arcs = case.kind.expectations(scores).counts.arcs[0]
            whole = arcs if arcs.ndim == 2 else arcs.sum(axis=2)
            for word in np.flatnonzero(item.heads >= 0):
                assert whole[item.heads[word], word] == pytest.approx(1, abs=1e-9)
                assert told.arcs()[int(item.heads[word]), int(word)] == pytest.approx(1, abs=1e-9)
            for word in np.flatnonzero(item.labels >= 0):
                assert arcs[:, word, item.labels[word]].sum() == pytest.approx(1, abs=1e-9)
    assert bound > 20


@kinds
@labellings
@roots
def test_exponents(name, labels, single_root):
    for case in cases(name, "tags", labels, single_root, given=labels == 2):
        for exponent in (0.7, 0.1):
            counts, value = case.expected.expect(exponent)
            assert value == pytest.approx(sum(told.value(exponent) for told in case.told), **NEAR)
            case.check_counts(counts, sum_of(told.expected(exponent) for told in case.told))


@kinds
@units
@labellings
@roots
def test_best_trees(name, units, labels, single_root):
    """The value is the best tree's; the counts are those of one tree that is as good."""
    for case in cases(name, units, labels, single_root, given=labels == 2):
        learned = learned_of(case.kind, case.expected)
        for item, told in zip(case.expected.items, case.told, strict=True):
            alone = ExpectedCounts(case.kind, [item])
            found = case.kind.expectations(learned.scores([item]), best=True)
            shared = case.kind.log_tree_probability(item.length)
            assert found.values[0] + shared == pytest.approx(told.best_value(), **NEAR)
            used = alone.begin(lambda model, chunk, found=found: found.counts)
            got = {
                (key, int(where)): count
                for key, own in used.items()
                for where, count in zip(alone.keys[key], own, strict=True)
                if count
            }
            stories = [Counter(told.stories[place]) for place in told.best_trees()]
            assert got in [{key_of(case.kind, event): own[event] for event in own} for own in stories]
        total = sum(told.best_value() for told in case.told)
        assert case.expected.expect(best=True)[1] == pytest.approx(total, **NEAR)


@kinds
@roots
def test_six_words(name, single_root):
    rng = np.random.default_rng(6)
    options = options_of(**KINDS[name], single_root=single_root, distance=True, addend=0.1)
    case = Case(kind_of(options), [sentence_of(rng, 6)], rng)
    counts, value = case.expected.expect()
    assert value == pytest.approx(case.told[0].value(), **NEAR)
    case.check_counts(counts, case.told[0].expected())


def all_parameters(kind: GenerativeModel, chances: Chances, learned: LearnedModel) -> None:
    """Every outcome of every context that was ever counted has the probability that the twin gives it."""
    for name, context in chances.totals:
        (decision,) = (each for each in kind.decisions if each.name == name)
        for outcome in outcomes_of(kind, name):
            table = learned.estimates[name].tables[0]
            key = np.array([key_of(kind, (name, context, outcome))[1]])
            total = table.totals(key) + kind.options.addend * decision.outcomes
            found = float((table.find(key) + kind.options.addend)[0] / total[0])
            assert found == pytest.approx(chances((name, context, outcome)), **NEAR)


TOY = [
    Sentence(["u", "v", "u"], upos=["A", "B", "A"], heads=[2, 0, 2], deprels=["k", "l", "k"]),
    Sentence(["v", "v"], upos=["B", "B"], heads=[0, 1], deprels=["l", "k"]),
    Sentence(list("uvvu"), upos=list("AABB"), heads=[3, 3, 0, 3], deprels=list("kkll")),
    Sentence(["u"], upos=["A"], heads=[0], deprels=["l"]),
]


@kinds
@units
@pytest.mark.parametrize("addend", [0.0, 0.2])
@roots
@pytest.mark.parametrize("labels", [False, True], ids=["plain", "labels"])
def test_em_is_the_closed_form(name, units, addend, single_root, labels):
    """From all trees being alike, two iterations; labels bind, so that some of the corpus is supervised."""
    options = options_of(
        **KINDS[name], units=units, addend=addend, single_root=single_root, labels=labels, least_count=1,
        start="uniform", iterations=1, constraints=labels,
    )  # fmt: skip
    corpus = [Sentence(each.forms, upos=each.upos, deprels=each.deprels) for each in TOY]
    for iterations in (1, 2):
        options = options_of(**{**options.as_dict(), "iterations": iterations, "tolerance": 0.0})
        model = trained(corpus, options)
        learned = model.model
        twin = twin_of(learned.kind)
        assert (learned.units.tags, learned.units.words) in [
            (own, words) for own in (TAGS, ()) for words in (WORDS, ())
        ]
        givens = [given_of(each, learned.kind.labels) for each in corpus]
        chances, _ = one_update(twin, givens, None, addend)
        values = []
        for _ in range(iterations):
            chances, value = one_update(twin, givens, chances, addend)
            values.append(value)
        rows = model.header["report"]["epochs"]
        assert [row["log_likelihood"] for row in rows] == pytest.approx(values, **NEAR)
        all_parameters(learned.kind, chances, learned)


def probability(learned: LearnedModel, event: Event) -> float:
    name, key = key_of(learned.kind, event)
    table, addend = learned.estimates[name].tables[0], learned.estimates[name].addend
    assert addend == 0
    return float(table.find(np.array([key]))[0] / table.totals(np.array([key]))[0])


def test_counting_by_hand():
    """The toy trees have these arcs; with no addend, probabilities are shares of them."""
    learned = trained(TOY, options_of(labels=True, addend=0.0, direction=True)).model
    left, right, root = (("place", (side, "")) for side in ("left", "right", "root"))
    of_b, of_root = ("head_tag", "B"), ("head_tag", "the root")
    labels = {(of_b, left): {"k": Fraction(3, 3)}, (of_b, right): {"k": Fraction(2, 3), "l": Fraction(1, 3)}}
    labels[of_root, root] = {"l": Fraction(1)}
    for context, own in labels.items():
        for label in ("k", "l"):
            found = probability(learned, ("label", context, ("k", "l").index(label)))
            assert found == pytest.approx(float(own.get(label, 0)), rel=1e-12)
    k, l = ("label", 0), ("label", 1)  # noqa: E741
    shares = {
        (k, of_b, left): {"A": Fraction(1)},
        (k, of_b, right): {"A": Fraction(1, 2), "B": Fraction(1, 2)},
        (l, of_b, right): {"B": Fraction(1)},
        (l, of_root, root): {"A": Fraction(1, 4), "B": Fraction(3, 4)},
    }
    for context, own in shares.items():
        for tag in (*TAGS, STRANGE):
            share = float(own.get(tag, 0))
            assert probability(learned, ("tag", context, tag)) == pytest.approx(share, rel=1e-12)
    # p(k, B | B, right) is the share of such arcs among the three to the right of a B.
    joint = probability(learned, ("label", (of_b, right), 0)) * probability(
        learned, ("tag", (k, of_b, right), "B")
    )
    assert joint == pytest.approx(1 / 3, rel=1e-12)


def test_counting_of_stops_by_hand():
    learned = trained(TOY, options_of(model="valence", addend=0.0)).model
    wanted = {  # of B: heads with modifiers on that side, and modifiers
        ("B", "left", False): Fraction(3, 5),
        ("B", "left", True): Fraction(2, 3),
        ("B", "right", False): Fraction(2, 5),
        ("B", "right", True): Fraction(1),
        ("A", "left", False): Fraction(1),
        ("A", "right", False): Fraction(1),
    }
    for (tag, side, has_child), share in wanted.items():
        event = ("stop", (("head_tag", tag), ("side", side), ("has_child", has_child)), True)
        assert probability(learned, event) == pytest.approx(float(share), rel=1e-12)


@units
@pytest.mark.parametrize("name", list(KINDS))
@roots
@pytest.mark.parametrize("labels", [1, 2])
def test_all_strings_of_a_length(name, units, labels, single_root):
    """A bigram model shares out 1 for every length; a valence model shares out 1 among all lengths."""
    rng = np.random.default_rng(3)
    options = options_of(**KINDS[name], units=units, single_root=single_root, addend=0.1, distance=True)
    kind = kind_of(options, labels)
    if units == "tags-and-words":  # one tag and one word, so that there are not too many strings
        kind = type(kind)(options, Units(options, TAGS[:1], WORDS[:1]), labels)
    case = Case(kind, [sentence_of(rng, 4) for _ in range(3)], rng)
    learned = learned_of(kind, case.expected)
    tags = [*kind.units.tags, STRANGE] if units != "words" else ["A"]
    words = [*kind.units.words, STRANGE] if units != "tags" else ["w"]
    total = 0.0
    for n in range(1, 5):
        strings = product(product(tags, words), repeat=n)
        sentences = [Sentence([w for _, w in own], upos=[t for t, _ in own]) for own in strings]
        share = float(np.exp(learned.log_probabilities(sentences)).sum())
        if name != "valence":
            assert share == pytest.approx(1, abs=1e-9)
        else:
            assert share > 0
            total += share
            assert total < 1


def test_heads_that_stop_make_short_sentences():
    rng = np.random.default_rng(1)
    kind = kind_of(options_of(model="valence", addend=1e-3))
    expected = ExpectedCounts(kind, items_of(kind, [sentence_of(rng, 5) for _ in range(9)]))
    counts = random_counts(rng, expected, 0.0)
    counts["stop"] = np.where(expected.keys["stop"] % 2, 98.0, 2.0)
    expected.set_counts(counts)
    learned = learned_of(kind, expected)
    strings = [own for n in range(1, 5) for own in product([*TAGS, STRANGE], repeat=n)]
    total = np.exp(learned.log_probabilities([Sentence(["w"] * len(own), upos=list(own)) for own in strings]))
    assert 0.99 < total.sum() < 1
