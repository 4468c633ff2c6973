"""Sub-words equal the `tokenizers` library and a slow twin; what a model file holds is refused or works."""

from __future__ import annotations

import json
import random
import unicodedata
from typing import Any

import numpy as np
import pytest
import subword_characters
from compare_subwords import (
    different_lines,
    different_sentences,
    lines_of,
    sentences_of,
    spaced,
    texts_of,
)
from oracles.subwords import SlowSubwords
from small_subwords import LINES, MAKERS, all_characters, compatible_charsmap, make, odd_texts
from tokenizers import Tokenizer, normalizers, pre_tokenizers

from arbora.errors import ArboraError
from arbora.neural import Subwords, read_subwords
from arbora.neural.subword_steps import normalizing
from arbora.neural.subwords import _normalizer

NORMALIZERS = {
    "bert": normalizers.BertNormalizer(),
    "bert-cased": normalizers.BertNormalizer(lowercase=False),
    "bert-unclean": normalizers.BertNormalizer(clean_text=False, strip_accents=True, lowercase=False),
    "nfc": normalizers.NFC(),
    "nfd": normalizers.NFD(),
    "nfkc": normalizers.NFKC(),
    "nfkd": normalizers.NFKD(),
    "lowercase": normalizers.Lowercase(),
    "strip-accents": normalizers.StripAccents(),
    "strip-left": normalizers.Strip(right=False),
    "strip-right": normalizers.Strip(left=False),
    "precompiled": normalizers.Precompiled(compatible_charsmap()),
}


@pytest.fixture(scope="module", params=MAKERS)
def both(request, tmp_path_factory) -> tuple[Tokenizer, Subwords]:
    folder = tmp_path_factory.mktemp(request.param)
    return make(request.param, folder), read_subwords(folder)


def test_the_characters_are_those_of_the_library():
    assert subword_characters.PLACE.read_text("utf-8") == subword_characters.written(
        subword_characters.asked()
    )


@pytest.mark.parametrize("name", NORMALIZERS)
def test_normalizing_equals_the_library(name):
    steps = [*normalizing(json.loads(NORMALIZERS[name].__getstate__()))]
    tables = {
        f"normalizing.{k}.{table}": own for k, (_, found) in enumerate(steps) for table, own in found.items()
    }
    normalizer = _normalizer({"normalizing": [step for step, _ in steps]}, tables)
    for text in (*all_characters(80), *odd_texts(3000), *marked_texts(3000)):
        assert normalizer.apply(text) == NORMALIZERS[name].normalize_str(text), ascii(text)


def marked_texts(count: int) -> list[str]:
    """Characters with several marks each, which come in any order."""
    rng = random.Random(2)
    marks = [chr(c) for c in range(0x110000) if unicodedata.combining(chr(c))]
    marks += [chr(c) for c in (*range(0x300, 0x370), 0x200D, 0x903, 0x1161, 0x11A8, 0x9BE, 0x600)] * 8
    letters = [chr(c) for c in range(0x20, 0xD800)]
    return [
        "".join(rng.choice(letters) + "".join(rng.choices(marks, k=3)) for _ in range(5))
        for _ in range(count)
    ]


def test_lines_equal_the_library(both):
    tokenizer, subwords = both
    assert not different_lines(
        tokenizer, subwords, [*LINES, *odd_texts(4000), "", " ", *[*all_characters(40)][::12]]
    )


def test_words_equal_the_library(both):
    tokenizer, subwords = both
    texts = odd_texts(2000, seed=1)
    assert not different_sentences(tokenizer, subwords, [line.split() for line in LINES])
    assert not different_sentences(tokenizer, subwords, [texts[k : k + 4] for k in range(0, len(texts), 4)])


def test_every_word_has_a_subword(both):
    _, subwords = both
    ids, word_ends, sentence_ends = subwords.cut_words([["\x01", "a", ""], [], ["\u200e"]])
    assert sentence_ends.tolist() == [3, 3, 4]
    lengths = np.diff(word_ends, prepend=0)
    assert (lengths > 0).all()
    assert ids[word_ends[2] - 1] == subwords.unknown  # the empty word
    assert ((ids >= 0) & (ids < subwords.vocabulary)).all()


def test_twin(both):
    """Of characters that Unicode has had for long; without added tokens, of which the twin knows none."""
    tokenizer, subwords = both
    twin = SlowSubwords(json.loads(tokenizer.to_str()))
    rng = random.Random(3)
    words = [word for line in LINES[:12] for word in line.split()]
    characters = sorted({c for line in LINES[:12] for c in line})
    texts = [*LINES[:12], "", " ", "'s", "a  b", "  a", "a\u0301\u0323b", "Ǆ ﬀ ㎏ ①", "x" * 31]
    texts += [" ".join(rng.choices(words, k=4)) + "".join(rng.choices(characters, k=6)) for _ in range(150)]
    for text in texts:
        assert subwords.cut([text])[0].tolist() == twin.cut(text), ascii(text)


def test_long_words(both):
    """100,000 characters in a word, and as many marks on one letter."""
    tokenizer, subwords = both
    texts = [
        "ab" * 50000,
        "a" * 100000,
        "é" * 50000,
        "a" + "\u0323\u0301" * 50000,
        "?" * 100000,
        "각" * 30000,
    ]
    assert not different_lines(tokenizer, subwords, texts)
    assert not different_sentences(tokenizer, subwords, [texts])


def test_threads_change_nothing(both):
    _, subwords = both
    texts = odd_texts(3000, seed=2)
    assert all(map(np.array_equal, subwords.cut(texts), subwords.cut(texts, threads=2)))
    sentences = [texts[k : k + 7] for k in range(0, len(texts), 7)]
    assert all(map(np.array_equal, subwords.cut_words(sentences), subwords.cut_words(sentences, threads=2)))


def test_parts_come_back(both):
    """Header and tensors are what files hold, and all there is to know."""
    _, subwords = both
    header, tensors = subwords.to_parts()
    assert all(type(tensor) is np.ndarray for tensor in tensors.values())
    other = Subwords.from_parts(
        json.loads(json.dumps(header)), {name: own.copy() for name, own in tensors.items()}
    )
    for name in ("kind", "vocabulary", "cls", "sep", "pad", "unknown"):
        assert getattr(other, name) == getattr(subwords, name)
    assert [subwords.cls, subwords.sep, subwords.pad, subwords.unknown] == [1, 2, 3, 0]
    texts = odd_texts(500, seed=3)
    assert all(map(np.array_equal, subwords.cut(texts), other.cut(texts)))


def test_damaged_tensors_are_refused_or_work(both):
    _, subwords = both
    header, tensors = subwords.to_parts()
    rng = np.random.default_rng(4)
    texts, refused = odd_texts(40, seed=5), 0
    for name, tensor in tensors.items():
        for _ in range(12):
            changed = tensor.copy()
            if changed.size:
                place = rng.integers(changed.size)
                changed[place] = rng.choice(
                    [-1, 0, changed[place] ^ 1 if changed.dtype.kind != "f" else np.nan, 200]
                )
            cuts = [
                changed[: rng.integers(changed.size + 1)],
                changed[:0],
                tensor.astype(np.int8),
                changed[None],
            ]
            for found in (changed, *cuts):
                refused += not works(header, {**tensors, name: found}, texts)
        assert not works(header, {own: other for own, other in tensors.items() if own != name}, texts)
    assert refused > 10 * len(tensors)


def test_damaged_headers_are_refused_or_work(both):
    _, subwords = both
    header, tensors = subwords.to_parts()
    others: list[Any] = [None, -1, 2**31, 2**70, 0.5, "x", "", [], {}, [[]], True, "\ud800"]
    for path in places(header):
        for other in others:
            works(changed(header, path, other), tensors, ["a b\u0301 [MASK]"])
    for name in header:
        assert not works({own: other for own, other in header.items() if own != name}, tensors, [])


def works(header: dict[str, Any], tensors: dict[str, Any], texts: list[str]) -> bool:
    """Whether the parts are taken, and then cut; one line says why if they are not."""
    try:
        subwords = Subwords.from_parts(header, tensors)
    except (ValueError, KeyError) as error:
        assert str(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
        return False
    ids = subwords.cut(texts)[0]
    assert ((ids >= 0) & (ids < subwords.vocabulary)).all()
    assert subwords.cut_words([texts])[2].tolist() == [len(texts)]
    return True


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to everything in plain data."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(own for key, other in inner for own in places(other, (*path, key)))][bool(not path) :]


def changed(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    copy = value.copy()
    copy[path[0]] = changed(value[path[0]], path[1:], other)
    return copy


def test_half_characters_are_refused(both):
    _, subwords = both
    with pytest.raises(ArboraError, match="half of a surrogate pair"):
        subwords.cut(["a", "\ud800"])
    with pytest.raises(ArboraError, match="half of a surrogate pair"):
        subwords.cut_words([["a"], ["\udfff"]])


def test_the_comparison_sees_a_difference(both):
    tokenizer, subwords = both
    other = Tokenizer.from_str(tokenizer.to_str())
    other.normalizer = normalizers.Sequence(
        [*([other.normalizer] if other.normalizer else []), normalizers.Replace("a", "b")]
    )
    assert different_lines(other, subwords, ["ab"]) == ["ab"]
    assert different_sentences(other, subwords, [["b"], ["ab"]]) == [["ab"]]
    if isinstance(tokenizer.pre_tokenizer, pre_tokenizers.ByteLevel):
        assert spaced(tokenizer).encode("ab", add_special_tokens=False).tokens[0][0] == "Ġ"


@pytest.mark.treebanks
def test_treebanks_equal_the_library(both, treebank_folder):
    """Every 20th line of all files; `tests/compare_subwords.py` compares them all."""
    tokenizer, subwords = both
    lines = lines_of(treebank_folder)
    assert not different_lines(tokenizer, subwords, [*lines[::20], *texts_of(lines)[::5]])
    assert not different_sentences(tokenizer, subwords, sentences_of(lines)[::20])
