"""Hidden tags of words, summed out by belief propagation: by enumeration, and by the factor room."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest
from contract.test_parser import draw_sentence
from oracles.parsing import random_parser
from small_training import changed, check_same_bytes, las, treebank
from tagged_cases import NEGLIGIBLE, TaggedCase, check_beliefs, forest

from arbora.dependency import (
    DependencyParser,
    ParseOptions,
    Rules,
    TrainingOptions,
    parse_with_rules,
    preset_options,
    preset_templates,
    train,
)
from arbora.dependency.training import check_recipe
from arbora.errors import ArboraError
from arbora.features import Templates
from arbora.models import read_model, write_model
from tests.oracles.latent import TaggedTrees, log_sum
from tests.oracles.scores import seeded
from tests.oracles.trees import all_trees, is_tree

TAGS = "[tags]\nmodifier.form : alone\nmodifier.upos & modifier-1.form : alone\n"
LINKS = "[tag-links]\nhead.form & modifier.form : direction\nhead.upos & modifier.upos : distance\n"


class Case(TaggedCase):
    """With gold heads."""

    def __init__(
        self, rng, n: int, tags: int, spread: float, *, arcs=None, single_root=False, model=""
    ) -> None:
        super().__init__(rng, n, TAGS + LINKS, tags, spread, arcs=arcs, single_root=single_root, model=model)
        self.tags = tags
        above = [[head for head, word in self.arcs if word == modifier] for modifier in range(1, n + 1)]
        every = [[-1, *heads] for heads in product(*above)]
        trees = [heads for heads in every if is_tree(np.array(heads), single_root, False)]
        self.heads = trees[rng.integers(len(trees))]

    def scores(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of tags, arcs (-inf where there is no candidate) and links, as their twin takes them."""
        arcs = np.full((self.n + 1, self.n + 1), -inf)
        links = np.zeros((self.n, self.n, self.tags, self.tags))
        words = [(0, word) for word in range(1, self.n + 1)]
        of_arcs = self.twin.arcs(self.sentence, self.weights)
        rows = self.twin.arc_rows(self.sentence, self.weights, "tag-links", self.arcs, self.tags**2)
        for (head, modifier), row in zip(self.arcs, rows, strict=True):
            arcs[head, modifier] = of_arcs[head, modifier]
            if head:
                links[head - 1, modifier - 1] = row.reshape(self.tags, self.tags)
        return self.twin.arc_rows(self.sentence, self.weights, "tags", words, self.tags), arcs, links

    def expected(self, beta: float, gamma: float) -> float:
        """The loss, by every tree with all its tags."""
        own = TaggedTrees(*(beta * array for array in self.scores()), single_root=self.single_root)
        costs = np.array([sum(a != b for a, b in zip(tree, self.heads, strict=True)) for tree, _ in own.each])
        gold = log_sum(own.scores[costs == 0])
        return (log_sum(own.scores + beta * gamma * costs) - gold) / beta


def test_scores_are_sums_of_features():
    for n, tags in [(1, 1), (2, 3), (4, 2), (3, 9)]:
        case = Case(seeded("sums", n, tags), n, tags, 0.5)
        words, links, *chain = case.core.tag_scores(case.weights, case.encoded, 0, case.arcs)
        assert chain == [[], []]
        every = [(0, word) for word in range(1, n + 1)]
        expected = case.twin.arc_rows(case.sentence, case.weights, "tags", every, tags)
        np.testing.assert_allclose(np.reshape(words, expected.shape), expected, atol=1e-6)
        linked = [arc for arc in case.arcs if arc[0]]  # the root has no tag
        expected = case.twin.arc_rows(case.sentence, case.weights, "tag-links", linked, tags**2)
        np.testing.assert_allclose(links, np.ravel(expected), atol=1e-6)


@pytest.mark.parametrize(("beta", "gamma"), [(1.0, 0.0), (1.0, 1.0), (0.5, 2.0), (3.0, 0.5)], ids=str)
def test_losses_are_exact_without_circles(beta, gamma):
    greatest = 0.0
    for n, tags in [(1, 1), (1, 3), (2, 2), (3, 2), (4, 2), (4, 3), (5, 2)]:
        rng = seeded("forest", n, tags)
        case = Case(rng, n, tags, 1.0, arcs=forest(rng, n))
        value, gradient = case.loss(beta, gamma)
        assert value == pytest.approx(case.expected(beta, gamma), abs=1e-6)
        assert np.isfinite(gradient).all()
        greatest = max(greatest, value)
    assert greatest > 1


def test_one_tag_is_none():
    """What it scores is the arcs' own."""
    for n in (1, 2, 3, 4):
        case = Case(seeded("one tag", n), n, 1, 0.7, single_root=bool(n % 2))
        for beta, gamma in [(1.0, 0.0), (2.0, 1.0)]:
            assert case.loss(beta, gamma)[0] == pytest.approx(case.expected(beta, gamma), abs=1e-6)


def test_a_tree_without_choice_costs_nothing():
    """The sum over its tags is exact, by propagation as from the leaves to the root."""
    for n, tags in [(1, 4), (3, 2), (6, 3), (9, 2)]:
        rng = seeded("no choice", n, tags)
        above = [-1, *(int(rng.integers(m)) for m in range(1, n + 1))]
        case = Case(rng, n, tags, 1.5, arcs=[(above[m], m) for m in range(1, n + 1)])
        value, gradient = case.loss(1.0, 1.0)
        assert value == pytest.approx(0, abs=1e-9)
        assert not gradient.any()


@pytest.mark.parametrize("model", ["", "consecutive-siblings", "siblings and grandparents", "all kinds"])
@pytest.mark.parametrize(("beta", "gamma"), [(1.0, 0.0), (2.0, 0.5)], ids=str)
def test_slopes_of_bethe(model, beta, gamma):
    """The gradient is that of the value, but for what is left out of it."""
    greatest = 0.0
    for n, tags in [(2, 2), (3, 3), (4, 2)]:
        rng = seeded("slopes of tags", model, n, tags)
        case = Case(rng, n, tags, 0.1 / beta, model=model, single_root=bool(n % 2))
        greatest = max(greatest, case.check_slopes(rng, beta, gamma))
    assert greatest > 0.2


def test_gradients_are_expected_features():
    """Where propagation is exact: those of all trees and tags, less those of the gold tree with its tags."""
    for n, tags in [(1, 2), (2, 3), (4, 2)]:
        rng = seeded("expected", n, tags)
        case = Case(rng, n, tags, 0.8, arcs=forest(rng, n))
        _, gradient = case.loss(1.0, 0.0)
        twin = TaggedTrees(*case.scores(), single_root=False)
        _, by = twin.loss({m: case.heads[m] for m in range(1, n + 1)}, {})
        own, uses = np.zeros(len(gradient)), np.zeros(len(gradient))
        for arc in case.arcs:
            case.twin.add_arc(case.sentence, own, arc, by["arcs"][arc])
            case.twin.add_arc(case.sentence, uses, arc, 1.0)
        for place, value in np.ndenumerate(by["tags"]):
            for total, one in ((own, value), (uses, 1.0)):
                case.twin.add_label(case.sentence, total, "tags", (0, place[0] + 1), place[1], one)
        for (above, below, *pair), value in np.ndenumerate(by["links"]):
            if (above + 1, below + 1) in case.arcs:
                for total, one in ((own, value), (uses, 1.0)):
                    arc, number = (above + 1, below + 1), pair[0] * tags + pair[1]
                    case.twin.add_label(case.sentence, total, "tag-links", arc, number, one)
        assert (np.abs(gradient - own) <= 1e-5 + NEGLIGIBLE * uses).all()
        assert n == 1 or np.abs(own).max() > 0.1


# ---- parsers ----


def draw_parser(rng: np.random.Generator, tags: int, scale: float = 0.1) -> DependencyParser:
    whole = preset_templates("first-order")
    templates = Templates(arcs=whole.arcs, labels=whole.labels, tags=whole.tags, tag_links=whole.tag_links)
    parser = random_parser(rng, templates=str(templates), labels=2, scale=scale, tags=tags)
    parser.header.pop("joint_scale", None)
    return DependencyParser(parser.header, parser._weights, parser._pruner_weights)


@pytest.mark.parametrize("tags", [1, 2, 4])
def test_probabilities_are_those_of_the_graph(tags):
    """Propagation of heads and that of the factor room, over binary arcs, rest at the same beliefs."""
    for n in (1, 2, 3, 5, 8):
        rng = seeded("beliefs", tags, n)
        parser, sentence = draw_parser(rng, tags), draw_sentence(rng, n)
        _, found, _ = check_beliefs(parser, sentence)
        assert found.shape == (n,)


def test_ranked_trees_are_summed_over_their_tags():
    """What one tree is more probable than another is exact, by enumeration of the tags of both."""
    for n in (1, 2, 3):
        rng = seeded("ranked", n)
        parser, sentence = draw_parser(rng, 3), draw_sentence(rng, n)
        view = parser.graph(sentence, sums=True)
        found = {tuple(t.heads): t.log_probability for t in next(parser.kbest([sentence], 200))}
        chosen = {}
        for heads in found:
            tree = np.array([heads[m - 1] == h for h, m in zip(view.heads, view.modifiers, strict=True)])
            given = view.graph.solve("enumerate", given=[(view.arcs, tree)], most=1e9)
            chosen[heads] = given.log_partition
        trees = {tuple(tree[1:]) for tree in all_trees(n, True, False).tolist()}
        assert set(found) == trees
        # Of each tree all labellings are listed, so that the first is the most probable one.
        labels = {
            heads: sum(
                float(np.exp(t.log_probability))
                for t in next(parser.kbest([sentence], 200))
                if tuple(t.heads) == heads
            )
            for heads in found
        }
        first = next(iter(found))
        for heads in found:
            expected = chosen[heads] - chosen[first]
            assert np.log(labels[heads] / labels[first]) == pytest.approx(expected, abs=1e-6)


TAGGED = {"latent_tags": 3, "solver": "bp", "loss": "crf", "propagations": 5}


def tagged(**more) -> TrainingOptions:
    return changed(**{**TAGGED, **more})


@pytest.mark.parametrize("labels", ["joint", "second-stage"])
@pytest.mark.parametrize("preset", ["first-order", "belief"])
def test_it_fits_what_it_is_shown(preset, labels):
    data = treebank()
    options = preset_options(preset, epochs=12, bits=16, pruner_bits=14, labels=labels, **TAGGED)
    parser = train(data, None, options, dev_fraction=0.0)
    assert las(parser, data) > 0.95
    assert las(parser, data, ParseOptions(decoder="mbr")) > 0.95


def test_with_roles_and_a_margin():
    data = treebank()
    options = tagged(latent_roles=2, labels="second-stage", loss="softmax-margin", epochs=8, bits=16)
    parser = train(data, None, options, dev_fraction=0.0)
    assert las(parser, data) > 0.95


def test_the_same_bytes_for_any_threads_and_after_a_kill(tmp_path):
    check_same_bytes(tmp_path, **TAGGED, features="supported")


def test_a_model_file_keeps_them(tmp_path):
    data = treebank()
    parser = train(data, data[:5], tagged())
    parser.save(tmp_path / "model")
    loaded = DependencyParser.load(tmp_path / "model")
    texts = [
        [s.to_conllu() for s in one.parse([s.copy() for s in data], ParseOptions(probabilities=True))]
        for one in (parser, loaded)
    ]
    assert texts[0] == texts[1]
    view = loaded.graph(data[8])
    assert np.ptp(view.graph.solve("bp")[view.tags], axis=1).max() > 0.05  # tags differ
    assert view.heads_of(view.graph.solve("bp")) == data[8].heads
    found = read_model(tmp_path / "model")
    for change, message in [
        (17, "latent_tags must be between 0 and 16"),
        (0, "not those of a parser with tags"),
    ]:
        header = {**found.header, "options": {**found.header["options"], "latent_tags": change}}
        write_model(tmp_path / "changed", header, found.tensors)
        with pytest.raises(ArboraError, match=message):
            DependencyParser.load(tmp_path / "changed")


def test_what_cannot_be():
    data = treebank()[:4]
    for options, message in [
        ({"latent_tags": 3}, "need the solver bp"),
        ({"latent_tags": 17, "solver": "bp"}, "between 0 and 16"),
    ]:
        with pytest.raises(ArboraError, match=message):
            TrainingOptions(**options).check()
    with pytest.raises(
        ArboraError, match="latent_tags are summed out, which takes a loss with a finite beta"
    ):
        check_recipe(TrainingOptions(latent_tags=3, solver="bp"))
    for section in ("tags", "tag-links"):
        bare = preset_templates("first-order")
        bare.of(section).clear()
        with pytest.raises(ArboraError, match=rf"no section \[{section}\], which latent_tags need"):
            train(data, None, tagged(), templates=bare)
    for line in ("head.form : alone", "modifier.form : distance", "modifier.form & arc.tags-between : alone"):
        with pytest.raises(ArboraError, match=r"about one word|one or more of alone"):
            Templates.parse(f"[tags]\n{line}")
    parser = train(data, None, tagged(epochs=1))
    for options in (ParseOptions(certificates=True), ParseOptions(solver="ad3"), ParseOptions(solver="ilp")):
        with pytest.raises(ArboraError, match="hidden tags, which bp sums out"):
            list(parser.parse([data[0].copy()], options))
    with pytest.raises(ArboraError, match="hidden tags knows none"):
        list(parse_with_rules(parser, data, Rules.parse("no punct under any")))
