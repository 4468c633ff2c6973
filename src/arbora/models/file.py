"""A model file: a safetensors file whose metadata holds one JSON header.

```text
8 bytes      length of the JSON that follows, little endian
JSON         {"__metadata__": {"arbora": header as JSON text, "format": "arbora-model"},
              tensor name: {"data_offsets": [begin, end], "dtype": "F32", "shape": [...]}, ...}, and spaces
data         the tensors one after another, without holes
```

The layout is so plain that the safetensors library is not needed: it copies what it reads, and aligns to 8
bytes only. Here spaces make the data begin at a multiple of 64 bytes, and tensors of wide numbers come first,
so every tensor is aligned and can be used where it is mapped.

The header carries checksums, of every tensor's bytes and of all else, so that damage is found wherever it is.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NoReturn, TypeGuard

import numpy as np
from numpy.typing import NDArray

from arbora.errors import ArboraError, FileError
from arbora.treebank.files import check_output, file_name, open_input, open_output

FORMAT_VERSION = 2
"""The version that is written, and the only one that is read.

In version 1 features were numbered by their places in lists that have changed since, so its weights have lost
their meaning.
"""

_FORMAT = "arbora-model"
_ALIGNMENT = 64
_LONGEST_HEADER = 100_000_000  # the limit of the safetensors format
_MOST_DIMENSIONS = 32  # the limit of the oldest numpy we allow
_DTYPES = {
    "BOOL": np.dtype("?"),
    "U8": np.dtype("u1"),
    "I8": np.dtype("i1"),
    "U16": np.dtype("<u2"),
    "I16": np.dtype("<i2"),
    "F16": np.dtype("<f2"),
    "U32": np.dtype("<u4"),
    "I32": np.dtype("<i4"),
    "F32": np.dtype("<f4"),
    "U64": np.dtype("<u8"),
    "I64": np.dtype("<i8"),
    "F64": np.dtype("<f8"),
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_COMPRESSED = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz"}


@dataclass(frozen=True, eq=False)
class Model:
    """What a model file holds: the header, and the tensors where they are mapped, read-only.

    ``digest`` is the SHA-256 of all but the tensors' bytes, whose checksums it covers.
    """

    header: dict[str, Any]
    tensors: dict[str, NDArray[Any]]
    path: str
    checksums: dict[str, int]
    digest: str

    def verify(self) -> None:
        """Compare every tensor with its checksum; FileError if one differs.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_model(f"{folder}/m", {"architecture": "tagger"}, {"weights": np.ones(3, np.float32)})
        ...     read_model(f"{folder}/m", verify=False).verify()
        """
        for name, tensor in self.tensors.items():
            if _checksum(tensor) != self.checksums[name]:
                _fail(self.path, f"the tensor {name!r} is damaged: its checksum differs; get the file again")


def write_model(
    path: str | os.PathLike[str], header: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]
) -> None:
    """Write a model; the file gets its name only when it is complete. Same content, same bytes.

    The header is anything JSON can say, except ``nan`` and infinity; it names its ``architecture``. Its
    ``version`` is set here. ValueError if it cannot be written so.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_model(f"{folder}/m", {"architecture": "tagger"}, {"weights": np.ones(3, np.float32)})
    ...     model = read_model(f"{folder}/m")
    >>> model.header
    {'architecture': 'tagger', 'version': 2}
    >>> model.tensors["weights"]
    array([1., 1., 1.], dtype=float32)
    """
    pieces = _pieces(header, tensors)
    with open_output(file_name(path)) as stream:
        stream.writelines(pieces)


def encode_model(header: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes that `write_model` writes."""
    return b"".join(_pieces(header, tensors))


def _pieces(header: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Iterator[bytes | memoryview]:
    if not isinstance(header.get("architecture"), str):
        raise ValueError("the header of a model must name its architecture")
    if "checksums" in header:
        raise ValueError("the checksums of a model are not given, they are computed")
    arrays = [(name, _plain(name, tensor)) for name, tensor in tensors.items()]
    arrays.sort(key=lambda item: (-item[1].itemsize, item[0]))
    directory, end = {}, 0
    for name, array in arrays:
        begin, end = end, end + array.nbytes
        entry = {"dtype": _NAMES[array.dtype], "shape": list(array.shape), "data_offsets": [begin, end]}
        directory[name] = entry
    head = _encode_head({**header, "version": FORMAT_VERSION}, directory, dict(arrays))
    return chain([len(head).to_bytes(8, "little") + head], (_bytes(array) for _, array in arrays))


def check_model_name(output: str, sources: Iterable[str]) -> None:
    """FileError if no model can be written to this name: hours of training shall not end with that.

    ``sources`` are the files that it is made from, which it must not overwrite.

    >>> check_model_name("en.model.gz", ["en.conllu"])
    Traceback (most recent call last):
    arbora.errors.FileError: en.model.gz: a model is mapped into memory, so it cannot be compressed: leave ...
    """
    if output == "-":
        raise ArboraError("a model is mapped into memory, so it needs a file: --output cannot be -")
    if output.endswith((".gz", ".xz")):
        raise FileError(
            "a model is mapped into memory, so it cannot be compressed: leave out the ending", file=output
        )
    check_output(output)
    if os.path.exists(output) and any(os.path.exists(s) and os.path.samefile(output, s) for s in sources):
        raise FileError("this is the treebank, which the model would overwrite", file=output)


def remove_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove what `write_model` left beside this file when it was killed: it had no time to do so itself.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = open(f"{folder}/.m.0123abcd.part", "x").close()
    ...     remove_leftovers(f"{folder}/m")
    ...     os.listdir(folder)
    []
    """
    folder, name = os.path.split(os.path.realpath(path))
    pattern = re.compile(re.escape(f".{name}.") + r"[0-9a-f]{8}\.part")  # the names that open_output gives
    with contextlib.suppress(OSError):  # they take space, but are in nobody's way
        for found in filter(pattern.fullmatch, os.listdir(folder)):
            os.unlink(os.path.join(folder, found))


def _plain(name: str, tensor: NDArray[Any]) -> NDArray[Any]:
    """The array as it lies in the file: little endian, row after row."""
    if name == "__metadata__":
        raise ValueError("no tensor can be called __metadata__")
    dtype = np.asarray(tensor).dtype.newbyteorder("<")
    if dtype not in _NAMES:
        raise ValueError(f"the tensor {name!r} is of type {dtype}, which a model file cannot hold")
    return np.asarray(tensor, dtype, order="C")


def _encode_head(header: dict[str, Any], directory: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> bytes:
    checksums = {name: _checksum(array) for name, array in arrays.items()}
    whole = json.loads(_json(header))  # as it will be read: keys are strings, tuples are lists
    text = _json({**whole, "checksums": {"header": _seal(whole, directory, checksums), "tensors": checksums}})
    head = _json({"__metadata__": {"arbora": text, "format": _FORMAT}, **directory}).encode()
    return head + b" " * (-(8 + len(head)) % _ALIGNMENT)


def _seal(header: dict[str, Any], directory: dict[str, Any], checksums: dict[str, Any]) -> int:
    """The checksum of all that is not tensors' bytes, of its meaning: spaces and order do not matter."""
    return zlib.crc32(_json([header, directory, checksums]).encode())


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _bytes(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _checksum(array: NDArray[Any]) -> int:
    return zlib.crc32(_bytes(array))


def read_model(
    path: str | os.PathLike[str], *, architecture: str | None = None, verify: bool = True
) -> Model:
    """Map a model file; FileError if it is not a whole, sound model of the wanted architecture.

    Nothing is copied: the tensors are read-only and live in the file. By default their checksums are
    compared, which reads the file once, about a millisecond for 2 MB. Without ``verify``, pages are read when
    they are used, and only the header is known to be sound.

    >>> read_model("nowhere.model")
    Traceback (most recent call last):
    arbora.errors.FileError: nowhere.model: there is no such file
    """
    name = file_name(path)
    return _decode(name, _map(name), architecture, verify)


def decode_model(data: bytes, name: str) -> Model:
    """The model of the bytes that `encode_model` gave; ``name`` is for messages.

    >>> decode_model(encode_model({"architecture": "tagger"}, {}), "a pickle").header["architecture"]
    'tagger'
    """
    return _decode(name, np.frombuffer(data, np.uint8), None, True)


def _decode(name: str, raw: NDArray[np.uint8], architecture: str | None, verify: bool) -> Model:
    head, data = _split(name, raw)
    header, directory, checksums = _decode_head(name, head)
    tensors = _tensors(name, directory, data)
    if architecture is not None and header["architecture"] != architecture:
        found, wanted = _spoken(header["architecture"]), _spoken(architecture)
        _fail(name, f"this model is {found}, not {wanted}: give another file")
    model = Model(header, tensors, name, checksums, hashlib.sha256(head).hexdigest())
    if verify:
        model.verify()
    return model


def _map(path: str) -> NDArray[np.uint8]:
    """The bytes of the whole file, mapped."""
    if path == "-":
        _fail("standard input", "a model is mapped into memory, which needs a file: give its name")
    if path.endswith((".gz", ".xz")):
        _fail(path, "a model is mapped into memory, so it cannot be compressed: unpack it first")
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        _fail(path, "this is not a regular file: a model is mapped into memory, which needs one")
    with open_input(path) as stream:
        try:
            if os.fstat(stream.fileno()).st_size == 0:
                _fail(path, "this file is empty, not a model: get it again")
            # A plain array on top of the map: the subclass of numpy makes every slice slower.
            return np.asarray(np.memmap(stream, np.uint8, "r"))
        except OSError as error:
            _fail(path, f"the file cannot be mapped into memory ({error.strerror or error})")


def _split(path: str, raw: NDArray[np.uint8]) -> tuple[bytes, NDArray[np.uint8]]:
    """The JSON, and the data after it."""
    start = raw[:9].tobytes()
    for magic, program in _COMPRESSED.items():
        if start.startswith(magic):
            _fail(path, f"this file is compressed with {program}: unpack it first")
    if start[8:] != b"{":
        _fail_as_stranger(path)
    length = int.from_bytes(start[:8], "little")
    if length > _LONGEST_HEADER:
        _fail_as_damaged(path, f"a header of {length} bytes is impossible")
    if length > raw.size - 8:
        _fail(
            path,
            f"the file is cut off: {8 + length - raw.size} bytes of the header are missing; get it again",
        )
    return raw[8 : 8 + length].tobytes(), raw[8 + length :]


def _decode_head(path: str, head: bytes) -> tuple[dict[str, Any], dict[str, Any], dict[str, int]]:
    """The header, the directory of the tensors and their checksums, all known to be as written."""
    directory = _object(path, head)
    metadata = directory.pop("__metadata__", None)
    if not isinstance(metadata, dict) or metadata.get("format") != _FORMAT or "arbora" not in metadata:
        _fail_as_stranger(path)
    header = _object(path, metadata["arbora"])
    _check_version(path, header.get("version"))
    checksums = header.pop("checksums", None)
    try:
        # Whatever is missing or of another type here is damage too.
        sums = checksums["tensors"]
        sound = checksums["header"] == _seal(header, directory, sums) and sums.keys() == directory.keys()
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        sound = False
    if not sound:
        _fail_as_damaged(path, "its checksum differs")
    if not isinstance(header.get("architecture"), str):
        _fail_as_damaged(path, "it names no architecture")
    return header, directory, sums


def _object(path: str, text: object) -> dict[str, Any]:
    try:
        if isinstance(text, bytes):
            text = text.decode()  # before the decoder looks for UTF-16
        found = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        _fail_as_damaged(path, "it is not JSON")
    return found


def _check_version(path: str, version: object) -> None:
    if type(version) is not int or version < 1:
        _fail_as_damaged(path, "it has no version")
    if version > FORMAT_VERSION:
        reason = f"format {version}, this one reads {FORMAT_VERSION}; upgrade arbora"
        _fail(path, f"this model was written by a newer Arbora: {reason}")
    if version < FORMAT_VERSION:
        reason = f"format {version}, whose features were numbered by their place in a list; train it again"
        _fail(path, f"this model was written by an older Arbora: {reason}")


def _tensors(path: str, directory: dict[str, Any], data: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
    """The tensors in the order of their names; their places must fill the data, without holes or overlaps."""
    places = {name: _place(path, name, entry) for name, entry in directory.items()}
    expected = 0
    for name, (_, _, begin, end) in sorted(places.items(), key=lambda item: item[1][2:]):
        if begin != expected:
            _fail_as_damaged(path, f"the tensor {name!r} begins at {begin}, not at {expected}")
        expected = end
    if expected > data.size:
        _fail(path, f"the file is cut off: {expected - data.size} bytes are missing; get it again")
    if expected < data.size:
        _fail(path, f"the file is damaged: it has {data.size - expected} bytes too many; get it again")
    tensors = {}
    for name, (dtype, shape, begin, end) in sorted(places.items()):
        try:
            tensors[name] = data[begin:end].view(dtype).reshape(shape)
        except (ValueError, OverflowError):  # no bytes at all, and a shape such as (0, 2**63)
            _fail_as_damaged(path, f"the shape of {name!r} is impossible")
    return tensors


def _place(path: str, name: str, entry: object) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """Type, shape, begin and end of a tensor, which fit each other."""
    fields = entry if isinstance(entry, dict) else {}
    dtype, shape, offsets = (fields.get(key) for key in ("dtype", "shape", "data_offsets"))
    if not isinstance(dtype, str) or dtype not in _DTYPES:
        _fail_as_damaged(path, f"the type of {name!r} is unknown")
    if not _are_sizes(shape) or len(shape) > _MOST_DIMENSIONS:
        _fail_as_damaged(path, f"the shape of {name!r} is impossible")
    if not _are_sizes(offsets) or len(offsets) != 2:
        _fail_as_damaged(path, f"the place of {name!r} is impossible")
    begin, end = offsets
    if end - begin != math.prod(shape) * _DTYPES[dtype].itemsize:
        _fail_as_damaged(path, f"the place of {name!r} does not fit its shape")
    return _DTYPES[dtype], tuple(shape), begin, end


def _are_sizes(values: object) -> TypeGuard[list[int]]:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def _spoken(architecture: str) -> str:
    """An architecture with its article: ``a dependency parser``."""
    words = architecture.replace("-", " ")
    return f"{'an' if words[:1] in 'aeiou' else 'a'} {words}"


def _fail(path: str, reason: str) -> NoReturn:
    raise FileError(reason, file=path) from None


def _fail_as_damaged(path: str, detail: str) -> NoReturn:
    _fail(path, f"the header of this model is damaged: {detail}; get the file again")


def _fail_as_stranger(path: str) -> NoReturn:
    _fail(path, "this is not an Arbora model: give a file that arbora wrote as one")
