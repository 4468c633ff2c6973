"""Files by name: ``-`` is standard input or output; ``.gz``, ``.xz`` and ``.zst`` are compressed."""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import os
import secrets
import shutil
import stat
import sys
import warnings
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from importlib import import_module
from typing import Any, BinaryIO, cast

from arbora.errors import ArboraWarning, DamagedFileError, FileError, WrongTypeError, shown

COMPRESSED = (".gz", ".xz", ".zst")
"""The ends of names by which compression is told."""

CHUNK = 1 << 18
"""How many bytes are asked for at a time."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_EMPTY_LINES = (b"\n", b"\r\n")
_STARTS = {
    b"\x1f\x8b": "is compressed with gzip: its name must end in .gz",
    b"\xfd7zXZ\x00": "is compressed with xz: its name must end in .xz",
    b"\x28\xb5\x2f\xfd": "is compressed with Zstandard: its name must end in .zst",
    b"\xff\xfe": "begins with the byte order mark of UTF-16: treebanks are UTF-8 without one",
    b"\xfe\xff": "begins with the byte order mark of UTF-16: treebanks are UTF-8 without one",
}


def display_name(path: str, *, writing: bool = False) -> str:
    """The name for messages.

    >>> display_name("-"), display_name("en.conllu")
    ('standard input', 'en.conllu')
    """
    return ("standard output" if writing else "standard input") if path == "-" else path


def file_name(path: Any) -> str:
    """The name of a file; WrongTypeError if this is none.

    >>> file_name(None)
    Traceback (most recent call last):
    arbora.errors.WrongTypeError: a file is found by its name or path, not by None
    """
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(name, str):
        raise WrongTypeError(f"a file is found by its name or path, not by {shown(path)}")
    return name


def plain_name(path: str) -> str:
    """The name without the suffix of a compression.

    >>> plain_name("en.conllu.gz")
    'en.conllu'
    """
    return next((path.removesuffix(end) for end in COMPRESSED if path.endswith(end)), path)


def open_input(path: str) -> BinaryIO:
    """Open a file for reading bytes, decompressed; FileError if that cannot be done.

    A file that says by its first bytes that it is something else (UTF-16, compressed) is found out when read.
    """
    if path == "-":
        return sys.stdin.buffer
    try:
        if path.endswith(".gz"):
            return cast(BinaryIO, gzip.open(path, "rb"))
        if path.endswith(".xz"):
            return cast(BinaryIO, lzma.open(path, "rb"))
        if path.endswith(".zst"):
            return cast(BinaryIO, _zstd(path).open(path, "rb"))
        return open(path, "rb")
    except OSError as error:
        raise _file_error(error, path) from None


def warn(warning: FileError) -> None:
    """Tell something that is odd, and no error, as a warning of Python's."""
    warnings.warn(str(warning), ArboraWarning, stacklevel=2)


def chunks(
    stream: BinaryIO,
    path: str,
    *,
    begins_at_once: bool = False,
    warn: Callable[[FileError], None] = warn,
) -> Generator[bytes, None, None]:
    """The bytes of an open file in pieces, as they come from a slow pipe; the file is closed at the end.

    A byte order mark is left out, with a warning; an empty line in front is worth one too in a file that
    ``begins_at_once``.
    """
    name = display_name(path)
    try:
        first = _without_mark(_begin(stream, name), name, warn)
        if begins_at_once and first.startswith(_EMPTY_LINES):
            warn(FileError("an empty line before the first sentence; it is skipped", file=name, line=1))
        if first:
            yield first
        while piece := read_piece(stream, name):
            yield piece
    finally:
        if path != "-":
            stream.close()


def read_text(path: str) -> str:
    """The whole text of a file; FileError if it cannot be read, or is not UTF-8."""
    try:
        return b"".join(chunks(open_input(path), path)).decode()
    except UnicodeDecodeError:
        raise FileError("this is not UTF-8", file=display_name(path)) from None


def gathered(pieces: Iterable[bytes], size: int) -> Generator[bytes, None, None]:
    """The same bytes in pieces of at least this size; what comes before an error is handed on before it.

    >>> list(gathered([b"ab", b"c", b"def", b"g"], 3))
    [b'abc', b'def', b'g']
    """
    waiting: list[bytes] = []
    try:
        for piece in pieces:
            waiting.append(piece)
            if sum(map(len, waiting)) >= size:
                yield b"".join(waiting)
                waiting = []
    except FileError:
        if waiting:
            yield b"".join(waiting)
        raise
    if waiting:
        yield b"".join(waiting)


def never_waits(stream: BinaryIO) -> bool:
    """Whether all the bytes are there: a file on a disk, not a pipe whose writer may be slow."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:  # no file of the system at all
        return False


def read_piece(stream: BinaryIO, name: str, count: int = CHUNK) -> bytes:
    """At most so many bytes of an open file, as they come; none at its end; FileError if it is damaged."""
    try:
        return cast(io.BufferedReader, stream).read1(count)
    except EOFError:
        raise DamagedFileError("the compressed data ends too early: the file is cut off", file=name) from None
    except (zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise DamagedFileError(f"the compressed data is damaged ({error})", file=name) from None
    except OSError as error:
        raise _file_error(error, name) from None
    except Exception as error:  # Zstandard's own, which may not be installed
        if type(error).__name__ != "ZstdError":
            raise
        raise DamagedFileError(f"the compressed data is damaged ({error})", file=name) from None


def _begin(stream: BinaryIO, name: str) -> bytes:
    """The first piece, whole enough to tell whether it begins with a byte order mark."""
    first = read_piece(stream, name)
    while len(first) < len(BYTE_ORDER_MARK) and BYTE_ORDER_MARK.startswith(first):
        more = read_piece(stream, name)
        if not more:
            break
        first += more
    _refuse_by_start(first, name)
    return first


def _without_mark(first: bytes, name: str, warn: Callable[[FileError], None]) -> bytes:
    if first.startswith(BYTE_ORDER_MARK):
        warn(
            FileError("the file begins with a byte order mark (EF BB BF); it is left out", file=name, line=1)
        )
    return first.removeprefix(BYTE_ORDER_MARK)


def _refuse_by_start(piece: bytes, name: str) -> None:
    for start, reason in _STARTS.items():
        if piece.startswith(start):
            raise FileError(reason, file=name, line=1)


def _file_error(error: OSError, name: str) -> FileError:
    reasons: dict[type[OSError], str] = {
        FileNotFoundError: "there is no such file",
        IsADirectoryError: "this is a directory, not a file",
        PermissionError: "permission denied",
    }
    return FileError(reasons.get(type(error), error.strerror or str(error)), file=name)


def is_unnamed(path: str) -> bool:
    """Whether this is standard input or output, a pipe or a device: what has no name that tells a format.

    >>> is_unnamed("-"), is_unnamed(os.devnull), is_unnamed("en.conllu")
    (True, True, False)
    """
    if path == "-":
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def check_input(path: str) -> None:
    """FileError if there is no such file, or it is a directory; ``-`` is always there."""
    if path == "-":
        return
    try:
        if stat.S_ISDIR(os.stat(path).st_mode):
            raise IsADirectoryError
    except OSError as error:
        raise _file_error(error, path) from None


def check_output(path: str) -> None:
    """FileError if nothing can be written to this name: to know that before long work, not after it."""
    if path == "-":
        return
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path):
        raise FileError("this is a directory, not a file", file=path)
    if not os.path.isdir(folder):
        raise FileError("its directory does not exist: make it first", file=path)
    if not os.path.exists(path) and not os.access(folder, os.W_OK):
        raise FileError("permission denied", file=path)


@contextlib.contextmanager
def open_output(path: str, *, on_disk: bool = False) -> Iterator[BinaryIO]:
    """A file to write bytes to; it gets its name only when the block ends well.

    Until then the bytes are in a file beside it with another name, which is removed if there is an exception:
    nobody meets a half-written file. ``-`` and what is not a regular file (a pipe, a device) are written to
    directly. Compressed files of the same content have the same bytes. ``on_disk``: the file has its name
    only when all is on the disk, so that a power failure leaves no half of it either.
    """
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()  # what goes wrong with it is told by whoever runs the program
        return
    try:
        special = os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode)
        with (
            open(path, "wb") if special else _renamed_at_end(path, on_disk) as raw,
            _compressed(raw, path) as stream,
        ):
            yield stream
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise _file_error(error, path) from None


@contextlib.contextmanager
def _renamed_at_end(path: str, on_disk: bool) -> Iterator[BinaryIO]:
    target = os.path.realpath(path)  # a link stays a link
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.part")
    try:
        with open(temporary, "xb") as stream:
            yield stream
            if on_disk:
                stream.flush()
                os.fsync(stream.fileno())
        if os.path.exists(target):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
        if on_disk:
            sync_folder(folder)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def sync_folder(folder: str) -> None:
    """Put the names of a folder's files on the disk."""
    if os.name == "posix":
        opened = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextlib.contextmanager
def _compressed(raw: BinaryIO, path: str) -> Iterator[BinaryIO]:
    if path.endswith(".gz"):
        with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
            yield cast(BinaryIO, packed)
    elif path.endswith(".xz"):
        with lzma.LZMAFile(raw, "wb") as packed:
            yield cast(BinaryIO, packed)
    elif path.endswith(".zst"):
        with _zstd(path).open(raw, "wb") as packed:
            yield cast(BinaryIO, packed)
    else:
        yield raw


def _zstd(path: str) -> Any:
    """The module of Python 3.14, or what brings it to older ones."""
    for name in ("compression.zstd", "backports.zstd"):
        with contextlib.suppress(ImportError):
            return import_module(name)
    raise FileError('.zst needs Python 3.14, or `pip install "arbora[zstd]"`', file=path)
