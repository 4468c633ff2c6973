"""Losses of batches of arrays: by enumeration, with gradients that are slopes; a model learns by them."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest
from contract.test_array_parser import native_scores
from contract.test_part_graphs import CHARTED, MODELS, draw_parser, draw_sentence, models
from contract.test_trees_scores import draw, families, kinds
from oracles import losses as oracle
from oracles import trees as tree_oracle
from oracles.features import all_arcs
from oracles.losses import family as family_value
from oracles.part_trees import PartTrees

from arbora import _core
from arbora.dependency import (
    PART_COLUMNS,
    ArrayParser,
    ArrayScores,
    DependencyParser,
    ParseOptions,
    PartScores,
    batch_loss,
)
from arbora.dependency.linear_model import encode
from arbora.errors import ArboraError, InfeasibleTreeError
from arbora.learning import LOSSES, Loss
from arbora.treebank import read

MEMBERS = {
    **{name: (loss.beta, loss.gamma) for name, loss in LOSSES.items()},
    "soft": (0.3, 0.5),
    "sharp": (2.5, 2.0),
}
members = pytest.mark.parametrize("member", MEMBERS)
STEP = 1e-5


def loss_of(scores: ArrayScores, *gold, member: str, **more):
    beta, gamma = MEMBERS[member]
    return batch_loss(scores, *gold, beta=beta, gamma=gamma, **more)


def pick_gold(rng, n: int, labels: int = 0, **kind):
    trees = tree_oracle.all_trees(n, **kind)
    heads = trees[rng.integers(len(trees))].astype(np.int32)
    return heads, np.array([-1, *rng.integers(labels, size=n)]) if labels else None


def slopes(make, arrays: list[np.ndarray], value, most: int | None = None) -> list[np.ndarray]:
    """The slope of ``value(make())`` along every number of the arrays that make() reads; 0 at -inf.

    With ``most``, only along so many numbers of each array, drawn at random; nan for the others.
    """
    result, draw = [], np.random.default_rng(0)
    for array in arrays:
        finite = np.argwhere(np.isfinite(array))
        own = np.where(np.isfinite(array), np.nan, 0.0)
        for place in map(tuple, finite if most is None else draw.permutation(finite)[:most]):
            before = array[place]
            ends = []
            for step in (STEP, -STEP):
                array[place] = before + step
                ends.append(value(make()))
            array[place] = before
            own[place] = (ends[0] - ends[1]) / (2 * STEP)
        result.append(own)
    return result


def assert_slopes(gradient: np.ndarray, found: np.ndarray) -> None:
    """They are those that were measured."""
    known = ~np.isnan(found)
    assert known.any() or not found.size
    assert gradient[known] == pytest.approx(found[known], abs=1e-5)


# ---- arcs and labels ----


@pytest.mark.parametrize("labels", [(), (2,)], ids=["bare", "labelled"])
@families
@kinds
def test_values_are_those_of_enumeration(family, kind, labels):
    rng = np.random.default_rng(1)
    parser = ArrayParser(**kind)
    batch = [draw(family, n, *labels, seed=5) for n in (1, 2, 3)]
    gold = []
    for scores in batch:
        forest = tree_oracle.forest(scores, **kind)
        row = rng.integers(len(forest.cells), size=1)
        choice = forest.label_choice(row)
        gold.append((forest.heads(row)[0], None if choice is None else choice[0]))
    heads, named = [h for h, _ in gold], [lab for _, lab in gold] if labels else None
    for member, (beta, gamma) in MEMBERS.items():
        values, gradients = loss_of(ArrayScores(batch), heads, named, member=member, parser=parser)
        for value, gradient, scores, (own, own_labels) in zip(
            values, gradients.arcs, batch, gold, strict=True
        ):
            expected, same = Loss(beta, gamma).of_tree(scores, own, own_labels, **kind)
            terms = oracle.tree_terms(scores, own, own_labels, **kind)
            size = 1 + np.abs(np.where(np.isfinite(scores), scores, 0)).max() * len(scores)
            assert value == pytest.approx(oracle.family(*terms, beta, gamma), abs=1e-12 * size + 1e-9)
            assert value == pytest.approx(expected, abs=1e-12 * size + 1e-9)
            assert gradient == pytest.approx(same, abs=1e-9)


@members
@kinds
def test_slopes(member, kind):
    """Arcs alone, with labels, with hidden ones, with those that follow; with an impossible arc."""
    rng = np.random.default_rng([2, list(MEMBERS).index(member)])
    parser, n, labels = ArrayParser(**kind), 4, 3
    heads, named = pick_gold(rng, n, labels, **kind)
    heads, named = heads[None], named[None]
    bare, rows, follow = (
        3 * rng.normal(size=(1, n + 1, n + 1, *more)) for more in ((), (labels,), (labels,))
    )
    free = [(h, m) for h, m in all_arcs(n) if heads[0, m] != h and h]
    bare[0][free[0]] = -inf
    cases = [
        ({"arcs": bare}, None),
        ({"arcs": rows}, named),
        ({"arcs": bare, "labels": follow}, named),
        ({"arcs": rows, "labels": follow}, named),
    ]
    hidden = named.copy()
    hidden[0, [1, 3]] = -1
    if np.isfinite(MEMBERS[member][0]):
        cases += [({"arcs": rows}, hidden), ({"arcs": rows}, None)]
    cases.append(({"arcs": bare, "labels": follow}, hidden))
    for arrays, gold in cases:

        def value(scores, gold=gold):
            return loss_of(scores, heads, gold, member=member, parser=parser)[0][0]

        _, gradients = loss_of(ArrayScores(**arrays), heads, gold, member=member, parser=parser)
        own = slopes(lambda arrays=arrays: ArrayScores(**arrays), list(arrays.values()), value)
        for name, expected in zip(arrays, own, strict=True):
            found = getattr(gradients, name)
            assert found.shape == arrays[name].shape
            assert found == pytest.approx(expected, abs=1e-6), (name, gold)


def test_labels_that_nobody_observed_are_summed_out():
    """The loss of hidden labels is that of sums over labels."""
    rng = np.random.default_rng(3)
    rows, (heads, _) = rng.normal(size=(4, 4, 3)), pick_gold(rng, 3)
    sums = np.log(np.exp(rows).sum(axis=2))
    found, gradients = batch_loss(ArrayScores([rows]), [heads])
    expected, of_sums = batch_loss(ArrayScores([sums]), [heads])
    assert found == pytest.approx(expected, abs=1e-9)
    of_labels = of_sums.arcs[0][:, :, None] * np.exp(rows - sums[:, :, None])
    assert gradients.arcs[0] == pytest.approx(of_labels, abs=1e-9)


# ---- parts ----


def part_case(rng, model: str, n: int, projective: bool):
    """Scores with parts, the same as trees written out, and a gold tree; labels are hidden."""
    native, sentence = draw_parser(rng, model), draw_sentence(rng, n)
    native.header.pop("joint_scale", None)
    native = DependencyParser(native.header, native._weights, native._pruner_weights)
    scores = native_scores(native, [sentence])
    sums = [np.logaddexp.reduce(scores.arrays[0][0], axis=2)]
    parts = {k: [PartScores(*_columns(k, own[0]))] for k, own in scores.parts.items() if own}
    trees = PartTrees(native, sentence, all_arcs(n), single_root=True, projective=projective, sums=True)
    gold = list(trees.values)[rng.integers(len(trees.values))]
    return sums, parts, trees, np.array([-1, *gold])


def _columns(kind: str, own) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    words, codes, scores = own
    return words[:, : len(PART_COLUMNS[kind])], scores, codes


def value_of_trees(trees: PartTrees, gold, beta: float, gamma: float) -> float:
    own = trees.values[tuple(gold[1:].tolist())]
    values = np.array(list(trees.values.values())) - own
    costs = np.array([sum(h != g for h, g in zip(t, gold[1:], strict=True)) for t in trees.values])
    return family_value(values, costs, beta, gamma)


MOST_SLOPES = 4
"""Of the scores of a kind of part: each is a run of the solver."""
PAIRS = [
    (model, member)
    for model in MODELS
    for member, (beta, _) in MEMBERS.items()
    if np.isinf(beta) or model in CHARTED  # other sums are approximate: see test_sums_by_messages
]


@pytest.mark.parametrize(("model", "member"), PAIRS)
def test_parts(model, member):
    """Maxima by AD3, sums by the chart: values by enumeration, gradients as slopes."""
    beta, gamma = MEMBERS[member]
    best = np.isinf(beta)
    rng = np.random.default_rng([4, list(MODELS).index(model), list(MEMBERS).index(member)])
    lengths, exact = (1, 2, 3, 4, 4), 0
    for n in lengths:
        sums, parts, trees, gold = part_case(rng, model, n, projective=not best)
        parser = ArrayParser(projective=not best, solver="ad3", iterations=3000)
        found, gradients = loss_of(ArrayScores(sums, parts=parts), [gold], member=member, parser=parser)
        expected = value_of_trees(trees, gold, beta, gamma)
        assert found[0] <= expected + 1e-9
        exact += found[0] == pytest.approx(expected, abs=1e-9)
        arrays = [*sums, *(own[0].scores for own in parts.values())]
        own = slopes(
            lambda sums=sums, parts=parts: ArrayScores(sums, parts=parts),
            arrays,
            lambda s, gold=gold, parser=parser: loss_of(s, [gold], member=member, parser=parser)[0][0],
            most=MOST_SLOPES,
        )
        assert_slopes(gradients.arcs[0], own[0])
        for kind, slope in zip(parts, own[1:], strict=True):
            assert_slopes(gradients.parts[kind][0], slope)
    # Its relaxation may have a better point that is no tree, seldom in so short sentences.
    assert exact >= len(lengths) - best


@models
def test_sums_by_messages(model):
    """Where sums are those of Bethe: the native parser's loss; gradients are probabilities minus gold."""
    rng = np.random.default_rng([5, list(MODELS).index(model)])
    drawn, sentence = draw_parser(rng, model), draw_sentence(rng, 5)
    header = {**drawn.header, "tree_scale": 1.0}
    header.pop("joint_scale", None)
    weights = drawn._weights.values * np.float32(drawn._weights.step) * np.float32(0.25)
    native = DependencyParser(header, _core.ShortWeights.rounded(weights), drawn._pruner_weights)
    learned = native._weights.values * np.float32(native._weights.step)
    scores = native_scores(native, [sentence])
    heads, labels = pick_gold(rng, 5, 2)
    parser = ArrayParser(native.labels, solver="bp", propagations=10)
    value, _, _ = native._core.loss(
        learned, encode([sentence]), 0, heads[1:], labels[1:].astype(np.int32), all_arcs(5), 1.0, 0.0,
        parser._trees(ParseOptions()),
    )  # fmt: skip
    found, gradients = batch_loss(scores, [heads], [labels], parser=parser)
    assert found[0] == pytest.approx(value, abs=1e-9)
    expected, of_labels = parser.probabilities(scores, given_heads=None)[0]
    assert of_labels.shape == (6, 2)
    expected[heads[1:], range(1, 6)] -= 1
    assert gradients.arcs[0].sum(axis=2)[:, 1:] == pytest.approx(expected[:, 1:], abs=1e-9)


# ---- tags ----


@pytest.mark.parametrize("observed", [False, True], ids=["hidden", "observed"])
@pytest.mark.parametrize("chain", [False, True], ids=["links", "chain"])
def test_tags(observed, chain):
    """Where only one tree is possible, messages are exact, and so are values and slopes."""
    if chain and not observed:
        return check_hidden_chain()
    rng = np.random.default_rng([6, observed, chain])
    for n, tags in ((1, 2), (2, 3), (3, 2)):
        width = n + 1
        arcs = np.full((width, width), -inf)
        heads = np.arange(-1, n)  # a chain of words
        arcs[heads[1:], range(1, width)] = rng.normal(size=n)
        arrays = {
            "arcs": [arcs],
            "tags": [rng.normal(size=(width, tags))],
            "tag_links": [rng.normal(size=(width, width, tags, tags))],
        }
        if chain:
            arrays["tag_links"][0][:] = 0  # with a chain beside them there would be circles
            arrays["tag_bigrams"] = [rng.normal(size=(width, tags, tags))]
            arrays["tag_trigrams"] = [rng.normal(size=(width, tags, tags, tags))]
        gold_tags = np.array([-1, *rng.integers(tags, size=n)])
        gold = {"tags": [gold_tags]} if observed else {}
        parser = ArrayParser(solver="bp", propagations=50)
        found, gradients = batch_loss(ArrayScores(**arrays), [heads], parser=parser, **gold)
        scores = {c: tag_score(arrays, heads, c) for c in product(range(tags), repeat=n)}
        total = np.logaddexp.reduce(list(scores.values()))
        expected = total - scores[tuple(gold_tags[1:].tolist())] if observed else 0.0
        assert found[0] == pytest.approx(expected, abs=1e-6)
        own = slopes(
            lambda arrays=arrays: ArrayScores(**arrays),
            [each[0] for each in arrays.values()],
            lambda s, heads=heads, parser=parser, gold=gold: batch_loss(s, [heads], parser=parser, **gold)[0][
                0
            ],
        )
        for name, slope in zip(arrays, own, strict=True):
            assert getattr(gradients, name)[0] == pytest.approx(slope, abs=1e-5), name
        parse = parser.parse(ArrayScores(**arrays))[0]
        weights = np.exp(np.array(list(scores.values())) - total)
        for word in range(1, width):
            sure = [
                sum(w for c, w in zip(scores, weights, strict=True) if c[word - 1] == t) for t in range(tags)
            ]
            assert sure[parse.tags[word]] == pytest.approx(max(sure), abs=1e-6)


def check_hidden_chain() -> None:
    scores = ArrayScores([np.zeros((2, 2))], tags=[np.zeros((2, 2))], tag_bigrams=[np.zeros((2, 2, 2))])
    with pytest.raises(ArboraError, match="a chain of tags"):
        batch_loss(scores, [np.array([-1, 0])])


def tag_score(arrays: dict, heads: np.ndarray, chosen: tuple[int, ...]) -> float:
    """Of one choice of tags in a tree, arcs apart."""
    tags = (None, *chosen)
    total = 0.0
    for word in range(1, len(tags)):
        total += arrays["tags"][0][word, tags[word]]
        if heads[word]:
            total += arrays["tag_links"][0][heads[word], word, tags[heads[word]], tags[word]]
        if "tag_bigrams" in arrays and word > 1:
            total += arrays["tag_bigrams"][0][word, tags[word - 1], tags[word]]
        if "tag_trigrams" in arrays and word > 2:
            total += arrays["tag_trigrams"][0][word, tags[word - 2], tags[word - 1], tags[word]]
    return float(total)


# ---- batches ----


def test_threads_padding_and_pruning():
    rng = np.random.default_rng(7)
    lengths = [3, 0, 1, 6]
    padded = rng.normal(size=(4, 8, 8, 2))
    heads, labels = np.full((4, 8), -1), np.full((4, 8), -1)
    for own, n in enumerate(lengths):
        heads[own, : n + 1] = np.arange(-1, n)
        labels[own, 1 : n + 1] = rng.integers(2, size=n)
    alone, one = batch_loss(ArrayScores(padded, lengths=lengths), heads, labels)
    for threads in (1, 3):
        found, gradients = batch_loss(ArrayScores(padded, lengths=lengths), heads, labels, threads=threads)
        assert found.tolist() == alone.tolist()
        assert (gradients.arcs == one.arcs).all()
    assert gradients.arcs.shape == padded.shape
    for own, n in enumerate(lengths):
        assert (gradients.arcs[own, n + 1 :] == 0).all()
        each = ArrayScores([padded[own, : n + 1, : n + 1]])
        value, gradient = batch_loss(each, [heads[own, : n + 1]], [labels[own, : n + 1]])
        assert value[0] == alone[own]
        assert (gradient.arcs[0] == one.arcs[own, : n + 1, : n + 1]).all()
    pruned, few = batch_loss(
        ArrayScores(padded, lengths=lengths), heads, labels, parser=ArrayParser(threshold=0.5, most_heads=2)
    )
    assert (pruned <= alone + 1e-12).all()  # fewer other trees
    assert (few.arcs != 0).sum() < (one.arcs != 0).sum()


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda s: batch_loss(s, [np.array([-1, 2, 1])]), "no tree of the kind that counts"),
        (lambda s: batch_loss(s, [np.array([-1, 0, 0])]), "no tree of the kind that counts"),
        (lambda s: batch_loss(s, [np.array([-1, 0, 3])]), "between 0 and 2"),
        (lambda s: batch_loss(s, []), "there are 1 sentences, and 0 arrays"),
        (lambda s: batch_loss(s, [np.array([-1, 0, 1])], [np.array([-1, 0, 2])]), "labels of sentence 0"),
        (lambda s: batch_loss(s, [np.array([-1, 0, 1])], loss="luck"), "luck"),
        (lambda s: batch_loss(s, [np.array([-1, 0, 1])], tags=[np.array([-1, 0, 0])]), "right tags"),
        (lambda s: batch_loss(s, [np.array([-1, 0, 1])], threads=0), "threads"),
        (lambda s: batch_loss(_impossible(s, None), [np.array([-1, 0, 1])]), "its score is -inf"),
        (lambda s: batch_loss(_impossible(s, 1), [np.array([-1, 0, 1])], [np.array([-1, 0, 1])]), "token 2"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_line(run, message):
    with pytest.raises(ArboraError) as caught:
        run(ArrayScores([np.zeros((3, 3, 2))]))
    assert message in str(caught.value)
    assert isinstance(caught.value, InfeasibleTreeError) == (
        "tree of" in message or "-inf" in str(caught.value)
    )


def _impossible(scores: ArrayScores, label: int | None) -> ArrayScores:
    arcs = scores.arrays[0][0].copy()
    arcs[1, 2, slice(None) if label is None else label] = -inf
    return ArrayScores([arcs])


# ---- a model of another program ----


class TagPairs:
    """A model of numpy alone: weights of labels by the tags of head and modifier, direction and distance."""

    def __init__(self, treebank) -> None:
        self.tags = {tag: i for i, tag in enumerate(["ROOT", *sorted({t for s in treebank for t in s.upos})])}
        self.labels = sorted({label for s in treebank for label in s.deprels})
        self.weights = np.zeros((len(self.tags), len(self.tags), 2, 4, len(self.labels)))

    def features(self, sentence) -> tuple[np.ndarray, ...]:
        tags = np.array([0, *(self.tags[tag] for tag in sentence.upos)])
        places = np.arange(len(tags))
        offset = places[None, :] - places[:, None]
        bins = np.searchsorted([1, 2, 5], np.abs(offset))
        return tags[:, None], tags[None, :], (offset > 0).astype(int), bins

    def scores(self, sentences) -> ArrayScores:
        return ArrayScores([self.weights[self.features(sentence)] for sentence in sentences])

    def learn(self, sentences, loss: str, rate: float) -> float:
        heads = [np.array([-1, *s.heads]) for s in sentences]
        labels = [np.array([-1, *map(self.labels.index, s.deprels)]) for s in sentences]
        values, gradients = batch_loss(self.scores(sentences), heads, labels, loss=loss)
        for sentence, gradient in zip(sentences, gradients.arcs, strict=True):
            np.add.at(self.weights, np.broadcast_arrays(*self.features(sentence)), -rate * gradient)
        return float(values.sum())

    def accuracy(self, sentences) -> float:
        parses = ArrayParser(self.labels).parse(self.scores(sentences))
        right = [
            head == h and self.labels[label] == deprel
            for sentence, parse in zip(sentences, parses, strict=True)
            for head, label, h, deprel in zip(
                parse.heads[1:], parse.labels[1:], sentence.heads, sentence.deprels, strict=True
            )
        ]
        return sum(right) / len(right)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_numpy_model_learns_by_it(loss):
    treebank = list(read("examples/treebank/en.conllu"))
    model = TagPairs(treebank)
    # The most frequent label below the word before: what can be had without learning.
    labels = [label for s in treebank for label in s.deprels]
    common = max(set(labels), key=labels.count)
    right = [
        h == m - 1 and lab == common
        for s in treebank
        for m, (h, lab) in enumerate(zip(s.heads, s.deprels, strict=True), 1)
    ]
    baseline = sum(right) / len(right)
    losses = [model.learn(treebank, loss, 0.2) for _ in range(30)]
    assert losses[-1] < 0.5 * losses[0] or losses[0] == 0
    assert model.accuracy(treebank) > baseline + 0.4
