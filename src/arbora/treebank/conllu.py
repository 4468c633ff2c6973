"""CoNLL-U: ten columns, one word a line, a blank line after each sentence. See https://universaldependencies.org."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, TypeVar

from arbora import _core
from arbora._core import TreeCheck
from arbora.errors import ArboraError, FileError, WrongTypeError, shown
from arbora.treebank.problems import COLUMNS, Broken, explain
from arbora.treebank.sentence import UNKNOWN, EmptyNode, Multiword, Sentence, fields_of

Found = TypeVar("Found")

_EMPTY_LINES = re.compile(rb"(?:\r?\n)*")
LONGEST = 1 << 26
"""A sentence of more bytes than this is taken for a file of another kind, lest it fill the memory."""


def scan(
    pieces: Iterable[bytes], single_root: bool | None = None, *, check: TreeCheck = TreeCheck.shape
) -> Iterator[Sentence | Broken]:
    """The sentences of a CoNLL-U file that comes in pieces; one root each unless ``single_root`` is False.

    ``check`` says what must hold of heads.
    """
    lines, pieces = begun(pieces)
    decoder = _core.ConlluDecoder(single_root is not False, False, 1 + lines, check)
    for number, (line, problems, found) in enumerate(decoded(decoder, pieces), 1):
        if problems is None:
            sentence = make_sentence(found)
            sentence._place = (line, number, True)
            yield sentence
        else:
            yield broken(number, problems, found)


def begun(pieces: Iterable[bytes]) -> tuple[int, Iterator[bytes]]:
    r"""How many empty lines stand before the first sentence, and the pieces from there on.

    >>> lines, pieces = begun([b"\n\r", b"\n# one", b"\n"])
    >>> lines, list(pieces)
    (2, [b'# one', b'\n'])
    """
    lines, data, coming = 0, b"", iter(pieces)
    for piece in coming:
        data += piece
        blank = _EMPTY_LINES.match(data)
        assert blank is not None
        lines += blank[0].count(b"\n")
        data = data[blank.end() :]
        if data not in (b"", b"\r"):
            break
    return lines, chain([data], coming)


def decoded(decoder: _core.ConlluDecoder, pieces: Iterable[bytes]) -> Iterator[tuple[int, Any, Any]]:
    """What the decoder finds in the pieces: sentence by sentence its first line, problems, and columns."""
    for found in in_sentences(pieces, decoder.decode, lambda: decoder.line):
        yield from found


def in_sentences(
    pieces: Iterable[bytes], take: Callable[[bytes, bool], tuple[int, Found]], line: Callable[[], int]
) -> Iterator[Found]:
    """Feed the pieces to ``take`` whenever a sentence may have ended in them; hand on what it finds.

    ``take`` gets bytes that begin with a sentence, and whether they are the last; it tells how many it used.
    ``line`` tells the line of the first byte that is not used.
    """
    waiting: list[bytes] = []  # the beginning of a sentence whose end has not come yet
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if _may_end(waiting):
            data = b"".join(waiting)
            used, found = take(data, False)
            yield found
            waiting, size = [data[used:]], len(data) - used
        if size > LONGEST:
            raise FileError(f"a sentence of more than {LONGEST >> 20} MiB: is this CoNLL?", line=line())
    yield take(b"".join(waiting), True)[1]


def _may_end(waiting: list[bytes]) -> bool:
    # A blank line in the last piece, or across its beginning. Without this look, a sentence that comes in
    # very small pieces would be scanned from its start for each of them.
    seam = b"".join(piece[-3:] for piece in waiting[-4:-1]) + waiting[-1][:3]
    return any(blank in text for blank in (b"\n\n", b"\n\r\n") for text in (waiting[-1], seam))


def make_sentence(columns: Any) -> Sentence:
    """A sentence out of the decoder's columns."""
    sentence = Sentence.of_columns(columns)
    # Rows come as tuples.
    sentence._multiwords = [Multiword(*row) for row in sentence._multiwords]  # type: ignore[misc]
    sentence._empty_nodes = [EmptyNode(*row) for row in sentence._empty_nodes]  # type: ignore[misc]
    return sentence


def first_problem(data: bytes, line: int, number: int, *, check: TreeCheck) -> FileError:
    """What is wrong with the sentence that is the data, which breaks the format."""
    decoder = _core.ConlluDecoder(False, False, line, check)
    _, problems, comments = decoder.decode(data, True)[1][0]
    return broken(number, problems, comments).problems[0]


def broken(number: int, problems: Any, comments: list[str], *, words_only: bool = False) -> Broken:
    """The decoder's problems as errors that name the line and the sentence (by number if it has no id)."""
    own = [comment for comment in comments if "\r" not in comment]  # such a comment may be what is broken
    name = Sentence(comments=own).sent_id or f"#{number}"
    return Broken(
        [
            FileError(explain(problem, words_only=words_only), line=problem[1], sentence=name)
            for problem in problems
        ]
    )


def decode_one(text: str, *, single_root: bool = True) -> Sentence:
    """The one sentence in this text."""
    if not isinstance(text, str):
        raise WrongTypeError(f"a sentence is read from a text, not from {shown(text)}")
    try:
        found = list(scan([text.encode()], single_root))
    except UnicodeEncodeError as error:
        raise FileError(f"the text has a lone surrogate at {error.start}, which UTF-8 cannot hold") from None
    for item in found:
        if isinstance(item, Broken):
            raise item.problems[0]
    if len(found) != 1:
        raise FileError(f"one sentence is needed, this text has {len(found)}")
    return found[0]  # type: ignore[return-value]  # a Broken was raised above


def encode(sentence: Sentence) -> str:
    """The text of a sentence, its blank line included; ArboraError if the columns do not fit the format."""
    return encode_columns(sentence, sentence.deps, sentence.misc)


def encode_columns(sentence: Sentence, ninth: list[str], tenth: list[str]) -> str:
    """The text of a sentence whose last two columns are given: CoNLL-X has others there."""
    rows = _rows(sentence, ninth, tenth)
    if sentence.multiwords or sentence.empty_nodes:
        rows = _woven(sentence, rows)
    _check_rows(sentence, rows)
    _check_frame(sentence)
    return sentence.newline.join(sentence.comments + rows) + sentence.closing


def separator(text: str, *items: object) -> str:
    r"""What must be written between this text of a sentence and the next sentence.

    >>> separator("1\t...\n\n"), separator("1\t...\n"), separator("1\t...")
    ('', '\n', '\n\n')
    """
    if text.endswith(("\n\n", "\n\r\n")):
        return ""
    newline = "\r\n" if "\r\n" in text else "\n"
    return newline if text.endswith("\n") else newline * 2


def _rows(sentence: Sentence, ninth: list[str], tenth: list[str]) -> list[str]:
    count = len(sentence.forms)
    heads = [UNKNOWN if head is None else str(head) for head in sentence.heads]
    tags = (sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats)
    columns = (sentence.forms, *tags, heads, sentence.deprels, ninth, tenth)
    for name, column in zip(COLUMNS[1:], columns, strict=True):
        if len(column) != count:
            raise ArboraError(f"{_name(sentence)}: {len(column)} values of {name} for {count} words")
    known = [head for head in sentence.heads if head is not None]
    if known and (min(known) < 0 or max(known) > count):
        raise ArboraError(f"{_name(sentence)}: a head is out of range 0 to {count}")
    try:
        return ["\t".join(row) for row in zip(map(str, range(1, count + 1)), *columns, strict=True)]
    except TypeError:
        raise ArboraError(f"{_name(sentence)}: a field is not a string") from None


def _woven(sentence: Sentence, words: list[str]) -> list[str]:
    """The rows with those of multiword tokens and empty nodes in their places."""
    count = len(words)
    before: dict[int, list[str]] = {}  # by the word they stand before; count + 1 is the end
    for node in sentence.empty_nodes:
        if not node.inside:
            before.setdefault(node.after + 1, []).append(_row(node))
    for token in sentence.multiwords:
        before.setdefault(token.first, []).append(_row(token))
    for node in sentence.empty_nodes:
        if node.inside:
            before.setdefault(node.after + 1, []).append(_row(node))
    outside = any(not 1 <= place <= count + 1 for place in before)
    if outside or any(not token.first <= token.last <= count for token in sentence.multiwords):
        raise ArboraError(f"{_name(sentence)}: a multiword token or empty node is out of range")
    rows: list[str] = []
    for id, word in enumerate(words, 1):
        rows += before.get(id, ())
        rows.append(word)
    return rows + before.get(count + 1, [])


def _row(row: Multiword | EmptyNode) -> str:
    return "\t".join((row.id, *fields_of(row)))


def _check_rows(sentence: Sentence, rows: list[str]) -> None:
    # Counting separators in all rows at once finds a tab or a line end inside a field, and an empty field.
    text = "\n".join(rows)
    count = len(rows)
    sound = text.count("\t") == 9 * count and text.count("\n") == max(count - 1, 0) and "\r" not in text
    if not sound or "\t\t" in text or "\t\n" in text or text.endswith("\t"):
        raise ArboraError(f"{_name(sentence)}: a field is empty or holds a tab or a line end")


def _check_frame(sentence: Sentence) -> None:
    if not sentence.forms and not sentence.comments:
        raise ArboraError("a sentence with neither words nor comments cannot be written")
    if sentence.newline not in ("\n", "\r\n") or sentence.closing.strip("\r\n"):
        raise ArboraError(f"{_name(sentence)}: its line ends are no line ends")
    for comment in sentence.comments:
        if not comment.startswith("#") or "\n" in comment or "\r" in comment:
            raise ArboraError(
                f"{_name(sentence)}: the comment {comment!r} must be one line that begins with #"
            )


def _name(sentence: Sentence) -> str:
    return (
        f"sentence {sentence.sent_id}" if sentence.sent_id else f"the sentence of {len(sentence.forms)} words"
    )
