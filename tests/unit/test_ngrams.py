"""N-gram models: against the slow twin, against sums that must be 1, and against values found by hand."""

from __future__ import annotations

import gzip
import math
import os
import random
from itertools import product

import numpy as np
import pytest
from oracles.ngrams import SlowKneserNey

from arbora.errors import ArboraError, FileError
from arbora.generative.arpa import read_arpa, write_arpa
from arbora.generative.kneser_ney import train_ngrams
from arbora.generative.ngrams import NgramModel, NgramTable

ONE = [["a"]]
SHORT = [["a"], ["b"], ["a"], [], ["a", "a"]]
MARKED = [["<s>", "a", "</s>"], ["a", "<unk>", "b"]]
BY_HAND = list("abcdeeffggghhhh")  # counts 1 1 1 1 2 2 3 4, and 1 of the end


def corpus(seed: int, size: int = 25, words: int = 7) -> list[list[str]]:
    """Sentences whose words have frequencies like those of a text."""
    draw = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"[:words]
    weights = [1 / (rank + 1) for rank in range(words)]
    return [draw.choices(letters, weights, k=draw.randint(1, 6)) for _ in range(size)]


CORPORA = [ONE, SHORT, MARKED, [BY_HAND], *(corpus(seed, size) for seed, size in enumerate((2, 5, 25, 60)))]


def outcomes(model: NgramModel) -> list[str]:
    return [*model.vocabulary, "<unk>", "</s>"]


def contexts(model: NgramModel) -> list[list[str]]:
    """All that the model has, of all lengths, and some that it has not."""
    seen = [
        [model.words[number] for number in gram] for table in model.tables for gram in table.grams.tolist()
    ]
    unseen = [list(some) for some in product([*model.vocabulary[:2], "never"], repeat=3)]
    return [[], *seen, *unseen, ["<s>", "never"], ["<s>"]]


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("sentences", CORPORA)
def test_conditionals_sum_to_one(sentences, order):
    model = train_ngrams(sentences, order)
    for context in contexts(model):
        found = [model.conditional(word, context) for word in outcomes(model)]
        assert math.fsum(found) == pytest.approx(1, abs=1e-12)
        assert min(found) > 0
        assert model.conditional("<s>", context) == 0


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("least_count", [1, 2])
@pytest.mark.parametrize("sentences", CORPORA)
def test_the_slow_twin_says_the_same(sentences, least_count, order):
    model, slow = (
        train_ngrams(sentences, order, least_count=least_count),
        SlowKneserNey(sentences, order, least_count),
    )
    assert outcomes(model) == slow.outcomes
    for context in random.Random(1).sample(contexts(model), min(20, len(contexts(model)))):
        if "</s>" in context:  # after which nothing comes
            continue
        for word in slow.outcomes:
            expected = slow.probability(word, [w if w == "<s>" else slow.spelled(w) for w in context])
            assert model.conditional(word, context) == pytest.approx(expected, abs=1e-9)
    for words in [*sentences[:5], [], ["never", "a"], ["<s>", "</s>"]]:
        expected = 0.0
        text = ["<s>", *map(slow.spelled, words), "</s>"]
        for place in range(1, len(text)):
            expected += math.log(slow.probability(text[place], text[:place]))
        assert model.log_probability(words) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_strings_of_one_length_sum_to_one(order):
    model = train_ngrams(corpus(3, 12, 3), order)
    for length in range(4):
        strings = list(product([*model.vocabulary, "<unk>"], repeat=length))
        assert np.exp(model.log_probabilities(strings, end=False)).sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_strings_of_all_lengths_approach_one(order):
    model = train_ngrams([["a"], ["a", "b"], ["b"], ["b"], []], order)
    sums = [
        np.exp(model.log_probabilities(product([*model.vocabulary, "<unk>"], repeat=length))).sum()
        for length in range(9)
    ]
    reached = np.cumsum(sums)
    assert (np.diff(reached) > 0).all()
    assert 0.97 < reached[-1] < 1
    # What is left is the probability of being longer, which falls by a steady rate.
    rates = np.diff(1 - reached) / -(1 - reached[:-1])
    assert rates[-1] == pytest.approx(rates[-2], rel=1e-2)


def test_found_by_hand():
    model = train_ngrams([BY_HAND], 1)
    # n1 = 5, n2 = 2, n3 = n4 = 1; Y = 5/9, D = 5/9, 7/6, 7/9; the share of the uniform 1/10 is 5/12.
    expected = {"a": 1 / 36 + 1 / 24, "e": 5 / 96 + 1 / 24, "g": 5 / 36 + 1 / 24, "h": 35 / 144}
    expected |= {"</s>": 1 / 36 + 1 / 24, "<unk>": 1 / 24, "never": 1 / 24}
    for word, probability in expected.items():
        assert model.conditional(word, []) == pytest.approx(probability, abs=1e-12)


def test_bigrams_by_hand():
    # Continuations: a after <s> and b, b after a, the end after a: counts 2 1 1, so D1 = 1/2 and D2 = 1.
    # p(a) = 1/4 + 1/2 * 1/4 = 3/8, p(b) = p(</s>) = 1/8 + 1/8 = 1/4, p(<unk>) = 1/8.
    # Bigrams: all four have the count 1, so D1 would be 1, and is 1/2. After a: b and the end.
    model = train_ngrams([["a", "b", "a"]], 2)
    assert model.conditional("b", ["a"]) == pytest.approx(1 / 4 + 1 / 2 * 1 / 4, abs=1e-12)
    assert model.conditional("a", ["a"]) == pytest.approx(1 / 2 * 3 / 8, abs=1e-12)
    assert model.conditional("a", ["<s>"]) == pytest.approx(1 / 2 + 1 / 2 * 3 / 8, abs=1e-12)
    assert model.conditional("a", ["never"]) == pytest.approx(3 / 8, abs=1e-12)
    p = (1 / 2 + 3 / 16) * 3 / 8  # of the sentence "a": a after the begin, the end after a
    assert model.log_probability(["a"]) == pytest.approx(math.log(p), abs=1e-12)
    not_ending = 1 - 1 / 2 * 1 / 4  # after the begin
    assert model.log_probability(["a"], end=False) == pytest.approx(math.log((1 / 2 + 3 / 16) / not_ending))


def test_the_order_of_sentences_does_not_matter():
    sentences = corpus(5)
    one, other = (train_ngrams(some) for some in (sentences, sentences[::-1]))
    assert one.words == other.words
    for table, same in zip(one.tables, other.tables, strict=True):
        assert all(np.array_equal(*pair) for pair in zip(table, same, strict=True))


def test_rare_words_are_unknown():
    model = train_ngrams([["a", "a", "b"], ["a", "c"]], 2, least_count=2)
    assert model.vocabulary == ("a",)
    assert model.conditional("b", ["a"]) == model.conditional("<unk>", ["a"])
    assert model.conditional("<unk>", ["a"]) > 2 * model.conditional("</s>", ["a"])
    assert model.log_probability(["a", "b"]) == model.log_probability(["a", "q"])


def test_what_cannot_be_trained():
    with pytest.raises(ArboraError, match="there are none"):
        train_ngrams(iter([]))
    with pytest.raises(ArboraError, match="cannot be 0"):
        train_ngrams(ONE, 0)
    for word in ("a\nb", "\ud800"):
        with pytest.raises(ArboraError, match="text without line breaks"):
            train_ngrams([[word]])


def test_log_probabilities():
    model = train_ngrams(SHORT)
    found = model.log_probabilities(iter(SHORT), end=False)
    assert found.dtype == np.float64
    assert found.tolist() == [model.log_probability(words, end=False) for words in SHORT]
    assert model.log_probabilities([]).shape == (0,)


ODD = [
    ["naïve", "20\u00a0000", "e\u0301", "\u2028"],
    ["👩‍👩‍👧", "\\data\\", "\\end\\", "ngram", "\x85", "\x0b"],
    ["-1.5"],
]


@pytest.mark.parametrize("sentences", [*CORPORA, ODD])
@pytest.mark.parametrize("name", ["m.arpa", "m.arpa.gz", "m.arpa.xz"])
def test_arpa_round_trip(tmp_path, sentences, name):
    for order in (1, 2, 4):
        model = train_ngrams(sentences, order)
        write_arpa(model, tmp_path / name)
        again = read_arpa(tmp_path / name)
        assert os.listdir(tmp_path) == [name]
        assert (again.order, again.counts, again.words) == (model.order, model.counts, model.words)
        for one, other in zip(model.tables, again.tables, strict=True):
            assert np.array_equal(one.grams, other.grams)
            np.testing.assert_allclose(one.probabilities, other.probabilities, rtol=1e-14)
            np.testing.assert_allclose(one.backoffs, other.backoffs, rtol=1e-14, atol=1e-15)


SRILM = """\
A comment: SRILM ignores what is before the data.

\\data\\
ngram 1=5
ngram  2=4
ngram 3=1

\\1-grams:
-0.5\t</s>
-99\t<s>\t-0.25
-0.75 a -0.125
-1.5\tb
-1\tc\t0.0625

\\2-grams:
-0.375\t<s> a\t-0.5
-0.25\ta b
-inf\ta c
-0.625  b   </s>\t-1

\\3-grams:
-0.0625\t<s> a b

\\end\\
"""


def test_a_file_as_srilm_writes_it(tmp_path):
    (tmp_path / "m.arpa").write_text(SRILM, "utf-8")
    model = read_arpa(tmp_path / "m.arpa")
    assert (model.order, model.counts) == (3, (6, 4, 1))  # <unk> is added
    assert model.vocabulary == ("a", "b", "c")

    def log10(word: str, *context: str) -> float:
        return math.log10(model.conditional(word, context))

    assert log10("a") == pytest.approx(-0.75)
    assert log10("b", "<s>", "a") == pytest.approx(-0.0625)
    assert log10("b", "c", "a") == pytest.approx(-0.25)  # no "c a": its back-off weight is 1
    assert log10("a", "<s>", "a") == pytest.approx(-0.5 - 0.125 - 0.75)
    assert log10("b", "<s>") == pytest.approx(-0.25 - 1.5)
    assert log10("b", "b") == pytest.approx(-1.5)
    assert log10("b", "c") == pytest.approx(0.0625 - 1.5)
    assert model.conditional("c", ["a"]) == 0  # not 1e-99
    assert model.conditional("<s>", []) == model.conditional("never", ["a"]) == 0
    assert model.log_probability(["a", "b"]) / math.log(10) == pytest.approx(-0.375 - 0.0625 - 0.625)
    left = 1 - 10 ** (-0.25 - 0.5)  # not ending at once
    left *= 1 - 10 ** (-0.5 - 0.125 - 0.5)  # nor after a
    expected = -0.375 - 0.0625 - math.log10(left)
    assert model.log_probability(["a", "b"], end=False) / math.log(10) == pytest.approx(expected)
    assert model.log_probability(["never"]) == model.log_probability(["a", "never"], end=False) == -math.inf
    assert model.log_probability(["a", "c", "a"], end=False) == -math.inf


def test_a_file_as_kenlm_writes_it(tmp_path):
    text = "\\data\\\r\nngram 1=3\r\nngram 2=1\r\n\r\n\\1-grams:\r\n-0.5\t<unk>\t0\r\n0\t<s>\t-0.25\r\n"
    text += "-0.5\t</s>\t0\r\n"
    text += "\r\n\\2-grams:\r\n-0.125\t<s> </s>\t0\r\n\r\n\\end\\"
    (tmp_path / "m.arpa").write_text(text, "utf-8", newline="")
    model = read_arpa(tmp_path / "m.arpa")
    assert model.conditional("<s>", []) == 0  # where KenLM says 1
    assert model.words == ("<unk>", "<s>", "</s>")
    assert model.log_probability([]) / math.log(10) == pytest.approx(-0.125)
    assert model.log_probability(["x"]) / math.log(10) == pytest.approx(-0.25 - 0.5 - 0.5)


def test_nothing_but_the_end(tmp_path):
    """A model that is sure to end has no strings of one word."""
    text = "\\data\\\nngram 1=4\n\\1-grams:\n0 </s>\n-99 <s>\n-3 a\n-99 b\n\\end\\\n"
    (tmp_path / "m.arpa").write_text(text, "utf-8")
    model = read_arpa(tmp_path / "m.arpa")
    assert model.log_probability([]) == 0
    assert model.log_probability(["b"]) == -math.inf  # not 1e-99
    assert model.log_probability(["a"], end=False) == -math.inf


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("\\data\\", "data", 24, "there is no line \\data\\: this is no ARPA file"),
        (SRILM, "", None, "there is no line \\data\\"),
        ("ngram 1=5\n", "", 4, "the count of 1-grams is expected here, not 'ngram  2=4'"),
        (
            "ngram 1=5\nngram  2=4\nngram 3=1\n",
            "",
            5,
            "a count of n-grams, such as 'ngram 1=100', is expected",
        ),
        ("ngram 1=5", "ngram 1=x", 4, "a count of n-grams, such as 'ngram 1=100', is expected"),
        ("ngram 1=5", "ngram 1=6", 15, "there are 5 1-grams, where the head of the file says 6"),
        ("ngram  2=4", "ngram  2=3", 21, "there are 4 2-grams, where the head of the file says 3"),
        ("\\2-grams:", "\\3-grams:", 15, "'\\2-grams:' is expected here, not '\\3-grams:'"),
        ("ngram 3=1\n", "", 15, "the longest n-grams have no back-off weight: '-0.375\\t<s> a\\t-0.5'"),
        ("\\end\\", "\\4-grams:", 24, "'\\end\\' is expected here, not '\\4-grams:'"),
        ("ngram 3=1\n", "ngram 3=1\nngram 4=0\n", 25, "'\\4-grams:' is expected here, not '\\end\\'"),
        ("-1.5\tb", "-1,5\tb", 12, "the logarithm of the probability is not a number: '-1,5'"),
        ("-1.5\tb", "nan\tb", 12, "the logarithm of the probability is not a number: 'nan'"),
        ("-1.5\tb", "-1_5\tb", 12, "the logarithm of the probability is not a number"),
        ("-1.5\tb", "inf\tb", 12, "the logarithm of the probability is not a number"),
        ("-1.5\tb", "1e999\tb", 12, "the logarithm of the probability is not a number"),
        ("-1.5\tb", "0.5\tb", 12, "the probability is above 1: its logarithm is 0.5"),
        ("a -0.125", "a NaN", 11, "the logarithm of the back-off weight is not a number: 'NaN'"),
        ("c\t0.0625", "c\t1e999", 13, "the logarithm of the back-off weight is not a number"),
        ("-1.5\tb", "-1.5", 12, "a 1-gram has 1 word and at most a back-off weight: '-1.5'"),
        ("a b\n", "a\n", 17, "a 2-gram has 2 words and at most a back-off weight: '-0.25\\ta'"),
        ("a c\n", "a c b a\n", 18, "a 2-gram has 2 words and at most a back-off weight"),
        ("a c\n", "a c b\n", 18, "the logarithm of the back-off weight is not a number: 'b'"),
        ("<s> a b\n", "<s> a b -1\n", 22, "the longest n-grams have no back-off weight"),
        ("\ta b\n", "\ta x\n", 17, "the word 'x' is not among the unigrams"),
        ("-1\tc", "-1\tb", 13, "the 1-gram 'b' comes twice"),
        ("\ta c\n", "\ta b\n", 18, "the 2-gram 'a b' comes twice"),
        ("\t<s>\t", "\tx\t", 15, "<s> is not among the unigrams"),
        ("-0.5\t</s>", "-0.5\tx", 15, "</s> is not among the unigrams"),
        ("\\end\\\n", "", 23, "the file ends without the line \\end\\"),
        ("\\end\\", "\\end", 24, "'\\end\\' is expected here, not '\\end'"),
        ("-1.5\tb", "-1.5\t\udcff", 12, "this is not UTF-8"),
    ],
)
def test_bad_arpa_files(tmp_path, old, new, line, reason):
    path = tmp_path / "m.arpa"
    assert old in SRILM
    path.write_bytes(SRILM.replace(old, new, 1).encode("utf-8", "surrogateescape"))
    with pytest.raises(FileError) as caught:
        read_arpa(path)
    assert caught.value.reason.startswith(reason)
    assert (caught.value.file, caught.value.line) == (str(path), line)
    assert "\n" not in str(caught.value)


def test_comments_may_have_any_encoding(tmp_path):
    (tmp_path / "m.arpa").write_bytes(b"caf\xe9\n" + SRILM.encode())
    assert read_arpa(tmp_path / "m.arpa").order == 3


def test_a_damaged_compressed_file(tmp_path):
    (tmp_path / "m.arpa.gz").write_bytes(gzip.compress(SRILM.encode())[:-4])
    with pytest.raises(FileError, match="cut off"):
        read_arpa(tmp_path / "m.arpa.gz")


@pytest.mark.parametrize("word", ["", "a b", "a\tb", "a\r", "a\0"])
def test_words_that_arpa_cannot_hold(tmp_path, word):
    with pytest.raises(FileError, match="white space"):
        write_arpa(train_ngrams([[word]]), tmp_path / "m.arpa")
    assert os.listdir(tmp_path) == []


def test_writing_is_whole_or_not_at_all(tmp_path, monkeypatch):
    model = train_ngrams(SHORT)
    write_arpa(model, tmp_path / "m.arpa")
    before = (tmp_path / "m.arpa").read_bytes()

    def fails(logarithm: float) -> str:
        raise RuntimeError

    monkeypatch.setattr("arbora.generative.arpa._decimal", fails)
    with pytest.raises(RuntimeError):
        write_arpa(train_ngrams(ONE), tmp_path / "m.arpa")
    assert os.listdir(tmp_path) == ["m.arpa"]
    assert (tmp_path / "m.arpa").read_bytes() == before
    with pytest.raises(FileError, match="there is no such file"):
        write_arpa(model, tmp_path / "nowhere" / "m.arpa")


def test_a_model_does_not_change():
    model = train_ngrams(SHORT)
    for tensor in [*model.tables[0], *model.tables[2]]:
        with pytest.raises(ValueError, match="read-only"):
            tensor[:] = 0


def changed(tensor: np.ndarray, place: object, value: object) -> np.ndarray:
    copy = tensor.copy()
    copy[place] = value
    return copy


@pytest.mark.parametrize(
    ("order", "part", "change", "reason"),
    [
        (1, "grams", lambda t: t[::-1], "the unigrams are not the words in their order"),
        (1, "grams", lambda t: t[:, 0], "the 1-grams are no rows of 1 numbers"),
        (2, "grams", lambda t: t.astype(np.int64), "the 2-grams are no rows of 2 numbers"),
        (2, "grams", lambda t: t[:-1], "the probabilities of 2-grams are not one number for each"),
        (2, "grams", lambda t: changed(t, (0, 1), 5), "the 2-grams have numbers that are no words"),
        (2, "grams", lambda t: changed(t, (0, 1), -1), "the 2-grams have numbers that are no words"),
        (2, "grams", lambda t: changed(t, 0, t[1]), "an n-gram comes twice"),
        (2, "probabilities", lambda t: t[:-1], "the probabilities of 2-grams are not one number for each"),
        (2, "probabilities", lambda t: changed(t, 0, np.nan), "the probabilities of 2-grams have nan"),
        (2, "probabilities", lambda t: changed(t, 0, 0.1), "the probabilities of 2-grams exceed 1"),
        (1, "backoffs", lambda t: t[:, None], "the back-off weights of 1-grams are not one number for each"),
        (1, "backoffs", lambda t: changed(t, 0, np.inf), "the back-off weights of 1-grams have nan or inf"),
    ],
)
def test_damaged_tables(order, part, change, reason):
    model = train_ngrams([["a", "b"], ["b", "a"]], 2)
    assert NgramModel(model.words, model.tables).counts == (5, 6)
    tables = list(model.tables)
    tables[order - 1] = tables[order - 1]._replace(**{part: change(getattr(tables[order - 1], part))})
    with pytest.raises(ValueError, match=reason):
        NgramModel(model.words, tables)


def test_words_with_line_breaks_make_no_model():
    rows = [((number,), -1.0, 0.0) for number in range(4)]
    for word, reason in (("a\nb", "a line break"), ("\ud800", "surrogates")):
        with pytest.raises(ValueError, match=reason):
            NgramModel(["<unk>", "<s>", "</s>", word], [NgramTable.of(rows, 1)])
    with pytest.raises(ValueError, match="no n-grams"):
        NgramModel(["<unk>", "<s>", "</s>"], [])
