"""Factor graphs as users meet them: variables, evidence, pictures, descriptions, wrong uses."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from math import inf, nan
from xml.etree import ElementTree

import numpy as np
import pytest

from arbora import FactorGraph, factors
from arbora.errors import ArboraError
from arbora.inference import SOLVERS


def small() -> tuple[FactorGraph, factors.VariableArray]:
    graph = FactorGraph()
    x = graph.binary([[1.0, -2.0], [0.5, 0.0]], name="x")
    tags = graph.categorical([[0.0, 1.0, 2.0]], name="tags")
    graph.add(factors.ExactlyOne(x), factors.Nand(factors.join(~x[0, 0], x[1, 1])))
    graph.add(factors.TagLink(x[0, 0], tags[0], tags[0], np.zeros((3, 3))))
    graph.clamp(x[0, 1], False)
    return graph, x


def test_pictures() -> None:
    graph, _ = small()
    root = ElementTree.fromstring(graph.draw())
    shapes = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert shapes.count("circle") == 5  # four binary variables and a tag
    assert shapes.count("rect") == 4  # two rows of ExactlyOne, a Nand, a TagLink
    assert "stroke-dasharray" in graph.draw()
    assert "x[0,1] = 0" in graph.draw()


def test_large_graphs_are_not_drawn() -> None:
    graph = FactorGraph()
    graph.add(factors.ExactlyOne(graph.binary(np.zeros((100, 3)))))
    with pytest.raises(ArboraError, match="too many for a picture"):
        graph.draw()


def test_an_empty_graph() -> None:
    graph = FactorGraph()
    assert graph.draw().startswith("<svg")
    assert str(graph) == "variables\nfactors"
    for name in SOLVERS:
        assert not graph.solve(name).infeasible


def test_descriptions() -> None:
    graph, x = small()
    assert "x      4 binary, 1 known" in str(graph)
    assert "tags   1 of 3 values" in str(graph)
    assert "ExactlyOne   2 on 4 variables" in str(graph)
    assert repr(graph) == "<FactorGraph: 5 variables, 4 factors>"
    assert repr(~x[0]) == "<2 binary variables, negated>"
    assert list(graph.variables) == ["x", "tags"]


def test_evidence() -> None:
    graph = FactorGraph()
    x = graph.binary([1.0, 2.0])
    tag = graph.categorical([0.0, 5.0])
    graph.clamp(x, [False, True])
    graph.clamp(tag, 0)
    solution = graph.solve("enumerate")
    assert solution.assignment_of(x).tolist() == [False, True]
    assert solution.assignment_of(tag) == 0
    assert solution.value == 2.0
    graph.clamp(~x[0], False)  # not-x is false: x is true
    graph.release(tag)
    solution = graph.solve("enumerate")
    assert solution.assignment_of(x[0])
    assert solution.value == 8.0


def test_arrays() -> None:
    _, x = small()
    assert x.shape == (2, 2)
    assert x.T.numbers.tolist() == x.numbers.T.tolist()
    assert x.reshape(4).shape == x.ravel().shape == (4,)
    assert [row.shape for row in x] == [(2,), (2,)]
    assert factors.join(x[0], x[1, 0]).size == 3


@pytest.mark.parametrize("scores", [nan, inf, [[1.0], [1.0, 2.0]], "text"])
def test_scores_that_are_none(scores: object) -> None:
    with pytest.raises(ArboraError):
        FactorGraph().binary(scores)  # type: ignore[arg-type]


def test_wrong_uses() -> None:
    graph, x = small()
    other = FactorGraph()
    with pytest.raises(ArboraError, match="another graph"):
        other.add(factors.Or(x))
    with pytest.raises(ArboraError, match="another graph"):
        other.clamp(x, True)
    with pytest.raises(ArboraError, match="no factor"):
        graph.add("Or")  # type: ignore[arg-type]
    with pytest.raises(ArboraError, match="already"):
        graph.binary(0.0, name="x")
    with pytest.raises(ArboraError, match="no such value"):
        graph.clamp(graph.variables["tags"], 3)
    with pytest.raises(ArboraError, match="negated"):
        ~graph.variables["tags"]
    with pytest.raises(ArboraError, match="there is no solver 'magic'"):
        graph.solve("magic")
    with pytest.raises(ArboraError, match="no option 'speed'"):
        graph.solve("bp", speed=1)
    with pytest.raises(ArboraError, match="tree must be one of"):
        graph.solve("lp", tree="oak")
    with pytest.raises(ArboraError, match="seconds"):
        graph.solve("ilp", seconds=0)
    with pytest.raises(ArboraError, match="too many assignments"):
        graph.solve("enumerate", most=2)


def test_scores_of_one_variable() -> None:
    graph = FactorGraph()
    x = graph.binary(0.5)
    assert x.shape == ()
    assert graph.solve("bp")[x].shape == ()


def test_linear_programs_stop_in_time() -> None:
    graph = FactorGraph()
    rng = np.random.default_rng(0)
    arcs = graph.binary(rng.normal(size=(16, 16)))
    graph.add(factors.Tree(arcs), factors.siblings(arcs, rng.normal(size=(16, 16, 16))))
    solution = graph.solve("ilp", seconds=1e-3)
    assert not solution.converged
    assert not solution.is_certified


OWN_FACTOR = """
import arbora

class Same(arbora.factors.CustomFactor):
    def score(self, values):
        return float(len(set(values)) == 1)

graph = arbora.FactorGraph()
x = graph.binary([1.0, -1.0])
graph.add(Same(x))
print(graph.solve("bp")[x].round(3))
"""


def test_a_script_with_a_factor_of_its_own_ends_silently() -> None:
    done = subprocess.run(
        [sys.executable, "-c", OWN_FACTOR], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == "[0.638 0.362]\n"  # of 3 e + 1 / e: 2 e, and e + 1 / e
    assert done.stderr == ""


class Same(factors.CustomFactor):
    def score(self, values: tuple[int, ...]) -> float:
        return float(len(set(values)) == 1)


def test_graphs_that_their_factors_know_are_freed() -> None:
    graph = FactorGraph()
    factor = Same(graph.binary([1.0, -1.0]))
    graph.add(factor)
    factor.graph = graph  # type: ignore[attr-defined]  # a circle
    watched = weakref.ref(factor)
    del graph, factor
    gc.collect()
    assert watched() is None


def test_collecting_leaves_graphs_alone_that_are_in_use() -> None:
    graph = FactorGraph()
    x = graph.binary([1.0, -1.0])
    graph.add(Same(x))
    before = graph.solve("bp", given=[(x[0], True)])[x]
    copies = [graph._core.copy() for _ in range(3)]
    del copies[1:]
    for _ in range(3):
        gc.collect()
    assert (graph.solve("bp", given=[(x[0], True)])[x] == before).all()
    del graph, x
    gc.collect()
    assert copies[0].groups == 1


class One(factors.CustomFactor):
    """One of twenty: too many configurations to go through, but few that are allowed."""

    def score(self, values: tuple[int, ...]) -> float:
        return 0.0 if sum(values) == 1 else -inf


class OneOracle(One):
    def best(self, given: np.ndarray) -> tuple[float, list[int]]:
        return float(given.max()), [int(given.argmax())]


class OneListed(One):
    def configurations(self) -> list[tuple[list[int], float]]:
        return [([place], 0.0) for place in range(20)]


@pytest.mark.parametrize("solver", ["lp", "ilp"])
def test_large_factors_of_ones_own_are_told_what_linear_programs_need(solver: str) -> None:
    """What the message asks for is enough, and oracles for other solvers are not."""
    graph = FactorGraph()
    graph.add(OneOracle(graph.binary(np.arange(20.0))))
    with pytest.raises(ArboraError, match="for lp and ilp its own configurations"):
        graph.solve(solver)
    graph = FactorGraph()
    graph.add(OneListed(graph.binary(np.arange(20.0))))
    assert graph.solve(solver).value == 19.0


def test_trees_of_listed_arcs() -> None:
    graph = FactorGraph()
    arcs = graph.binary([1.0, 2.0, 0.5, 3.0])
    heads, modifiers = [0, 0, 1, 2], [1, 2, 2, 1]
    graph.add(factors.Tree(arcs, heads=heads, modifiers=modifiers))
    solution = graph.solve("bp")
    assert solution.tree(arcs, heads=heads, modifiers=modifiers).tolist() == [-1, 2, 0]
    with pytest.raises(ArboraError, match="needs heads and modifiers"):
        solution.tree(arcs)
    with pytest.raises(ArboraError, match="both the heads and the modifiers"):
        solution.tree(arcs, heads=heads)
