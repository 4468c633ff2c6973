"""Files that are no models, and models that are damaged: one clear line for each."""

from __future__ import annotations

import gzip
import json
import os

import numpy as np
import pytest
from model_files import HEADER, assert_same, head_of, reason, tensors, with_head, write_sample
from safetensors.numpy import save_file

from arbora.errors import FileError
from arbora.models import FORMAT_VERSION, read_model, write_model

CONLLU = "# sent_id = 1\n1\tJa\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def path(tmp_path):
    return write_sample(tmp_path / "m.model")


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
    head["__metadata__"]["arbora"] = json.dumps({"version": 3, "new": "ways"})
    with_head(path, head)
    assert header["version"] == 2
    assert reason(path) == (
        "this model was written by a newer Arbora: format 3, this one reads 2; upgrade arbora"
    )


def test_an_older_version(path):
    head = head_of(path)
    header = json.loads(head["__metadata__"]["arbora"])
    head["__metadata__"]["arbora"] = json.dumps({**header, "version": 1})
    with_head(path, head)
    assert reason(path) == (
        "this model was written by an older Arbora: format 1, whose features were numbered by their place in "
        "a list; train it again"
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
    text = json.dumps({"architecture": "x", "version": FORMAT_VERSION, "checksums": checksums})
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
