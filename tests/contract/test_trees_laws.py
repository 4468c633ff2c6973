"""Laws that need no oracle: of batches, threads and layouts, of gradients, shifts and permutations."""

from __future__ import annotations

import numpy as np
import pytest
from contract.test_trees_scores import (
    FAMILIES,
    assert_probabilities,
    assert_value,
    draw,
    families,
    kinds,
    labelled_draws,
)

from arbora import trees

OPERATIONS = {
    "mst": trees.mst,
    "log_partition": trees.log_partition,
    "marginals": trees.marginals,
    "complements": lambda scores, **options: trees.marginals(scores, complement=True, **options),
    "entropy": trees.entropy,
    "kbest": lambda scores, **options: trees.kbest(scores, 7, **options),
    "sample": lambda scores, **options: trees.sample(scores, 7, rng=1, **options),
    "mbr": trees.mbr,
}
operations = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)


def content(result) -> list:
    """Any result as bytes and plain values, so that == means the same bits."""
    if isinstance(result, trees.Trees):
        result = (result.heads, result.labels, result.scores)
    if isinstance(result, tuple | list):
        return [content(part) for part in result]
    return [result.dtype, result.shape, result.tobytes()] if isinstance(result, np.ndarray) else result


def mixed_batch(labels: tuple[int, ...]) -> list[np.ndarray]:
    """Lengths from 0 to 12 in no order, of all families that need no list of trees to be drawn."""
    names = [name for name in FAMILIES if "sparse" not in name and "mixed" not in name]
    lengths = [3, 12, 1, 7, 2, 9]
    drawn = [draw(name, lengths[i % 6], *labels, seed=i) for i, name in enumerate(names)]
    return [*drawn[:5], np.zeros((1, 1, *labels)), *drawn[5:]]


@operations
@kinds
@pytest.mark.parametrize("labels", [(), (3,)], ids=["plain", "labelled"])
def test_a_batch_is_its_sentences_one_by_one(operation, kind, labels):
    batch = mixed_batch(labels)
    together = operation(batch, **kind)
    assert isinstance(together, list)
    if operation is OPERATIONS["sample"]:  # each sentence of a batch has a stream of its own
        assert [len(result.heads[0]) for result in together] == [len(scores) for scores in batch]
        assert content(together[0]) == content(operation(batch[0], **kind))
        assert content(together[:4]) == content(operation(batch[:4], **kind))
        return
    assert content(together) == [content(operation(scores, **kind)) for scores in batch]


@operations
@kinds
@pytest.mark.parametrize("labels", [(), (3,)], ids=["plain", "labelled"])
def test_threads_change_no_bit(operation, kind, labels):
    batch = mixed_batch(labels)
    once = content(operation(batch, threads=1, **kind))
    assert once == content(operation(batch, threads=2, **kind))
    assert once == content(operation(batch, threads=64, **kind))


@operations
def test_an_empty_batch(operation):
    assert operation([]) == []


@operations
@kinds
@pytest.mark.parametrize("labels", [(), (2,)], ids=["plain", "labelled"])
def test_layouts(operation, kind, labels):
    exact = draw("normal", 5, *labels).astype(np.float32).astype(np.float64)
    wide = np.zeros((12, 12, *labels))
    wide[::2, ::2] = exact
    layouts = {
        "float32": exact.astype(np.float32),
        "fortran": np.asfortranarray(exact),
        "strided": wide[::2, ::2],
        "reversed": exact[::-1, ::-1].copy()[::-1, ::-1],
        "big-endian": exact.astype(">f8"),
    }
    expected = content(operation(exact, **kind))
    for name, scores in layouts.items():
        assert content(operation(scores, **kind)) == expected, name


def test_integers_are_scores_too():
    scores = np.arange(16).reshape(4, 4)
    assert trees.mst(scores).score == trees.mst(scores.astype(float)).score


@operations
def test_scores_are_left_alone(operation):
    scores = draw("sparse", 4)
    before = scores.copy()
    operation(scores, forbidden=np.eye(5, dtype=bool))
    scores.flags.writeable = False
    operation(scores)
    assert scores.tobytes() == before.tobytes()


@kinds
@pytest.mark.parametrize("labels", [(), (2,)], ids=["plain", "labelled"])
@pytest.mark.parametrize("family", ["normal", "cycles 50", "root +40", "sparse"])
def test_marginals_are_the_gradient(kind, labels, family):
    scores = draw(family, 4, *labels)
    marginals = trees.marginals(scores, **kind)
    step = 1e-4
    for place in zip(*np.nonzero(scores > -np.inf), strict=True):
        up, down = scores.copy(), scores.copy()
        up[place] += step
        down[place] -= step
        slope = (trees.log_partition(up, **kind) - trees.log_partition(down, **kind)) / (2 * step)
        assert abs(slope - marginals[place]) < 1e-6, place


@families
@kinds
def test_probabilities_add_up(family, kind):
    for scores in (*(draw(family, n, seed=9) for n in (1, 2, 4, 6)), *labelled_draws(family)):
        marginals = trees.marginals(scores, **kind)
        assert (marginals >= 0).all()
        assert (marginals <= 1).all()
        arcs = marginals.reshape(*scores.shape[:2], -1).sum(axis=2)
        # The scores' own last digits: at 1e6 a double ends at 1e-10.
        digits = 1e-12 + 1e-15 * np.abs(scores[np.isfinite(scores)]).max()
        np.testing.assert_allclose(arcs[:, 1:].sum(axis=0), 1, rtol=0, atol=digits)
        if kind["single_root"]:
            assert abs(arcs[0].sum() - 1) < digits


@kinds
@pytest.mark.parametrize("family", ["normal", "cycles 50", "spread 100", "negative"])
@pytest.mark.parametrize("constant", [-1000.0, 0.5, 1000.0])
def test_a_constant_on_a_column_changes_no_ranking(kind, family, constant):
    scores = draw(family, 6)
    shifted = scores.copy()
    shifted[:, 3] += constant
    assert_value(trees.log_partition(shifted, **kind), trees.log_partition(scores, **kind) + constant)
    assert_probabilities(trees.marginals(shifted, **kind), trees.marginals(scores, **kind))
    assert_value(trees.entropy(shifted, **kind), trees.entropy(scores, **kind))
    ranked, again = trees.kbest(scores, 20, **kind), trees.kbest(shifted, 20, **kind)
    assert ranked.heads.tolist() == again.heads.tolist()
    np.testing.assert_allclose(again.scores, ranked.scores + constant, rtol=1e-12)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("family", ["normal", "cycles 50", "cycles 500", "spread 100", "sparse"])
def test_the_order_of_tokens_is_only_a_name(single_root, family):
    """Non-projective trees do not see positions: permuted scores have the permuted answers."""
    scores = draw(family, 6)
    order = np.append(0, 1 + np.random.default_rng(4).permutation(6))
    permuted = scores[np.ix_(order, order)]
    place = np.argsort(order)
    kind = {"single_root": single_root}
    assert_value(trees.log_partition(permuted, **kind), trees.log_partition(scores, **kind))
    assert_value(trees.entropy(permuted, **kind), trees.entropy(scores, **kind))
    assert_probabilities(
        trees.marginals(permuted, **kind), trees.marginals(scores, **kind)[np.ix_(order, order)]
    )
    renamed = trees.mst(permuted, **kind).heads
    expected = trees.mst(scores, **kind).heads[order][1:]
    assert renamed[1:].tolist() == place[expected].tolist()


@pytest.mark.parametrize("single_root", [True, False])
def test_reading_backwards_mirrors_projective_trees(single_root):
    """What an arc from the root may not do, pass over another arc, looks the same from both ends."""
    scores = draw("normal", 6)
    order = np.append(0, np.arange(6, 0, -1))
    mirrored = scores[np.ix_(order, order)]
    forward = trees.log_partition(scores, projective=True, single_root=single_root)
    assert_value(trees.log_partition(mirrored, projective=True, single_root=single_root), forward)


@kinds
@pytest.mark.parametrize("labels", [(), (2,)], ids=["plain", "labelled"])
def test_padding_with_a_token_that_must_be_a_leaf(kind, labels):
    """A last token whose only arc comes from the token before it adds its score and changes nothing else."""
    scores = draw("normal", 5, *labels)
    padded = np.full((7, 7, *labels), -np.inf)
    padded[:6, :6] = scores
    padded[5, 6] = 0.25
    extra = 0.25 + (np.log(labels[0]) if labels else 0.0)
    assert_value(trees.log_partition(padded, **kind), trees.log_partition(scores, **kind) + extra)
    assert_value(trees.mst(padded, **kind).score, trees.mst(scores, **kind).score + 0.25)
    assert_probabilities(trees.marginals(padded, **kind)[:6, :6], trees.marginals(scores, **kind))


@kinds
def test_no_arcs_do_not_count(kind):
    """Column 0 and the diagonal may hold anything finite or -inf."""
    scores = draw("normal", 5)
    other = scores.copy()
    other[:, 0] = [-np.inf, 1e300, -1e300, 0, 7, -np.inf]
    np.fill_diagonal(other, [1e300, -np.inf, 3, -1e300, 1e6, 1e6])
    for operation in OPERATIONS.values():
        assert content(operation(other, **kind)) == content(operation(scores, **kind))
