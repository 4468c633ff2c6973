"""Small tokenizers of every kind, made by the `tokenizers` library, and texts that are odd on purpose."""

from __future__ import annotations

import random
import struct
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

SPECIAL = ["[UNK]", "[CLS]", "[SEP]", "[PAD]"]
LINES = [
    "The quick brown foxes weren't jumping over the lazy dogs; they're asleep.",
    "Überall wächst die Größe der Straßen, naïve cafés, Ångström, ﬁn de siècle.",
    "Съешь же ещё этих мягких французских булок, да выпей чаю. Їжак.",
    "Ὦ ξεῖν᾽, ἀγγέλλειν Λακεδαιμονίοις ὅτι τῇδε κείμεθα ΟΔΟΣ",
    "𐌰𐍄𐍄𐌰 𐌿𐌽𐍃𐌰𐍂 þu in himinam, weihnai namo þein",
    "İstanbul'da ışık ve çiğdem, IŞIK",
    "東京都に住んでいます。カタカナとひらがな、ｶﾅ。 你好，世界！",
    "한국어 문장을 나누어 봅시다. 각 각",
    "हिन्दी में लिखा हुआ वाक्य क्षत्रिय क़लम। தமிழ் எழுத்து ไทยภาษา ខ្មែរ",
    "مرحبا بالعالم ٣٤٥ שָׁלוֹם עוֹלָם",
    "1,234.56 € ½ ① x² — “quoted” (parenthesised) #hash @you e-mail's I'd we'll",
    "Việt Nam: Đà Nẵng, Huế; e\u0301 o\u0308\u0323 a\u0301\u0301",
    "👩‍👩‍👧‍👦 👍🏽 🇩🇪 ☃️ ©️ →",
]
CHARACTERS = sorted({c for line in LINES for c in line} | {chr(c) for c in range(32, 127)})
ODD = [
    "\0", "\x07", "\t", "\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x7f", "\x85", "\xa0", "\xad",
    "\u0300", "\u0301", "\u0316", "\u0323", "\u0334", "\u0345", "\u0488", "\u0600", "\u06dd", "\u093c",
    "\u094d", "\u0958", "\u09c7", "\u09be", "\u0bd7", "\u0cc2", "\u0d4e", "\u0f71", "\u0f72", "\u0f73",
    "\u1100", "\u1161", "\u11a8", "\uac00", "\uac01", "\u115f", "\u1680", "\u180e", "\u1ec7", "\u1fd3",
    "\u200b", "\u200c", "\u200d", "\u200e", "\u2002", "\u2028", "\u2029", "\u202e", "\u2060", "\u2126",
    "\u212a", "\u212b", "\u2581", "\u2581\u2581", "\u2e43", "\u302e", "\u3000", "\u3099", "\u309a", "か",
    "\ufb01", "\ufdfa", "\ufeff", "\ufffd", "\uffff", "\uf900", "\ue000", "\U0001d15e", "\U0001d165",
    "\U0001d16d", "\U0001d400", "\U0001f1e9", "\U0001f468", "\U0001f3fd", "\U000e0001", "\U0010ffff", "ı",
    "İ", "ß", "ẞ", "Σ", "ς", "ǅ", "'s", "'ll", "'", "''", " ", "  ", "   ", "[CLS]", "[MASK]", "[cls]",
    "Lazy cats", "<s>", "<0x41>", "##a", "Ġ", "Ā", "©", "™",
]  # fmt: skip


def odd_texts(count: int, seed: int = 0) -> list[str]:
    """Texts of all scripts, with marks, control characters, spaces and emoji; some of any character."""
    rng = random.Random(seed)
    words = [word for line in LINES for word in line.split()]

    def any_character() -> str:
        c = rng.choice((rng.randrange(0x300), rng.randrange(0x3400), rng.randrange(0x110000)))
        return chr(c) if not 0xD800 <= c < 0xE000 else " "

    sources: list[Callable[[], str]] = [
        lambda: rng.choice(words) + " ",
        lambda: rng.choice(words),
        lambda: rng.choice(CHARACTERS),
        lambda: rng.choice(ODD),
        any_character,
    ]
    kinds = [(8, 2, 1, 1, 0), (4, 2, 4, 2, 0), (1, 1, 4, 8, 1), (0, 0, 1, 2, 4)]
    return [
        "".join(source() for source in rng.choices(sources, rng.choice(kinds), k=rng.randrange(1, 25)))
        for _ in range(count)
    ]


def all_characters(size: int) -> Iterator[str]:
    """Lines that have every character there is between two letters, and beside its neighbours."""
    found = [
        chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000 and unicodedata.category(chr(c)) != "Co"
    ]
    for start in range(0, len(found), size):
        own = found[start : start + size]
        yield "a" + "a".join(own) + "".join(own)


def charsmap(changes: Mapping[str, str]) -> bytes:
    """A map of characters as SentencePiece has it: a double array over the bytes of keys, and texts."""
    texts, places = b"", {}
    for other in sorted(set(changes.values())):
        places[other] = len(texts)
        texts += other.encode() + b"\0"
    children: dict[bytes, set[int]] = {b"": set()}
    for key in changes:
        data = key.encode()
        for end in range(len(data)):
            children.setdefault(data[:end], set()).add(data[end])
            children.setdefault(data[: end + 1], set())
    leaves = {key.encode(): places[other] for key, other in changes.items()}
    units: dict[int, int] = {0: 0}
    where = {b"": 0}
    base = 256
    for prefix in sorted(children, key=lambda prefix: (len(prefix), prefix)):
        at = where[prefix]
        labels = [*children[prefix], *([0] if prefix in leaves else [])]
        if not labels:
            continue
        # Children are at `base ^ label`, and the base is told as how far it is from the parent's place.
        while any(base ^ label in units for label in labels) or (at ^ base) >= 1 << 21:
            base += 1
        units[at] |= (at ^ base) << 10 | (prefix in leaves) << 8
        for label in labels:
            units[base ^ label] = label if label else 1 << 31 | leaves[prefix]
            if label:
                where[prefix + bytes([label])] = base ^ label
        base = max(256, base - 256)
    size = (max(units) | 255) + 1
    return struct.pack(f"<I{size}I", 4 * size, *(units.get(k, 0) for k in range(size))) + texts


def compatible_charsmap() -> bytes:
    """Compatible composition (NFKC) of what is below U+3000; control characters go."""
    changes = {chr(c): "" for c in (*range(1, 9), *range(0xE, 0x20), 0x7F, 0x200B, 0xFEFF)}
    changes |= dict.fromkeys("\t\n\r\xa0\u2002\u3000\u200e", " ")
    for c in range(0xA0, 0x3000):
        form = unicodedata.normalize("NFKC", chr(c))
        if form != chr(c):
            changes[chr(c)] = form
        parts = unicodedata.normalize("NFD", chr(c))
        if len(parts) > 1 and unicodedata.normalize("NFC", parts) == chr(c):
            changes[parts] = chr(c)
    return charsmap(changes)


def _wordpiece(**options: Any) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=30))
    tokenizer.normalizer = normalizers.BertNormalizer(**options)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(LINES, trainers.WordPieceTrainer(vocab_size=500, special_tokens=SPECIAL))
    tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True, rstrip=True)])
    tokenizer.add_tokens([AddedToken("lazy CATS", normalized=True)])
    return tokenizer


def _byte_level(*, prefix: bool, runs: bool = True) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = None if prefix else normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=runs)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        LINES, trainers.BpeTrainer(vocab_size=700, special_tokens=SPECIAL, initial_alphabet=alphabet)
    )
    tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True)])
    return tokenizer


def _marked_pairs() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]", fuse_unk=True, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    # Not all bytes are there: some characters fall back, others are unknown.
    fallback = [f"<0x{byte:02X}>" for byte in range(0xE1)]
    tokenizer.train_from_iterator(
        LINES[:8], trainers.BpeTrainer(vocab_size=700, special_tokens=SPECIAL + fallback, show_progress=False)
    )
    return tokenizer


def _unigram(*steps: normalizers.Normalizer, split: pre_tokenizers.PreTokenizer) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(list(steps))
    tokenizer.pre_tokenizer = split
    tokenizer.train_from_iterator(
        LINES, trainers.UnigramTrainer(vocab_size=400, special_tokens=SPECIAL, unk_token="[UNK]")
    )
    return tokenizer


MAKERS: dict[str, Callable[[], Tokenizer]] = {
    "wordpiece": lambda: _wordpiece(lowercase=True),
    "wordpiece-cased": lambda: _wordpiece(lowercase=False),
    "wordpiece-accents": lambda: _wordpiece(lowercase=True, strip_accents=False, handle_chinese_chars=False),
    "byte-level": lambda: _byte_level(prefix=True),
    "byte-level-composed": lambda: _byte_level(prefix=False),
    "byte-level-whole": lambda: _byte_level(prefix=False, runs=False),
    "marked-pairs": _marked_pairs,
    "unigram-decomposed": lambda: _unigram(
        normalizers.NFKD(), normalizers.StripAccents(), split=pre_tokenizers.Metaspace(split=False)
    ),
    # As XLM-R has it.
    "unigram": lambda: _unigram(
        normalizers.Precompiled(compatible_charsmap()),
        normalizers.Replace(Regex(" {2,}"), " "),
        split=pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]),
    ),
    "unigram-composed": lambda: _unigram(
        normalizers.Strip(),
        normalizers.Replace("``", '"'),
        normalizers.NFKC(),
        normalizers.Lowercase(),
        normalizers.Prepend("▁"),
        split=pre_tokenizers.Metaspace(prepend_scheme="never"),
    ),
}


def make(name: str, folder: Path) -> Tokenizer:
    """The tokenizer, which is also written to the folder."""
    tokenizer = MAKERS[name]()
    ends = [(word, tokenizer.token_to_id(word)) for word in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    tokenizer.save(str(folder / "tokenizer.json"))
    return tokenizer
