"""What characters are to the `tokenizers` library: asked of the library itself, one after the other.

    python tests/subword_characters.py

writes `src/arbora/neural/characters.txt`; `tests/contract/test_subwords.py` holds that file to the answers.
"""

from __future__ import annotations

import struct
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from unicodedata import combining, normalize

from tokenizers import Regex, normalizers, pre_tokenizers

PLACE = Path(__file__).resolve().parents[1] / "src/arbora/neural/characters.txt"
HEADER = """\
What characters are to the `tokenizers` library (0.23), whose parts have tables of several versions of
Unicode: a name, and the ranges of its characters. tests/subword_characters.py writes it.
"""
ALL = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
HANGUL = range(0xAC00, 0xD7A4)
NAMES = (
    "dropped", "marks", "accents", "punctuation", "letters", "numbers", "canonical", "compatible", "ordered",
    "control", "joined", "linker", "conjunct", "prefix", "picture", "consonant",
)  # fmt: skip


def cluster_counter() -> Callable[[str], int]:
    """How many clusters a text has, if a cluster of 6 or more bytes counts as all its characters.

    A map of SentencePiece's in which every byte is a key, and becomes one letter, says so.
    """
    units = [0] * 1024
    units[0] = 256 << 10
    for byte in range(256):
        units[256 + byte] = byte | 1 << 8 | 512 << 10
        units[768 + byte] = 1 << 31
    charsmap = struct.pack("<I1024I", 4 * 1024, *units) + b"X\0"
    normalizer = normalizers.Precompiled(charsmap)
    return lambda text: len(normalizer.normalize_str(text))


def clusters() -> dict[str, set[int]]:
    """What is to be known of characters to find clusters: each is tried in short texts."""
    count = cluster_counter()
    after = {c for c in ALL if count(f"a{chr(c)}") == 1}
    before = {c for c in ALL if count(f"{chr(c)}a") == 1}
    # With a mark of two bytes, a character of three is a cluster of five, unless it is part of a longer one.
    linker = {c for c in after if count(f"क{chr(c)}क\u0301") == 4}
    conjunct = {c for c in after if count(f"क\u094d{chr(c)}क\u0301") == 5}
    rest = [c for c in ALL if c not in after and c not in before]
    return {
        "control": {c for c in rest if len(chr(c).encode()) < 4 and count(f"\u0600{chr(c)}") > 1},
        "joined": after,
        "linker": linker,
        "conjunct": conjunct,
        "prefix": before,
        "picture": {c for c in rest if count(f"{chr(c)}\u200d☃\u0301") == 4},
        "consonant": {c for c in rest if count(f"{chr(c)}\u094dक\u0301") == 4},
    }


def asked() -> dict[str, set[int]]:
    """The characters of each name."""
    bert = {
        name: normalizers.BertNormalizer(
            clean_text=name == "dropped",
            handle_chinese_chars=False,
            strip_accents=name == "marks",
            lowercase=False,
        )
        for name in ("dropped", "marks")
    }
    bert["accents"] = normalizers.StripAccents()
    found = {
        name: {c for c in ALL if normalizer.normalize_str(f"a{chr(c)}b") == "ab"}
        for name, normalizer in bert.items()
    }
    words = pre_tokenizers.BertPreTokenizer()
    found["punctuation"] = {c for c in ALL if len(words.pre_tokenize_str(f"a{chr(c)}b")) == 3}
    for name, pattern in (("letters", r"\p{L}"), ("numbers", r"\p{N}")):
        split = pre_tokenizers.Split(Regex(pattern), "removed")
        found[name] = {c for c in ALL if len(split.pre_tokenize_str(f".{chr(c)}.")) == 2}
    for name, form in (("canonical", normalizers.NFD()), ("compatible", normalizers.NFKD())):
        found[name] = {c for c in ALL if c not in HANGUL and form.normalize_str(chr(c)) != chr(c)}
    nfd = normalizers.NFD().normalize_str
    found["ordered"] = {
        c
        for c in ALL
        if combining(chr(c))
        and c not in found["canonical"]
        and any(
            nfd(text) == normalize("NFD", text) != text for text in (f"a{chr(c)}\u0334", f"a\u0301{chr(c)}")
        )
    }
    return found | clusters()


def written(sets: dict[str, Iterable[int]]) -> str:
    """The file."""
    rows = (f"{name}: {ranges(sets[name])}" for name in NAMES)
    return HEADER + "".join(
        textwrap.fill(row, 120, subsequent_indent="  ", break_on_hyphens=False) + "\n" for row in rows
    )


def ranges(characters: Iterable[int]) -> str:
    """Characters as hexadecimal ranges, such as ``41-5a 61``."""
    found: list[list[int]] = []
    for c in sorted(characters):
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return " ".join(f"{first:x}" if first == last else f"{first:x}-{last:x}" for first, last in found)


if __name__ == "__main__":
    PLACE.write_text(written(asked()), "utf-8")
