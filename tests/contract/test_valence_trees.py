"""Every function of ``arbora.generative.valence_trees``, on scores that hurt, against enumeration."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from contract.test_trees_sample import deviation
from oracles import valences as oracle
from oracles.trees import all_trees, is_tree

from arbora import trees
from arbora.errors import InfeasibleTreeError, InvalidScoresError
from arbora.generative import valence_trees

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
Sentence = tuple[np.ndarray, np.ndarray]


def _forbid(share: float) -> Draw:
    return lambda rng, shape: np.where(rng.random(shape) < share, -np.inf, rng.normal(size=shape))


def _normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.normal(size=shape)


def _shifted(shift: float) -> Draw:
    return lambda rng, shape: rng.normal(size=shape) + shift


FAMILIES: dict[str, tuple[Draw, Draw]] = {  # of arcs, of decisions
    "normal": (_normal, _normal),
    "tied": (lambda rng, shape: rng.integers(-1, 2, shape).astype(float),) * 2,
    "equal": (lambda rng, shape: np.zeros(shape),) * 2,
    "shifted up": (_shifted(1000), _shifted(1000)),
    "shifted down": (_shifted(-1000), _shifted(-1000)),
    "shifted apart": (_shifted(1000), _shifted(-1000)),
    "very negative": (lambda rng, shape: -(10 ** rng.uniform(0, 4, shape)),) * 2,
    "spread": (lambda rng, shape: 50 * rng.normal(size=shape),) * 2,
    "impossible arcs": (_forbid(0.4), _normal),
    "impossible decisions": (_normal, _forbid(0.2)),
    "impossible": (_forbid(0.2), _forbid(0.1)),
}
families = pytest.mark.parametrize("family", FAMILIES)
roots = pytest.mark.parametrize("single_root", [True, False], ids=["single", "many"])


def draw(family: str, n: int, seed: int = 0) -> Sentence:
    """Arcs and valences; what is no arc has values too, since they must not matter."""
    rng = np.random.default_rng([list(FAMILIES).index(family), n, seed])
    of_arcs, of_valences = FAMILIES[family]
    arcs, valences = of_arcs(rng, (n + 1, n + 1)), of_valences(rng, (n + 1, 2, 2, 2))
    np.fill_diagonal(arcs, rng.choice([-np.inf, 0.0, 1e6]))
    arcs[:, 0] = rng.choice([-np.inf, 0.0, 1e6])
    return arcs, valences


def all_draws(family: str) -> Iterator[Sentence]:
    for n, seeds in ((1, 6), (2, 8), (3, 8), (4, 6), (5, 3), (6, 1)):
        yield from (draw(family, n, seed) for seed in range(seeds))


def draws(family: str, single_root: bool) -> Iterator[tuple[np.ndarray, np.ndarray, oracle.Forest]]:
    """Sentences of 1 to 6 words that have a tree, with all their trees."""
    for arcs, valences in all_draws(family):
        try:
            yield arcs, valences, oracle.Forest(arcs, valences, single_root)
        except oracle.NoTreeError:
            assert "impossible" in family


def assert_value(got: float, expected: float) -> None:
    assert isinstance(got, float)
    assert abs(got - expected) <= 1e-9 + 1e-14 * abs(expected), (got, expected)


def assert_sums(arcs: np.ndarray, valences: np.ndarray, single_root: bool) -> None:
    """What holds of the counts of every tree, and so of their expectations."""
    n = len(arcs) - 1
    near = {"rtol": 0, "atol": 1e-9}
    assert (arcs >= 0).all()
    assert (valences >= 0).all()
    assert (arcs <= 1).all()
    assert (valences[..., oracle.STOP] <= 1).all()
    assert (np.diagonal(arcs) == 0).all()
    assert (arcs[:, 0] == 0).all()
    np.testing.assert_allclose(arcs[:, 1:].sum(axis=0), 1, **near)
    stops, goes = valences[..., oracle.STOP], valences[..., oracle.GO_ON]
    np.testing.assert_allclose(stops[1:].sum(axis=-1), 1, **near)
    children = np.stack([np.tril(arcs).sum(axis=1), np.triu(arcs).sum(axis=1)], axis=1)
    np.testing.assert_allclose(goes.sum(axis=-1)[1:], children[1:], **near)
    np.testing.assert_allclose(goes[1:, :, 0], stops[1:, :, 1], **near)  # has a first child or has none
    assert (valences[0, 0] == 0).all()
    if single_root:
        np.testing.assert_allclose(arcs[0].sum(), 1, **near)
        assert (valences[0] == 0).all()
    else:
        np.testing.assert_allclose(stops[0, 1], [0, 1], **near)
        np.testing.assert_allclose(goes[0, 1], [1, arcs[0].sum() - 1], rtol=0, atol=1e-9 * n)


@families
@roots
def test_log_partition(family, single_root):
    for arcs, valences, forest in draws(family, single_root):
        (got,) = valence_trees.log_partition([arcs], [valences], single_root=single_root)
        assert_value(got, forest.log_partition)


@families
@roots
def test_expectations(family, single_root):
    for arcs, valences, forest in draws(family, single_root):
        got = valence_trees.expectations([arcs], [valences], single_root=single_root)
        assert_value(got.values[0], forest.log_partition)
        expected = forest.expectations(forest.probabilities)
        for table, twin in zip((got.arcs[0], got.valences[0]), expected, strict=True):
            assert table.shape == twin.shape
            np.testing.assert_allclose(table, twin, rtol=0, atol=1e-9)
            told = twin > 1e-200  # tiny ones are right in nine digits, too
            np.testing.assert_allclose(table[told], twin[told], rtol=1e-9, atol=0)
        assert_sums(got.arcs[0], got.valences[0], single_root)


@families
@roots
def test_best_expectations(family, single_root):
    for arcs, valences, forest in draws(family, single_root):
        got = valence_trees.best_expectations([arcs], [valences], single_root=single_root)
        assert_value(got.values[0], forest.best)
        assert_sums(got.arcs[0], got.valences[0], single_root)
        heads = np.append(-1, got.arcs[0][:, 1:].argmax(axis=0))
        certain = (forest.heads == heads).all(axis=1)
        assert certain.sum() == 1
        assert_value(float(forest.scores[certain][0]), forest.best)
        for table, twin in zip(
            (got.arcs[0], got.valences[0]), forest.expectations(certain.astype(float)), strict=True
        ):
            assert (table == twin).all()


@families
@roots
@pytest.mark.parametrize("k", [1, 4, 100_000])
def test_kbest(family, single_root, k):
    for arcs, valences, forest in draws(family, single_root):
        (got,) = valence_trees.kbest([arcs], [valences], k, single_root=single_root)
        assert isinstance(got, trees.Trees)
        assert got.labels is None
        assert got.heads.dtype == np.int32
        assert len(got) == min(k, len(forest.scores))
        assert is_tree(got.heads, single_root, projective=True)
        assert len(np.unique(got.heads, axis=0)) == len(got)
        assert (np.diff(got.scores) <= 0).all()
        allowed = 1e-9 + 1e-14 * np.abs(got.scores)
        assert (np.abs(got.scores - np.sort(forest.scores)[::-1][:k]) <= allowed).all()
        assert (np.abs(got.scores - scores_of(got.heads, forest)) <= allowed).all()


def rows_of(heads: np.ndarray, forest: oracle.Forest) -> np.ndarray:
    """Where trees stand in the forest; they must be in it."""
    digits = 8 ** np.arange(heads.shape[1])
    known = {int(key): row for row, key in enumerate((1 + forest.heads) @ digits)}
    return np.array([known[int(key)] for key in (1 + heads) @ digits], dtype=int)


def scores_of(heads: np.ndarray, forest: oracle.Forest) -> np.ndarray:
    return forest.scores[rows_of(heads, forest)]


@roots
@pytest.mark.parametrize(
    "family", ["normal", "tied", "shifted apart", "impossible arcs", "impossible decisions"]
)
def test_samples_have_the_frequencies_of_their_probabilities(family, single_root):
    """Chi-square as a normal deviate: above 4.5 once in 300,000 fair tests, of which there are some 200."""
    for number, (arcs, valences, forest) in enumerate(draws(family, single_root)):
        if forest.n > 4:
            continue
        (got,) = valence_trees.sample([arcs], [valences], 5000, rng=number, single_root=single_root)
        counts = np.bincount(rows_of(got.heads, forest), minlength=len(forest.heads))
        assert deviation(counts, forest.probabilities) < 4.5
        allowed = 1e-9 + 1e-14 * np.abs(got.scores)
        assert (np.abs(got.scores - scores_of(got.heads, forest)) <= allowed).all()


def long_batch() -> tuple[list[np.ndarray], list[np.ndarray]]:
    sentences = [draw("normal", n, seed=7) for n in (3, 25, 1, 12, 60, 2, 12, 120)]
    return [arcs for arcs, _ in sentences], [valences for _, valences in sentences]


@roots
def test_threads_change_nothing(single_root):
    arcs, valences = long_batch()
    answers = []
    for threads in (1, 2, 5):
        kind = {"single_root": single_root, "threads": threads}
        drawn = valence_trees.sample(arcs, valences, 20, rng=11, **kind)
        best = valence_trees.kbest(arcs, valences, 20, **kind)
        found = valence_trees.expectations(arcs, valences, **kind)
        certain = valence_trees.best_expectations(arcs, valences, **kind)
        flat = [found.values, certain.values, valence_trees.log_partition(arcs, valences, **kind)]
        tables = [*found.arcs, *found.valences, *certain.arcs, *certain.valences]
        tables += [table for one in (*drawn, *best) for table in (one.heads, one.scores)]
        answers.append((flat, [table.tobytes() for table in tables]))
    assert answers[0] == answers[1] == answers[2]


def test_seeds():
    sentence = [np.zeros((9, 9))], [np.zeros((9, 2, 2, 2))]
    first, again, other = (
        valence_trees.sample(*sentence, 50, rng=seed)[0].heads.tolist() for seed in (3, 3, 4)
    )
    assert first == again != other
    drawn = [valence_trees.sample(*sentence, 5, rng=np.random.default_rng(1))[0].heads.tolist() for _ in "ab"]
    assert drawn[0] == drawn[1]
    assert valence_trees.sample(*sentence, 0)[0].heads.shape == (0, 9)


@roots
@pytest.mark.parametrize("n", [1, 3, 9])
def test_expectations_are_the_gradient(n, single_root):
    """Central differences of the log-partition, one score after the other."""
    arcs, valences = draw("normal", n, seed=3)
    np.fill_diagonal(arcs, 0)
    arcs[:, 0] = 0
    found = valence_trees.expectations([arcs], [valences], single_root=single_root)
    step = 1e-5
    for which, table in ((0, found.arcs[0]), (1, found.valences[0])):
        ups, downs = [], []
        for place in np.ndindex(table.shape):
            for moved, sign in ((ups, 1), (downs, -1)):
                pair = [arcs.copy(), valences.copy()]
                pair[which][place] += sign * step
                moved.append(pair)
        up, down = (
            np.array(valence_trees.log_partition(*zip(*pairs, strict=True), single_root=single_root))
            for pairs in (ups, downs)
        )
        np.testing.assert_allclose((up - down).reshape(table.shape) / (2 * step), table, rtol=0, atol=1e-8)


@roots
@pytest.mark.parametrize("n", [20, 60, 120])
@pytest.mark.parametrize("family", ["normal", "tied", "shifted up", "shifted down", "very negative"])
def test_long_sentences(family, n, single_root):
    arcs, valences = draw(family, n, seed=5)
    kind = {"single_root": single_root}
    found = valence_trees.expectations([arcs], [valences], **kind)
    assert np.isfinite(found.values[0])
    assert_sums(found.arcs[0], found.valences[0], single_root)
    scale = max(1.0, abs(found.values[0]))
    assert abs(valence_trees.log_partition([arcs], [valences], **kind)[0] - found.values[0]) <= 1e-12 * scale
    (best,) = valence_trees.kbest([arcs], [valences], 50, **kind)
    assert is_tree(best.heads, single_root, projective=True)
    assert len(np.unique(best.heads, axis=0)) == len(best) == 50
    assert np.logaddexp.reduce(best.scores) <= found.values[0] + 1e-12 * scale
    certain = valence_trees.best_expectations([arcs], [valences], **kind)
    assert abs(certain.values[0] - best.scores[0]) <= 1e-12 * scale
    told = [(table > 0, table) for table in (certain.arcs[0], certain.valences[0])]
    score = sum(
        (table[used] * given[used]).sum() for (used, table), given in zip(told, (arcs, valences), strict=True)
    )
    assert abs(score - best.scores[0]) <= 1e-12 * scale
    (drawn,) = valence_trees.sample([arcs], [valences], 20, **kind)
    assert is_tree(drawn.heads, single_root, projective=True)
    assert (drawn.scores <= best.scores[0] + 1e-12 * scale).all()


@roots
@pytest.mark.parametrize("n", [1, 7, 40])
def test_without_decisions_trees_are_those_of_arcs(n, single_root):
    arcs, _ = draw("normal", n)
    free = np.zeros((n + 1, 2, 2, 2))
    found = valence_trees.expectations([arcs], [free], single_root=single_root)
    kind = {"single_root": single_root, "projective": True}
    assert_value(found.values[0], trees.log_partition(arcs, **kind))
    np.testing.assert_allclose(found.arcs[0], trees.marginals(arcs, **kind), rtol=0, atol=1e-9)


def test_a_normalised_model_adds_up_over_sentences():
    """One kind of word: the probabilities of all lengths add up to one.

    A word goes on with probability 1/4 on a side, and never twice; a root has one child. So the number of
    words is the size of a random binary tree, in which long ones are rare.
    """
    go_on, once = np.log([0.25, 0.75]), np.array([-np.inf, 0.0])
    lengths = range(1, 61)
    arcs = [np.zeros((n + 1, n + 1)) for n in lengths]
    valences = []
    for n in lengths:
        table = np.empty((n + 1, 2, 2, 2))
        table[:, :, 0], table[:, :, 1] = go_on, once
        table[0, 1, 0] = [0.0, -np.inf]
        valences.append(table)
    logs = valence_trees.log_partition(arcs, valences, single_root=False)
    assert abs(np.exp(logs).sum() - 1) < 1e-6
    assert logs == pytest.approx(valence_trees.log_partition(arcs, valences), abs=1e-12)


@roots
def test_a_sentence_without_words_has_one_empty_tree(single_root):
    empty, kind = ([np.zeros((1, 1))], [np.ones((1, 2, 2, 2))]), {"single_root": single_root}
    assert valence_trees.log_partition(*empty, **kind) == [0.0]
    for find in (valence_trees.expectations, valence_trees.best_expectations):
        found = find(*empty, **kind)
        assert found.values == [0.0]
        assert not found.arcs[0].any()
        assert not found.valences[0].any()
    for one in (*valence_trees.kbest(*empty, 3, **kind), *valence_trees.sample(*empty, 1, **kind)):
        assert one.heads.tolist() == [[-1]]
        assert one.scores.tolist() == [0.0]


def test_an_empty_batch():
    assert valence_trees.log_partition([], []) == []
    assert valence_trees.expectations([], []) == ([], [], [])
    assert valence_trees.kbest([], [], 2) == valence_trees.sample([], []) == []


FUNCTIONS = [
    valence_trees.log_partition,
    valence_trees.expectations,
    valence_trees.best_expectations,
    valence_trees.kbest,
    valence_trees.sample,
]
functions = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)


@functions
@roots
def test_infeasible(function, single_root):
    """Exactly the draws that enumeration finds impossible."""
    seen = 0
    for family in ("impossible", "impossible decisions", "impossible arcs"):
        for arcs, valences in all_draws(family):
            try:
                oracle.Forest(arcs, valences, single_root)
            except oracle.NoTreeError:
                seen += 1
                with pytest.raises(InfeasibleTreeError):
                    function([arcs], [valences], single_root=single_root)
    assert seen > 3


@functions
def test_infeasible_says_why(function):
    arcs, valences = np.zeros((4, 4)), np.zeros((4, 2, 2, 2))
    valences[2, 0, :, 1] = -np.inf
    with pytest.raises(
        InfeasibleTreeError, match="sentence 1 of the batch: token 2 can never stop on its left"
    ):
        function([arcs, arcs], [np.zeros_like(valences), valences])
    valences[2] = 0
    arcs[:, 3] = -np.inf
    with pytest.raises(InfeasibleTreeError, match=r"^token 3 "):
        function([arcs], [valences])
    arcs[:, 3] = 0
    valences[1:, :, 0, 0] = -np.inf
    with pytest.raises(InfeasibleTreeError, match=r"^the possible arcs and decisions together"):
        function([arcs], [valences])
    valences[1:, :, 0, 0] = 0
    valences[0, 1, 1, 1] = -np.inf
    function([arcs], [valences])
    with pytest.raises(InfeasibleTreeError, match=r"^the root can never stop on its right"):
        function([arcs], [valences], single_root=False)


@functions
@roots
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_scores_that_are_no_scores(function, wrong, single_root):
    for which in (0, 1):
        for place in [(0, 0), (1, 1), (2, 1)] if which == 0 else [(0, 0, 0, 0), (2, 1, 1, 1)]:
            pair = [np.zeros((3, 3)), np.zeros((3, 2, 2, 2))]
            pair[which][place] = wrong
            with pytest.raises(InvalidScoresError, match="nan or \\+inf"):
                function([pair[0]], [pair[1]], single_root=single_root)


@pytest.mark.parametrize(
    "function", [valence_trees.log_partition, valence_trees.expectations, valence_trees.sample]
)
def test_sums_refuse_giants(function):
    for which, place in ((0, (0, 1)), (1, (1, 0, 0, 0))):
        for giant in (1e30, -1e30):
            pair = [np.zeros((3, 3)), np.zeros((3, 2, 2, 2))]
            pair[which][place] = giant
            with pytest.raises(InvalidScoresError, match="too large for sums"):
                function([pair[0]], [pair[1]])
            assert len(valence_trees.kbest([pair[0]], [pair[1]])[0]) == 1


@functions
def test_shapes(function):
    arcs, valences = np.zeros((3, 3)), np.zeros((3, 2, 2, 2))
    for wrong in (np.zeros((3, 4)), np.zeros(3), np.zeros((0, 0)), np.zeros((3, 3, 1))):
        with pytest.raises(InvalidScoresError, match="arcs must have the shape"):
            function([wrong], [valences])
    for wrong in (np.zeros((4, 2, 2, 2)), np.zeros((3, 2, 2)), np.zeros((3, 8)), np.zeros((3, 2, 2, 3))):
        with pytest.raises(
            InvalidScoresError, match=r"sentence 1 of .*valences must have the shape \(3, 2, 2, 2\)"
        ):
            function([arcs, arcs], [valences, wrong])
    with pytest.raises(InvalidScoresError, match="2 arrays of arcs, but 1 of valences"):
        function([arcs, arcs], [valences])
    with pytest.raises(InvalidScoresError, match="arcs must be a list"):
        function(arcs, [valences])
    with pytest.raises(InvalidScoresError, match="valences must be a list"):
        function([arcs], valences)


def test_numbers_of_trees():
    sentence = [np.zeros((2, 2))], [np.zeros((2, 2, 2, 2))]
    with pytest.raises(ValueError, match="k must be at least 1, not 0"):
        valence_trees.kbest(*sentence, 0)
    with pytest.raises(ValueError, match="k must not be negative, not -1"):
        valence_trees.sample(*sentence, -1)


@functions
def test_any_layout_and_type_of_numbers(function):
    rng = np.random.default_rng(2)
    arcs, valences = rng.integers(-2, 3, (5, 5)), rng.integers(-2, 3, (5, 2, 2, 2))
    answers = [
        str(function([one], [other]))
        for one, other in (
            (arcs.astype(float), valences.astype(float)),
            (arcs.astype(np.float32), valences.astype(np.float32)),
            (np.asfortranarray(arcs, dtype=float), np.asfortranarray(valences, dtype=float)),
        )
    ]
    assert answers[0] == answers[1] == answers[2]


def test_every_tree_has_one_story():
    """The twin itself: as many decisions as it should have, and no tree forgotten."""
    for single_root, expected in ((True, [1, 2, 7, 30, 143]), (False, [1, 3, 12, 55, 273])):
        for n, count in enumerate(expected, 1):
            found = all_trees(n, single_root, projective=True)
            assert len(found) == count
            for heads in found:
                arcs, decisions = oracle.story(heads, single_root)
                assert len(arcs) == n
                assert len(decisions) == 2 * n + (n - 1 if single_root else n + 1)
