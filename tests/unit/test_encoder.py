"""Encoders in the core against their slow twins, with all kernels of this machine."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.encoder import ACTIVATIONS, SlowEncoder, dense_bytes

from arbora import _core
from arbora.errors import ArboraError
from arbora.neural import Encoder, EncoderShape, kernel_names, quantized
from arbora.neural.layers import random_tensors
from arbora.neural.shapes import MIX

KERNELS = kernel_names()
SHAPES = [
    EncoderShape("bert", layers=2, hidden=48, heads=4, inner=96, positions=70, vocabulary=40),
    EncoderShape("bert", layers=1, hidden=1, heads=1, inner=1, positions=9, vocabulary=3),
    EncoderShape("bert", layers=2, hidden=15, heads=3, inner=37, positions=70, vocabulary=40),
    EncoderShape("bert", layers=1, hidden=66, heads=2, inner=130, positions=40, vocabulary=40),
    EncoderShape(
        *("roberta", 2, 36, 1, 20, 70, 40),
        first_position=2,
        epsilon=1e-5,
        activation="gelu_new",
    ),
    EncoderShape(
        "bert", layers=1, hidden=21, heads=7, inner=16, positions=40, vocabulary=40, activation="relu"
    ),
]


def sequences(shape: EncoderShape, seed: int = 1) -> list[list[int]]:
    """Sequences of length 1, of the longest length, of none, and some between."""
    rng = np.random.default_rng(seed)
    lengths = [1, min(33, shape.longest), 0, 2, shape.longest, *rng.integers(1, min(20, shape.longest), 6)]
    return [rng.integers(0, shape.vocabulary, length).tolist() for length in lengths]


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("shape", SHAPES)
def test_floats_agree_with_the_slow_twin(shape, kernels):
    tensors = random_tensors(shape)
    slow, given = SlowEncoder(shape, tensors), sequences(shape)
    for ids, rows in zip(given, Encoder(shape, tensors, kernels=kernels).encode_all(given), strict=True):
        assert rows.shape == (len(ids), shape.hidden)
        assert np.abs(rows - slow.encode(ids)).max(initial=0) < 2e-5


@pytest.mark.parametrize("shape", SHAPES)
def test_bytes_agree_with_the_slow_twin(shape):
    """Where a number is half-way between two integers they may differ by one, here and there."""
    tensors = quantized(random_tensors(shape))
    slow, given = SlowEncoder(shape, tensors), sequences(shape)
    found = Encoder(shape, tensors).encode_all(given)
    apart = np.concatenate(
        [np.abs(rows - slow.encode(ids)).max(axis=1) for ids, rows in zip(given, found, strict=True) if ids]
    )
    assert np.median(apart) < 2e-5
    assert apart.max() < 0.05


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("shape", SHAPES)
def test_bytes_are_the_same_with_all_kernels(shape, kernels):
    tensors, given = quantized(random_tensors(shape)), sequences(shape)
    expected = Encoder(shape, tensors, kernels="plain").encode_all(given)
    found = Encoder(shape, tensors, kernels=kernels).encode_all(given)
    assert [rows.tobytes() for rows in found] == [rows.tobytes() for rows in expected]


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("in_bytes", [False, True])
def test_neighbours_and_threads_change_nothing(kernels, in_bytes):
    shape = SHAPES[0]
    tensors = quantized(random_tensors(shape)) if in_bytes else random_tensors(shape)
    encoder = Encoder(shape, tensors, kernels=kernels)
    given = [ids for seed in range(12) for ids in sequences(shape, seed)]
    alone = [encoder.encode_all([ids])[0].tobytes() for ids in given]
    for threads in (1, 2, 5):
        assert [rows.tobytes() for rows in encoder.encode_all(given, threads=threads)] == alone
    backwards = encoder.encode_all(given[::-1])
    assert [rows.tobytes() for rows in backwards[::-1]] == alone


def test_a_mix_of_layers():
    shape = EncoderShape("bert", layers=3, hidden=20, heads=2, inner=16, positions=40, vocabulary=40)
    tensors = random_tensors(shape)
    mixed = {**tensors, MIX: np.array([0.2, -1.5, 0.7], np.float32)}
    given = sequences(shape)
    slow = SlowEncoder(shape, mixed)
    for ids, rows in zip(given, Encoder(shape, mixed).encode_all(given), strict=True):
        assert np.abs(rows - slow.encode(ids)).max(initial=0) < 2e-5
    last = {**tensors, MIX: np.array([0, 0, 1], np.float32)}
    plain, same = Encoder(shape, tensors).encode_all(given), Encoder(shape, last).encode_all(given)
    assert all(np.array_equal(a, b) for a, b in zip(plain, same, strict=True))


def test_no_sequences():
    shape = SHAPES[0]
    encoder = Encoder(shape, random_tensors(shape))
    assert encoder.encode_all([]) == []
    assert [rows.shape for rows in encoder.encode_all([[], []])] == [(0, 48), (0, 48)]


ROWS = {
    "usual": lambda rng, n, width: rng.normal(size=(n, width)),
    "zeros": lambda rng, n, width: np.zeros((n, width)),
    "tiny": lambda rng, n, width: rng.normal(size=(n, width)) * 1e-33,
    "huge": lambda rng, n, width: rng.normal(size=(n, width)) * 1e30,
    "all equal": lambda rng, n, width: np.full((n, width), -3.25),
    "one large": lambda rng, n, width: np.eye(n, width) * 1e4 + 1,
    "half-way": lambda rng, n, width: np.where(
        np.arange(width) == 0, 127, rng.integers(-9, 9, (n, width)) + 0.5
    ),
}
SIZES = [(1, 1, 1), (7, 64, 64), (13, 33, 3), (97, 17, 70), (5, 130, 15), (200, 384, 16)]


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("kind", ROWS)
def test_a_dense_part_in_bytes_is_exact(kernels, kind):
    rng = np.random.default_rng(2)
    for count, width, out in SIZES:
        weights = rng.integers(-127, 128, (out, width)).astype(np.int8)
        weights[0] = 127 * (-1) ** np.arange(width)
        weights[-1] = 127
        scales, bias = rng.normal(size=(2, out)).astype(np.float32)
        rows = ROWS[kind](rng, count, width).astype(np.float32)
        found = _core.Dense(weights, bias, scales, kernels).apply(rows)
        assert found.tobytes() == dense_bytes(rows, weights, scales, bias).tobytes()


@pytest.mark.parametrize("kernels", KERNELS)
def test_the_largest_sums_are_exact(kernels):
    """Of as many inputs as there may be, all of the largest size."""
    width = 1 << 16
    weights = np.stack([np.full(width, 127), np.full(width, -127), 127 * (-1) ** np.arange(width)]).astype(
        np.int8
    )
    rows = np.stack([np.ones(width), -np.ones(width), (-1) ** np.arange(width)]).astype(np.float32)
    scales, bias = np.ones(3, np.float32), np.zeros(3, np.float32)
    found = _core.Dense(weights, bias, scales, kernels).apply(rows)
    assert found.tobytes() == dense_bytes(rows, weights, scales, bias).tobytes()
    assert found.max() == np.float32(width * 127)


@pytest.mark.parametrize("kernels", KERNELS)
def test_a_dense_part_in_floats(kernels):
    rng = np.random.default_rng(3)
    for count, width, out in SIZES:
        weights, bias = (
            rng.normal(size=(out, width)).astype(np.float32),
            rng.normal(size=out).astype(np.float32),
        )
        rows = rng.normal(size=(count, width)).astype(np.float32)
        found = _core.Dense(weights, bias, kernels=kernels).apply(rows)
        expected = rows.astype(np.float64) @ weights.T.astype(np.float64) + bias
        sizes = np.abs(rows).astype(np.float64) @ np.abs(weights.T) + np.abs(bias)
        assert (np.abs(found - expected) <= sizes * 1e-6).all()


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations_everywhere(kernels, activation):
    """One input at a time, through an encoder whose other parts change nothing but the sign."""
    shape = EncoderShape(
        "bert", layers=1, hidden=2, heads=1, inner=1, positions=1, vocabulary=400, activation=activation
    )
    x = np.concatenate([np.linspace(-12, 12, 394), [0, -30, 30, 1e-8, -1e4, 1e4]])
    tensors = {name: np.zeros_like(t) for name, t in random_tensors(shape).items()}
    tensors["embeddings.words"] = np.stack([np.ones(400), -np.ones(400)], axis=1).astype(np.float32)
    for norm in ("embeddings", "layers.0.mixing", "layers.0.outer"):
        tensors[f"{norm}.norm.scale"] += 1
    # One number goes in; the norm of [1 + y, -1] at the end tells what came out.
    tensors["layers.0.outer.weights"][0] = 1
    slow = ACTIVATIONS[activation]
    for value in x[::7].tolist() + x[-6:].tolist():
        tensors["layers.0.inner.bias"][0] = value
        rows = Encoder(shape, tensors, kernels=kernels).encode_all([[0]])[0]
        expected = SlowEncoder(shape, tensors).encode([0])
        assert np.abs(rows - expected).max() < 1e-6, (value, slow(value))


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("in_bytes", [False, True])
def test_weights_that_are_too_large_are_refused(kernels, in_bytes):
    shape = SHAPES[0]
    tensors = random_tensors(shape)
    for name in ("layers.0.attention.weights", "layers.1.outer.norm.scale"):
        tensors[name] = np.full_like(tensors[name], 3e38)
    tensors["layers.1.outer.norm.shift"][:] = 3e38
    encoder = Encoder(shape, quantized(tensors) if in_bytes else tensors, kernels=kernels)
    with pytest.raises(ValueError, match="the encoder's weights are too large"):
        encoder.encode_all([[1, 2, 3]])


def test_attention_to_one_word_only():
    """Scores that are far apart: all weight is on one, and nothing overflows."""
    shape = EncoderShape("bert", layers=1, hidden=16, heads=2, inner=16, positions=20, vocabulary=20)
    tensors = random_tensors(shape)
    tensors["layers.0.attention.weights"][:32] *= 300
    slow = SlowEncoder(shape, tensors)
    for kernels in KERNELS:
        rows = Encoder(shape, tensors, kernels=kernels).encode_all([range(20)])[0]
        assert np.abs(rows - slow.encode(range(20))).max() < 1e-4


@pytest.mark.parametrize("in_bytes", [False, True])
def test_tensors_that_do_not_fit_are_refused(in_bytes):
    shape = SHAPES[0]
    tensors = quantized(random_tensors(shape)) if in_bytes else random_tensors(shape)
    for name, tensor in tensors.items():
        with pytest.raises(KeyError):
            Encoder(shape, {key: own for key, own in tensors.items() if key != name})
        wrong = [
            tensor[:-1],
            tensor[..., None],
            tensor.astype(np.float64),
            tensor.astype(">i4"),
            tensor[::-1],
        ]
        if tensor.dtype == np.float32:
            beside = np.zeros(tensor.nbytes + 4, np.uint8)[1 : tensor.nbytes + 1]
            wrong += [beside.view(np.float32).reshape(tensor.shape)]
            wrong += [np.where(np.arange(len(tensor)) == 1, np.nan, tensor.T).T.astype(np.float32)]
            wrong += [np.full_like(tensor, np.inf)]
        for value in wrong:
            with pytest.raises(ValueError, match=name.replace(".", "[.]")) as caught:
                Encoder(shape, {**tensors, name: value})
            assert "\n" not in str(caught.value)


def test_a_byte_of_128_is_refused():
    shape = SHAPES[0]
    tensors = quantized(random_tensors(shape))
    tensors["layers.1.inner.weights"][3, 4] = -128
    with pytest.raises(ValueError, match="one is -128"):
        Encoder(shape, tensors)


def test_kernels_are_chosen_by_name():
    shape = SHAPES[0]
    assert [Encoder(shape, random_tensors(shape), kernels=name).kernels for name in KERNELS] == KERNELS
    assert Encoder(shape, random_tensors(shape)).kernels == KERNELS[0]
    with pytest.raises(ValueError, match=r"no kernels 'abacus' on this machine; it has .*plain"):
        Encoder(shape, random_tensors(shape), kernels="abacus")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"hidden": 50}, "4 heads cannot share 50"),
        ({"hidden": 0}, "hidden is not from 1"),
        ({"hidden": 1 << 20}, "hidden is not from 1"),
        ({"heads": 2.0}, "heads is no whole number"),
        ({"layers": 0}, "layers is not from 1"),
        ({"first_position": 70}, "first_position is not from 0 to 69"),
        ({"epsilon": 0.0}, "epsilon is not from"),
        ({"activation": "swish"}, "activation is none of"),
        ({"kind": "gpt"}, "kind is none of"),
        ({"width": 3}, "no 'width'"),
    ],
)
def test_a_shape_that_is_none_is_refused(changed, message):
    header, tensors = Encoder(SHAPES[0], random_tensors(SHAPES[0])).to_parts()
    assert Encoder.from_parts(header, tensors).shape == SHAPES[0]
    with pytest.raises(ValueError, match=message):
        Encoder.from_parts({**header, **changed}, tensors)


def test_the_core_checks_shapes_itself():
    shape = SHAPES[0]
    sizes = {name: value for name, value in shape.as_dict().items() if name != "kind"}
    tensors = random_tensors(shape)
    _core.Encoder(tensors, **sizes)
    for name, value in [
        *(("layers", 0), ("layers", 3), ("layers", -1), ("hidden", 0), ("hidden", 49), ("hidden", 1 << 40)),
        *(("heads", 0), ("heads", 5), ("heads", 96), ("inner", 0), ("inner", 95), ("positions", 71)),
        *(("positions", 0), ("first_position", -1), ("first_position", 70), ("vocabulary", 41)),
        *(("vocabulary", 0), ("epsilon", 0.0), ("epsilon", float("nan")), ("activation", "swish")),
    ]:
        with pytest.raises((ValueError, KeyError)):
            _core.Encoder(tensors, **{**sizes, name: value})


def test_numbers_that_are_no_words_are_refused():
    shape = SHAPES[0]
    encoder = Encoder(shape, random_tensors(shape))
    with pytest.raises(ArboraError, match="a sequence of 71 sub-words"):
        encoder.encode_all([[1], [1] * 71])
    for ids, ends in [
        ([1, 40], [2]),
        ([-1], [1]),
        ([1, 2], [1]),
        ([1, 2], [3]),
        ([1, 2], [2, 1, 2]),
        ([1], []),
    ]:
        with pytest.raises(ValueError, match=r"ids|ends"):
            encoder.encode(np.array(ids, np.int32), np.array(ends, np.int64))


def test_quantized_weights_are_near():
    shape = SHAPES[0]
    tensors = random_tensors(shape)
    for name, found in quantized(tensors).items():
        if found.dtype == np.int8:
            scales = quantized(tensors)[name.rpartition(".")[0] + ".scales"]
            assert np.abs(found).max(axis=1).tolist() == [127] * len(found)
            assert (np.abs(found * scales[:, None] - tensors[name]) <= 0.5001 * scales[:, None]).all()
