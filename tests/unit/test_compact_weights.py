"""Compact weights: small, and near to what they were."""

from __future__ import annotations

import numpy as np
import pytest
from model_files import HEADER

from arbora import _core
from arbora.models import compact, expand, expand_short, is_compact, read_model, write_model
from arbora.models.compact import BLOCK, CODES, MASK, PEAKS, SIZE


def heavy(size: int, seed: int = 5) -> np.ndarray:
    """Weights as they are: a tenth are wide, the others near zero, an eighth zero."""
    rng = np.random.default_rng(seed)
    wide = np.where(rng.random(size) < 0.1, 0.05, 0.002)
    weights = rng.standard_t(3, size) * wide
    return np.where(rng.random(size) < 0.12, 0, weights).astype(np.float32)


SHAPES = {
    "heavy": heavy(5000),
    "laplace": np.random.default_rng(6).laplace(size=5000).astype(np.float32),
    "one block": heavy(BLOCK),
    "one more": heavy(BLOCK + 1),
    "one": np.array([-3], np.float32),
    "none": np.zeros(0, np.float32),
    "zeros": np.zeros(1000, np.float32),
    "few": np.where(np.arange(5000) % 97, 0, heavy(5000) + 1).astype(np.float32),
    "tied": np.tile(np.array([1, -1, 0], np.float32), 400),
    "huge": np.array([3.4e38, -3.4e38, 1e38, 0], np.float32),
    "tiny": np.array([1e-45, -3e-45, 0], np.float32),
    "mixed": np.array([1e-45, 3e38, -0.0], np.float32),
}


def half_step(weights: np.ndarray, tensors: dict[str, np.ndarray]) -> np.ndarray:
    """For each stored weight half the distance between the two levels around it."""
    peaks = np.repeat(tensors[PEAKS].astype(np.float64), BLOCK)[: weights.size]
    levels = (np.arange(128) / 127) ** 2
    shares = np.abs(weights.astype(np.float64)) / np.where(peaks > 0, peaks, 1)
    below = np.clip(np.searchsorted(levels, shares, side="right") - 1, 0, 126)
    return (levels[below + 1] - levels[below]) / 2 * peaks


@pytest.mark.parametrize("name", SHAPES)
def test_each_weight_is_within_half_a_step(name):
    weights = SHAPES[name]
    tensors = compact(weights, keep=1)
    found = expand(tensors, weights.size)
    assert (found.dtype, found.shape) == (np.float32, weights.shape)
    stored = weights != 0 if MASK in tensors else np.ones(weights.size, bool)
    error = np.abs(found.astype(np.float64) - weights)
    rounding = np.abs(weights) * 2.0**-22 + 1e-45  # of float32, normal and not
    assert (error[stored] <= half_step(weights[stored], tensors) + rounding[stored]).all()
    assert not found[weights == 0].any()
    assert (np.sign(found) * np.sign(weights) >= 0).all()
    if weights.size:
        assert np.abs(found).max() == np.abs(weights).max()


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("keep", [0.5, 0.99, 1])
def test_short_weights_are_those_of_the_expanded(name, keep):
    weights = np.asarray(SHAPES[name])
    tensors = compact(weights, keep=keep)
    expected = expand(tensors)
    found = expand_short(tensors, weights.size)
    rounded = _core.ShortWeights.rounded(expected)
    assert found.step == rounded.step
    np.testing.assert_array_equal(found.values, rounded.values)
    # By definition: the nearest multiples of the step, of two the even one.
    nearest = np.minimum(np.rint(expected.astype(np.float64) / found.step), 32767)
    np.testing.assert_array_equal(found.values, nearest)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("keep", [1e-20, 0.5, 0.9, 0.99, 0.9999, 1])
def test_dropped_weights_hold_little(name, keep):
    weights = SHAPES[name]
    tensors = compact(weights, keep=keep)
    if MASK in tensors:
        kept = np.unpackbits(tensors[MASK], count=weights.size).astype(bool)
    else:
        kept = expand(tensors) != 0
    squares = weights.astype(np.float64) ** 2
    rounded = 0 if MASK in tensors else 2e-4  # without a mask, weights that round to zero look dropped
    assert squares[~kept].sum() <= (1 - keep + rounded + 1e-12) * squares.sum()
    if kept.any() and MASK in tensors:
        smallest = np.abs(weights[kept]).min()
        assert (np.abs(weights[~kept]) < smallest).all()
        more = squares[~kept].sum() + squares[np.abs(weights) == smallest].sum()
        assert more >= (1 - keep) * squares.sum() * (1 - 1e-12)  # no more could go


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("keep", [0.9, 1])
def test_compact_is_never_larger_than_a_byte_each(name, keep):
    tensors = compact(SHAPES[name], keep=keep)
    size = SHAPES[name].size
    assert sum(tensor.nbytes for tensor in tensors.values()) <= size + 4 * -(-size // BLOCK) + 8 + 1


def test_size_and_error_of_a_large_model():
    weights = heavy((1 << 18) + 60)
    total = np.square(weights, dtype=np.float64).sum()
    for keep, share, error in ((1, 0.26, 5e-5), (0.9999, 0.20, 1.6e-4), (0.999, 0.13, 1.1e-3)):
        tensors = compact(weights, keep=keep)
        assert sum(tensor.nbytes for tensor in tensors.values()) < share * weights.nbytes
        assert np.square(expand(tensors) - weights, dtype=np.float64).sum() < error * total


def test_same_weights_same_file(tmp_path):
    for name in "ab":
        write_model(tmp_path / name, HEADER, compact(SHAPES["heavy"].copy(), keep=0.99))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    model = read_model(tmp_path / "a")
    np.testing.assert_array_equal(expand(model.tensors), expand(compact(SHAPES["heavy"], keep=0.99)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite(bad):
    with pytest.raises(ValueError, match="finite"):
        compact(np.array([1, bad], np.float32), keep=1)


@pytest.mark.parametrize("keep", [0, -1, 1.1, np.nan])
def test_a_share_that_is_none(keep):
    with pytest.raises(ValueError, match="keep"):
        compact(np.ones(3, np.float32), keep=keep)


@pytest.mark.parametrize("weights", [np.ones(3), np.ones((3, 1), np.float32)])
def test_weights_of_another_kind(weights):
    with pytest.raises(ValueError, match="one row of float32"):
        compact(weights, keep=1)


@pytest.mark.parametrize("name", ["laplace", "few"])
def test_tensors_that_do_not_fit(name):
    tensors = compact(SHAPES[name], keep=1)
    assert (MASK in tensors) == (name == "few")
    assert is_compact(tensors)
    with pytest.raises(ValueError, match="4999 are needed"):
        expand(tensors, 4999)
    for key in tensors:
        for wrong in (tensors[key][:-1], tensors[key].astype(np.float64), tensors[key][None]):
            with pytest.raises(ValueError, match="compact weights"):
                expand({**tensors, key: wrong})
            with pytest.raises(ValueError, match="compact weights"):
                expand_short({**tensors, key: wrong})
    for key in (CODES, PEAKS, SIZE):
        with pytest.raises(ValueError, match="is missing"):
            expand({other: tensors[other] for other in tensors if other != key})
