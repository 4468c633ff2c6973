"""Rules that trees must satisfy, read from a small file: one rule a line, ``#`` begins a comment.

    at most 1 nsubj under upos=VERB
    no children under upos=PUNCT
    root is upos=VERB,AUX

``docs/rules.md`` has the language. It is closed: what is not written there is an error with its line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from arbora.dependency.rule_kinds import (
    COLUMNS,
    ArcRule,
    CountRule,
    HeadRule,
    LabelRule,
    Labels,
    Limit,
    RootRule,
    Rule,
    Selector,
    SpanRule,
    Term,
)
from arbora.errors import FileError, WrongTypeError, shown
from arbora.treebank import Sentence
from arbora.treebank.files import chunks, file_name, open_input
from arbora.treebank.given import a_sentence

CHILDREN = "children"
"""Stands for any label."""
BEGINNINGS = (
    "at most",
    "at least",
    "exactly",
    "no",
    "no arc from",
    "root is",
    "head of",
    "label of",
    "phrase",
    "constituent",
)
"""How rules begin."""
SENT_ID = "sent_id="
"""Begins what names the sentences that a rule is for."""
_PIECE = re.compile(r'\s*((?:[^\s,&"]|"[^"]*")+|[,&])')
_COMMENT = re.compile(r"\s*(#.*)?$")
_TERM = re.compile(r"([a-z_]+)(!?=)(.*)", re.DOTALL)
_SPAN = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")
_COUNT = re.compile(r"[0-9]{1,9}")


class Violation(NamedTuple):
    """A rule, and a word where a tree breaks it."""

    rule: Rule
    token: int


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a file.

    >>> rules = Rules.parse("root is upos=VERB  # as in our guidelines")
    >>> sentence = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[0, 1], deprels=["root", "acl"])
    >>> [(str(rule), token) for rule, token in rules.violations(sentence)]
    [('rules:1: root is upos=VERB', 1)]
    """

    rules: tuple[Rule, ...]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Rules:
        """The rules of a file; FileError names the line that is wrong."""
        name = file_name(path)
        try:
            text = b"".join(chunks(open_input(name), name)).decode()
        except UnicodeDecodeError:
            raise FileError("this is not UTF-8", file=name) from None
        return cls.parse(text, name)

    @classmethod
    def parse(cls, text: str, name: str = "rules") -> Rules:
        """The rules of a file's text; FileError names the line that is wrong."""
        if not isinstance(text, str):
            raise WrongTypeError(f"rules are read from a text, not from {shown(text)}")
        found = []
        for number, line in enumerate(text.split("\n"), 1):
            try:
                pieces = _pieces(line)
                if pieces:
                    found.append(_Line(pieces, name, number).rule())
            except ValueError as error:
                raise FileError(str(error), file=name, line=number) from None
        return cls(tuple(found))

    def violations(self, sentence: Sentence) -> list[Violation]:
        """Where the sentence's tree breaks which rule; what is not known (``_``) breaks none."""
        return [
            Violation(rule, token)
            for rule in self.rules
            if rule.concerns(a_sentence(sentence))
            for token in rule.broken_at(sentence)
        ]

    def limits(self, sentence: Sentence) -> Iterator[Limit]:
        """What the rules mean for the sentence's trees."""
        return (limit for rule in self.rules if rule.concerns(sentence) for limit in rule.limits(sentence))

    def __len__(self) -> int:
        """How many there are."""
        return len(self.rules)


def _pieces(line: str) -> list[str]:
    """The words, commas and ampersands of a line, without its comment; quotes are still there."""
    found, place = [], 0
    while not _COMMENT.match(line, place):
        piece = _PIECE.match(line, place)
        if piece is None:
            raise ValueError("a quote is not closed")
        found.append(piece[1])
        place = piece.end()
    return found


class _Line:
    """A rule being read: its pieces, and how far reading has come."""

    def __init__(self, pieces: list[str], name: str, number: int) -> None:
        self.place: tuple[str, str, int] = (_written(pieces), name, number)
        self.pieces, self.at = pieces, 0
        self.these, self.all_but = self._sentences()

    def rule(self) -> Rule:
        """The rule that all of the line is; ValueError says what is wrong with it."""
        found = self._rule()
        self._end()
        return found

    def _end(self) -> None:
        if self.at < len(self.pieces):
            raise ValueError(f"what does {self.pieces[self.at]!r} mean after the rule's end?")

    def _sentences(self) -> tuple[tuple[str, ...], bool]:
        """The sentences that the line's end names, which is cut off, and whether they are the exceptions."""
        for at in range(1, len(self.pieces) - 1):
            if self.pieces[at] != "in" or not self.pieces[at + 1].startswith(SENT_ID):
                continue
            end = _Line(self.pieces[at + 2 :], *self.place[1:])
            values = end._values(self.pieces[at + 1].removeprefix(SENT_ID))
            end._end()
            all_but = self.pieces[at - 1] == "not"
            del self.pieces[at - all_but :]
            return tuple(_unquoted(value, "sent_id") for value in values), all_but
        return (), False

    def _rule(self) -> Rule:
        place = (*self.place, self.these, self.all_but)
        if self._begins("no", "arc", "from"):
            heads = self._selector()
            self._need("to")
            return ArcRule(*place, heads, self._selector())
        if self._begins("root", "is"):
            return RootRule(*place, self._selector())
        if self._begins("head", "of"):
            words = self._selector()
            self._need("is")
            return HeadRule(*place, words, self._selector(), self._begins("or", "root"))
        if self._begins("label", "of"):
            words = self._selector()
            self._need("is")
            return LabelRule(*place, words, self._labels())
        for name in ("phrase", "constituent"):
            if self._begins(name):
                return SpanRule(*place, *self._span(), name == "constituent")
        low, high = self._bounds()
        labels = None if self._begins(CHILDREN) else self._labels()
        self._need("under")
        return CountRule(*place, labels, low, high, self._selector())

    def _bounds(self) -> tuple[int, int | None]:
        if self._begins("no"):
            return 0, 0
        if self._begins("at", "most"):
            return 0, self._count()
        if self._begins("exactly"):
            count = self._count()
            return count, count
        if self._begins("at", "least"):
            count = self._count()
            if not count:
                raise ValueError("at least 0 says nothing")
            return count, None
        raise ValueError(f"there is no such rule; rules begin with {', '.join(BEGINNINGS)}")

    def _begins(self, *words: str) -> bool:
        """Whether these words come next; if so, they are read."""
        if tuple(self.pieces[self.at : self.at + len(words)]) != words:
            return False
        self.at += len(words)
        return True

    def _need(self, word: str) -> None:
        if not self._begins(word):
            raise ValueError(f"{word!r} is missing {self._where()}")

    def _where(self) -> str:
        return f"before {self.pieces[self.at]!r}" if self.at < len(self.pieces) else "at the end"

    def _next(self, what: str) -> str:
        if self.at == len(self.pieces) or self.pieces[self.at] in (",", "&"):
            raise ValueError(f"{what} missing {self._where()}")
        self.at += 1
        return self.pieces[self.at - 1]

    def _count(self) -> int:
        piece = self._next("a number is")
        if not _COUNT.fullmatch(piece):
            raise ValueError(f"{piece!r} is no number")
        return int(piece)

    def _span(self) -> tuple[int, int]:
        piece = self._next("a span such as 3-7 is")
        found = _SPAN.fullmatch(piece)
        if not found or int(found[1]) > int(found[2]):
            raise ValueError(f"{piece!r} is no span of words such as 3-7")
        return int(found[1]), int(found[2])

    def _labels(self) -> Labels:
        names = [self._label()]
        while self._begins(","):
            names.append(self._label())
        return Labels(tuple(names))

    def _label(self) -> str:
        piece = self._next("a label is")
        if piece == CHILDREN:
            raise ValueError(f"{CHILDREN!r} stands for any label, and only where children are counted")
        name = _unquoted(piece, "a label")
        if "*" in name.removesuffix(":*"):
            raise ValueError(f"{name!r}: a * stands at the end, after a colon, as in nsubj:*")
        return name

    def _selector(self) -> Selector:
        if self._begins("any"):
            return Selector()
        terms = [self._term()]
        while self._begins("&"):
            terms.append(self._term())
        return Selector(tuple(terms))

    def _term(self) -> Term:
        piece = self._next("a condition such as upos=VERB is")
        found = _TERM.fullmatch(piece)
        if not found or found[1] not in COLUMNS:
            raise ValueError(
                f"{piece!r} is no condition such as upos=VERB; words are known by {', '.join(COLUMNS)}"
            )
        values = self._values(found[3])
        for value in values:
            _check_value(found[1], value)
        return Term(found[1], tuple(_unquoted(value, found[1]) for value in values), found[2] == "!=")

    def _values(self, first: str) -> list[str]:
        values = [first]
        while self._begins(","):
            values.append(self._next("a value is"))
        return values


def _check_value(column: str, value: str) -> None:
    if column == "feats" and not re.fullmatch(r"[^=]+=.+", value):
        raise ValueError(f"{value!r} is no feature such as feats=Number=Plur; each value has its name")
    if column == "id" and not re.fullmatch(r"[1-9][0-9]*", value):
        raise ValueError(f"{value!r} is no word's id: words are counted from 1")


def _unquoted(text: str, what: str) -> str:
    value = text.replace('"', "")
    if not value:
        raise ValueError(f"{what} has no value")
    return value


def _written(pieces: list[str]) -> str:
    return " ".join(pieces).replace(" , ", ",")
