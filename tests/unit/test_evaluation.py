"""Evaluation: hand-counted cases, the CoNLL 2018 definitions, calibration, significance."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from oracles import attachment as oracle

from arbora.errors import ArboraError
from arbora.evaluation import (
    MismatchError,
    calibrate,
    compare,
    evaluate,
    evaluate_brackets,
    evaluate_raw_text,
)
from arbora.treebank import Constituent, Sentence, read
from arbora.treebank.findings import head_probabilities

TREEBANK = Path(__file__).resolve().parents[2] / "examples" / "treebank"

GOLD = Sentence(
    ["The", "dog", "was", "seen", "there", "."],
    upos=["DET", "NOUN", "AUX", "VERB", "ADV", "PUNCT"],
    heads=[2, 4, 4, 0, 4, 4],
    deprels=["det", "nsubj:pass", "aux:pass", "root", "advmod", "punct"],
)


def parsed(heads, deprels):
    return Sentence(GOLD.forms, upos=GOLD.upos, heads=heads, deprels=deprels)


def test_hand_counted():
    # Wrong: the subtype of word 2, the relation of word 5 (though its head is right), the head of word 6.
    system = parsed([2, 4, 4, 0, 4, 2], ["det", "nsubj", "aux:pass", "root", "obl", "punct"])
    result = evaluate([GOLD], [system])
    share = {name: (ratio.correct, ratio.gold) for name, ratio in result.scores.items()}
    assert share["UAS"] == (5, 6)
    assert share["LAS"] == (4, 6)
    assert share["LAS with subtypes"] == (3, 6)
    assert share["labels"] == (5, 6)
    assert share["labels with subtypes"] == (4, 6)
    assert share["UAS, no punctuation"] == (5, 5)
    assert share["LAS with subtypes, no punctuation"] == (3, 5)
    assert share["CLAS"] == (2, 3)  # dog, seen and there count
    assert (result.exact_heads, result.exact_trees) == (0, 0)
    assert result.correct == [(5, 3, 6)]
    label = result.labels["obl"]
    assert (label.correct, label.gold, label.system) == (0, 0, 1)
    assert {key: (r.correct, r.gold, r.system) for key, r in result.distances.items()} == {
        "1": (3, 3, 3),
        "2": (1, 2, 1),
        "root": (1, 1, 1),
        "3-6": (0, 0, 1),
    }
    assert list(result.lengths) == ["1-10"]


def test_perfect():
    result = evaluate([GOLD, GOLD], [GOLD, GOLD])
    assert all(ratio.f1 == 1 for ratio in result.scores.values())
    assert (result.exact_heads, result.exact_trees, result.words) == (2, 2, 12)


def test_nothing():
    result = evaluate([], [])
    assert (result.sentences, result.scores["UAS"].f1) == (0, 0)


@pytest.mark.parametrize("seed", range(5))
def test_the_definitions_of_conll_2018(seed):
    draw = random.Random(seed)
    relations = ["nsubj", "nsubj:pass", "det", "case", "punct", "obl", "flat:foreign", "cc", "root"]
    gold = list(read(TREEBANK / "en.conllu"))
    system = [sentence.copy() for sentence in gold]
    for sentence in system:
        for token in sentence:
            if draw.random() < 0.3:
                token.head = draw.choice([h for h in range(len(sentence) + 1) if h != token.id])
            if draw.random() < 0.3:
                token.deprel = draw.choice(relations)
    scores = evaluate(gold, system).scores
    assert scores["UAS"].f1 == pytest.approx(oracle.uas(gold, system), abs=1e-12)
    assert scores["LAS"].f1 == pytest.approx(oracle.las(gold, system), abs=1e-12)
    assert scores["CLAS"].f1 == pytest.approx(oracle.clas(gold, system), abs=1e-12)


def test_a_missing_head_is_a_wrong_one():
    system = parsed([None, 4, 4, 0, 4, 4], GOLD.deprels)
    result = evaluate([GOLD], [system])
    assert result.scores["UAS"].correct == 5
    assert result.distances["no head"].system == 1


@pytest.mark.parametrize(
    ("gold", "system", "reason"),
    [
        ([GOLD], [], "system file ends before sentence 1"),
        ([], [GOLD], "gold file ends before sentence 1"),
        ([GOLD], [Sentence(["The", "cat"])], "word 2 is 'dog' in gold and 'cat' in system"),
    ],
)
def test_mismatches(gold, system, reason):
    with pytest.raises(MismatchError, match=reason):
        evaluate(gold, system)


def test_only_annotated_words_are_scored():
    """A word without a gold head does not count, one without a relation for UAS alone."""
    gold = GOLD.copy()
    gold.heads[0], gold.deprels[0], gold.deprels[1] = None, "_", "_"
    nothing = Sentence(["Woof"])
    for wrong in (gold, nothing):
        with pytest.raises(ArboraError, match="gold word 1 has no head; --annotated-only"):
            evaluate([wrong], [GOLD if wrong is gold else nothing])
    system = GOLD.copy()
    system.deprels[3] = "wrong"
    result = evaluate([gold, nothing], [system, nothing], annotated_only=True)
    assert (result.sentences, result.words, result.exact_heads, result.exact_trees) == (1, 5, 1, 0)
    assert (result.scores["UAS"].correct, result.scores["UAS"].gold) == (5, 5)
    assert (result.scores["LAS"].correct, result.scores["LAS"].gold) == (3, 4)
    assert "_" not in result.labels
    whole = evaluate([GOLD], [system])
    assert evaluate([GOLD], [system], annotated_only=True) == whole


def test_calibration_by_hand():
    # Two bins: 0.95 said of four words, three right; 0.1 said of one, wrong.
    found = calibrate([0.95] * 4 + [0.1], [True, True, True, False, False], bins=2, thresholds=[0.0, 0.9])
    assert found.error == pytest.approx((4 * 0.2 + 1 * 0.1) / 5)
    assert found.coverage == [(0.0, 1.0, 0.6), (0.9, 0.8, 0.75)]
    assert calibrate([1.0], [True]).bins == [(1.0, 1.0, 1)]
    with pytest.raises(ArboraError, match="between 0 and 1"):
        calibrate([1.5], [True])
    with pytest.raises(ArboraError, match="2 probabilities for 1"):
        calibrate([0.5, 0.5], [True])


def test_probabilities_in_misc():
    assert head_probabilities(Sentence(["a", "b"], misc=["HeadProbability=0.5", "_"])) is None
    with pytest.raises(ArboraError, match="no number"):
        head_probabilities(Sentence(["a"], misc=["HeadProbability=high"]))


def test_significance_equals_all_swappings():
    # Six sentences: 64 swappings can be written out.
    first, second, words = [5, 3, 8, 2, 7, 4], [4, 3, 5, 3, 5, 2], [9] * 6
    gaps = [a - b for a, b in zip(first, second, strict=True)]
    sums = [sum(g if bits >> i & 1 else -g for i, g in enumerate(gaps)) for bits in range(64)]
    exact = sum(abs(s) >= abs(sum(gaps)) for s in sums) / 64
    found = compare(first, second, words, permutations=40_000, seed=1)
    assert found.p_value == pytest.approx(exact, abs=0.01)
    assert found.difference == pytest.approx(7 / 54)
    assert compare(first, second, words, seed=1) == compare(first, second, words, seed=1)
    with pytest.raises(ArboraError, match="different numbers"):
        compare([1], [1, 2], [3, 3])


def test_an_evaluation_shows_its_table():
    gold = Sentence(["Dogs", "bark", "."], heads=[2, 0, 2], deprels=["nsubj", "root", "punct"])
    gold.upos = ["NOUN", "VERB", "PUNCT"]
    system = gold.copy()
    system.deprels[0] = "obj"
    assert repr(evaluate([gold], [system])).splitlines() == [
        "1 sentences, 3 words",
        "score                 all words  no punctuation",
        "UAS                      100.00          100.00",
        "LAS                       66.67           50.00",
        "LAS with subtypes         66.67           50.00",
        "labels                    66.67           50.00",
        "labels with subtypes      66.67           50.00",
        "CLAS                      50.00",
        "whole trees, heads       100.00",
        "whole trees                0.00",
    ]
    assert "whole trees" in repr(evaluate([], []))
    raw = repr(evaluate_raw_text([gold], [system])).splitlines()
    assert raw[0] == "from raw text; 3 words are the same"
    assert raw[-4].split() == ["LAS", "66.67", "66.67", "66.67"]
    tree = Constituent.from_string("(S (NP (NNS Dogs)) (VP (VBP bark)))")
    brackets = repr(evaluate_brackets([tree], [tree])).splitlines()
    assert brackets[1].split()[:2] == ["score", "all"]
    assert brackets[5].split()[:3] == ["F1", "100.00", "100.00"]
