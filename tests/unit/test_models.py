"""Model files: what is written is read, mapped; what is damaged is one clear line. And compact weights."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from arbora.errors import FileError
from arbora.models import (
    FORMAT_VERSION,
    compact,
    expand,
    inspect_model,
    is_compact,
    read_model,
    write_model,
)
from arbora.models.compact import BLOCK, CODES, MASK, PEAKS, SIZE

HEADER: dict[str, Any] = {
    "architecture": "dependency-parser",
    "labels": ["nsubj", "obj", "größe"],
    "options": {"epochs": 3, "rate": 0.1},
}
CONLLU = "# sent_id = 1\n1\tJa\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


def tensors() -> dict[str, np.ndarray]:
    """One of every type, one number, none, and two that do not lie row after row."""
    rng = np.random.default_rng(1)
    made = {
        f"of {dtype}": rng.integers(0, 2, 5).astype(dtype)
        for dtype in ("?", "u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8")
    }
    made["one"] = np.array(7, np.float32)
    made["none"] = np.zeros((0, 3), np.float64)
    made["turned"] = rng.normal(size=(3, 4)).astype(np.float32).T
    made["foreign"] = rng.normal(size=3).astype(">f4")
    return made


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "m.model"
    write_model(path, HEADER, tensors())
    return path


def head_of(path: Path) -> dict[str, Any]:
    raw = path.read_bytes()
    return json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])


def with_head(path: Path, head: object, data: bytes | None = None) -> None:
    """Give the file another JSON, and other data."""
    raw = path.read_bytes()
    text = (head if isinstance(head, str) else json.dumps(head)).encode()
    rest = raw[8 + int.from_bytes(raw[:8], "little") :] if data is None else data
    path.write_bytes(len(text).to_bytes(8, "little") + text + rest)


def reason(path: Path | str, **options: Any) -> str:
    with pytest.raises(FileError) as caught:
        read_model(path, **options)
    assert caught.value.file == ("standard input" if path == "-" else str(path))
    assert "\n" not in caught.value.reason
    return caught.value.reason


def assert_same(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> None:
    assert found.keys() == wanted.keys()
    for name, tensor in wanted.items():
        assert found[name].dtype == tensor.dtype.newbyteorder("<")
        assert found[name].shape == tensor.shape
        np.testing.assert_array_equal(found[name], tensor)


# Sound files


def test_what_is_written_is_read(path):
    model = read_model(path, architecture="dependency-parser")
    assert model.header == {**HEADER, "version": FORMAT_VERSION}
    assert model.path == str(path)
    assert_same(model.tensors, tensors())
    model.verify()


def test_what_is_read_can_be_written_again(path, tmp_path):
    model = read_model(path)
    write_model(tmp_path / "again", model.header, model.tensors)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_same_content_same_bytes(path, tmp_path):
    write_model(tmp_path / "n", dict(reversed(HEADER.items())), dict(reversed(tensors().items())))
    assert (tmp_path / "n").read_bytes() == path.read_bytes()


def test_the_file_is_valid_safetensors(path):
    assert_same(load_file(path), tensors())


def test_a_file_written_by_the_safetensors_library_is_read(tmp_path):
    """The layout is theirs; only the checksums are ours, and they depend on meaning, not on spaces."""
    write_model(tmp_path / "m", HEADER, {"weights": np.ones(3, np.float32)})
    metadata = head_of(tmp_path / "m")["__metadata__"]
    save_file({"weights": np.ones(3, np.float32)}, tmp_path / "n", metadata)
    model = read_model(tmp_path / "n")
    assert model.header == {**HEADER, "version": FORMAT_VERSION}
    assert_same(model.tensors, {"weights": np.ones(3, np.float32)})


def test_tensors_are_mapped_aligned_and_read_only(path):
    for tensor in read_model(path).tensors.values():
        base: Any = tensor
        while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
            base = base.base
        assert isinstance(base, np.memmap)
        assert tensor.flags.aligned
        assert tensor.flags.c_contiguous
        assert not tensor.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            tensor[...] = 0


def test_data_begins_at_a_multiple_of_64(tmp_path):
    for length in range(70):
        write_model(tmp_path / "m", {"architecture": "x" * length}, {"a": np.ones(1, np.float32)})
        assert (os.path.getsize(tmp_path / "m") - 4) % 64 == 0


def test_no_tensors(tmp_path):
    write_model(tmp_path / "m", HEADER, {})
    assert read_model(tmp_path / "m").tensors == {}


def test_a_model_outlives_its_name(path):
    model = read_model(path)
    write_model(path, HEADER, {})  # renamed over the old one, which stays mapped
    assert_same(model.tensors, tensors())


def test_only_the_file_is_left(path):
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize(
    ("header", "content", "message"),
    [
        ({}, {}, "architecture"),
        ({**HEADER, "checksums": {}}, {}, "checksums"),
        ({**HEADER, "loss": float("nan")}, {}, "JSON"),
        (HEADER, {"__metadata__": np.zeros(1)}, "__metadata__"),
        (HEADER, {"a": np.zeros(1, complex)}, "'a' is of type complex128"),
        (HEADER, {"a": np.array(["x"], object)}, "'a' is of type object"),
    ],
)
def test_what_cannot_be_written(tmp_path, header, content, message):
    with pytest.raises(ValueError, match=message):
        write_model(tmp_path / "m", header, content)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="there is no such file"):
        write_model(tmp_path / "no" / "m", HEADER, {})


# Files that are no models


@pytest.mark.parametrize(
    "content",
    [b"x", b"12345678", CONLLU.encode(), b'{"a": {"b": [{}]}}', np.random.default_rng(2).bytes(500)],
)
def test_something_else(tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    assert reason(tmp_path / "m") == "this is not an Arbora model: give a file that arbora wrote as one"


@pytest.mark.parametrize("metadata", [None, {"format": "pt"}, {"format": "arbora-model"}])
def test_another_safetensors_file(tmp_path, metadata):
    save_file({"weights": np.ones(3, np.float32)}, tmp_path / "m", metadata)
    assert "this is not an Arbora model" in reason(tmp_path / "m")


def test_no_file_to_map(tmp_path):
    assert reason(tmp_path / "m") == "there is no such file"
    assert reason(tmp_path) == "this is a directory, not a file"
    assert "give its name" in reason("-")
    (tmp_path / "m").touch()
    assert reason(tmp_path / "m") == "this file is empty, not a model: get it again"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "m")
    assert "this is not a regular file" in reason(tmp_path / "m")


def test_compressed(path):
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert reason(path) == "this file is compressed with gzip: unpack it first"
    assert "unpack it first" in reason(path.with_name("m.gz"))


# Models that are damaged, or of another kind


def test_a_newer_version(path):
    head = head_of(path)
    header = json.loads(head["__metadata__"]["arbora"])
    head["__metadata__"]["arbora"] = json.dumps({"version": 2, "new": "ways"})
    with_head(path, head)
    assert header["version"] == 1
    assert reason(path) == (
        "this model was written by a newer Arbora: format 2, this one reads 1; upgrade arbora"
    )


@pytest.mark.parametrize("version", [0, -1, True, 1.0, "1", None, [1]])
def test_no_version(path, version):
    head = head_of(path)
    head["__metadata__"]["arbora"] = json.dumps({"version": version})
    with_head(path, head)
    assert "it has no version" in reason(path)


def test_another_architecture(tmp_path):
    write_model(tmp_path / "m", {"architecture": "tagger"}, {})
    found = reason(tmp_path / "m", architecture="dependency-parser")
    assert found == "this model is a tagger, not a dependency parser: give another file"
    assert "not an item" in reason(tmp_path / "m", architecture="item")


def test_cut_off(path):
    whole = path.read_bytes()
    start = 8 + int.from_bytes(whole[:8], "little")
    path.write_bytes(whole[:-3])
    assert reason(path) == "the file is cut off: 3 bytes are missing; get it again"
    path.write_bytes(whole[: start - 10])
    assert reason(path) == "the file is cut off: 10 bytes of the header are missing; get it again"
    path.write_bytes(whole + b"..")
    assert reason(path) == "the file is damaged: it has 2 bytes too many; get it again"


def test_a_header_too_long_to_be_true(path):
    path.write_bytes(b"\xff" * 8 + path.read_bytes()[8:])
    assert "18446744073709551615 bytes is impossible" in reason(path)


@pytest.mark.parametrize(
    "head", ["{", "{]", "{}{}", '{"\ud800"}'.encode("utf-8", "replace").decode(), '{"a":' + "[" * 100_000]
)
def test_bad_json(path, head):
    with_head(path, head)
    assert "it is not JSON" in reason(path)


@pytest.mark.parametrize("text", ["", "[]", "7", "{", None, 7, {}, "[" * 100_000])
def test_bad_json_inside(path, text):
    with_head(path, {"__metadata__": {"arbora": text, "format": "arbora-model"}})
    assert "it is not JSON" in reason(path)


@pytest.mark.parametrize("checksums", [None, 7, {}, {"header": 1}, {"header": 1, "tensors": []}])
def test_bad_checksums(path, checksums):
    text = json.dumps({"architecture": "x", "version": 1, "checksums": checksums})
    with_head(path, {"__metadata__": {"arbora": text, "format": "arbora-model"}})
    assert "its checksum differs" in reason(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dtype": "F33"}, "the type of 'b' is unknown"),
        ({"dtype": ["F32"]}, "the type of 'b' is unknown"),
        ({"shape": [-2]}, "the shape of 'b' is impossible"),
        ({"shape": 2}, "the shape of 'b' is impossible"),
        ({"shape": [2.0]}, "the shape of 'b' is impossible"),
        ({"shape": [True, 2]}, "the shape of 'b' is impossible"),
        ({"shape": [1] * 40 + [2]}, "the shape of 'b' is impossible"),
        ({"shape": [3]}, "the place of 'b' does not fit its shape"),
        ({"shape": [1 << 70]}, "the place of 'b' does not fit its shape"),
        ({"shape": [0, 1 << 70], "data_offsets": [8, 8]}, "'c' begins at 16, not at 8"),
        ({"dtype": "F64"}, "the place of 'b' does not fit its shape"),
        ({"data_offsets": [8]}, "the place of 'b' is impossible"),
        ({"data_offsets": [16, 8]}, "the place of 'b' does not fit its shape"),
        ({"data_offsets": [-8, 0]}, "the place of 'b' is impossible"),
        ({"data_offsets": [4, 12]}, "'b' begins at 4, not at 8"),
        ({"data_offsets": [0, 8]}, "'b' begins at 0, not at 8"),
        ({"data_offsets": [12, 20]}, "'b' begins at 12, not at 8"),
        ({"data_offsets": [1 << 70, (1 << 70) + 8]}, "'c' begins at 16, not at 8"),
    ],
)
def test_a_bad_directory(tmp_path, monkeypatch, changes, message):
    """Also of a file that was not damaged but made so, checksums and all."""
    path = tmp_path / "m"
    write_model(path, HEADER, {name: np.ones(2, np.float32) for name in "abc"})
    head = head_of(path)
    head["b"] |= changes
    with_head(path, head)
    assert "its checksum differs" in reason(path)
    monkeypatch.setattr("arbora.models.file._seal", lambda header, *_: header.get("seal"))
    text = json.loads(head["__metadata__"]["arbora"])
    text["seal"] = text["checksums"]["header"]
    head["__metadata__"]["arbora"] = json.dumps(text)
    with_head(path, head)
    assert message in reason(path)


def test_an_empty_tensor_too_wide(tmp_path, monkeypatch):
    write_model(tmp_path / "m", HEADER, {"a": np.zeros((0, 2), np.float32)})
    head = head_of(tmp_path / "m")
    head["a"]["shape"] = [0, 1 << 70]
    monkeypatch.setattr("arbora.models.file._seal", lambda *_: seal)
    seal = json.loads(head["__metadata__"]["arbora"])["checksums"]["header"]
    with_head(tmp_path / "m", head)
    assert "the shape of 'a' is impossible" in reason(tmp_path / "m")


def test_damaged_data(path):
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)
    assert reason(path).endswith("is damaged: its checksum differs; get the file again")
    model = read_model(path, verify=False)
    with pytest.raises(FileError, match="its checksum differs"):
        model.verify()


def test_any_damage_is_found(path):
    """Every byte of the file, changed to another; what is still a model is the same model."""
    whole, rng = path.read_bytes(), np.random.default_rng(3)
    same = 0
    for place in range(len(whole)):
        raw = bytearray(whole)
        raw[place] = rng.choice([raw[place] ^ 1 << int(rng.integers(8)), 0, *b' 019"{}[]-eF'])
        path.write_bytes(raw)
        try:
            model = read_model(path)
        except FileError as error:
            assert "\n" not in str(error)  # noqa: PT017
        else:
            same += 1
            assert model.header == {**HEADER, "version": FORMAT_VERSION}
            assert_same(model.tensors, tensors())
    assert same < len(whole) / 4  # the byte itself again, or a space where it means nothing


def test_any_truncation_is_found(path):
    whole = path.read_bytes()
    for length in np.random.default_rng(4).integers(0, len(whole), 300):
        path.write_bytes(whole[:length])
        assert reason(path)


# Compact weights


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
    for key in (CODES, PEAKS, SIZE):
        with pytest.raises(ValueError, match="is missing"):
            expand({other: tensors[other] for other in tensors if other != key})


# Facts


def test_facts(tmp_path):
    weights = np.array([0, -2, 1, 0], np.float32)
    write_model(tmp_path / "m", HEADER, {"weights": weights, "b": np.array([-128, 5], np.int8)})
    facts = inspect_model(tmp_path / "m")
    assert facts["bytes"] == os.path.getsize(tmp_path / "m")
    assert facts["header"] == {**HEADER, "version": 1}
    assert (facts["compact"], "weights" in facts) == (False, False)
    rows = [tuple(row.values()) for row in facts["tensors"]]
    assert rows == [("b", "int8", [2], 2, 1.0, 128.0), ("weights", "float32", [4], 16, 0.5, 2.0)]


def test_facts_of_compact_weights(tmp_path):
    write_model(tmp_path / "m", HEADER, compact(np.array([0, -2, 1, 0] * 99, np.float32), keep=1))
    facts = inspect_model(tmp_path / "m")
    assert facts["compact"]
    assert (facts["weights"]["nonzero"], facts["weights"]["greatest"]) == (0.5, 2.0)
    assert facts["weights"]["shape"] == [396]


def test_facts_of_tensors_that_do_not_fit(tmp_path):
    write_model(tmp_path / "m", HEADER, {CODES: np.ones(3, np.int8)})
    with pytest.raises(FileError, match="size is missing"):
        inspect_model(tmp_path / "m")


def test_facts_are_json(path, tmp_path):
    write_model(tmp_path / "n", HEADER, {"a": np.array([np.nan, 1]), "b": np.array([-np.inf])})
    for file in (path, tmp_path / "n"):
        facts = inspect_model(file)
        assert json.loads(json.dumps(facts, allow_nan=False)) == facts
