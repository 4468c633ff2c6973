"""Paragraphs of raw text, as bytes: what is left out as a whole where something in it is no text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from arbora.errors import FileError
from arbora.treebank.batches import Skip

BORDER = re.compile(rb"\n[ \t\r]*\n[ \t\r\n]*")
"""What stands between two paragraphs, if a word follows."""
MOST_BYTES = 1 << 24
"""Of what is looked at together: so much without a border is cut at the end of a line."""


def begins_word(data: bytes) -> bool:
    """Whether the first character is neither a space of any kind nor broken."""
    if 0x21 <= data[0] <= 0x7E:
        return True
    return data.decode(errors="ignore")[:1].isalnum()


def paragraphs_of_text(data: bytes) -> Iterator[bytes]:
    r"""The paragraphs of a text, each with the empty lines behind it.

    >>> list(paragraphs_of_text(b"One.\n\n\nTwo\nlines.\n"))
    [b'One.\n\n\n', b'Two\nlines.\n']
    """
    start = 0
    for found in BORDER.finditer(data):
        if found.end() == len(data):
            break
        first = data[found.end() : found.end() + 4]
        if begins_word(first) or bad_byte(first) == 0:
            yield data[start : found.end()]
            start = found.end()
    if data[start:]:
        yield data[start:]


def bad_byte(data: bytes) -> int | None:
    r"""Where the first byte is that belongs to no character; one that is cut off by the end has none.

    >>> bad_byte(b"a\xff"), bad_byte("gr\u00f6".encode()), bad_byte("gr\u00f6".encode()[:-1])
    (1, None, None)
    """
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return None if error.reason == "unexpected end of data" else error.start
    return None


def no_utf8(byte: int, line: int) -> FileError:
    """The error of this byte of a text, counted from 1, on this line."""
    return FileError(f"byte {byte} of the text is no UTF-8: is this a text?", line=line)


def sound_paragraphs(pieces: Iterable[bytes], skip: Skip) -> Iterator[bytes]:
    r"""The text that comes in pieces, without the paragraphs that are no UTF-8; ``skip`` is told of them.

    >>> list(sound_paragraphs([b"One.\n\nTw\xff", b"o.\n\nThree."], print))
    3: byte 9 of the text is no UTF-8: is this a text?
    [b'One.\n\n', b'Three.']
    """
    waiting, byte, line = b"", 0, 1
    for piece, final in _with_end(pieces):
        waiting += piece
        found = list(paragraphs_of_text(waiting))
        waiting = b"" if final or not found else found.pop()
        if len(waiting) > MOST_BYTES:
            end = waiting.rfind(b"\n") + 1 or MOST_BYTES
            found.append(waiting[:end])
            waiting = waiting[end:]
        sound = []
        for paragraph in found:
            bad = bad_byte(paragraph + b"\n")  # a character that the end of the text cuts off is bad, too
            if bad is None:
                sound.append(paragraph)
            else:
                skip(no_utf8(byte + bad + 1, line + paragraph.count(b"\n", 0, bad)))
            byte += len(paragraph)
            line += paragraph.count(b"\n")
        if sound:
            yield b"".join(sound)


def _with_end(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """The pieces, and an empty one at the end, which is told."""
    yield from ((piece, False) for piece in pieces)
    yield b"", True
