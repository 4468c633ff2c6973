"""Tokenizers for tests: with weights drawn at random, or trained on the project's own treebank; odd texts."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import numpy as np

from arbora import _core
from arbora.text import Tokenizer, TokenizerOptions, train_tokenizer
from arbora.text.tokenizing.characters import class_table
from arbora.text.tokenizing.templates import SENTENCES, TOKENS
from arbora.text.tokenizing.tokenizer import make_tensors
from arbora.treebank import Sentence, read

TREEBANK = Path(__file__).resolve().parents[1] / "examples" / "treebank"
BITS = 8
# Letters with and without case, marks, digits, punctuation, brackets, symbols, emoji, right-to-left text, and
# spaces and line breaks of all kinds, controls, NUL, the last character that there is.
ALPHABET = [
    *"aAbBzé0179..,,--__//::@@??==!()[]«»“”'%$€+£¥‰…",
    *"ßĞığİʰ漢字かאבسلاमे\u0301\u0308\u200d\u200c½Ⅷ²",
    *"🙂👩🏽\u200d🚀☃©",
    *"    \t\n\n\r\v\f\x1c\x1f\x85\xa0\u2003\u2028\u2029\u3000\ufeff",
    *"\0\x01\x7f\u202e\ue000\U0010ffff",
]


def odd_text(draw: random.Random, length: int) -> str:
    """Characters of all kinds, some in long rows, with line breaks of both systems."""
    pieces: list[str] = []
    done = 0
    while done < length:
        done += len(pieces[-1]) if pieces else 0
        kind = draw.random()
        if kind < 0.1:
            pieces.append(draw.choice(ALPHABET) * draw.randint(1, 45))
        elif kind < 0.2:
            pieces.append(
                draw.choice(["\r\n", "\r\n\r\n", "\n\n", "http://a.b/c?d=1", " ", "Mr. X", "a@b.org"])
            )
        else:
            pieces.append("".join(draw.choice(ALPHABET) for _ in range(draw.randint(1, 12))))
    return "".join(pieces)


def random_tokenizer(
    seed: int,
    *,
    sentence_tokens: int = 250,
    token_characters: int = 1000,
    threshold: float = 0.0,
    spaces_in_tokens: tuple[tuple[int, int], ...] = (),
    templates: tuple[str, str] = (TOKENS, SENTENCES),
) -> Tokenizer:
    """A tokenizer that ends tokens and sentences at random, but always the same for the same text."""
    generator = np.random.default_rng(seed)
    weights = {
        kind: _core.ShortWeights(generator.integers(-99, 100, 1 << BITS, np.int16, endpoint=True), 0.25)
        for kind in ("tokens", "sentences")
    }
    header = {
        "spaces_in_tokens": spaces_in_tokens,
        "multiwords": {"patterns": [], "forms": {}, "endings": {}},
        "options": {"sentence_tokens": sentence_tokens, "token_characters": token_characters},
        "tokens": {"templates": templates[0], "step": 0.25},
        "sentences": {"templates": templates[1], "step": 0.25, "threshold": threshold},
    }
    return Tokenizer(header, make_tensors(class_table(), **weights))


def treebank(language: str) -> list[Sentence]:
    return list(read(TREEBANK / f"{language}.conllu"))


@cache
def trained(language: str) -> Tokenizer:
    return train_tokenizer(
        treebank(language), options=TokenizerOptions(epochs=8, bits=16, rate=0.3), dev_fraction=0.0
    )
