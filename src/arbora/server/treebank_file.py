"""The treebank file that the page shows and changes: sentence by sentence, with versions, and atomically.

The file is kept as blocks of bytes, one for each sentence, with all that follows it up to the next. A change
puts another block in the place of one, and nothing else of the file becomes different. Versions are hashes of
what is there; a change that was made from another version is refused, be it that of another tab or of another
program.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Lock

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arbora._core import TreeCheck
from arbora.errors import ArboraError, FileError
from arbora.server.json_api import answer, check_json, read_json
from arbora.server.json_types import (
    Conflict,
    Saved,
    TreebankAnswer,
    TreebankEdit,
    TreebankSentence,
    encode,
)
from arbora.server.limits import RequestError
from arbora.server.service import Service
from arbora.treebank.batches import read_batches

_BLOCK = re.compile(rb"(?:[^\r\n][^\n]*(?:\n|\Z))+(?:\r?\n)*")
"""Lines that are not empty, and the empty ones after them."""
_ENDS = re.compile(rb"(?:\r?\n)*\Z")


class ConflictError(Exception):
    """A change that was made from something else than what is in the file now."""

    def __init__(self, reason: str, conllu: str, version: str) -> None:
        super().__init__(reason)
        self.conflict = Conflict(reason, conllu, version)


class TreebankFile:
    """A CoNLL-U file, open for changes of single sentences."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """FileError if it cannot be read, or breaks the format."""
        self.path = Path(path)
        self._lock = Lock()
        self._read()

    def _read(self) -> None:
        try:
            with open(self.path, "rb") as stream:
                self._state = _state(stream.fileno())
                data = stream.read()
        except OSError as error:
            raise FileError(error.strerror or str(error), file=str(self.path)) from None
        try:
            for _ in read_batches([data], check=TreeCheck.range):
                pass
        except FileError as error:
            error.file = str(self.path)
            raise
        blocks = [found.span() for found in _BLOCK.finditer(data)]
        begin = blocks[0][0] if blocks else len(data)
        self._before = data[:begin]
        self._blocks = [data[start:end] for start, end in blocks]

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self._blocks)

    def shown(self) -> TreebankAnswer:
        """All of it, as it is now."""
        with self._lock:
            self._read_again()
            return TreebankAnswer(
                name=self.path.name,
                version=_version(self._before, *self._blocks),
                sentences=[TreebankSentence(_text(block), _version(block)) for block in self._blocks],
            )

    def save(self, place: int, edit: TreebankEdit) -> str:
        """Put another block in the place of a sentence; gives its version.

        IndexError if there is no such sentence, ConflictError if it is another than the edit was made from,
        FileError with the line within the block if that breaks the format, RequestError if the disk does not
        take it. The file is then as it was.
        """
        with self._lock:
            self._read_again()
            block = self._blocks[place]
            if _version(block) != edit.version:
                raise ConflictError("The file has another version there.", _text(block), _version(block))
            new = _checked(edit.conllu, block)
            if new != block and not self._write([*self._blocks[:place], new, *self._blocks[place + 1 :]]):
                block = self._blocks[place]
                raise ConflictError("The file has just been changed.", _text(block), _version(block))
            return _version(new)

    def _read_again(self) -> None:
        """What another program wrote meanwhile counts: versions tell whose change comes too late."""
        try:
            is_same = _state(self.path) == self._state
        except OSError as error:
            raise FileError(error.strerror or str(error), file=str(self.path)) from None
        if not is_same:
            self._read()

    def _write(self, blocks: list[bytes]) -> bool:
        """Whole or not at all: under another name, to the disk, and then by its own name.

        False if another program was faster; what that wrote is read then.
        """
        target, name = self.path.resolve(), ""  # a link stays one
        try:
            number, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
            with os.fdopen(number, "wb") as stream:
                stream.write(b"".join((self._before, *blocks)))
                stream.flush()
                os.fchmod(stream.fileno(), target.stat().st_mode & 0o7777)
                os.fsync(stream.fileno())
                state = _state(stream.fileno())
            if _state(self.path) != self._state:
                self._read()
                return False
            os.replace(name, target)
        except OSError as error:
            raise RequestError(507, f"The file cannot be saved: {error.strerror or error}.") from None
        finally:
            with suppress(OSError):  # it is gone if all went well
                os.unlink(name)
        self._blocks, self._state = blocks, state
        _sync_folder(target.parent)
        return True


def _state(file: int | Path) -> tuple[int, int, int, int]:
    """What is another if somebody writes to the file, or puts another in its place."""
    found = os.stat(file)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _sync_folder(folder: Path) -> None:
    """The new name is on the disk too, where the system can do that."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _checked(conllu: str, old: bytes) -> bytes:
    """The block in bytes, with the line ends and the empty lines of the one that it replaces."""
    try:
        data = conllu.encode()
    except UnicodeEncodeError:
        raise ArboraError("the block has half a character") from None
    try:
        count = sum(len(batch) for batch in read_batches([data], check=TreeCheck.range))
    except FileError as error:
        error.file = "conllu"
        raise
    if count != 1:
        raise ArboraError(f"the block must have one sentence, and has {count}")
    ends = _ENDS.search(old)
    assert ends is not None
    lines = data.replace(b"\r\n", b"\n").strip(b"\n")
    if b"\r\n" in old:
        lines = lines.replace(b"\n", b"\r\n")
    return lines + ends[0]


def _text(block: bytes) -> str:
    return block.decode()


def _version(*blocks: bytes) -> str:
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()[:32]


def routes(service: Service, treebank: TreebankFile | None) -> list[Route]:
    """The addresses."""

    def served() -> TreebankFile:
        if treebank is None:
            raise RequestError(404, "No treebank is served; see arbora serve --treebank.")
        return treebank

    async def show(request: Request) -> Response:
        own = served()
        return answer(await service.read(len(own) * 1000, lambda: encode(own.shown())))

    async def save(request: Request) -> Response:
        check_json(request)
        check_origin(request)
        own = served()
        with service.bodies.room(request):
            body = await service.bodies.read(request)
            edit = read_json(body, TreebankEdit)
            place = request.path_params["place"]
            try:
                version = await service.read(1 << 20, own.save, place, edit)
            except IndexError:
                raise RequestError(404, f"There is no sentence {place} in the file.") from None
            except ConflictError as error:
                return answer(encode(error.conflict), 409)
            return answer(encode(Saved(version)))

    return [
        Route("/v1/treebank", show, methods=["GET"]),
        Route("/v1/treebank/sentences/{place:int}", save, methods=["PUT"]),
    ]


def check_origin(request: Request) -> None:
    """RequestError if a page of another site asks for it."""
    origin = request.headers.get("origin")
    host = request.headers.get("host", "")
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        raise RequestError(403, "This is for the server's own page.")
