"""Sentences of raw text: how far their heads may be trusted, since they may be cut wrongly."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from small_pipeline import small_pipeline
from small_tokenizer import odd_text, random_tokenizer
from small_training import treebank

from arbora.dependency import ParseOptions
from arbora.learning.chances import most_likely
from arbora.pipeline import Pipeline
from arbora.pipeline.certainty import LEAST_DOUBT, fit_certainty, fit_doubts, with_certainty
from arbora.pipeline.documents import Document
from arbora.text import Tokenizer
from arbora.treebank.conllu import scan
from arbora.treebank.findings import HEAD_PROBABILITY, probabilities_of

DOUBTS = {"words": 0.02, "ends": 0.3}
TEXT = "The door is open. It rains\n\nDogs bark, and cats do not. They sleep"


def doubtful() -> Pipeline:
    return with_certainty(small_pipeline(), DOUBTS)


def twin(tokenizer: Tokenizer, text: str, words: float, ends: float, lines: bool = False) -> list[float]:
    """By the definition, from the scores of a scan of the whole text."""
    batch = tokenizer.scan(text)
    doubts, before = [], 0.0
    for end in batch.sentence_ends:
        after = 0.0
        if not batch.paragraph_ends[end - 1] and not lines:
            score = float(batch.scores[end - 1])
            after = min(30.0, math.log1p(math.exp(-score)) if score > -30 else 30.0)
        doubts.append(before + after)
        before = after
    return [math.exp(-words - ends * doubt) for doubt in doubts]


@pytest.mark.parametrize("seed", range(12))
def test_certainties_are_those_of_the_slow_twin(seed):
    """However the text comes in pieces."""
    draw = random.Random(seed)
    limits = {"sentence_tokens": draw.choice([2, 7, 250]), "token_characters": draw.choice([10, 1000])}
    tokenizer = random_tokenizer(seed, threshold=draw.choice([-20.0, 0.0, 20.0]), **limits)
    tokenizer = tokenizer.with_certainty(DOUBTS)
    text = odd_text(draw, draw.choice([0, 2, 40, 400]))
    expected = twin(tokenizer, text, **DOUBTS)
    data = text.encode()
    assert tokenizer.scan(text).certainties == pytest.approx(expected, rel=1e-9)
    for size in (1, 7, 10_000):
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        batches = list(tokenizer.batches(pieces))
        found = [own.get("certainty", 1.0) for batch in batches for _, own in batch.to_sentences()]
        assert found == pytest.approx(expected, rel=1e-9)


def test_what_ends_texts_paragraphs_and_lines_is_certain():
    only_ends = random_tokenizer(1).with_certainty({"ends": 5.0})
    assert only_ends.scan("x").certainties.tolist() == [1.0]
    assert only_ends.scan("x\n\n\ny\r\n\r\nz").certainties.tolist() == [1.0] * 3
    lined = [batch.to_sentences() for batch in only_ends.batches([b"a b c\nd e"], lines=True)]
    assert not any("certainty" in found for rows in lined for _, found in rows)


def test_without_a_certainty_nothing_changes():
    plain = with_certainty(small_pipeline(), {})
    for sentence in plain(TEXT, ParseOptions(probabilities=True)).sentences:
        assert sentence.certainty == 1
        assert "certainty" not in sentence.to_dict()


def test_heads_from_raw_text_are_as_sure_as_their_sentences():
    """In tables, columns, files and plain data; trees, labels and log-probabilities are as they were."""
    options = ParseOptions(probabilities=True)
    plain, found = with_certainty(small_pipeline(), {}), doubtful()
    documents = plain(TEXT, options), found(TEXT, options)
    rows = list(scan([piece.data for piece in found.parse_text([TEXT.encode()], options)], False))
    certainties = twin(found.tokenizer, TEXT, **DOUBTS)
    assert len(certainties) == len(rows) == 4
    assert len(set(certainties)) > 1
    for one, other, row, certainty in zip(
        *(own.sentences for own in documents), rows, certainties, strict=True
    ):
        assert other.heads == one.heads
        assert other.certainty == pytest.approx(certainty, rel=1e-9)
        expected = [certainty * p for p in one.head_probabilities()]
        assert other.head_probabilities() == pytest.approx(expected, abs=1e-12)
        assert other.findings[HEAD_PROBABILITY] == pytest.approx(expected, abs=1e-12)
        assert probabilities_of(row, HEAD_PROBABILITY) == pytest.approx(expected, abs=1e-4)
        assert other.label_probabilities() == one.label_probabilities()
        before, after = (own.all_probabilities() for own in (one, other))
        assert after[0] == pytest.approx(certainty * before[0], abs=1e-12)
        assert np.array_equal(after[1], before[1])
        assert other.kbest(2) == one.kbest(2)
        assert other.to_dict()["certainty"] == other.certainty
        assert other.copy().certainty == other.certainty
    again = Document.from_dict(documents[1].to_dict())
    assert [own.certainty for own in again.sentences] == [own.certainty for own in documents[1].sentences]


def test_given_words_are_certain():
    gold = treebank()[:3]
    for sentence in doubtful().annotate(gold, ParseOptions(probabilities=True)):
        assert sentence.certainty == 1


@pytest.mark.parametrize("wanted", [(0.0, 0.0), (0.05, 0.0), (0.0, 0.2), (0.1, 0.05)])
def test_doubts_are_found(wanted):
    draw = np.random.default_rng(2)
    probabilities, doubts = draw.beta(3, 0.5, 50_000), draw.exponential(1.0, 50_000)
    right = draw.random(50_000) < probabilities * np.exp(-wanted[0] - wanted[1] * doubts)
    found = fit_doubts(probabilities, doubts, right)
    assert found == pytest.approx(wanted, abs=0.01)
    assert min(found) >= 0


def test_doubts_of_the_greatest_likelihood():
    """No point of a grid around them is better; certain heads that are wrong are no trouble."""
    draw = np.random.default_rng(3)
    probabilities, doubts = np.append(draw.beta(3, 0.5, 400), [1.0, 0.0]), draw.exponential(1.0, 402)
    right = np.append(draw.random(400) < 0.7 * probabilities[:400], [False, True])

    def cost(words: float, ends: float) -> float:
        good = np.maximum(
            np.clip(probabilities, LEAST_DOUBT, 1 - LEAST_DOUBT) * np.exp(-words - ends * doubts), LEAST_DOUBT
        )
        return float(words + ends - np.log(np.where(right, good, 1 - good)).sum())

    found = fit_doubts(probabilities, doubts, right)
    around = (
        [max(0.0, found[0] + step) for step in (-0.01, 0, 0.01)],
        [max(0.0, found[1] + step) for step in (-0.01, 0, 0.01)],
    )
    assert cost(*found) <= min(cost(words, ends) for words in around[0] for ends in around[1]) + 1e-6


def test_the_likeliest_numbers_are_where_its_gradient_ends():
    """Against a search over a grid, with edges that bind and such that do not."""
    draw = np.random.default_rng(4)
    x = draw.normal(size=300)
    right = draw.random(300) < 1 / (1 + np.exp(-1.5 * x - 0.5))

    def chances(found):
        good = 1 / (1 + np.exp(-found[0] * x - found[1]))
        return good, 1 - good, (good * (1 - good))[:, None] * np.stack([x, np.ones_like(x)], axis=1)

    def cost(found):
        good, bad, _ = chances(np.array(found))
        return -np.log(np.where(right, good, bad)).sum()

    def none(found):
        return 0.0, np.zeros(2)

    for least, most in (([-9.0, -9.0], [9.0, 9.0]), ([-9.0, -9.0], [1.0, 9.0]), ([-9.0, 0.9], [9.0, 2.0])):
        found = most_likely(chances, right, np.array([0.0, 1.0]), np.array(least), np.array(most), none)
        grid = [
            (a, b)
            for a in np.clip(found[0] + np.linspace(-0.1, 0.1, 21), least[0], most[0])
            for b in np.clip(found[1] + np.linspace(-0.1, 0.1, 21), least[1], most[1])
        ]
        assert cost(found) <= min(map(cost, grid)) + 1e-5


def test_a_pipeline_learns_how_certain_sentences_are():
    """Its header says so; where the tokenizer cuts wrongly, there is doubt."""
    pipeline = small_pipeline()
    assert pipeline.card["calibration"].keys() == {"heads", "labels", "labelled arcs", "heads, raw text"}
    own = pipeline.tokenizer.header["certainty"]
    assert own.keys() == {"words", "ends"}
    assert own == fit_certainty(with_certainty(pipeline, {}), treebank(), 1)
    header, tensors = pipeline.tokenizer.to_parts()
    everywhere = {**header, "sentences": {**header["sentences"], "threshold": -30.0}, "certainty": {}}
    wrong = Pipeline(
        (name, Tokenizer(everywhere, tensors) if name == "tokenizer" else component)
        for name, component in pipeline.components.items()
    )
    worse = fit_certainty(wrong, treebank(), 1)
    assert worse["words"] + worse["ends"] > own["words"] + own["ends"]
