"""Slow twin of sub-words: straight from `tokenizer.json`, with Python's own Unicode, by trying everything.

It knows no added tokens, and clusters are a character with the marks after it.
"""

from __future__ import annotations

import base64
import re
import struct
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

Json = dict[str, Any]

CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")
RUNS = re.compile(r" ?L+| ?N+| ?O+|[ S]+(?![LNO])|[ S]+")
"""Of classes of characters: letters, numbers, others, spaces."""


class SlowSubwords:
    """Cuts as the content of a `tokenizer.json` says."""

    def __init__(self, content: Json) -> None:
        self.content = content
        self.model: Json = content["model"]
        vocabulary = self.model["vocab"]
        if self.model["type"] == "Unigram":
            self.scores = dict(vocabulary)
            vocabulary = {word: number for number, (word, _) in enumerate(vocabulary)}
        self.ids: dict[str, int] = vocabulary

    def cut(self, text: str) -> list[int]:
        """The ids of a line."""
        cut = {"WordPiece": self._wordpiece, "BPE": self._pairs, "Unigram": self._unigram}[self.model["type"]]
        text = normalized(text, self.content["normalizer"])
        return [
            number for piece in split(text, self.content["pre_tokenizer"]) if piece for number in cut(piece)
        ]

    def _wordpiece(self, word: str) -> list[int]:
        unknown = [self.ids[self.model["unk_token"]]]
        if len(word) > self.model["max_input_chars_per_word"]:
            return unknown
        found, start = [], 0
        while start < len(word):
            prefix = self.model["continuing_subword_prefix"] if start else ""
            ends = [end for end in range(start + 1, len(word) + 1) if prefix + word[start:end] in self.ids]
            if not ends:
                return unknown
            found.append(self.ids[prefix + word[start : ends[-1]]])
            start = ends[-1]
        return found

    def _pairs(self, piece: str) -> list[int]:
        if self.model["ignore_merges"] and piece in self.ids:
            return [self.ids[piece]]
        parts: list[str] = []
        unknown: list[str] = []  # written when a known character comes, after bytes that come before that
        for c in piece:
            of_bytes = [f"<0x{byte:02X}>" for byte in c.encode()]
            if c in self.ids:
                parts += [*unknown, c]
                unknown = []
            elif self.model["byte_fallback"] and all(byte in self.ids for byte in of_bytes):
                parts += of_bytes
            elif self.model["unk_token"]:
                parts += [] if self.model["fuse_unk"] else unknown
                unknown = [self.model["unk_token"]]
        parts += unknown
        ranks = {tuple(pair): rank for rank, pair in enumerate(self.model["merges"])}
        while True:
            pairs = [(ranks[pair], k) for k, pair in enumerate(pairwise(parts)) if pair in ranks]
            if not pairs:
                return [self.ids[part] for part in parts]
            at = min(pairs)[1]
            parts[at : at + 2] = ["".join(parts[at : at + 2])]

    def _unigram(self, piece: str) -> list[int]:
        unknown = self.model["unk_id"]
        worst = min(self.scores.values()) - 10
        best: list[tuple[float, list[int]]] = [(0.0, [])]
        for end in range(1, len(piece) + 1):
            found = []
            for start in range(end):
                word = piece[start:end]
                if word in self.ids:
                    found.append((best[start][0] + self.scores[word], [*best[start][1], self.ids[word]]))
                elif end == start + 1:
                    found.append((best[start][0] + worst, [*best[start][1], unknown]))
            best.append(max(found, key=lambda own: own[0]))  # the first of those that are alike
        numbers = best[-1][1]
        return [
            own for k, own in enumerate(numbers) if not (own == unknown and k and numbers[k - 1] == unknown)
        ]


def normalized(text: str, how: Json | None) -> str:
    """A text after a normalizer."""
    if how is None:
        return text
    kind = how["type"]
    if kind == "Sequence":
        for own in how["normalizers"]:
            text = normalized(text, own)
    elif kind == "BertNormalizer":
        text = _bert(text, how)
    elif kind in ("NFC", "NFD", "NFKC", "NFKD"):
        text = unicodedata.normalize(kind, text)
    elif kind == "StripAccents":
        text = "".join(c for c in text if unicodedata.category(c)[0] != "M")
    elif kind == "Lowercase":
        text = "".join(c.lower() for c in text)
    elif kind == "Strip":
        text = text.strip() if how["strip_left"] and how["strip_right"] else text
    elif kind == "Replace":
        pattern = how["pattern"]
        text = re.sub(pattern.get("Regex") or re.escape(pattern["String"]), how["content"], text)
    elif kind == "Prepend":
        text = how["prepend"] + text if text else text
    else:
        text = "".join(
            _changed(cluster, base64.b64decode(how["precompiled_charsmap"])) for cluster in _clusters(text)
        )
    return text


def _bert(text: str, how: Json) -> str:
    if how["clean_text"]:
        text = "".join(" " if c.isspace() else c for c in text if c.isspace() or _is_kept(c))
    if how["handle_chinese_chars"]:
        text = re.sub("([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df])", r" \1 ", text)
    if how["lowercase"] if how["strip_accents"] is None else how["strip_accents"]:
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return "".join(c.lower() for c in text) if how["lowercase"] else text


def _is_kept(c: str) -> bool:
    return unicodedata.category(c) not in ("Cc", "Cf", "Co") and c != "\ufffd"


def _clusters(text: str) -> Iterator[str]:
    found = ""
    for c in text:
        if found and unicodedata.category(c)[0] != "M" and c != "\u200d":
            yield found
            found = ""
        found += c
    yield found


def _changed(cluster: str, charsmap: bytes) -> str:
    """What becomes of a cluster: of its shortest beginning that is known, or of each character."""
    (size,) = struct.unpack_from("<I", charsmap)
    units, texts = struct.unpack_from(f"<{size // 4}I", charsmap, 4), charsmap[4 + size :]

    def known(key: bytes) -> str | None:
        at = units[0] >> 10
        for byte in key:
            at ^= byte
            if units[at] & 0x800000FF != byte:
                return None
            has_value = units[at] >> 8 & 1
            at ^= units[at] >> 10 << (8 if units[at] & 512 else 0)
            if has_value:
                return texts[units[at] & 0x7FFFFFFF :].split(b"\0")[0].decode()
        return None

    whole = known(cluster.encode()) if len(cluster.encode()) < 6 else None
    if whole is not None:
        return whole
    return "".join(c if (own := known(c.encode())) is None else own for c in cluster)


def split(text: str, how: Json | None) -> list[str]:
    """The pieces of a text after a pre-tokenizer."""
    kind = how["type"] if how else None
    if not how:
        return [text]
    if kind == "Sequence":
        pieces = [text]
        for own in how["pretokenizers"]:
            pieces = [part for piece in pieces if piece for part in split(piece, own)]
        return pieces
    if kind == "WhitespaceSplit":
        return text.split()
    if kind == "BertPreTokenizer":
        is_sign = lambda c: unicodedata.category(c)[0] == "P" or (c.isascii() and not c.isalnum())  # noqa: E731
        return "".join(f" {c} " if is_sign(c) else c for c in text).split()
    if kind == "ByteLevel":
        return ["".join(LETTERS[byte] for byte in piece.encode()) for piece in _runs(text, how)]
    mark = how["replacement"]
    text = text.replace(" ", mark)
    if text and how["prepend_scheme"] != "never" and text[0] != mark:
        text = mark + text
    return re.findall(f"{mark}?[^{mark}]+|{mark}", text) if how["split"] else [text]


def _runs(text: str, how: Json) -> list[str]:
    if how["add_prefix_space"] and text and text[0] != " ":
        text = " " + text
    if not how["use_regex"]:
        return [text]
    kinds = "".join(_kind(c) for c in text)
    pieces, at = [], 0
    while at < len(text):
        size = next((len(own) for own in CONTRACTIONS if text.startswith(own, at)), 0)
        if not size:
            match = RUNS.match(kinds, at)
            assert match
            size = match.end() - at
        pieces.append(text[at : at + size])
        at += size
    return pieces


def _kind(c: str) -> str:
    if c.isspace():
        return " " if c == " " else "S"
    return {"L": "L", "N": "N"}.get(unicodedata.category(c)[0], "O")


def _letters() -> list[str]:
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


LETTERS = _letters()
"""Bytes as the letters that byte-level vocabularies write for them."""
