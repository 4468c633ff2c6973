"""Tensors of safetensors files that others wrote."""

from __future__ import annotations

import json
import math
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arbora.errors import FileError

_LONGEST_HEADER = 100_000_000  # the limit of the format
_DTYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "BF16": np.dtype("<u2")}


class StoredTensors:
    """The tensors of a file by name, read when they are asked for.

    >>> import tempfile
    >>> head = b'{"a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/a.safetensors", "wb") as stream:
    ...         _ = stream.write(len(head).to_bytes(8, "little") + head + bytes([0x80, 0x3F, 0, 0x40]))
    ...     stored = StoredTensors(f"{folder}/a.safetensors")
    ...     list(stored.names), stored.read("a", (2,))
    (['a'], array([1., 2.], dtype=float32))
    """

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            with open(path, "rb") as stream:
                self._read_head(stream)
        except FileNotFoundError:
            raise FileError("there is no such file", file=path) from None
        except OSError as error:
            raise FileError(f"it cannot be read: {error.strerror}", file=path) from None

    def _read_head(self, stream: Any) -> None:
        size = os.fstat(stream.fileno()).st_size
        length = int.from_bytes(stream.read(8), "little")
        if size < 8 or length > min(size - 8, _LONGEST_HEADER):
            raise FileError("this is no safetensors file, or it is cut off", file=self.path)
        try:
            head = json.loads(stream.read(length).decode())
        except (ValueError, RecursionError):
            head = None
        if not isinstance(head, dict):
            raise FileError("this is no safetensors file: its header is not JSON", file=self.path)
        head.pop("__metadata__", None)
        self._head: dict[str, Any] = head
        self._begin, self._size = 8 + length, size

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tensors."""
        return tuple(self._head)

    def read(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
        """A tensor of this shape as float32; FileError if there is none."""
        found = self._head.get(name)
        if not isinstance(found, dict):
            raise FileError(f"it lacks the tensor {name}", file=self.path)
        dtype = _DTYPES.get(str(found.get("dtype")))
        if dtype is None:
            raise FileError(
                f"the tensor {name} is of type {found.get('dtype')!r:.20}, none of {', '.join(_DTYPES)}",
                file=self.path,
            )
        if found.get("shape") != list(shape):
            raise FileError(
                f"the tensor {name} is of shape {found.get('shape')!r:.60}, "
                f"where config.json says {list(shape)}",
                file=self.path,
            )
        begin = self._place(name, found.get("data_offsets"), math.prod(shape) * dtype.itemsize)
        with open(self.path, "rb") as stream:
            stream.seek(begin)
            values = np.fromfile(stream, dtype, math.prod(shape))
        if found["dtype"] == "BF16":  # the upper half of a float32
            values = (values.astype(np.uint32) << 16).view(np.float32)
        floats = values.astype(np.float32).reshape(shape)
        if not np.isfinite(floats).all():
            reason = f"the tensor {name} has a value that is not a number, or is infinite"
            raise FileError(reason, file=self.path)
        return floats

    def _place(self, name: str, offsets: Any, wanted: int) -> int:
        """Where in the file so many bytes begin."""
        are_whole = isinstance(offsets, list) and len(offsets) == 2 and all(type(o) is int for o in offsets)
        if not are_whole or offsets[0] < 0 or offsets[1] - offsets[0] != wanted:
            raise FileError(f"the place of the tensor {name} does not fit its shape", file=self.path)
        if self._begin + offsets[1] > self._size:
            raise FileError(f"the file is cut off: the tensor {name} is not all there", file=self.path)
        return self._begin + int(offsets[0])
