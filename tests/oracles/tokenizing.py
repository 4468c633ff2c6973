"""Tokenizing from its definitions: every gap looks at the text around it anew, with Python's own Unicode.

Scores are sums of weights that a function gives for a place in the table, so this knows nothing of models.
"""

from __future__ import annotations

import re
import unicodedata

from oracles.words import combine, hash_text, join, mix

NONE, TOO_LONG = 0, 1
CLASSES = [
    "other", "space", "break", "Lu Lt", "Ll", "Lo Lm", "Mn Mc Me", "Nd", "Nl No", "Ps Pi", "Pe Pf", "Pd Pc",
    "Po", "Sm Sc Sk", "So", "Cc Cf",
]  # fmt: skip
CLASS_NAMES = [
    "other", "space", "line break", "upper", "lower", "letter", "mark", "digit", "number", "opening",
    "closing", "dash", "punctuation", "symbol", "picture", "control",
]  # fmt: skip
BREAKS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
GAPS = ["space", "spaces", "line", "paragraph"]  # codes 0x110000 and on


def class_of(c: str) -> int:
    if c in BREAKS:
        return 2
    if c.isspace() or c == "\ufeff":
        return 1
    return next((n for n, name in enumerate(CLASSES) if unicodedata.category(c) in name.split()), 0)


def is_space(c: str) -> bool:
    return class_of(c) in (1, 2)


def gap_kind(run: str) -> str:
    breaks = len(re.findall("\r\n|[" + BREAKS + "]", run))
    return "paragraph" if breaks > 1 else "line" if breaks else "space" if run == " " else "spaces"


def symbols_of(text: str) -> list[tuple[int, int, int]]:
    """(code, class, place of the first character): a run of spaces is one."""
    found, at = [], 0
    while at < len(text):
        end = at
        while end < len(text) and is_space(text[end]):
            end += 1
        if end > at:
            outside = at == 0 or end == len(text)
            kind = GAPS.index("paragraph" if outside else gap_kind(text[at:end]))
            found.append((0x110000 + kind, 1 if kind < 2 else 2, at))
            at = end
        else:
            found.append((ord(text[at]), class_of(text[at]), at))
            at += 1
    return found


PARAGRAPH = (0x110000 + 3, 2, -1)


def row_hash(symbols, longest: int) -> int:
    """Of a row that is read towards the gap."""
    hash = NONE
    for code, _, _ in symbols:
        hash = combine(hash, code)
    return hash if len(symbols) <= longest else TOO_LONG


def row_shape(symbols, longest: int) -> int:
    hash, last = NONE, None
    for _, kind, _ in symbols:
        if kind != last:
            hash = combine(hash, hash_text(CLASS_NAMES[kind]))
        last = kind
    return hash if len(symbols) <= longest else TOO_LONG


class View:
    """The symbols on one side of a gap, the nearest last; a paragraph ends the view."""

    def __init__(self, side):
        start = max((k for k, s in enumerate(side) if s == PARAGRAPH or s[0] == PARAGRAPH[0]), default=-1)
        side = side[start + 1 :]
        self.run = self.second_run = []
        rest = list(side)
        self.between = self.cut(rest, lambda kind: not 3 <= kind <= 8)
        if len(self.between) <= 8:
            self.run = self.cut(rest, lambda kind: 3 <= kind <= 8)
            if 0 < len(self.run) <= 16:
                gap = self.cut(rest, lambda kind: not 3 <= kind <= 8)
                second = self.cut(rest, lambda kind: 3 <= kind <= 8)
                if len(gap) <= 8 and len(second) <= 16:
                    self.second_run = second
        rest = list(side)
        self.word = self.cut(rest, lambda kind: kind not in (1, 2))
        self.second_word = []
        if len(self.word) <= 24 and rest:
            rest.pop()
            self.second_word = self.cut(rest, lambda kind: kind not in (1, 2))
        near = self.word[-40:]
        seen = [any(code == ord(mark) for code, _, _ in near) for mark in "@/:.-_?="]
        seen.append(any(kind == 7 for _, kind, _ in near))
        self.marks = sum(bit << k for k, bit in enumerate(seen))

    @staticmethod
    def cut(rest, wanted):
        """Take from the end of the list what is wanted."""
        taken = []
        while rest and wanted(rest[-1][1]):
            taken.insert(0, rest.pop())
        return taken

    def value(self, name: str) -> int:
        return {
            "run": lambda: row_hash(self.run, 16),
            "run further": lambda: row_hash(self.second_run, 16),
            "between": lambda: row_hash(self.between, 8),
            "length": lambda: min(len(self.run), 8),
            "shape": lambda: row_shape(self.run, 16),
            "shape further": lambda: row_shape(self.second_run, 16),
            "word": lambda: row_hash(self.word, 24),
            "word further": lambda: row_hash(self.second_word, 24),
            "word-shape": lambda: row_shape(self.word, 24),
            "marks": lambda: self.marks,
        }[name]()


class Gap:
    """The gap after symbol i: all atoms by name."""

    def __init__(self, symbols, i: int):
        self.inner = symbols[i + 1] if i + 1 < len(symbols) else PARAGRAPH
        self.is_empty = self.inner[0] < 0x110000
        j = i + 1 if self.is_empty else i + 2
        ends_here = self.inner[0] == PARAGRAPH[0]
        self.left = self.barred(symbols[: i + 1][::-1])
        self.right = self.barred([] if ends_here else symbols[j:])
        self.views = View(symbols[: i + 1]), View([] if ends_here else symbols[j:][::-1])

    @staticmethod
    def barred(side):
        """Nearest first; from a paragraph on there is nothing but paragraph."""
        found = []
        for symbol in side:
            if symbol[0] == PARAGRAPH[0]:
                break
            found.append(symbol)
        return found + [PARAGRAPH] * 8

    def atom(self, name: str) -> int:
        if name == "gap.spaces":
            return 0 if self.is_empty else self.inner[0] - 0x110000 + 1
        side, further, kind = re.fullmatch(r"(left|right)(?:[-+]([1-9]))?\.([a-z-]+)", name).groups()
        if kind in ("char", "class"):
            code, char_class, _ = (self.right if side == "right" else self.left)[int(further or 0)]
            return mix(code + 1) if kind == "char" else hash_text(CLASS_NAMES[char_class])
        return self.views[side == "right"].value(kind + " further" * int(further or 0))


def places(gap: Gap, templates: str, bits: int) -> list[int]:
    """The places of a gap's features in a table of 2^bits weights; the section is the first line."""
    found = []
    section, *lines = templates.strip().splitlines()
    for line in lines:
        hash = mix(hash_text(f"{section[1:-1]}: {line}"))
        for name in line.split(" & "):
            hash = join(hash, gap.atom(name))
        found.append((hash ^ hash >> 29) & 0xFFFFFFFF & ((1 << bits) - 1))
    return found


def tokenized(text, token_score, sentence_score, threshold, limit, longest, spaces_in_tokens=()):
    """Sentences as lists of (start, end); scores are functions of a gap, positive for an end."""
    symbols = symbols_of(text)
    sentences, waiting, start, length = [], [], None, 0
    for i, (code, _, at) in enumerate(symbols):
        if code >= 0x110000:
            continue
        gap = Gap(symbols, i)
        start = at if start is None else start
        length += 1
        is_open = gap.is_empty or (
            gap.inner[0] == 0x110000 and (symbols[i][1], symbols[i + 2][1]) in spaces_in_tokens
        )
        forced = is_open and token_score(gap) <= 0
        if forced and length < longest:
            continue
        score = float("-inf") if forced else sentence_score(gap)
        waiting.append((start, at + 1, score))
        start, length = None, 0
        if not forced and (score > threshold or gap.inner[0] == PARAGRAPH[0]):
            sentences.append(waiting)
            waiting = []
        elif len(waiting) >= limit:
            second_half = range(len(waiting) // 2, len(waiting))
            cut = max(second_half, key=lambda k: (waiting[k][2], k))
            sentences.append(waiting[: cut + 1])
            waiting = waiting[cut + 1 :]
    return [[(a, b) for a, b, _ in sentence] for sentence in [*sentences, waiting] if sentence]
