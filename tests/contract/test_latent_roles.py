"""Hidden roles of arcs: losses by enumeration of trees and roles, and parsers that learn with them.

What a parser with roles says of sentences is held to enumeration in test_parser.py, its losses where arcs
make parts in test_part_losses.py.
"""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from small_training import changed, check_same_bytes, las, treebank

from arbora.dependency import DependencyParser, ParseOptions, TrainingOptions, preset_options, train
from arbora.dependency.linear_model import encode
from arbora.dependency.training import check_recipe
from arbora.errors import ArboraError, InfeasibleTreeError
from arbora.features import Templates
from arbora.learning import LOSSES, Loss
from arbora.models import read_model, write_model
from tests.oracles.latent import role_loss
from tests.oracles.scores import drawer, seeded
from tests.oracles.trees import KINDS, all_trees

FAMILY = [LOSSES["crf"], LOSSES["softmax-margin"], Loss(0.4, 0.7), Loss(3.0, 0.0)]
STYLES = ["random", "tied", "shifted", "impossible"]


def draw_gold(rng: np.random.Generator, scores: np.ndarray, hidden: float, **kind: bool):
    """Heads and labels of a tree that has a score; some labels are hidden. None if there is none."""
    n = len(scores) - 1
    words = np.arange(1, n + 1)
    for tree in rng.permutation(all_trees(n, **kind)):
        rows = scores[tree[1:], words]
        if (rows.max(axis=1) == -inf).any():
            continue
        labels = np.array([0, *(int(rng.choice(np.flatnonzero(row > -inf))) for row in rows)])
        return tree, np.where(rng.random(n + 1) < hidden, -1, labels)
    return None


@pytest.mark.parametrize("loss", FAMILY, ids=lambda loss: loss.name)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", KINDS)
def test_values(kind, style, loss):
    kinds = {"single_root": kind[0], "projective": kind[1]}
    compared = 0
    for n, roles in [(1, 1), (1, 3), (2, 2), (3, 2)]:
        for hidden in (1.0, 0.5):
            rng = seeded("roles", kind, style, n, roles, hidden)
            scores = drawer(rng, style)((n + 1, n + 1, roles))
            gold = draw_gold(rng, scores, hidden, **kinds)
            if gold is None:
                continue
            compared += 1
            value, gradient = loss.of_tree(scores, *gold, **kinds)
            assert value == pytest.approx(role_loss(scores, *gold, loss.beta, loss.gamma, **kinds), abs=1e-9)
            assert value >= 0
            assert (gradient[scores == -inf] == 0).all()
            np.testing.assert_allclose(gradient[:, 1:].sum(axis=(0, 2)), 0, atol=1e-9)
    assert compared


@pytest.mark.parametrize("loss", FAMILY, ids=lambda loss: loss.name)
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_by_slopes(kind, loss):
    kinds = {"single_root": kind[0], "projective": kind[1]}
    for n, roles, hidden in [(1, 2, 1.0), (3, 2, 1.0), (3, 3, 0.5), (4, 4, 1.0)]:
        rng = seeded("slopes of roles", kind, n, roles, loss.name)
        scores = rng.normal(size=(n + 1, n + 1, roles))
        gold = draw_gold(rng, scores, hidden, **kinds)
        gradient = loss.of_tree(scores, *gold, **kinds)[1]
        for _ in range(3):
            direction = rng.normal(size=scores.shape)
            up, down = (loss.of_tree(scores + t * direction, *gold, **kinds)[0] for t in (1e-5, -1e-5))
            assert (up - down) / 2e-5 == pytest.approx(float((gradient * direction).sum()), abs=1e-7)


def test_roles_that_are_alike_change_nothing():
    """Two roles of one score are that score and log 2: the same trees, the same probabilities."""
    scores = seeded("alike").normal(size=(5, 5))
    heads = np.array([-1, 2, 0, 2, 3])
    value, gradient = LOSSES["crf"].of_tree(scores, heads)
    both = np.repeat(scores[:, :, None], 2, axis=2)
    hidden, by_role = LOSSES["crf"].of_tree(both, heads, np.full(5, -1))
    assert hidden == pytest.approx(value, abs=1e-9)
    np.testing.assert_allclose(by_role, np.repeat(gradient[:, :, None] / 2, 2, axis=2), atol=1e-9)


def test_what_cannot_be():
    scores = np.zeros((3, 3, 2))
    heads, hidden = np.array([-1, 0, 1]), np.full(3, -1)
    with pytest.raises(ValueError, match="label of token 2 is -2"):
        LOSSES["crf"].of_tree(scores, heads, np.array([0, 1, -2]))
    scores[0, 1] = -inf
    with pytest.raises(InfeasibleTreeError, match="from 0 to token 1 has a score of -inf"):
        LOSSES["crf"].of_tree(scores, heads, hidden)
    for options, message in [
        ({"latent_roles": 3, "loss": "crf"}, "need second-stage labels"),
        ({"latent_roles": -1}, "between 0 and 64"),
        ({"latent_roles": 65, "labels": "second-stage"}, "between 0 and 64"),
    ]:
        with pytest.raises(ArboraError, match=message):
            TrainingOptions(**options).check()
    with pytest.raises(ArboraError, match="finite beta, as crf has, not svm"):
        check_recipe(TrainingOptions(latent_roles=3, labels="second-stage"))
    bare = Templates.parse("[arcs]\nhead.upos\n[labeler]\nhead.upos")
    with pytest.raises(ArboraError, match=r"no section \[roles\]"):
        train(treebank()[:3], None, roles(), templates=bare)


# ---- parsers ----


ROLES = {"latent_roles": 3, "labels": "second-stage", "loss": "crf"}


def roles(**more) -> TrainingOptions:
    return changed(**{**ROLES, **more})


def role_rows(parser: DependencyParser) -> np.ndarray:
    """Scores of the roles of some arcs, arcs x roles."""
    sentence = next(sentence for sentence in treebank() if len(sentence) > 2)
    encoded = encode([sentence])
    return np.array(parser._core.role_scores(parser._weights, encoded, 0, [(0, 1), (2, 1), (1, 2)]))


@pytest.mark.parametrize("language", ["en", "de", "tr"])
@pytest.mark.parametrize("loss", ["crf", "softmax-margin"])
def test_it_fits_what_it_is_shown(loss, language):
    data = treebank(language)
    parser = train(data, None, roles(loss=loss, epochs=10, bits=16, pruner_bits=14), dev_fraction=0.0)
    assert las(parser, data) > 0.95
    assert las(parser, data, ParseOptions(decoder="mbr")) > 0.95


@pytest.mark.parametrize("features", ["complete", "supported"])
def test_the_same_bytes_for_any_threads_and_after_a_kill(features, tmp_path):
    check_same_bytes(tmp_path, **ROLES, features=features)


def test_roles_differ_and_the_seed_decides_how():
    data = treebank()
    first, same, other = (role_rows(train(data, None, roles(seed=seed))) for seed in (1, 1, 2))
    assert (first == same).all()
    assert (np.ptp(first, axis=1) > 1e-3).all()
    assert (np.ptp(other, axis=1) > 1e-3).all()
    assert (first != other).any()


def test_a_model_file_keeps_them(tmp_path):
    data = treebank()
    parser = train(data, data[:5], roles(beta=2.0))
    assert parser.header["joint_scale"] == 2.0  # they are summed as they were learned
    parser.save(tmp_path / "model")
    loaded = DependencyParser.load(tmp_path / "model")
    options = ParseOptions(probabilities=True)
    texts = [
        [sentence.to_conllu() for sentence in one.parse([s.copy() for s in data], options)]
        for one in (parser, loaded)
    ]
    assert texts[0] == texts[1]
    assert any(row["section"] == "roles" for row in loaded.header["heaviest"])
    found = read_model(tmp_path / "model")
    for change, message in [(-2, "between 0 and"), ("4", "no whole number"), (0, "not those of")]:
        header = {**found.header, "options": {**found.header["options"], "latent_roles": change}}
        write_model(tmp_path / "changed", header, found.tensors)
        with pytest.raises(ArboraError, match=message):
            DependencyParser.load(tmp_path / "changed")
    header = {**found.header, "templates": found.header["templates"].replace("[roles]", "[labels]")}
    write_model(tmp_path / "changed", header, found.tensors)
    with pytest.raises(ArboraError, match="not those of a parser with latent_roles"):
        DependencyParser.load(tmp_path / "changed")


def test_dev_is_parsed_as_the_parser_will():
    """With another beta than 1 too, the scores that choose the epoch are those of the parser in the end."""
    data = treebank()
    parser = train(data, data, roles(beta=3.0, epochs=1))
    assert parser.header["report"]["epochs"][-1]["las"] == pytest.approx(las(parser, data), abs=1e-9)


@pytest.mark.parametrize("preset", ["second-order", "belief"])
def test_with_parts_of_several_arcs(preset):
    data = treebank()
    options = preset_options(
        preset, labels="second-stage", loss="crf", latent_roles=3, epochs=8, bits=16, pruner_bits=14
    )
    parser = train(data, None, options, dev_fraction=0.0)
    assert las(parser, data) > 0.95
    assert las(parser, data, ParseOptions(decoder="mbr")) > 0.9
    view = parser.graph(data[0])
    assert view.heads_of(view.graph.solve("ilp")) == data[0].heads


def test_rules_and_constraints():
    """A given label is one of labels, not of roles."""
    from arbora.dependency import Rules, parse_with_rules

    data = treebank()
    parser = train(data, None, roles(epochs=6, bits=16, pruner_bits=14), dev_fraction=0.0)
    gold = [sentence.copy() for sentence in data]
    kept = list(parser.parse([s.copy() for s in data], ParseOptions(constraints=True)))
    assert [s.heads for s in kept] == [s.heads for s in gold]
    assert [s.deprels for s in kept] == [s.deprels for s in gold]
    rules = Rules.parse("at most 1 punct under any")
    for sentence in parse_with_rules(parser, [s.copy() for s in data[:8]], rules):
        under = [h for h, label in zip(sentence.heads, sentence.deprels, strict=True) if label == "punct"]
        assert len(set(under)) == len(under)
