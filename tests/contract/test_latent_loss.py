"""Losses of what was partly observed: as by enumeration, with their gradients, for every kind of factor."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

import arbora
from arbora import factors
from arbora.errors import ArboraError
from arbora.learning import LOSSES, latent_loss
from tests.contract.test_propagation import acyclic, precise
from tests.oracles.factors import TWINS
from tests.oracles.latent import TaggedTrees
from tests.oracles.random_graphs import variable
from tests.oracles.scores import drawer, seeded

STYLES = ["random", "tied", "shifted", "impossible"]


class Tagged:
    """A tree whose words have tags, as a graph."""

    def __init__(self, tags: np.ndarray, arcs: np.ndarray, links: np.ndarray) -> None:
        self.graph = arbora.FactorGraph()
        self.tags = self.graph.categorical(tags, name="tags")
        self.arcs = self.graph.binary(arcs, name="arcs")
        self.graph.add(factors.Tree(self.arcs))
        self.heads, self.modifiers = np.nonzero(~np.eye(len(tags), dtype=bool))
        if len(self.heads):
            self.graph.add(
                factors.TagLink(
                    self.arcs[self.heads + 1, self.modifiers + 1],
                    self.tags[self.heads],
                    self.tags[self.modifiers],
                    links[self.heads, self.modifiers],
                )
            )

    def observed(self, heads: dict[int, int], tags: dict[int, int]):
        found = [(self.arcs[:, m], np.arange(len(self.arcs)) == head) for m, head in heads.items()]
        return found + [(self.tags[place], tag) for place, tag in tags.items()]

    def gradients(self, loss, links: np.ndarray) -> dict[str, np.ndarray]:
        found = np.zeros_like(links)
        if len(self.heads):
            found[self.heads, self.modifiers] = loss.parts[1].reshape(-1, *links.shape[2:])
        return {"tags": loss[self.tags], "arcs": loss[self.arcs], "links": found}


def draw_tagged(style: str, n: int, g: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draw = drawer(seeded("tagged", style, n, g, seed), style)
    return draw((n, g)), draw((n + 1, n + 1)), draw((n, n, g, g))


def pick_observed(rng: np.random.Generator, arrays) -> tuple[dict[int, int], dict[int, int]] | None:
    """Heads and tags of some words, of an assignment that is possible; None if none is."""
    twin = TaggedTrees(*arrays)
    possible = np.flatnonzero(twin.scores > -inf)
    if not len(possible):
        return None
    heads, tags = twin.each[int(rng.choice(possible))]
    n = len(tags)
    seen = rng.random(n) < 0.6
    return (
        {m: heads[m] for m in range(1, n + 1) if seen[m - 1]},
        {i: tags[i] for i in range(n) if rng.random() < 0.3},
    )


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("n", "g"), [(1, 1), (1, 3), (2, 2), (3, 2)])
def test_trees_with_hidden_tags(style: str, n: int, g: int) -> None:
    compared = 0
    for seed in range(4):
        arrays = draw_tagged(style, n, g, seed)
        observed = pick_observed(seeded(style, n, g, seed), arrays)
        if observed is None:
            continue
        wanted, gradients = TaggedTrees(*arrays).loss(*observed)
        model = Tagged(*arrays)
        loss = latent_loss(model.graph, model.observed(*observed), "enumerate")
        assert loss.value == pytest.approx(wanted, abs=1e-9)
        for name, found in model.gradients(loss, arrays[2]).items():
            np.testing.assert_allclose(found, gradients[name], rtol=0, atol=1e-9)
        compared += 1
    assert compared


@pytest.mark.parametrize("style", STYLES)
def test_propagation_sums_tags_of_an_observed_tree_exactly(style: str) -> None:
    """The links of a given tree make no cycle; nor do tags of one word alone, without links."""
    for seed in range(6):
        arrays = draw_tagged(style, 4, 2, seed)
        twin = TaggedTrees(*arrays)
        if not (twin.scores > -inf).any():
            continue
        heads = twin.each[int(twin.scores.argmax())][0]
        model = Tagged(*arrays)
        given = model.observed({m: heads[m] for m in range(1, 5)}, {})
        found = model.graph.solve("bp", given=given, tolerance=1e-13)
        wanted = model.graph.solve("enumerate", given=given, most=1e9)
        assert found.log_partition == pytest.approx(wanted.log_partition, abs=1e-9)
        np.testing.assert_allclose(found.beliefs, wanted.beliefs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("style", ["random", "tied", "extreme", "impossible"])
@pytest.mark.parametrize("kind", sorted(TWINS))
def test_every_kind_of_factor_without_cycles(kind: str, style: str) -> None:
    """By propagation as by enumeration, if some variables of a possible assignment are observed."""
    for number, graph in enumerate(acyclic(kind, style)):
        best = graph.solve("enumerate")
        if best.infeasible:
            continue
        rng = seeded("observed", kind, style, number)
        seen = [variable(graph, v) for v in range(graph._core.variables) if rng.random() < 0.4]
        observed = [(one, best.assignment_of(one)) for one in seen]
        found = latent_loss(graph, observed, **precise(style))
        wanted = latent_loss(graph, observed, "enumerate")
        assert found.free.converged
        assert found.given.converged
        magnitude = 1 + abs(wanted.free.log_partition)
        assert found.value == pytest.approx(wanted.value, abs=1e-9 * magnitude)
        assert wanted.value >= -1e-12 * magnitude
        for one in range(graph._core.variables):
            np.testing.assert_allclose(
                found[variable(graph, one)], wanted[variable(graph, one)], rtol=0, atol=1e-9
            )
        for got, part in zip(found.parts, wanted.parts, strict=True):
            np.testing.assert_allclose(got, part, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("solver", ["bp", "enumerate"])
def test_gradients_by_slopes(solver: str) -> None:
    """Along random directions. Bethe's difference has the gradient that is told where propagation rests."""
    options = {"tolerance": 1e-14, "iterations": 2000} if solver == "bp" else {}
    for seed in range(5):
        arrays = draw_tagged("random", 3, 2, seed)
        rng = seeded("slopes", seed)
        observed = {1: 0, 2: 1, 3: 1}, ({0: 1} if seed % 2 else {})
        directions = [rng.normal(size=array.shape) for array in arrays]

        def at(step: float, arrays=arrays, directions=directions, observed=observed):
            own = [array + step * direction for array, direction in zip(arrays, directions, strict=True)]
            model = Tagged(*own)
            loss = latent_loss(model.graph, model.observed(*observed), solver, **options)
            return model, loss

        model, loss = at(0.0)
        assert loss.free.converged
        gradients = model.gradients(loss, arrays[2])
        expected = sum(float((gradients[k] * d).sum()) for k, d in zip(gradients, directions, strict=True))
        slope = (at(1e-5)[1].value - at(-1e-5)[1].value) / 2e-5
        assert slope == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_all_observed_is_a_crf(n: int) -> None:
    scores = seeded("crf", n).normal(size=(n + 1, n + 1))
    graph = arbora.FactorGraph()
    arcs = graph.binary(scores)
    graph.add(factors.Tree(arcs))
    heads = np.array([-1, *range(n)])
    tree = heads == np.arange(n + 1)[:, None]
    value, gradient = LOSSES["crf"].of_tree(scores, heads)
    for solver in ("bp", "enumerate"):
        loss = latent_loss(graph, [(arcs, tree)], solver, **({"most": 1e9} if solver == "enumerate" else {}))
        assert loss.value == pytest.approx(value, abs=1e-9)
        np.testing.assert_allclose(loss[arcs], gradient, rtol=0, atol=1e-9)


def test_nothing_observed_costs_nothing() -> None:
    model = Tagged(*draw_tagged("random", 3, 2, 0))
    loss = latent_loss(model.graph, [])
    assert loss.value == 0
    assert not loss[model.arcs].any()


def test_evidence_of_the_graph_is_known_to_both_sums() -> None:
    graph = arbora.FactorGraph()
    x = graph.categorical([[0.0, 1.0, 2.0], [0.5, 0.0, 0.0]], name="x")
    graph.add(factors.Table([x[:1], x[1:]], seeded("both").normal(size=(3, 3))))
    graph.clamp(x[0], 2)
    assert latent_loss(graph, [(x[0], 2)]).value == pytest.approx(0, abs=1e-12)
    both = latent_loss(graph, [(x[1], 1)]).value
    graph.release(x[0])
    chain = latent_loss(graph, [(x, [2, 1])]).value - latent_loss(graph, [(x[0], 2)]).value
    assert both == pytest.approx(chain, abs=1e-9)
    assert graph.solve("bp")[x][0, 2] < 1  # nothing of it stays


def test_what_cannot_be() -> None:
    graph = arbora.FactorGraph()
    x = graph.binary([[1.0, -inf], [0.0, 0.0]], name="x")
    graph.add(factors.AtMostOne(x.ravel()))
    with pytest.raises(ArboraError, match="observations are impossible"):
        latent_loss(graph, [(x[1], True)])
    with pytest.raises(ArboraError, match="observations are impossible"):
        latent_loss(graph, [(x[0, 1], True)], "enumerate")
    graph.clamp(x[1, 0], False)
    with pytest.raises(ArboraError, match=r"x\[1,0\] is known to be 0: it cannot be given as 1"):
        latent_loss(graph, [(x[1, 0], True)])
    with pytest.raises(ArboraError, match=r"x\[0,0\] is known to be 1: it cannot be given as 0"):
        latent_loss(graph, [(x[0, 0], True), (~x[0, 0], True)])
    with pytest.raises(ArboraError, match="ilp gives no probabilities"):
        latent_loss(graph, [(x[0, 0], True)], "ilp")
    with pytest.raises(ArboraError, match=r"values of shape \(3,\) do not fit variables of shape \(2, 2\)"):
        latent_loss(graph, [(x, [True, False, True])])
    graph.add(factors.Or(x[:, 1]), factors.Nand(x[1, 1].reshape(1)))
    with pytest.raises(ArboraError, match="no assignment satisfies all factors"):
        latent_loss(graph, [])
