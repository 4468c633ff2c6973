"""Read and write treebanks by file name."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar, overload

from arbora._core import TreeCheck
from arbora.errors import ArboraError, FileError, WrongTypeError, shown
from arbora.treebank.constituent import Constituent
from arbora.treebank.files import chunks, display_name, file_name, open_input, open_output
from arbora.treebank.formats import WRITTEN, Format, find_format
from arbora.treebank.given import blaming
from arbora.treebank.problems import Broken
from arbora.treebank.sentence import Sentence

Item = TypeVar("Item")
Path = str | os.PathLike[str]

IN_PYTHON = "`format=` in Python"
"""By what a format is named here."""


class Reader(Generic[Item]):
    """An iterator over the sentences or trees of a file; nothing is held but what is being read.

    ``skipped`` counts what a lenient reader left out so far, and ``last_skipped`` tells why the last was.
    """

    def __init__(
        self,
        path: str,
        format: Format,
        *,
        lenient: bool = False,
        single_root: bool | None = None,
        check: TreeCheck = TreeCheck.shape,
        on_skip: Callable[[FileError], None] | None = None,
    ) -> None:
        """Open the file; `read` is the usual way here.

        ``check`` says what must hold of heads. A lenient reader tells ``on_skip`` what it skips.
        """
        self.path = path
        self.format = format
        self.skipped = 0
        self.last_skipped: FileError | None = None
        self._lenient = lenient
        self._on_skip = on_skip
        self._stream = open_input(path)
        pieces = chunks(self._stream, path, begins_at_once=format.begins_at_once)
        how = {"check": check} if format.has_heads else {}
        self._items = self._strict_or_lenient(format.scan(pieces, single_root, **how))

    def _strict_or_lenient(self, found: Iterator[Item | Broken]) -> Generator[Item, None, None]:
        try:
            for item in found:
                if isinstance(item, Broken):
                    self._skip(item)
                else:
                    yield item
        except FileError as error:
            error.file = display_name(self.path)
            raise
        finally:
            self._close_stream()

    def _skip(self, broken: Broken) -> None:
        error = broken.problems[0]
        error.file = display_name(self.path)
        if not self._lenient:
            raise error
        self.skipped += 1
        self.last_skipped = error
        if self._on_skip is not None:
            self._on_skip(error)

    def __iter__(self) -> Iterator[Item]:
        """Itself: a reader is read once."""
        return self

    def __next__(self) -> Item:
        """The next sentence or tree."""
        return next(self._items)

    def close(self) -> None:
        """Close the file, read to its end or not."""
        self._items.close()
        self._close_stream()

    def _close_stream(self) -> None:
        if self.path != "-":
            self._stream.close()

    def __enter__(self) -> Self:
        """For ``with``, which closes the file."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()


@overload
def read(
    path: Path,
    format: Literal["conllu", "conllx", "horizontal", "vertical"],
    *,
    lenient: bool = False,
    single_root: bool | None = None,
) -> Reader[Sentence]: ...
@overload
def read(
    path: Path, format: Literal["brackets"], *, lenient: bool = False, single_root: bool | None = None
) -> Reader[Constituent]: ...
@overload
def read(
    path: Path, format: str | None = None, *, lenient: bool = False, single_root: bool | None = None
) -> Reader[Any]: ...
def read(
    path: Path, format: str | None = None, *, lenient: bool = False, single_root: bool | None = None
) -> Reader[Any]:
    """Read a treebank file: an iterator of ``Sentence``, or of ``Constituent`` for brackets.

    The format follows from the name (``.conllu``; ``.conll``, ``.conllx``; ``.mrg``, ``.ptb``, ``.brackets``;
    ``.horizontal``, ``.tok``; ``.vertical``, ``.vert``; each also with ``.gz`` or ``.xz``) or is named. What
    breaks the format raises `FileError` with file, line, sentence and reason; ``lenient`` skips such
    sentences and counts them in ``skipped``. ``single_root`` tells whether a second root breaks it; left
    open, it does in CoNLL-U and does not in CoNLL-X.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "dogs.conllu")
    >>> write(path, [Sentence(["Dogs", "bark"], heads=[2, 0])])
    1
    >>> [sentence.forms for sentence in read(path)]
    [['Dogs', 'bark']]
    """
    name = file_name(path)
    return Reader(name, find_format(name, format, option=IN_PYTHON), lenient=lenient, single_root=single_root)


def write(path: Path, items: Iterable[Sentence | Constituent], format: str | Format | None = None) -> int:
    """Write sentences or trees to a file as they come, and return how many there were.

    The file gets its name when all is written: on an error nothing is left, and what had the name stays.
    ``-`` is standard output. What was read from the same format is written byte for byte as it was. Besides
    the formats that `read` knows there is ``text`` (``.txt``), raw text; or whatever ``Format`` is given.
    """
    name = file_name(path)
    if isinstance(items, (str, bytes, Sentence)) or not isinstance(items, Iterable):
        raise WrongTypeError(f"a list of sentences or trees is written, or the like, not {shown(items)}")
    if isinstance(format, Format):
        chosen = format
    else:
        chosen = find_format(name, format, known=WRITTEN, option=IN_PYTHON, writing=True)
    count = 0
    text, before = "", None
    with open_output(name) as stream:
        for count, item in enumerate(items, 1):
            separator = "" if before is None else chosen.separator(text, before, item)
            text, data = _encoded(chosen, item, name, count)
            stream.write(separator.encode() + data)
            before = item
    return count


def _encoded(format: Format, item: Sentence | Constituent, path: str, number: int) -> tuple[str, bytes]:
    name = display_name(path, writing=True)
    if not isinstance(item, format.holds):
        raise WrongTypeError(f"{format.summary} are made of {format.holds.__name__}s, not of {shown(item)}")
    try:
        with blaming([item] if isinstance(item, Sentence) else []):
            text = format.encode(item)
            return text, text.encode()
    except UnicodeEncodeError:
        raise FileError(
            "a lone surrogate, which UTF-8 cannot hold", file=name, sentence=f"#{number}"
        ) from None
    except FileError:
        raise
    except ArboraError as error:
        raise FileError(str(error), file=name, sentence=f"#{number}") from None
