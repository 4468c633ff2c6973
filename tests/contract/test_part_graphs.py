"""Graphs of parts: every tree has the score of its arcs and parts, and solvers find the best of them."""

from __future__ import annotations

from itertools import product
from math import fsum, inf

import numpy as np
import pytest
from oracles.features import all_arcs
from oracles.parsing import Analyses, candidates, random_parser
from oracles.part_trees import PartTrees
from oracles.parts import KINDS
from oracles.trees import is_tree
from parse_numbers import parse_numbers

from arbora.dependency import DependencyParser, ParseOptions, RankedTree
from arbora.dependency.options import CONSTRAINTS, SOLVERS
from arbora.features import PARTS, Templates
from arbora.treebank import Sentence

ARCS = """
[pruner]
head.upos & modifier.upos : distance
[arcs]
head.form & modifier.form : alone direction distance
head.form & modifier.upos : alone direction distance
head.upos & modifier.form : alone direction distance
head.form & modifier.form & modifier-1.form : alone direction distance
head.form & modifier.form & modifier+1.form : alone direction distance
head.form & head-1.form & modifier.form : alone direction distance
[labels]
modifier.form
"""
# One template for every kind is enough: its weights are as good as random for all of its parts.
LINES = {
    "consecutive-siblings": "head.form & sibling.form & modifier.form : direction",
    "all-siblings": "head.form & sibling.form & modifier.form : direction distance",
    "grandparents": "grandparent.form & head.form & modifier.form : direction",
    "grand-siblings": "grandparent.form & head.form & sibling.form & modifier.form : direction distance",
    "head-bigrams": "other-head.form & head.form & modifier-1.form & modifier.form : direction",
    "crossings": "other.form & head.form & modifier.form : direction distance",
    "tri-siblings": "head.form & earlier-sibling.form & sibling.form & modifier.form : direction",
    "valencies": "head.form : direction",
    "nonprojective-arcs": "head.form & modifier.form : direction distance",
}
MODELS: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in PARTS},
    "siblings and grandparents": ("consecutive-siblings", "grandparents"),
    "all of siblings and grandparents": ("consecutive-siblings", "grandparents", "grand-siblings"),
    "all kinds": tuple(PARTS),
    "loose kinds": ("all-siblings", "head-bigrams", "crossings"),
    "turbo": ("all-siblings", "grandparents", "nonprojective-arcs"),
}
CHARTED = [  # what a projective chart sees as a whole
    "nonprojective-arcs",  # which no projective tree has
    "consecutive-siblings",
    "grandparents",
    "grand-siblings",
    "siblings and grandparents",
    "all of siblings and grandparents",
]
ROOTS = [True, False]

models = pytest.mark.parametrize("model", MODELS)
roots = pytest.mark.parametrize("single_root", ROOTS, ids=["single-root", "multi-root"])


def templates_for(model: str) -> str:
    parts = "\n".join(f"[{name}]\n{LINES[name]}" for name in MODELS[model])
    return str(Templates.parse(ARCS + parts))


def draw_parser(rng: np.random.Generator, model: str, pruning: float = 0.0) -> DependencyParser:
    return random_parser(
        rng,
        templates=templates_for(model),
        labels=2,
        pruning=pruning,
        scale=float(rng.choice([0.3, 1.0, 4.0])),
        most_heads=3 if pruning else 10,
        bits=12,
    )


def draw_sentence(rng: np.random.Generator, n: int) -> Sentence:
    forms = [f"w{i}" for i in rng.integers(3 * n, size=n)]
    return Sentence(forms, upos=[str(rng.choice(["NOUN", "VERB"])) for _ in range(n)])


def draw_case(rng, model: str, n: int, single_root: bool, pruned: bool, projective: bool = False):
    parser, sentence = draw_parser(rng, model, 0.15 if pruned else 0.0), draw_sentence(rng, n)
    arcs = candidates(parser, sentence, single_root, projective) if pruned else all_arcs(n)
    return parser, sentence, PartTrees(parser, sentence, arcs, single_root=single_root, projective=projective)


def parse(parser: DependencyParser, sentence: Sentence, **options) -> tuple[tuple[int, ...], float]:
    """Heads, and how much better a tree could be at most, which is asked for unless the options say no."""
    chosen = ParseOptions(**{"certificates": True, **options}).check()
    work = parse_numbers(parser, [sentence], chosen)
    return tuple(work.heads.tolist()), float(work.gaps[0]) if chosen.certificates else inf


def climb(parser: DependencyParser, sentence: Sentence, **options) -> tuple[int, ...]:
    """Heads by hill climbing alone."""
    return parse(parser, sentence, solver="hill-climbing", certificates=False, **options)[0]


@pytest.mark.parametrize("pruned", [False, True], ids=["all arcs", "some arcs"])
@roots
@models
def test_every_tree_has_its_value(model, single_root, pruned):
    rng = np.random.default_rng([1, list(MODELS).index(model), single_root, pruned])
    for n in (1, 2, 3, 4, 5 if pruned else 4):
        _, _, trees = draw_case(rng, model, n, single_root, pruned)
        assert trees.values
        for joined in (True, False):
            made = trees.graph(joined)
            for heads, value in trees.values.items():
                found = made.graph._core.value(trees.assignment(heads, made))
                assert found == pytest.approx(value, abs=1e-9)


@roots
@models
def test_the_graph_of_a_parser(model, single_root):
    """What `DependencyParser.graph` gives is the graph of its candidates; its best tree is the best."""
    rng = np.random.default_rng([2, list(MODELS).index(model), single_root])
    for n, sums in ((1, False), (3, True), (4, False)):
        parser, sentence, trees = draw_case(rng, model, n, single_root, True)
        if sums:
            trees = PartTrees(parser, sentence, trees.arcs, single_root=single_root, sums=True)
        made = parser.graph(sentence, ParseOptions(single_root=single_root), sums=sums)
        assert list(zip(made.heads.tolist(), made.modifiers.tolist(), strict=True)) == trees.arcs
        assert made.n == n
        for heads, value in trees.values.items():
            found = made.graph._core.value(trees.assignment(heads, made))
            assert found == pytest.approx(value, abs=1e-9)
        solution = made.graph.solve("enumerate" if made.paths is None else "ilp")
        assert solution.value == pytest.approx(trees.best, abs=1e-6)
        assert trees.value(made.heads_of(solution)) == pytest.approx(trees.best, abs=1e-6)


@pytest.mark.parametrize("solver", ["ad3", "dual-decomposition"])
@roots
@models
def test_certified_trees_are_the_best(model, single_root, solver):
    """A tree without a certificate is not above the best, and its bound not below it."""
    rng = np.random.default_rng([3, list(MODELS).index(model), single_root])
    certified = 0
    sizes = [(1, False), (2, False), (3, False), (4, False), (4, True), (4, False), (5, True)]
    for n, pruned in [*sizes, (2, False), (2, True), (3, True)]:
        parser, sentence, trees = draw_case(rng, model, n, single_root, pruned)
        heads, gap = parse(parser, sentence, solver=solver, iterations=1000, single_root=single_root)
        value, rounding = trees.value(heads), 1e-6 * (1 + abs(trees.best))
        assert -1e-9 <= gap < inf
        assert trees.best - gap - rounding <= value <= trees.best + rounding
        if gap <= 1e-9 * (1 + abs(value)):
            certified += 1
            assert value == pytest.approx(trees.best, abs=rounding)
    assert certified >= 3


@pytest.mark.parametrize("pruned", [False, True], ids=["all arcs", "some arcs"])
@roots
@pytest.mark.parametrize("model", CHARTED)
def test_hill_climbing(model, single_root, pruned):
    """Projective: the best one, proved. Else: no worse than that, and no single change would help."""
    rng = np.random.default_rng([4, CHARTED.index(model), single_root, pruned])
    crossing = 0
    for n in (1, 2, 3, 4, 4, 4, 5):
        parser, sentence, trees = draw_case(rng, model, n, single_root, pruned, projective=True)
        kind = {"single_root": single_root, "projective": True}
        heads, gap = parse(parser, sentence, solver="hill-climbing", iterations=1, **kind)
        assert trees.values[heads] == pytest.approx(trees.best, abs=1e-9)
        assert gap == 0
        assert climb(parser, sentence, **kind) == heads
        free = PartTrees(parser, sentence, candidates(parser, sentence, single_root, False),
                         single_root=single_root)  # fmt: skip
        heads = climb(parser, sentence, single_root=single_root)
        if set(free.arcs) == set(trees.arcs):
            assert free.values[heads] >= trees.best - 1e-9
        crossing += free.values[heads] > trees.best + 1e-9
        check_top(free, heads)
    assert crossing or pruned


def check_top(trees: PartTrees, heads: tuple[int, ...]) -> None:
    """No change of a head, or of the root, is better."""
    own = trees.values[heads]
    for other in trees.changes(heads):
        assert trees.values[other] <= own + 1e-8, (heads, other)


@roots
@models
def test_hill_climbing_ends_on_a_top(model, single_root):
    """Whatever the parts: also those that the chart does not see count in the changes."""
    rng = np.random.default_rng([5, list(MODELS).index(model), single_root])
    for n in (2, 3, 4, 4, 5):
        parser, sentence, trees = draw_case(rng, model, n, single_root, n == 5)
        heads = climb(parser, sentence, single_root=single_root)
        check_top(trees, heads)
        certified, gap = parse(
            parser, sentence, solver="hill-climbing", single_root=single_root, iterations=100
        )
        assert trees.values[certified] >= trees.values[heads] - 1e-9
        assert trees.best - trees.values[certified] <= gap + 1e-6 < inf


@models
def test_projective_hill_climbing_proves_only_what_it_sees(model):
    rng = np.random.default_rng([6, list(MODELS).index(model)])
    for n in (1, 3, 4):
        parser, sentence, trees = draw_case(rng, model, n, True, False, projective=True)
        heads, gap = parse(parser, sentence, solver="hill-climbing", projective=True, iterations=1)
        assert trees.best - trees.values[heads] <= gap + 1e-6
        assert gap == 0 or model not in CHARTED


@pytest.mark.parametrize("projective", [False, True])
@roots
@pytest.mark.parametrize("model", ["siblings and grandparents", "all kinds"])
def test_every_solver_and_constraint_gives_a_tree(model, single_root, projective):
    rng = np.random.default_rng([7, single_root, projective])
    for n in (1, 2, 4, 7):
        parser, sentence = draw_parser(rng, model, 0.1), draw_sentence(rng, n)
        for solver in SOLVERS:
            for constraint in CONSTRAINTS:
                for decoder in ("best", "mbr"):
                    options = ParseOptions(
                        solver=solver,
                        constraint=constraint,
                        decoder=decoder,
                        single_root=single_root,
                        projective=projective,
                        iterations=30,
                        propagations=5,
                        probabilities=True,
                    )
                    work = parse_numbers(parser, [sentence], options)
                    assert is_tree(np.array([-1, *work.heads]), single_root, projective)
                    for chances in (work.head_probabilities, work.label_probabilities):
                        assert ((chances >= 0) & (chances <= 1 + 1e-9)).all()
                    assert np.isfinite(work.log_probabilities).all()


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_no_tree_is_beyond_the_gap(solver, constraint):
    """The gap is that of the tree which is given, whatever the solver looked at."""
    rng = np.random.default_rng(8)
    missed = 0
    for model, n in product(MODELS, (2, 4, 4)):
        parser, sentence, trees = draw_case(rng, model, n, True, False)
        heads, gap = parse(parser, sentence, solver=solver, constraint=constraint, iterations=3)
        assert trees.best - trees.values[heads] <= gap + 1e-6
        missed += trees.best - trees.values[heads] > 1e-6
    assert missed or constraint == "tree"


@models
def test_kbest(model):
    """Different trees in order, with what their parts and labels give; the best parse is among them."""
    rng = np.random.default_rng([9, list(MODELS).index(model)])
    for n in (1, 2, 4, 6, 9):
        parser, sentence = draw_parser(rng, model), draw_sentence(rng, n)
        for solver in ("hill-climbing", "dual-decomposition"):
            options = ParseOptions(solver=solver, probabilities=True, iterations=50)
            single = parse_numbers(parser, [sentence], options)
            ranked = next(parser.kbest([sentence], 5, options))
            values = [tree.log_probability for tree in ranked]
            assert values == sorted(values, reverse=True)
            assert len({(*tree.heads, *tree.deprels) for tree in ranked}) == len(ranked)
            assert values[0] >= single.log_probabilities[0] - 1e-9
            if n <= 4:
                own = labelled_values(parser, sentence, ranked)
                assert np.subtract(values, values[0]) == pytest.approx(own - own[0], abs=1e-9)


def labelled_values(parser: DependencyParser, sentence: Sentence, ranked: list[RankedTree]) -> np.ndarray:
    """Scores of labelled trees: of their labels, and of their parts."""
    of_labels = Analyses(parser, sentence).of_labels
    trees = PartTrees(parser, sentence, all_arcs(len(sentence)), single_root=True)
    result = []
    for tree in ranked:
        arcs = list(zip(tree.heads, range(1, trees.n + 1), strict=True))
        labels = [
            of_labels[arc][parser.labels.index(name)] for arc, name in zip(arcs, tree.deprels, strict=True)
        ]
        result.append(fsum(labels) + trees.value(tree.heads) - fsum(trees.of_arc[arc] for arc in arcs))
    return np.array(result)


def test_parts_that_the_factors_see_are_all_kinds():
    assert list(KINDS) == list(PARTS) == list(LINES)
