"""Lines of a file that comes in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arbora.errors import FileError

LONGEST = 1 << 26
"""A line of more bytes than this is taken for a file of another kind, lest it fill the memory."""


def byte_lines(pieces: Iterable[bytes], expected: str) -> Iterator[bytes]:
    r"""The lines without their ends; ``expected`` says what they should be, for a line without end.

    >>> list(byte_lines([b"a\nb", b"c\n\nd"], "words"))
    [b'a', b'bc', b'', b'd']
    """
    waiting: list[bytes] = []
    size = 0
    for piece in pieces:
        first, *others = piece.split(b"\n")
        waiting.append(first)
        size += len(first)
        if size > LONGEST:
            raise FileError(f"a line of more than {LONGEST >> 20} MiB: are these {expected}?")
        if others:
            yield b"".join(waiting)
            yield from others[:-1]
            waiting, size = [others[-1]], len(others[-1])
    if size:
        yield b"".join(waiting)


def line_of_word(pieces: Iterable[bytes], sentence: int, word: int) -> int | None:
    r"""The line of a word in a ten-column file, by the number of its sentence and its own, from 1.

    >>> line_of_word([b"1\ta\n\n# second\n1\tb\n2\tc\n"], 2, 2)
    5
    """
    place, is_inside = 0, False
    for number, line in enumerate(byte_lines(pieces, "ten columns"), 1):
        is_blank = not line.strip(b"\r")
        place += not is_blank and not is_inside
        is_inside = not is_blank
        if place == sentence and line.partition(b"\t")[0] == str(word).encode():
            return number
    return None


def word_lines(pieces: Iterable[bytes]) -> Iterator[str | FileError]:
    r"""The lines of words, without spaces around them; an error that knows its line for what is none.

    >>> [str(line) for line in word_lines([b"a b \r\na\tb"])]
    ['a b', '2: a tab: words alone are expected here, is this CoNLL?']
    """
    for number, line in enumerate(byte_lines(pieces, "sentences"), 1):
        line = line.strip(b" \r")
        if b"\t" in line or b"\r" in line:
            what = "a tab" if b"\t" in line else "a carriage return"
            yield FileError(f"{what}: words alone are expected here, is this CoNLL?", line=number)
            continue
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            yield FileError(f"byte {error.start + 1} of this line is no UTF-8", line=number)
