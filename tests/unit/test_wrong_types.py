"""Wrong types for trees and factor graphs: one clear ArboraError, or it simply works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from arbora import FactorGraph, factors, trees
from arbora.errors import ArboraError, InvalidScoresError, WrongTypeError
from arbora.experiments.hardness import hamiltonian_path, three_dimensional_matching

ONE_LINE = r"^[^\n]+$"

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "mst": trees.mst,
    "log_partition": trees.log_partition,
    "marginals": trees.marginals,
    "entropy": trees.entropy,
    "kbest": lambda scores, **options: trees.kbest(scores, 2, **options),
    "sample": lambda scores, **options: trees.sample(scores, 2, **options),
    "mbr": trees.mbr,
    "expectations": trees.expectations,
    "constrain": trees.constrain,
}
WRONG: dict[str, Any] = {
    "none": None,
    "a number": 3,
    "text": "x",
    "texts": ["x"],
    "an array of texts": np.array([["a", "b"], ["c", "d"]]),
    "ragged rows": [[[1.0, 2.0], [3.0]]],
    "no rows": np.zeros((0, 0)),
}
FORCED = np.zeros((3, 3), bool)
FORCED[0, 2] = True
MASKS: dict[str, dict[str, Any]] = {
    "no mask": {},
    "forced": {"forced": FORCED},
    "forbidden": {"forbidden": FORCED},
    "empty": {"forced": np.zeros((0, 0), bool)},
    "too few": {"forced": []},
    "a number": {"forced": 3},
    "ragged": {"forbidden": [[True], [True, False]]},
}


def test_every_function_is_here() -> None:
    made = {name for name in trees.__all__ if name.islower()}
    assert made == set(FUNCTIONS)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("scores", WRONG)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_scores_that_are_none(function: str, scores: str, mask: str) -> None:
    works = function == "constrain" and scores == "no rows" and mask in ("no mask", "empty")
    if works:
        assert FUNCTIONS[function](WRONG[scores], **MASKS[mask]).shape == (0, 0)
        return
    with pytest.raises(ArboraError):
        FUNCTIONS[function](WRONG[scores], **MASKS[mask])


@pytest.mark.parametrize("mask", ["empty", "too few", "a number", "ragged"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_masks_that_are_none(function: str, mask: str) -> None:
    scores = np.zeros((3, 3))
    with pytest.raises(ArboraError, match=r"forced|forbidden"):
        FUNCTIONS[function](scores if function == "constrain" else [scores], **MASKS[mask])


@pytest.mark.parametrize("mask", ["no mask", "forced", "forbidden"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_arrays_that_are_not_contiguous(function: str, mask: str) -> None:
    plain = np.random.default_rng(1).normal(size=(3, 3))
    spaced = np.zeros((6, 6))
    spaced[::2, ::2] = plain
    found = [
        repr(FUNCTIONS[function](scores if function == "constrain" else [scores], **own))
        for scores in (plain, np.asfortranarray(plain), spaced[::2, ::2])
        for own in [
            MASKS[mask]
            if function == "constrain"
            else {name: [np.asfortranarray(one)] for name, one in MASKS[mask].items()}
        ]
    ]
    assert found[0] == found[1] == found[2]


def test_no_sentences() -> None:
    assert trees.mst([], forced=[], forbidden=[]) == []


@pytest.mark.parametrize("wrong", [3, "x", None, [1, 2], np.zeros(2)])
@pytest.mark.parametrize(
    "use",
    [
        lambda graph, wrong: graph.clamp(wrong),
        lambda graph, wrong: graph.release(wrong),
        lambda graph, wrong: graph.add(wrong),
        lambda graph, wrong: graph.solve("bp", given=[(wrong, True)]),
        lambda graph, wrong: graph.solve("bp")[wrong],
        lambda graph, wrong: graph.solve("ilp").assignment_of(wrong),
        lambda graph, wrong: graph.solve("bp").tree(wrong),
        lambda graph, wrong: factors.join(wrong),
    ],
)
def test_what_is_no_variable(use: Callable[[FactorGraph, Any], Any], wrong: object) -> None:
    graph = FactorGraph()
    graph.binary([0.0, 1.0])
    with pytest.raises(ArboraError):
        use(graph, wrong)


@pytest.mark.parametrize("value", ["x", None, 0.5, [[True], [True, False]], [True] * 3])
def test_what_is_no_value(value: object) -> None:
    graph = FactorGraph()
    x = graph.binary([0.0, 1.0])
    with pytest.raises(ArboraError, match="values"):
        graph.clamp(x, value)
    with pytest.raises(ArboraError, match="values"):
        graph.solve("bp", given=[(x, value)])


@pytest.mark.parametrize("given", [3, [3], [(1, 2, 3)]])
def test_what_is_not_given(given: Any) -> None:
    graph = FactorGraph()
    graph.binary([0.0])
    with pytest.raises(ArboraError, match="given"):
        graph.solve("bp", given=given)


@pytest.mark.parametrize("solver", ["lp", "ilp"])
def test_bounds_without_factors(solver: str) -> None:
    graph = FactorGraph()
    graph.binary([1.0, -2.0])
    graph.categorical([[0.5, 2.0]])
    assert graph.solve(solver).upper_bound == pytest.approx(3.0)


@pytest.mark.parametrize("options", [{"single_root": "x"}, {"projective": 3}, {"threads": 1.5}])
@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name != "constrain"])
def test_options_of_trees_that_are_none(function: str, options: dict[str, Any]) -> None:
    with pytest.raises(WrongTypeError, match=ONE_LINE):
        FUNCTIONS[function]([np.zeros((3, 3))], **options)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("function", FUNCTIONS)
def test_complex_scores(function: str) -> None:
    scores = np.zeros((3, 3), complex)
    with pytest.raises(InvalidScoresError, match="real numbers"):
        FUNCTIONS[function](scores if function == "constrain" else [scores])
    if function not in ("constrain", "expectations"):
        with pytest.raises(InvalidScoresError, match="real numbers"):
            FUNCTIONS[function](scores)


def small_graph() -> tuple[FactorGraph, Any, Any]:
    graph = FactorGraph()
    return graph, graph.binary([0.0, 1.0]), graph.categorical([[0.0, 1.0], [0.0, 0.0]])


@pytest.mark.parametrize("wrong", [3, None, "x", object(), [1, 2], [[1], [1, 2]]])
@pytest.mark.parametrize(
    ("make", "takes"),
    [
        (lambda x, tags, wrong: factors.TagChain(wrong), []),
        (lambda x, tags, wrong: factors.TagChain(tags, wrong), [3, [1, 2]]),
        (lambda x, tags, wrong: factors.Table(wrong, 0.0), []),
        (lambda x, tags, wrong: factors.Table(wrong, wrong), []),
        (lambda x, tags, wrong: factors.AtMost(wrong, 1), []),
        (lambda x, tags, wrong: factors.AtMost([x], wrong), [3]),
        (lambda x, tags, wrong: factors.Counts(wrong, [0.0]), []),
        (lambda x, tags, wrong: factors.Counts(x[None], wrong), [[1, 2]]),
        (lambda x, tags, wrong: factors.Pairs(wrong, [[0, 1]]), []),
        (lambda x, tags, wrong: factors.Pairs(x, wrong), []),
    ],
)
def test_factors_of_what_is_no_variable(
    make: Callable[[Any, Any, Any], Any], takes: list[Any], wrong: object
) -> None:
    _, x, tags = small_graph()
    if wrong in takes:
        return
    with pytest.raises(ArboraError, match=ONE_LINE):
        make(x, tags, wrong)


@pytest.mark.parametrize(
    ("solver", "options"),
    [
        ("bp", {"iterations": "a"}),
        ("bp", {"iterations": 1.5}),
        ("bp", {"damping": "a"}),
        ("bp", {"schedule": 3}),
        ("bp", {"parts": "a"}),
        ("max-product", {"iterations": None}),
        ("annealing", {"steps": []}),
        ("ad3", {"iterations": "a"}),
        ("ad3", {"tolerance": None}),
        ("dual-decomposition", {"beta": "a"}),
        ("ilp", {"seconds": "a"}),
        ([], {}),
        (None, {}),
    ],
)
def test_options_of_solvers_that_are_none(solver: str, options: dict[str, Any]) -> None:
    with pytest.raises(ArboraError, match=ONE_LINE):
        small_graph()[0].solve(solver, **options)


def test_a_tree_of_what_has_arcs_heads_and_modifiers() -> None:
    class Arcs(NamedTuple):
        arcs: Any
        heads: Any
        modifiers: Any

    graph = FactorGraph()
    arcs = graph.binary([3.0, 1.0, 0.5])
    own = Arcs(arcs, np.array([0, 2, 0]), np.array([2, 1, 1]))
    graph.add(factors.Tree(arcs, heads=own.heads, modifiers=own.modifiers))
    assert graph.solve("enumerate").tree(own).tolist() == [-1, 2, 0]


@pytest.mark.parametrize(
    "use",
    [
        lambda: three_dimensional_matching(1, [(0, 0, 5)]),
        lambda: three_dimensional_matching(1, [(0, 0)]),  # type: ignore[list-item]
        lambda: three_dimensional_matching(1, 3),  # type: ignore[arg-type]
        lambda: three_dimensional_matching("x", []),  # type: ignore[arg-type]
        lambda: hamiltonian_path(2, [(1, 3)]),
        lambda: hamiltonian_path(None, []),  # type: ignore[arg-type]
    ],
)
def test_problems_that_are_none(use: Callable[[], Any]) -> None:
    with pytest.raises(ArboraError, match=ONE_LINE):
        use()
