"""Encoders of folders in the Hugging Face layout: ``config.json`` and ``model.safetensors``."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from arbora.errors import ArboraError, FileError
from arbora.neural.shapes import ACTIVATIONS, KINDS, EncoderShape
from arbora.neural.stored import StoredTensors

Floats = dict[str, NDArray[np.float32]]

_FIELDS = {
    "hidden": "hidden_size",
    "heads": "num_attention_heads",
    "inner": "intermediate_size",
    "positions": "max_position_embeddings",
    "vocabulary": "vocab_size",
}


def find_folder(path: str | os.PathLike[str]) -> Path:
    """The folder of an encoder: a path, or the name of an installed package with one such folder inside.

    The package is looked at, and not imported.

    >>> find_folder("nowhere/at/all")
    Traceback (most recent call last):
    arbora.errors.FileError: nowhere/at/all: there is no such folder, and no installed package of that name
    """
    name = os.fspath(path)
    if not name:  # for paths, it would be the current folder
        raise ArboraError("the encoder has no name: give its folder, or an installed package")
    folder = Path(name)
    if folder.is_dir():
        return folder
    if folder.exists():
        _fail(name, "this is no folder: give the one that has config.json and model.safetensors")
    module = name.replace("-", "_")
    try:
        spec = find_spec(module) if module.isidentifier() else None
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.submodule_search_locations:
        _fail(name, "there is no such folder, and no installed package of that name")
    found = sorted(
        config.parent
        for place in spec.submodule_search_locations
        for config in Path(place).rglob("config.json")
        if (config.parent / "model.safetensors").is_file()
    )
    if len(found) != 1:
        many = f"{len(found)} folders" if found else "no folder"
        _fail(name, f"this package has {many} with config.json and model.safetensors: give a path")
    return found[0]


def read_folder(path: str | os.PathLike[str], layers: int | None = None) -> tuple[EncoderShape, Floats]:
    """The shape and the float32 tensors of an encoder, cut to its first layers (all, if none are given).

    ``path`` is as for `find_folder`. The tensors have the names of `tensor_shapes`; the embedding of the
    first type of tokens is added to those of all positions. BERT, RoBERTa and XLM-R are read;
    FileError if it is another, or does not hold what its configuration says.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "config.json").write_text('{"model_type": "gpt2"}')
    ...     read_folder(folder)
    Traceback (most recent call last):
    arbora.errors.FileError: ...config.json: an encoder of kind 'gpt2'; bert, roberta, xlm-roberta are read
    """
    folder = find_folder(path)
    shape, types = _shape(str(folder / "config.json"), layers)
    stored = StoredTensors(str(folder / "model.safetensors"))
    prefix = _prefix(stored)
    tensors = _embeddings(stored, prefix, shape, types)
    for layer in range(shape.layers):
        tensors |= _layer(stored, f"{prefix}encoder.layer.{layer}.", f"layers.{layer}.", shape)
    return shape, tensors


def read_config(path: str) -> dict[str, Any]:
    """The fields of a ``config.json``; FileError if it is none."""
    try:
        with open(path, encoding="utf-8") as stream:
            found = json.load(stream)
    except FileNotFoundError:
        _fail(path, "there is no such file")
    except OSError as error:
        _fail(path, f"it cannot be read: {error.strerror}")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        _fail(path, "this is not JSON with the fields of an encoder")
    return found


def _shape(path: str, layers: int | None) -> tuple[EncoderShape, int]:
    """The shape that a configuration says, cut to these layers; and how many types of tokens there are."""
    config = read_config(path)
    kind = config.get("model_type")
    if kind not in KINDS:
        _fail(path, f"an encoder of kind {kind!r:.40}; {', '.join(KINDS)} are read")
    if config.get("position_embedding_type", "absolute") != "absolute":
        found = config["position_embedding_type"]
        _fail(path, f"its positions are {found!r:.40}; only absolute ones are read")
    activation = config.get("hidden_act", "gelu")
    if activation not in ACTIVATIONS:
        _fail(path, f"its activation is {activation!r:.40}; {', '.join(ACTIVATIONS)} are known")
    there = config.get("num_hidden_layers")
    if type(there) is not int:
        _fail(path, "it does not say num_hidden_layers")
    if layers is not None and layers > there:
        _fail(path, f"this encoder has {there} layers, and {layers} are asked for")
    first = 0
    if kind != "bert":
        padding = config.get("pad_token_id", 1)
        first = padding + 1 if type(padding) is int else 2
    sizes = {name: config.get(field) for name, field in _FIELDS.items()}
    try:
        shape = EncoderShape(
            kind=kind,
            layers=there if layers is None else layers,
            first_position=first,
            epsilon=config.get("layer_norm_eps", 1e-12),
            activation=activation,
            **sizes,  # type: ignore[arg-type]  # the shape looks at them
        )
    except ValueError as error:
        _fail(path, f"this is no encoder: {error}")
    types = config.get("type_vocab_size", 2)
    if type(types) is not int or types < 0:
        _fail(path, "type_vocab_size is no number of types")
    return shape, types


def _prefix(stored: StoredTensors) -> str:
    """What the names of all tensors begin with: heads of other tasks may lie beside the encoder."""
    for prefix in ("", *(f"{kind}." for kind in ("bert", "roberta"))):
        if f"{prefix}embeddings.word_embeddings.weight" in stored.names:
            return prefix
    _fail(stored.path, "it lacks the tensor embeddings.word_embeddings.weight")


def _embeddings(stored: StoredTensors, prefix: str, shape: EncoderShape, types: int) -> Floats:
    old, hidden = f"{prefix}embeddings.", shape.hidden
    positions = stored.read(f"{old}position_embeddings.weight", (shape.positions, hidden))
    if types:
        positions += stored.read(f"{old}token_type_embeddings.weight", (types, hidden))[0]
    return {
        "embeddings.words": stored.read(f"{old}word_embeddings.weight", (shape.vocabulary, hidden)),
        "embeddings.positions": positions,
        **_norm(stored, f"{old}LayerNorm", "embeddings.norm", hidden),
    }


def _layer(stored: StoredTensors, old: str, new: str, shape: EncoderShape) -> Floats:
    hidden, inner = shape.hidden, shape.inner
    three = [
        _dense(stored, f"{old}attention.self.{part}", "", (hidden, hidden))
        for part in ("query", "key", "value")
    ]
    joined = {f"{new}attention{name}": np.concatenate([part[name] for part in three]) for name in three[0]}
    return {
        **joined,
        **_dense(stored, f"{old}attention.output.dense", f"{new}mixing", (hidden, hidden)),
        **_norm(stored, f"{old}attention.output.LayerNorm", f"{new}mixing.norm", hidden),
        **_dense(stored, f"{old}intermediate.dense", f"{new}inner", (inner, hidden)),
        **_dense(stored, f"{old}output.dense", f"{new}outer", (hidden, inner)),
        **_norm(stored, f"{old}output.LayerNorm", f"{new}outer.norm", hidden),
    }


def _dense(stored: StoredTensors, old: str, new: str, shape: tuple[int, int]) -> Floats:
    return {
        f"{new}.weights": stored.read(f"{old}.weight", shape),
        f"{new}.bias": stored.read(f"{old}.bias", shape[:1]),
    }


def _norm(stored: StoredTensors, old: str, new: str, hidden: int) -> Floats:
    return {
        f"{new}.scale": stored.read(f"{old}.weight", (hidden,)),
        f"{new}.shift": stored.read(f"{old}.bias", (hidden,)),
    }


def _fail(path: str, reason: str) -> NoReturn:
    raise FileError(reason, file=path) from None
