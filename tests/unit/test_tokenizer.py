"""The tokenizer against its slow twin, and its promises: no character lost, however the text comes."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import tokenizing as oracle
from small_tokenizer import ALPHABET, BITS, odd_text, random_tokenizer, trained, treebank

from arbora import _core
from arbora.errors import ArboraError, FileError
from arbora.text import Tokenizer
from arbora.text.tokenizing.characters import CLASSES, class_of, class_table
from arbora.text.tokenizing.templates import SENTENCES, TOKENS, parse_templates
from arbora.treebank import Sentence, conllu
from arbora.treebank.formats import WRITTEN
from arbora.treebank.spaces import raw_text, spaces_around
from arbora.treebank.tokens import surface_tokens


def test_the_table_of_classes():
    pages, blocks = class_table()
    for code in (*range(0x3000), 0x6F22, 0xFEFF, *range(0x1F600, 0x1F680), 0xE000, 0x10FFFF):
        found = blocks[256 * int(pages[code >> 8]) + (code & 255)]
        assert (found, CLASSES[found]) == (oracle.class_of(chr(code)), class_of(chr(code)))
    assert blocks.size < 60_000


@pytest.mark.parametrize("seed", range(12))
def test_features_are_those_of_the_slow_twin(seed):
    draw = random.Random(seed)
    text = odd_text(draw, draw.choice([1, 3, 60, 160]))
    core = _core.TrainingText(text.encode(), np.zeros(len(text), np.uint8), *class_table())
    symbols = oracle.symbols_of(text)
    inside = [i for i, symbol in enumerate(symbols) if symbol[0] < 0x110000]
    for templates in (TOKENS, SENTENCES):
        found = core.features(parse_templates(templates), 20)
        assert len(found) == len(inside)
        for i, row in zip(inside, found, strict=True):
            assert row == oracle.places(oracle.Gap(symbols, i), templates, 20), (seed, i)


def twin_spans(tokenizer: Tokenizer, text: str) -> list[list[tuple[int, int]]]:
    header, tensors = tokenizer.to_parts()

    def scorer(kind):
        weights, templates = tensors[f"tokenizer.{kind}"].astype(int), header[kind]["templates"]
        return lambda gap: 0.25 * sum(weights[p] for p in oracle.places(gap, templates, BITS))

    limits = header["options"]["sentence_tokens"], header["options"]["token_characters"]
    threshold, spaces = header["sentences"]["threshold"], header["spaces_in_tokens"]
    return oracle.tokenized(text, scorer("tokens"), scorer("sentences"), threshold, *limits, spaces)


FEW = (
    "[tokens]\nleft.char & right.char\nleft.word\nright.run & left-1.class\ngap.spaces",
    "[sentences]\nleft.char & gap.spaces\nright.word & left-1.run\nright+1.shape & left.between",
)


@pytest.mark.parametrize("seed", range(30))
def test_tokens_and_sentences_are_those_of_the_slow_twin(seed):
    draw = random.Random(seed)
    tokenizer = random_tokenizer(
        seed,
        sentence_tokens=draw.choice([2, 3, 7, 250]),
        token_characters=draw.choice([10, 13, 1000]),
        threshold=draw.choice([-60.0, 0.0, 60.0]),
        spaces_in_tokens=((7, 7), (3, 4), (4, 4), (12, 7)) if seed % 3 == 0 else (),
        templates=FEW,
    )
    text = odd_text(draw, draw.choice([0, 1, 2, 40, 200]))
    if seed % 3 == 0:
        text += "".join(draw.choice("aA1, ") for _ in range(60))
    assert tokenizer.spans(text) == twin_spans(tokenizer, text)


@pytest.mark.parametrize("seed", range(6))
def test_pieces_and_threads_change_nothing(seed):
    """Texts long enough for several tries, cut at random, within characters too."""
    draw = random.Random(seed)
    tokenizer = random_tokenizer(seed, sentence_tokens=draw.choice([5, 250]), threshold=40.0)
    data = odd_text(draw, draw.choice([300, 20_000, 120_000])).encode()
    whole = b"".join(found.data for found in tokenizer.stream([data], ranges=True))
    for size in (1 if len(data) < 2000 else 997, 4096, 70_001):
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        assert b"".join(found.data for found in tokenizer.stream(pieces, ranges=True)) == whole
    assert b"".join(found.data for found in tokenizer.stream([data], ranges=True, threads=3)) == whole


texts = st.text(st.one_of(st.sampled_from(ALPHABET), st.characters(exclude_categories=["Cs"])), max_size=80)


@settings(max_examples=150, deadline=None)
@given(texts, st.integers(0, 3))
def test_no_character_is_lost(text, seed):
    """Whatever the weights: places and forms agree, between tokens are spaces, and MISC keeps those."""
    tokenizer = random_tokenizer(seed, sentence_tokens=4, token_characters=10) if seed else trained("de")
    spans = [span for sentence in tokenizer.spans(text) for span in sentence]
    at = 0
    for start, end in spans:
        assert at <= start < end
        assert all(map(oracle.is_space, text[at:start]))
        at = end
    assert all(map(oracle.is_space, text[at:]))
    sentences = tokenizer.tokenize(text)
    if spans:
        assert raw_text(sentences) == text
    else:
        assert sentences == []


FORMAT = WRITTEN["text"]

# What ends lines, is not seen, or joins with what is before it; and escapes and separators of MISC.
NASTY = [
    *"\u2028\u2029\x85\ufeff\v\f\x1c\x1d\x1e\x1f\u200b\u200c\u200d\u2060\u0301\u0308\xa0\u3000\u2003\u180e\0\x7f",
    *"    \n\r\tab.A1,!",
    *"\\|=_su",
]


def as_text_file(sentences: list[Sentence]) -> str:
    """As `arbora convert` writes them."""
    found, text = "", ""
    for place, sentence in enumerate(sentences):
        separator = FORMAT.separator(text, sentences[place - 1], sentence) if place else ""
        text = FORMAT.encode(sentence)
        found += separator + text
    return found


@pytest.mark.parametrize("alphabet", [NASTY, ALPHABET], ids=["nasty", "odd"])
def test_texts_are_put_together_again(alphabet):
    """From forms and MISC, after a file, and from places; what is behind the last token too."""
    tokenizer, draw = trained("en"), random.Random(5)
    behind = 0
    for _ in range(10_000):
        text = "".join(draw.choices(alphabet, k=draw.randint(0, 14)))
        sentences = tokenizer.tokenize(text)
        if not sentences:
            assert all(map(oracle.is_space, text))
            continue
        assert raw_text(sentences) == text
        written = "".join(sentence.to_conllu() for sentence in sentences)
        again = list(conllu.scan([written.encode()], False))
        assert raw_text(again) == text
        assert as_text_file(again) == text
        # Other programs cut spaces of all kinds from the ends of lines.
        assert all(line == line.strip() for line in written.split("\n") if not line.startswith("#"))
        spans = [span for own in tokenizer.spans(text) for span in own]
        at, pieces = 0, []
        for span, misc in zip(spans, (t.misc for s in sentences for t in surface_tokens(s)), strict=True):
            spaces = spaces_around(misc)
            pieces += [spaces.before, text[span.start : span.end], spaces.after]
            assert text[at : span.start].endswith(spaces.before)
            at = span.end
        assert "".join(pieces) == text
        behind += spaces.after not in ("", " ")
    assert behind > 500


def test_offsets_and_comments():
    tokenizer = trained("en")
    text = "\ufeff Where is\tit? Here.\n\n🙂 Good."
    sentences = tokenizer.tokenize(text, ranges=True)
    assert [s.text for s in sentences] == ["Where is it?", "Here.", "🙂 Good."]
    first, second, third = sentences
    assert first.comments[:3] == ["# newdoc", "# newpar", "# sent_id = 1"]
    assert second.comments[0] == "# sent_id = 2"
    assert third.comments[:2] == ["# newpar", "# sent_id = 3"]
    assert first[1].misc == r"SpacesBefore=\uFEFF\s|TokenRange=2:7"
    assert first[2].misc == r"SpacesAfter=\t|TokenRange=8:10"
    assert first[-1].misc == "TokenRange=13:14"
    assert second[-1].misc == r"SpacesAfter=\n\n|TokenRange=19:20"
    assert third[-1].misc == "SpaceAfter=No|TokenRange=28:29"
    assert text[28:29] == "."


@pytest.mark.parametrize("text", ["", " ", "\n\n \t", "\ufeff"])
def test_nothing_but_spaces_is_no_sentence(text):
    tokenizer = random_tokenizer(1)
    assert tokenizer.tokenize(text) == tokenizer.spans(text) == []
    assert list(tokenizer.stream([])) == []


def test_a_lone_surrogate_is_refused():
    with pytest.raises(ArboraError, match="lone surrogate at 3"):
        trained("en").tokenize("abc\ud800")


@pytest.mark.parametrize("bad", [b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xf0\x9f", b"\x80"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_bytes_that_are_no_text(bad, size):
    data = "Où?\nLà.\n".encode() + bad
    with pytest.raises(FileError, match=r"^3: byte 11 of the text is no UTF-8"):
        list(trained("en").stream(data[at : at + size] for at in range(0, len(data), size)))


def test_no_sentence_is_endless():
    tokenizer = trained("en")
    words = "the trees along the river grow and nobody counts how many there are of them " * 1500
    spans = tokenizer.spans(words)
    lengths = [len(sentence) for sentence in spans]
    assert max(lengths) <= 250
    assert sum(lengths) == len(words.split())
    assert min(lengths[:-1]) > 125 or max(lengths[:-1]) < 250  # cut in the second half, or where one ends
    row = tokenizer.spans("x" * 1_000_000)
    assert {span.end - span.start for sentence in row for span in sentence} == {1000}
    assert max(map(len, row)) <= 250


def test_a_cut_is_at_the_likeliest_place():
    """No gap is an end by itself; the best of the second half of six tokens is one."""
    tokenizer = random_tokenizer(3, sentence_tokens=6, threshold=1e9, templates=FEW)
    text = " ".join(f"w{k}" for k in range(60))
    scores = tokenizer.scan(text).scores.tolist()
    found, at = [len(sentence) for sentence in tokenizer.spans(text)], 0
    for length in found[:-1]:
        second_half = scores[at + 3 : at + 6]
        assert scores[at + length - 1] == max(second_half)
        at += length


def test_memory_does_not_grow():
    """Sentences are handed out while the text comes: never more is held than a few pieces."""
    tokenizer = trained("en")
    piece = "".join(sentence.text + " " for sentence in treebank("en")).encode() * 20
    found = tokenizer.stream(piece for _ in range(100))
    given = 0
    for number, answer in enumerate(found, 1):
        given += len(answer.data)
        if number == 50:
            break
    assert given > 40 * len(piece)
