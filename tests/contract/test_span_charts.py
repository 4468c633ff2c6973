"""Charts of binarised trees, and the losses on them, against every tree written out."""

from __future__ import annotations

import math
import zlib

import numpy as np
import pytest

from arbora import _core
from arbora.constituency.spans.templates import SpanTemplates
from tests.oracles.spans import Forest, Grammar, Node

KINDS = ["random", "tied", "shifted", "negative", "impossible"]
LOSSES = [(1.0, 0.0), (1.0, 2.0), (0.5, 1.0), (math.inf, 1.0), (math.inf, 0.0)]
CHAINS = ((), (0,), (1,), (0, 1), (1, 1), (0,), (1,))  # two labels, four chains, both have pieces
COMPLETE = 4


def core_grammar(grammar: Grammar) -> _core.SpanGrammar:
    names = [str(number) for number in range(len(grammar.chains))]
    return _core.SpanGrammar(names, [list(c) for c in grammar.chains], grammar.complete, grammar.grows_right)


class Case:
    """A chart of the core and its twin, with some of all nodes."""

    def __init__(self, kind: str, n: int, grows_right: bool, seed: int) -> None:
        rng = np.random.default_rng([zlib.crc32(kind.encode()), n, grows_right, seed])
        grammar = Grammar(CHAINS, COMPLETE, grows_right)
        share = {1: 1.0, 2: 1.0, 3: 0.7, 4: 0.4, 5: 0.25}[n]
        nodes = [node for node in grammar.all_nodes(n) if rng.random() < share]
        rng.shuffle(nodes)
        self.core = _core.SpanForest(core_grammar(grammar), n, np.array(nodes, np.int32).reshape(-1, 3))
        self.nodes: list[Node] = [tuple(row) for row in self.core.nodes.tolist()]
        rules = [tuple(self.nodes[place] for place in row) for row in self.core.rules.tolist()]
        self.parts = [*self.nodes, *rules]
        self.scores = self.draw(rng, kind, len(self.parts))
        self.twin = Forest(grammar, n, nodes, dict(zip(self.parts, self.scores.tolist(), strict=True)))
        self.has_tree = self.core.set_scores(self.scores)
        assert sorted(self.nodes) == sorted(map(tuple, nodes))

    @staticmethod
    def draw(rng: np.random.Generator, kind: str, count: int) -> np.ndarray:
        scores = rng.normal(size=count) * 2
        if kind == "tied":
            return np.round(scores / 3)
        if kind == "shifted":
            return scores + rng.choice([-1000.0, 1000.0])
        if kind == "negative":
            return -np.abs(scores) * 20
        if kind == "impossible":
            return np.where(rng.random(count) < 0.15, -math.inf, scores)
        return scores


CASES = [(n, right, seed) for n in (1, 2, 3, 4, 5) for right in (True, False) for seed in (1, 2)]


def cases(kind: str) -> list[Case]:
    return [Case(kind, n, right, seed) for n, right, seed in CASES]


@pytest.mark.parametrize("kind", KINDS)
def test_charts_agree_with_enumeration(kind):
    for case in cases(kind):
        twin, core = case.twin, case.core
        assert case.has_tree == bool(twin.every)
        if not case.has_tree:
            assert core.log_partition == -math.inf
            continue
        assert core.log_partition == pytest.approx(twin.log_partition, rel=1e-12, abs=1e-9)
        expected = [twin.probabilities.get(part, 0.0) for part in case.parts]
        np.testing.assert_allclose(core.probabilities(), expected, rtol=0, atol=1e-9)
        trees = twin.trees()
        assert len(trees) == len(twin.every)  # each tree has one derivation
        for k in (1, 3, len(trees) + 2):
            found = core.kbest(k)
            wanted = sorted(trees.values(), reverse=True)[:k]
            np.testing.assert_allclose([score for _, score in found], wanted, rtol=0, atol=1e-9)
            assert len({frozenset(map(tuple, nodes)) for nodes, _ in found}) == len(found)
            for nodes, score in found:
                assert trees[frozenset(map(tuple, nodes))] == pytest.approx(score, abs=1e-9)
                assert nodes == sorted(nodes, key=lambda node: (node[0], -node[1]))


@pytest.mark.parametrize("kind", KINDS)
def test_the_tree_of_minimum_risk_has_it(kind):
    for case in cases(kind):
        if case.has_tree:
            nodes, score = case.core.minimum_risk()
            tree = frozenset(map(tuple, nodes))
            assert case.twin.trees()[tree] == pytest.approx(score, abs=1e-9)
            assert case.twin.risk(tree) == pytest.approx(case.twin.least_risk(), abs=1e-9)


def test_samples_come_with_their_probabilities():
    case = Case("random", 3, True, 7)
    trees = case.twin.trees()
    drawn = [frozenset(map(tuple, nodes)) for nodes, _ in case.core.samples(20000, 3)]
    assert drawn == [frozenset(map(tuple, nodes)) for nodes, _ in case.core.samples(20000, 3)]
    for tree, log_p in trees.items():
        assert drawn.count(tree) / len(drawn) == pytest.approx(math.exp(log_p), abs=0.015)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("beta", "gamma"), LOSSES)
def test_losses_agree_with_enumeration_and_their_gradients_with_slopes(kind, beta, gamma):
    rng = np.random.default_rng(5)
    for case in cases(kind):
        if not case.has_tree:
            continue
        gold = case.twin.every[int(rng.integers(len(case.twin.every)))][0]
        nodes = np.array([part for part in gold if isinstance(part[0], int)], np.int32)
        value, gradient = case.core.loss(case.scores, nodes, beta, gamma)
        assert value == pytest.approx(case.twin.loss(gold, beta, gamma), rel=1e-12, abs=1e-9)
        possible = np.isfinite(case.scores)
        direction = np.where(possible, rng.normal(size=len(case.scores)), 0.0)
        if math.isinf(beta):  # a subgradient: it is below the loss elsewhere
            moved = np.where(possible, case.scores + 0.1 * direction, case.scores)
            other, _ = case.core.loss(moved, nodes, beta, gamma)
            assert other >= value + 0.1 * float(gradient @ direction) - 1e-9
            continue
        step = 1e-4
        ahead, behind = (
            case.core.loss(np.where(possible, case.scores + by * direction, case.scores), nodes, beta, gamma)[
                0
            ]
            for by in (step, -step)
        )
        slope = float(gradient @ direction)
        assert (ahead - behind) / (2 * step) == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_gold_nodes_that_are_no_tree_are_refused():
    core = Case("random", 2, True, 1).core
    scores = np.zeros(len(core.nodes) + len(core.rules))
    for gold in ([(0, 2, 1), (0, 1, 0), (0, 1, 0)], [(0, 2, 5), (0, 1, 0), (1, 2, 0)]):
        with pytest.raises(ValueError, match=r"gold node|symbols of nodes"):
            core.loss(scores, np.array(gold, np.int32), 1.0, 0.0)


def test_nodes_that_cannot_be_are_refused():
    grammar = core_grammar(Grammar(CHAINS, COMPLETE, True))
    for nodes in (
        [(0, 3, 1)],
        [(0, 0, 1)],
        [(0, 1, 5)],
        [(0, 2, 0)],
        [(0, 2, 5)],
        [(0, 1, 9)],
        [(0, 1, 1)] * 2,
    ):
        with pytest.raises(ValueError, match=r"some node is|(starts|ends|symbols) of nodes: "):
            _core.SpanForest(grammar, 2, np.array(nodes, np.int32))


TEMPLATES = SpanTemplates.parse(
    """
    [coarse]
    bias
    first.xpos
    last+1.lower
    span.length & first.suffix2
    span.tags
    span.marks & last.xpos
    [nodes]
    bias
    first.lower
    first-1.xpos & last+1.xpos
    span.words
    span.shape
    [rules]
    bias : rule left-child right-child parent
    split.xpos : rule
    left.length & right.tags : parent
    split-1.lower & last.xpos : left-child
    """
)
SENTENCE = (["Dogs", ",", "bark"], ["NNS", ",", "VBP"])
GOLD = np.array([(0, 3, 3), (0, 1, 2), (1, 3, 6), (1, 2, 0), (2, 3, 1)], np.int32)


def slopes_along(learner, gradient, loss_at) -> tuple[float, float]:
    """The slope along a random direction, by two losses, and by the gradient."""
    slopes: dict[int, float] = {}
    for index, value in gradient:
        slopes[index] = slopes.get(index, 0.0) + value
    weights = learner.weights.copy()
    direction = np.random.default_rng(2).normal(size=len(weights)).astype(np.float32)
    losses = []
    for by in (1e-2, -1e-2):
        learner.weights[:] = weights + by * direction
        losses.append(loss_at())
    expected = sum(float(direction[index]) * value for index, value in slopes.items())
    return (losses[0] - losses[1]) / 2e-2, expected


@pytest.mark.parametrize("scale", [0.0, 0.1, 0.5])
def test_gradients_by_weights(scale):
    grammar = core_grammar(Grammar(CHAINS, COMPLETE, True))
    text = _core.SpanText([SENTENCE])
    rng = np.random.default_rng(3)
    coarse = _core.CoarseSpans(grammar, TEMPLATES.compile("coarse"))
    learner = _core.OnlineLearner(10, coarse.padding, "sgd", 1.0)
    learner.weights[:] = rng.normal(size=learner.size) * scale
    _, gradient = coarse.differentiate(learner, text, GOLD, 0)
    found, expected = slopes_along(learner, gradient, lambda: coarse.differentiate(learner, text, GOLD, 0)[0])
    assert found == pytest.approx(expected, rel=3e-3, abs=3e-3)
    nodes = np.array(Grammar(CHAINS, COMPLETE, True).all_nodes(3), np.int32)
    model = _core.SpanModel(grammar, TEMPLATES.compile("nodes"), TEMPLATES.compile("rules"))
    learner = _core.OnlineLearner(12, model.padding, "sgd", 1.0)
    learner.weights[:] = rng.normal(size=learner.size) * scale
    _, gradient = model.differentiate(learner, text, nodes, GOLD, 0, 1.0, 1.0)
    found, expected = slopes_along(
        learner, gradient, lambda: model.differentiate(learner, text, nodes, GOLD, 0, 1.0, 1.0)[0]
    )
    assert found == pytest.approx(expected, rel=3e-3, abs=3e-3)


@pytest.mark.parametrize("grows_right", [True, False])
def test_the_small_model_keeps_what_is_probable(grows_right):
    grammar = Grammar(CHAINS, COMPLETE, grows_right)
    text = _core.SpanText([SENTENCE, (["Go"], ["VB"])])
    coarse = _core.CoarseSpans(core_grammar(grammar), TEMPLATES.compile("coarse"))
    rng = np.random.default_rng(4)
    weights = _core.ShortWeights.rounded(
        (rng.normal(size=(1 << 10) + coarse.padding) * 0.7).astype(np.float32)
    )
    for sentence, n in enumerate((3, 1)):
        nodes, scores = coarse.scores(weights, text, sentence)
        every = [tuple(node) for node in nodes.tolist()]
        assert sorted(every) == sorted(grammar.all_nodes(n))
        # Symbols are independent of each other: any grammar's rules are allowed.
        free = Forest(Free(CHAINS, COMPLETE, True), n, every, dict(zip(every, scores.tolist(), strict=True)))
        for threshold in (0.0, 0.001, 0.02, 0.2):
            kept = {
                tuple(node)
                for node in coarse.probable_nodes(weights, (threshold, 0), text, sentence).tolist()
            }
            assert kept == {node for node in every if free.probabilities[node] >= threshold}


class Free(Grammar):
    def allows(self, parent: int, left: int, right: int) -> bool:
        return True


def test_features_stay_where_they_are():
    """Saved models hang on these places: they are found by names alone, and may never change."""
    grammar = core_grammar(Grammar(CHAINS, COMPLETE, True))
    text = _core.SpanText([SENTENCE])
    coarse = _core.CoarseSpans(grammar, TEMPLATES.compile("coarse"))
    model = _core.SpanModel(grammar, TEMPLATES.compile("nodes"), TEMPLATES.compile("rules"))
    nodes = np.array(Grammar(CHAINS, COMPLETE, True).all_nodes(3), np.int32)
    learner = _core.OnlineLearner(20, max(coarse.padding, model.padding), "sgd", 1.0)
    _, small = coarse.differentiate(learner, text, GOLD, 0)
    _, large = model.differentiate(learner, text, nodes, GOLD, 0, 1.0, 0.0)
    found = [zlib.crc32(repr(sorted({index for index, _ in own})).encode()) for own in (small, large)]
    assert found == PINNED


PINNED = [2776139586, 3111163484]
