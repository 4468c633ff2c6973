"""Model files: what is written is read, mapped; what they tell of themselves."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import pytest
from model_files import HEADER, assert_same, head_of, tensors, write_sample
from safetensors.numpy import load_file, save_file

from arbora.errors import FileError
from arbora.models import FORMAT_VERSION, compact, inspect_model, read_model, write_model
from arbora.models.compact import CODES


@pytest.fixture
def path(tmp_path):
    return write_sample(tmp_path / "m.model")


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


# Facts


def test_facts(tmp_path):
    weights = np.array([0, -2, 1, 0], np.float32)
    write_model(tmp_path / "m", HEADER, {"weights": weights, "b": np.array([-128, 5], np.int8)})
    facts = inspect_model(tmp_path / "m")
    assert facts["bytes"] == os.path.getsize(tmp_path / "m")
    assert facts["header"] == {**HEADER, "version": FORMAT_VERSION}
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
