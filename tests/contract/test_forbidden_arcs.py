"""Arcs that MISC forbids, against enumeration of the trees without them."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from contract.test_parser import check_against, check_kbest, draw_model, options_for
from contract.test_parser import draw_sentence as draw_words
from contract.test_part_graphs import draw_parser, draw_sentence
from contract.test_part_graphs import parse as parse_parts
from oracles.features import all_arcs
from oracles.parsing import Analyses
from oracles.part_trees import PartTrees
from oracles.trees import KINDS, all_trees

from arbora.dependency import ArrayParser, ArrayScores, ParseOptions, Rules, parse_with_rules
from arbora.dependency.options import GRAPH_SOLVERS, SOLVERS, tree_options
from arbora.errors import ArboraError, InfeasibleTreeError
from arbora.treebank import Sentence

FORBIDDEN = ParseOptions(constraints=True)
CONSTRAINED = {"constraints": True}


def forbid(rng: np.random.Generator, sentence: Sentence, chance: float) -> list[tuple[int, int]]:
    """Forbids each arc with this chance; what is left."""
    n, left = len(sentence), []
    for modifier in range(1, n + 1):
        heads = [head for head in range(n + 1) if head != modifier]
        chosen = [head for head in heads if rng.random() < chance]
        left += [(head, modifier) for head in heads if head not in chosen]
        listed = ",".join(map(str, rng.permutation(chosen)))
        sentence.misc[modifier - 1] = f"Gloss=a|ForbiddenHeads={listed}|Z=1" if chosen else "Gloss=a"
    return left


def has_trees(left: list[tuple[int, int]], n: int, single_root: bool, projective: bool) -> bool:
    listed = set(left)
    trees = all_trees(n, single_root, projective)[:, 1:].tolist()
    return any(all((h, m) in listed for m, h in enumerate(tree, 1)) for tree in trees)


@pytest.mark.parametrize("pruning", [0.0, 0.4])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", ["joint", "second-stage", "roles"])
def test_best_trees_probabilities_and_kbest(model, kind, pruning):
    rng = np.random.default_rng([len(model), *kind, int(pruning > 0)])
    refused = 0
    for n, labels in [(1, 2), (2, 2), (3, 2), (3, 2), (4, 2), (4, 1)]:
        parser, sentence = draw_model(rng, model, labels, pruning=pruning), draw_words(rng, n)
        left = forbid(rng, sentence, 0.35)
        if not has_trees(left, n, *kind):
            refused += 1
            with pytest.raises(InfeasibleTreeError):
                next(parser.parse([sentence], options_for(kind, **CONSTRAINED)))
            continue
        if pruning:
            trees = tree_options({"single_root": kind[0], "projective": kind[1]})
            arcs = [arc for arc in all_arcs(n) if arc not in left]
            chosen = parser._scorer([sentence]).choose(0, trees, forbidden=arcs)
            assert set(chosen) <= set(left)
            left = chosen
        analyses = Analyses(parser, sentence, single_root=kind[0], projective=kind[1], arcs=left)
        check_against(analyses, parser, sentence, kind, **CONSTRAINED)
        for k in (1, 5):
            check_kbest(analyses, parser, sentence, kind, k, **CONSTRAINED)
        heads, _ = parser.probabilities(sentence, options_for(kind, **CONSTRAINED))
        np.testing.assert_allclose(heads, analyses.head_probabilities, atol=1e-9)
    assert refused < 6


@pytest.mark.parametrize("solver", [*SOLVERS, *GRAPH_SOLVERS])
def test_every_solver_of_parts(solver):
    """None has a forbidden arc, and certificates hold."""
    rng = np.random.default_rng(len(solver))
    projective = solver == "projective-chart"
    model = "grandparents" if projective else "siblings and grandparents"
    exact = solver in ("ilp", "enumerate", "projective-chart")
    found = 0
    for _ in range(6):
        parser, sentence = draw_parser(rng, model), draw_sentence(rng, 4)
        left = forbid(rng, sentence, 0.3)
        if not has_trees(left, 4, True, projective):
            continue
        trees = PartTrees(parser, sentence, left, single_root=True, projective=projective)
        certificates = solver not in ("bp",)
        heads, gap = parse_parts(
            parser, sentence, solver=solver, projective=projective, certificates=certificates, **CONSTRAINED
        )
        assert heads in trees.values
        if exact or (certificates and gap == 0):
            assert trees.values[heads] == pytest.approx(trees.best, abs=1e-6)
            found += 1
    assert found or solver in ("bp", "annealing", "max-product", "hill-climbing")


@pytest.mark.parametrize("projective", [False, True])
def test_probabilities_and_kbest_of_parts(projective):
    """Exact ones, of projective trees; by belief propagation, what is forbidden has none."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        parser, sentence = draw_parser(rng, "grandparents"), draw_sentence(rng, 4)
        left = forbid(rng, sentence, 0.2)
        if not has_trees(left, 4, True, projective):
            continue
        options = ParseOptions(projective=projective, constraints=True)
        heads, _ = parser.probabilities(sentence, options)
        assert all(heads[arc] == 0 for arc in all_arcs(4) if arc not in left)
        trees = PartTrees(parser, sentence, left, single_root=True, projective=projective, sums=True)
        ranked = next(parser.kbest([sentence], 4, options))
        assert all(tuple(tree.heads) in trees.values for tree in ranked)
        if not projective:
            continue
        total = sum(exp(value - trees.best) for value in trees.values.values())
        expected = np.zeros((5, 5))
        for tree, value in trees.values.items():
            expected[list(tree), range(1, 5)] += exp(value - trees.best) / total
        np.testing.assert_allclose(heads, expected, atol=1e-9)


def test_nothing_binds_unless_it_is_asked_for():
    rng = np.random.default_rng(1)
    parser, sentence = draw_model(rng, "joint", 2), draw_words(rng, 4)
    best = next(parser.parse([sentence]))
    sentence.misc = [f"ForbiddenHeads={head}" for head in best.heads]
    free, bound = next(parser.parse([sentence])), next(parser.parse([sentence], FORBIDDEN))
    assert free.heads == best.heads
    assert not any(a == b for a, b in zip(bound.heads, best.heads, strict=True))
    assert bound.misc == sentence.misc


def test_heads_that_are_given_stay_beside_them():
    rng = np.random.default_rng(2)
    for _ in range(10):
        parser, sentence = draw_model(rng, "second-stage", 2), draw_words(rng, 4)
        left = forbid(rng, sentence, 0.2)
        sentence.heads[1] = next(head for head, modifier in left if modifier == 2)
        known = [-1 if head is None else head for head in sentence.heads]
        if not has_trees([a for a in left if known[a[1] - 1] in (-1, a[0])], 4, False, False):
            continue
        analyses = Analyses(parser, sentence, single_root=False, arcs=left, heads=known)
        check_against(analyses, parser, sentence, (False, False), **CONSTRAINED)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("ForbiddenHeads=x", "'x' is no number of a word"),
        ("ForbiddenHeads=", "'' is no number of a word"),
        ("ForbiddenHeads=1,", "'' is no number of a word"),
        ("A=b|ForbiddenHeads=-1", "'-1' is no number of a word"),
        ("ForbiddenHeads=1;3", "'1;3' is no number of a word"),
        ("ForbiddenHeads=4", "there is no word 4 in a sentence of 3"),
        ("ForbiddenHeads=99999999999", "there is no word 99999999999"),
        ("ForbiddenHeads=0,1,3", "every head of token 2 is forbidden"),
        ("ForbiddenHeads=0|ForbiddenHeads=1,3", "every head of token 2 is forbidden"),
    ],
)
def test_what_makes_no_sense_is_refused(item, reason):
    parser = draw_model(np.random.default_rng(0), "joint", 2)
    sentence = Sentence(["a", "b", "c"], misc=["_", item, "_"])
    for use in (
        lambda: next(parser.parse([sentence], FORBIDDEN)),
        lambda: next(parser.kbest([sentence], 2, FORBIDDEN)),
        lambda: parser.probabilities(sentence, FORBIDDEN),
        lambda: next(parser.parse([sentence], ParseOptions(constraints=True, solver="ilp"))),
    ):
        with pytest.raises(ArboraError, match=reason):
            use()
    assert next(parser.parse([sentence])).misc[1] == item


def test_a_head_that_is_given_and_forbidden_is_refused():
    parser = draw_model(np.random.default_rng(0), "joint", 2)
    sentence = Sentence(["a", "b", "c"], heads=[None, 3, None], misc=["_", "ForbiddenHeads=3", "_"])
    with pytest.raises(InfeasibleTreeError, match="the head 3 of token 2 is given and forbidden"):
        next(parser.parse([sentence], FORBIDDEN))


def test_a_refusal_names_the_line_of_the_word():
    parser = draw_model(np.random.default_rng(0), "joint", 2)
    row = "{}\tw\t_\tNOUN\t_\t_\t_\t_\t_\t{}\n"
    before = "# sent_id = s1\n" + row.format(1, "_") + "\n"
    text = (
        "# sent_id = s2\n1-2\tww" + "\t_" * 8 + "\n" + row.format(1, "_") + row.format(2, "ForbiddenHeads=7")
    )
    with pytest.raises(ArboraError, match=r"^7: sentence s2: MISC: ForbiddenHeads=7: there is no word 7"):
        list(parser.parse_conllu([(before + text + "\n").encode()], FORBIDDEN))


def test_rules_and_forbidden_arcs_bind_together():
    rng = np.random.default_rng(4)
    rules = Rules.parse("at most 1 children under any")
    seen = 0
    for _ in range(8):
        parser, sentence = draw_model(rng, "joint", 2), draw_words(rng, 4)
        left = set(forbid(rng, sentence, 0.15))
        chains = [
            tree
            for tree in Analyses(parser, sentence, arcs=sorted(left)).log_tree
            if max(tree.count(word) for word in range(1, 5)) <= 1
        ]
        if not chains:
            continue
        seen += 1
        (found,) = parse_with_rules(parser, [sentence], rules, FORBIDDEN)
        assert tuple(found.heads) in chains
        arrays = ArrayScores([rng.normal(size=(5, 5))])
        (found,) = parse_with_rules(ArrayParser(), [sentence], rules, FORBIDDEN, scores=arrays)
        assert tuple(found.heads) in chains
    assert seen > 2
