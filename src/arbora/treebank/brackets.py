"""Penn brackets: ``(S (NP (NNS Dogs)) (VP (VBP bark)))``, a tree on one line or on many."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from arbora.errors import FileError, WrongTypeError, shown
from arbora.treebank.constituent import Constituent
from arbora.treebank.lines import LONGEST, byte_lines
from arbora.treebank.problems import Broken

# An opening bracket with its label and, for a preterminal, its word and closing bracket; or a closing
# bracket; or text. Only ASCII white space separates: others, such as the no-break space, are part of words.
_TOKEN = re.compile(r"\([ \t]*([^ \t\r()]*)(?:[ \t]+([^ \t\r()]+)[ \t]*(\)))?|(\))|([^ \t\r()]+)")


def scan(pieces: Iterable[bytes], single_root: bool | None = None) -> Iterator[Constituent | Broken]:
    """The trees of a file that comes in pieces (``single_root`` means nothing here).

    After a broken tree, reading goes on at the next line that begins with a bracket.
    """
    parser = _Parser()
    for line in byte_lines(pieces, "trees"):
        yield from parser.take(line)
    yield from parser.finish()


def encode(tree: Constituent) -> str:
    """The tree on one line."""
    return f"{tree}\n"


def separator(text: str, *items: object) -> str:
    """What must stand between this tree and the next: nothing, each ends its own line."""
    return ""


def decode_one(text: str) -> Constituent:
    """The one tree in this text."""
    if not isinstance(text, str):
        raise WrongTypeError(f"a tree is read from a text, not from {shown(text)}")
    found = list(scan([text.encode(errors="surrogateescape")]))
    for item in found:
        if isinstance(item, Broken):
            raise item.problems[0]
    if len(found) != 1:
        raise FileError(f"one tree is needed, this text has {len(found)}")
    return found[0]  # type: ignore[return-value]  # a Broken was raised above


class _BadTreeError(Exception):
    """Something that ends the reading of a tree; the line is where it was found, or where the tree began."""

    def __init__(self, reason: str, line: int) -> None:
        self.reason = reason
        self.line = line


class _Parser:
    """Lines in, trees and problems out."""

    def __init__(self) -> None:
        self.line = 0
        self.number = 1  # of the tree, from 1
        self.path: list[Constituent] = []  # the open nodes
        self.began = 0  # the line of the open tree
        self.size = 0  # bytes of the open tree
        self.one_per_line: bool | None = None  # whether the first tree ended on its own line
        self.lost = False  # after a problem, until a line begins with a bracket

    def take(self, line: bytes) -> Iterator[Constituent | Broken]:
        self.line += 1
        if self.lost and not line.startswith(b"("):
            return
        self.lost = False
        if line.startswith(b"(") and self.path and self.one_per_line:
            # Only where trees have a line each is this a sign that the tree before was not closed.
            yield self._broken(
                _BadTreeError("the tree that begins here is not closed before the next one", self.began)
            )
        done: list[Constituent] = []
        try:
            self._take_tokens(self._decode(line), done)
        except _BadTreeError as fault:
            if not self.path and done:
                done.pop()  # the tree that is closed once too often, or has text after it
                self.number -= 1
            yield from done
            yield self._broken(fault)
            self.lost = True
        else:
            yield from done
        self.size = self.size + len(line) if self.path else 0
        if self.size > LONGEST:
            raise FileError(f"a tree of more than {LONGEST >> 20} MiB", line=self.began)

    def finish(self) -> Iterator[Constituent | Broken]:
        if self.path:
            yield self._broken(
                _BadTreeError("the tree that begins here is not closed by the end of the file", self.began)
            )

    def _broken(self, fault: _BadTreeError) -> Broken:
        error = FileError(fault.reason, line=fault.line, sentence=f"#{self.number}")
        self.number += 1
        self.path = []
        return Broken([error])

    def _decode(self, line: bytes) -> str:
        if self.line == 1 and line.startswith(b"\xef\xbb\xbf"):
            raise _BadTreeError("the file begins with a byte order mark (EF BB BF); remove it", 1)
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            place = f"byte {error.start + 1} of the line (0x{line[error.start]:02x})"
            raise _BadTreeError(f"bad UTF-8 at {place}", self.line) from None

    def _take_tokens(self, text: str, done: list[Constituent]) -> None:
        path = self.path
        for label, word, closed, close, other in _TOKEN.findall(text):
            if close:
                self._close(done)
            elif other:
                self._text(other)
            else:
                if not path:
                    self.began = self.line
                elif path[-1].children and type(path[-1].children[-1]) is str:
                    raise _BadTreeError("a bracket beside a word in one bracket", self.line)
                path.append(Constituent(label, [word] if word else []))
                if closed:
                    self._close(done)

    def _text(self, text: str) -> None:
        if not self.path:
            raise _BadTreeError(f"text outside of brackets: {text[:40]!r}", self.line)
        node = self.path[-1]
        if node.children:
            raise _BadTreeError(f"the word {text[:40]!r} beside others in one bracket", self.line)
        if node.label:
            node.children.append(text)
        else:
            node.label = text  # it follows its bracket on another line

    def _close(self, done: list[Constituent]) -> None:
        if not self.path:
            raise _BadTreeError("a closing bracket without an opening one", self.line)
        node = self.path.pop()
        if not node.children:
            raise _BadTreeError(f"an empty bracket: ({node.label[:40]})", self.line)
        if self.path:
            self.path[-1].children.append(node)
            return
        done.append(node)
        self.number += 1
        if self.one_per_line is None:
            self.one_per_line = self.began == self.line
