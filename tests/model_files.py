"""A small model file for tests: written, opened by hand, changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arbora.errors import FileError
from arbora.models import read_model, write_model

HEADER: dict[str, Any] = {
    "architecture": "dependency-parser",
    "labels": ["nsubj", "obj", "größe"],
    "options": {"epochs": 3, "rate": 0.1},
}


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


def write_sample(path: Path) -> Path:
    """A model file with these tensors."""
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
