"""What a format is, and the list of them. A new format is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arbora.errors import FileError
from arbora.treebank import brackets, conllu, conllx, horizontal, raw_text, vertical
from arbora.treebank.constituent import Constituent
from arbora.treebank.files import check_input, display_name, is_unnamed, plain_name
from arbora.treebank.problems import Broken
from arbora.treebank.sentence import Sentence


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write sentences or trees in a file.

    ``scan`` turns pieces of bytes into items, with a ``Broken`` in the place of each that breaks the format;
    ``encode`` turns an item into its text; ``separator`` is what must stand between that text of an item and
    the next item, by all three. A file that ``begins_at_once`` should have no empty line in front.
    ``scan`` of a format that ``has_heads`` takes ``check`` too, which says what must hold of heads.
    ``holds`` is the type of its items.
    """

    name: str
    suffixes: tuple[str, ...]
    summary: str
    scan: Callable[..., Iterator[Any | Broken]]
    encode: Callable[[Any], str]
    separator: Callable[..., str]
    begins_at_once: bool = False
    has_heads: bool = False
    holds: type = Sentence


FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format("conllu", (".conllu",), "CoNLL-U", conllu.scan, conllu.encode, conllu.separator, True, True),
        Format(
            "conllx",
            (".conllx", ".conll"),
            "CoNLL-X",
            conllx.scan,
            conllx.encode,
            conllu.separator,
            True,
            True,
        ),
        Format(
            "brackets",
            (".mrg", ".ptb", ".brackets"),
            "Penn brackets",
            brackets.scan,
            brackets.encode,
            brackets.separator,
            holds=Constituent,
        ),
        Format(
            "horizontal",
            (".horizontal", ".tok"),
            "words by spaces, a sentence a line",
            horizontal.scan,
            horizontal.encode,
            horizontal.separator,
        ),
        Format(
            "vertical",
            (".vertical", ".vert"),
            "a word a line, an empty line after a sentence",
            vertical.scan,
            vertical.encode,
            vertical.separator,
        ),
    )
}


def unread(pieces: Iterable[bytes], single_root: bool | None) -> Iterator[Broken]:
    """What nobody reads as sentences."""
    yield Broken([FileError("raw text has no words yet: `arbora tokenize` finds them")])


WRITTEN: dict[str, Format] = FORMATS | {
    "text": Format("text", (".txt",), "raw text", unread, raw_text.encode, raw_text.separator)
}
"""The formats that can be written: one more, which has no words to be read."""


def find_format(
    path: str,
    name: str | None = None,
    *,
    known: Mapping[str, Format] = FORMATS,
    option: str | None = None,
    writing: bool = False,
    unnamed: str | None = None,
) -> Format:
    """The format of this name, or else the one the file's name tells.

    ``option`` is what messages say a format can be named by; nothing, if only names of files tell it. A file
    that is not there, or is a directory, is told as such, unless it is for ``writing``. ``unnamed`` is the
    format of ``-``, a pipe or a device.

    >>> find_format("en.conllu.gz").name, find_format("-", "brackets").name
    ('conllu', 'brackets')
    """
    if name is not None:
        if not isinstance(name, str) or name not in known:
            raise FileError(f"there is no format {name}; there are {', '.join(known)}", file=path)
        return known[name]
    plain = plain_name(path).lower()
    for format in known.values():
        if plain.endswith(format.suffixes):
            return format
    if unnamed is not None and is_unnamed(path):
        return known[unnamed]
    if not writing:
        check_input(path)
    whence = "nothing tells the format" if path == "-" else "the name does not tell the format"
    if option is not None:
        hint = f"say which by {option}, one of {', '.join(known)}"
    else:
        *suffixes, last = [suffix for format in known.values() for suffix in format.suffixes]
        hint = f"a file is needed whose name ends in {', '.join(suffixes)} or {last}"
    raise FileError(f"{whence}: {hint}", file=display_name(path, writing=writing))
