"""Encoders of folders in the Hugging Face layout, as the safetensors library writes them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from arbora.errors import FileError
from arbora.neural import Encoder, EncoderShape, find_folder, read_folder
from arbora.neural.layers import random_tensors

SHAPE = EncoderShape("bert", layers=2, hidden=8, heads=2, inner=12, positions=20, vocabulary=30)
CONFIG = {
    "model_type": "bert",
    "num_hidden_layers": 2,
    "hidden_size": 8,
    "num_attention_heads": 2,
    "intermediate_size": 12,
    "max_position_embeddings": 20,
    "vocab_size": 30,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}
NAMES = {
    "mixing": "attention.output.dense",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "mixing.norm": "attention.output.LayerNorm",
    "outer.norm": "output.LayerNorm",
}
TYPES = np.random.default_rng(5).normal(size=(2, 8)).astype(np.float32)


def as_they_name_it(tensors: dict[str, Any]) -> dict[str, Any]:
    """Our tensors by the names of that layout; the embedding of the first type is a tensor of its own."""
    found = {
        "embeddings.word_embeddings.weight": tensors["embeddings.words"],
        "embeddings.position_embeddings.weight": tensors["embeddings.positions"] - TYPES[0],
        "embeddings.token_type_embeddings.weight": TYPES,
        "embeddings.LayerNorm.weight": tensors["embeddings.norm.scale"],
        "embeddings.LayerNorm.bias": tensors["embeddings.norm.shift"],
        "embeddings.position_ids": np.arange(20)[None],
    }
    for i in range(2):
        for part, name in enumerate(("query", "key", "value")):
            own = f"encoder.layer.{i}.attention.self.{name}"
            found[f"{own}.weight"] = tensors[f"layers.{i}.attention.weights"][8 * part : 8 * part + 8].copy()
            found[f"{own}.bias"] = tensors[f"layers.{i}.attention.bias"][8 * part : 8 * part + 8].copy()
        for ours, name in NAMES.items():
            first, second = ("scale", "shift") if ours.endswith("norm") else ("weights", "bias")
            found[f"encoder.layer.{i}.{name}.weight"] = tensors[f"layers.{i}.{ours}.{first}"]
            found[f"encoder.layer.{i}.{name}.bias"] = tensors[f"layers.{i}.{ours}.{second}"]
    return found


def write(folder: Path, *, prefix: str = "", tensors: Any = None, **changed: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    config = {name: value for name, value in {**CONFIG, **changed}.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(config))
    own = as_they_name_it(random_tensors(SHAPE)) if tensors is None else tensors
    save_file({prefix + name: tensor for name, tensor in own.items()}, folder / "model.safetensors")
    return folder


@pytest.mark.parametrize("prefix", ["", "bert.", "roberta."])
def test_a_folder_is_read(tmp_path, prefix):
    shape, tensors = read_folder(write(tmp_path, prefix=prefix))
    assert shape == SHAPE
    expected = random_tensors(SHAPE)
    assert tensors.keys() == expected.keys()
    for name, tensor in tensors.items():
        assert tensor.dtype == np.float32
        assert np.abs(tensor - expected[name]).max() < 1e-6
    assert Encoder(shape, tensors).encode_all([[1, 2]])[0].shape == (2, 8)


def test_a_folder_is_cut_to_its_first_layers(tmp_path):
    shape, tensors = read_folder(write(tmp_path), 1)
    assert shape.layers == 1
    assert not [name for name in tensors if name.startswith("layers.1")]
    Encoder(shape, tensors)


def test_roberta_begins_after_its_padding(tmp_path):
    shape, _ = read_folder(write(tmp_path, model_type="roberta", pad_token_id=1))
    assert (shape.kind, shape.first_position, shape.longest) == ("roberta", 2, 18)
    assert read_folder(write(tmp_path, model_type="xlm-roberta"))[0].first_position == 2


@pytest.mark.parametrize(("kind", "bound"), [("F16", 1e-2), ("BF16", 4e-2)])
def test_halves_are_read(tmp_path, kind, bound):
    """The library for numpy has no BF16: a float32 without its lower half."""
    tensors = as_they_name_it(random_tensors(SHAPE))
    del tensors["embeddings.position_ids"]
    if kind == "F16":
        write(tmp_path, tensors={name: tensor.astype(np.float16) for name, tensor in tensors.items()})
    else:
        upper = {name: (t.view(np.uint32) >> 16).astype(np.uint16) for name, t in tensors.items()}
        data = (write(tmp_path, tensors=upper) / "model.safetensors").read_bytes()
        size = int.from_bytes(data[:8], "little")
        head = data[8 : 8 + size].replace(b'"U16"', b'"BF16"')
        whole = len(head).to_bytes(8, "little") + head + data[8 + size :]
        (tmp_path / "model.safetensors").write_bytes(whole)
    expected = random_tensors(SHAPE)
    for name, tensor in read_folder(tmp_path)[1].items():
        assert tensor.dtype == np.float32
        assert np.abs(tensor - expected[name]).max() < bound


def refusal(*arguments: Any) -> str:
    with pytest.raises(FileError) as caught:
        read_folder(*arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"model_type": "gpt2"}, "an encoder of kind 'gpt2'; bert, roberta, xlm-roberta are read"),
        ({"model_type": None}, "an encoder of kind None"),
        ({"model_type": ["bert"]}, "an encoder of kind ['bert']"),
        ({"position_embedding_type": "relative_key"}, "its positions are 'relative_key'"),
        ({"hidden_act": "swish"}, "its activation is 'swish'"),
        ({"hidden_size": 16}, "is of shape [20, 8], where config.json says [20, 16]"),
        ({"vocab_size": 31}, "is of shape [30, 8], where config.json says [31, 8]"),
        ({"intermediate_size": "many"}, "this is no encoder: inner is no whole number"),
        ({"num_attention_heads": 3}, "this is no encoder: 3 heads cannot share 8"),
        ({"num_hidden_layers": None}, "it does not say num_hidden_layers"),
        ({"num_hidden_layers": 3}, "it lacks the tensor encoder.layer.2.attention.self.query.weight"),
        ({"type_vocab_size": -1}, "type_vocab_size is no number"),
        ({"layer_norm_eps": "small"}, "this is no encoder: epsilon is no number"),
    ],
)
def test_a_configuration_that_does_not_fit_is_refused(tmp_path, changed, message):
    assert message in refusal(write(tmp_path, **changed))


def test_layers_that_are_not_there_are_refused(tmp_path):
    write(tmp_path)
    assert "this encoder has 2 layers, and 3 are asked for" in refusal(tmp_path, 3)
    assert "layers is not from 1" in refusal(tmp_path, 0)


def test_files_that_are_not_there_are_refused(tmp_path):
    assert "there is no such folder, and no installed package" in refusal(tmp_path / "nowhere")
    assert refusal(tmp_path).endswith("config.json: there is no such file")
    write(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    assert refusal(tmp_path).endswith("model.safetensors: there is no such file")
    assert "this is no folder" in refusal(tmp_path / "config.json")


@pytest.mark.parametrize("text", ["", "[]", "{", "\ufeff", "[" * 100_000])
def test_a_configuration_that_is_not_json_is_refused(tmp_path, text):
    (write(tmp_path) / "config.json").write_text(text, "utf-8")
    assert "this is not JSON with the fields of an encoder" in refusal(tmp_path)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (write(tmp_path) / "config.json").write_bytes(b"\xff\xfe{}")
    assert "this is not JSON" in refusal(tmp_path)


def test_a_file_that_is_damaged_is_refused(tmp_path):
    file = write(tmp_path) / "model.safetensors"
    data = file.read_bytes()
    size = int.from_bytes(data[:8], "little")
    head = json.loads(data[8 : 8 + size])
    name = "encoder.layer.1.output.dense.weight"

    def message(change: Any) -> str:
        changed = {key: dict(value) for key, value in head.items()}
        change(changed[name])
        text = json.dumps(changed).encode()
        file.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + size :])
        return refusal(tmp_path)

    assert "is of type 'I32'" in message(lambda entry: entry.update(dtype="I32"))
    assert "is of shape 'a'" in message(lambda entry: entry.update(shape="a"))
    for offsets in (None, [0], ["a", 1], [-8, 376], [0, 380], [384, 0]):
        assert "the place of the tensor" in message(lambda entry, own=offsets: entry.update(data_offsets=own))
    begin = 10**9
    assert "cut off" in message(lambda entry: entry.update(data_offsets=[begin, begin + 384]))
    for cut in (b"", data[:5], data[:200]):
        file.write_bytes(cut)
        assert "this is no safetensors file, or it is cut off" in refusal(tmp_path)
    file.write_bytes(data[:-100])
    assert "is not all there" in refusal(tmp_path)
    file.write_bytes((2).to_bytes(8, "little") + b"[]")
    assert "its header is not JSON" in refusal(tmp_path)


def test_numbers_that_are_none_are_refused(tmp_path):
    tensors = as_they_name_it(random_tensors(SHAPE))
    tensors["embeddings.LayerNorm.bias"][3] = np.nan
    found = refusal(write(tmp_path, tensors=tensors))
    assert "embeddings.LayerNorm.bias has a value that is not a number" in found


def test_a_package_is_found_by_its_name(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "some_weights"
    write(package / "inside" / "model")
    (package / "__init__.py").write_text("raise RuntimeError('it was imported')")
    assert find_folder("some-weights") == package / "inside" / "model"
    assert read_folder("some_weights", 1)[0].layers == 1
    assert "some_weights" not in sys.modules
    write(package / "other")
    assert "this package has 2 folders with config.json" in refusal("some_weights")
    empty = tmp_path / "no_weights"
    empty.mkdir()
    (empty / "__init__.py").touch()
    assert "this package has no folder with config.json" in refusal("no_weights")
    assert "no installed package of that name" in refusal("no.weights")
    assert "no installed package of that name" in refusal("json.decoder")
