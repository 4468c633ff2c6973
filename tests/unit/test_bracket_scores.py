"""Bracket scores against cases that were counted by hand, and against plain definitions."""

from __future__ import annotations

import random
from itertools import product

import pytest
from oracles.brackets import evalb

from arbora.errors import ArboraError
from arbora.evaluation import MismatchError, compare_sums, evaluate_brackets, f1_of_sums
from arbora.treebank import Constituent

GOLD = "(TOP (S (NP-SBJ (NP (DT The) (NN dog)) (PP (IN of) (NP (PRP us)))) (, ,) (VP (VBD ran)) (. .)))"


def scores(gold: str, system: str, group: str = "all"):
    return evaluate_brackets([Constituent.from_string(gold)], [Constituent.from_string(system)]).groups[group]


def counted(gold: str, system: str) -> tuple[int, int, int]:
    ratio = scores(gold, system).brackets
    return ratio.correct, ratio.gold, ratio.system


def test_the_same_tree():
    same = scores(GOLD, GOLD)
    assert counted(GOLD, GOLD) == (6, 6, 6)  # S, NP over NP and PP, NP, PP, NP, VP; TOP says nothing
    assert (same.exact, same.crossing, same.without_crossing, same.at_most_two_crossing) == (1, 0, 1, 1)
    assert (same.tags.correct, same.tags.gold) == (5, 5)  # no comma, no stop


def test_hand_counted():
    # Right: S, NP of "The dog", NP of "us", VP. Wrong: PP has become ADVP, and the NP over
    # both is gone; there is a VP over "us , ran" that crosses two gold ones: one crossing bracket.
    system = "(S1 (S (NP (DT The) (NN dog)) (ADVP (RB of)) (VP (NP (PRP us)) (, ,) (VP (VBD ran))) (. .)))"
    found = scores(GOLD, system)
    assert counted(GOLD, system) == (4, 6, 6)
    assert found.brackets.recall == found.brackets.precision == pytest.approx(4 / 6)
    assert (found.exact, found.crossing, found.without_crossing, found.at_most_two_crossing) == (0, 1, 0, 1)
    assert (found.tags.correct, found.tags.gold) == (4, 5)


@pytest.mark.parametrize(
    ("gold", "system", "expected"),
    [
        ("(S (ADVP (RB up)))", "(S (PRT (RB up)))", (2, 2, 2)),  # one label
        ("(S (NP-SBJ=2 (NN a)))", "(S (NP-1 (NN a)))", (2, 2, 2)),  # function tags
        ("(S (NP (-NONE- *)) (VP (VB a)))", "(S (VP (VB a)))", (2, 2, 2)),  # traces
        ("((S (VB a)))", "(ROOT (S (VB a)))", (1, 1, 1)),  # labels of the top
        ("(S (PRN (, ,) (: -)) (VB a))", "(S (, ,) (: -) (VB a))", (1, 1, 1)),  # nothing but punctuation
        ("(S (NP (NN a)) (. .))", "(S (NP (NN a) (. .)))", (2, 2, 2)),  # where punctuation hangs
        ("(S (S (VB a)))", "(S (VB a))", (1, 2, 1)),  # each of two like brackets counts
        ("(S (VB a))", "(S (S (VB a)))", (1, 1, 2)),
        ("(NP (NP (NN a)) (. .))", "(NP (NN a) (. .))", (1, 2, 1)),
        ("(NN a)", "(NN a)", (0, 0, 0)),
        ("(S (, ,) (VB a))", "(S (NN ,) (VB a))", (1, 1, 1)),  # gold tells what punctuation is
    ],
)
def test_what_counts(gold, system, expected):
    assert counted(gold, system) == expected


def test_crossing_is_counted_by_system_brackets():
    gold = "(S (A (X a) (X b)) (B (X c) (X d)))"
    system = "(S (X a) (A (A (X b) (X c))) (X d))"
    found = scores(gold, system)
    assert found.crossing == 2
    assert (found.without_crossing, found.at_most_two_crossing) == (0, 1)


def test_groups_by_length_count_punctuation():
    """Fifteen words are fifteen with their punctuation, but without traces."""

    def tree(words: int) -> str:
        return "(S " + " ".join(["(NN a)"] * (words - 1)) + " (-NONE- *) (. .))"

    for words, short in ((15, 1), (16, 0)):
        assert scores(tree(words), tree(words), "up to 15 words").sentences == short
        assert scores(tree(words), tree(words), "up to 40 words").sentences == 1
    assert scores(tree(41), tree(41), "up to 40 words").sentences == 0


def test_sums_over_sentences():
    trees = [Constituent.from_string(text) for text in (GOLD, "(S (VP (VB Go)))", "(X (-NONE- *))")]
    other = [Constituent.from_string(text) for text in (GOLD, "(NP (VP (VB Go)))")]
    result = evaluate_brackets(trees, other)
    assert result.counts == [(6, 6, 6), (1, 2, 2)]
    assert result.all.brackets.f1 == pytest.approx(7 / 8)
    assert result.labels["S"].as_dict()["recall"] == 0.5
    assert (result.labels["NP"].correct, result.labels["NP"].gold, result.labels["NP"].system) == (3, 3, 4)
    assert result.as_dict()["groups"]["all"]["exact_match"] == 0.5


def test_other_words_are_an_error_with_its_number():
    go, stop = (Constituent.from_string(f"(S (VB {word}))") for word in ("Go", "Stop"))
    with pytest.raises(MismatchError, match="tree 2: word 1 is 'Stop' in gold and 'Go' in system"):
        evaluate_brackets([go, stop], [go, go])
    with pytest.raises(MismatchError, match="the system file ends before tree 2"):
        evaluate_brackets([go, stop], [go])
    with pytest.raises(MismatchError, match="the gold file ends before tree 2"):
        evaluate_brackets([go], [go, stop])


def test_significance_of_f1_is_that_of_all_swappings():
    rng = random.Random(3)
    rows = [[(rng.randint(0, 5), rng.randint(5, 9), rng.randint(5, 9)) for _ in range(8)] for _ in range(2)]

    def f1(chosen):
        right, gold, found = map(sum, zip(*chosen, strict=True))
        return 2 * right / (gold + found)

    observed = abs(f1(rows[0]) - f1(rows[1]))
    gaps = []
    for swaps in product((0, 1), repeat=8):
        ones = [rows[swap][i] for i, swap in enumerate(swaps)]
        others = [rows[1 - swap][i] for i, swap in enumerate(swaps)]
        gaps.append(abs(f1(ones) - f1(others)))
    exact = sum(gap >= observed - 1e-12 for gap in gaps) / len(gaps)
    found = compare_sums(*rows, f1_of_sums, permutations=40_000, seed=1)
    assert found.p_value == pytest.approx(exact, abs=0.01)
    assert found.difference == pytest.approx(f1(rows[0]) - f1(rows[1]))
    assert compare_sums([], [], f1_of_sums).p_value == 1.0
    with pytest.raises(ArboraError, match="different numbers"):
        compare_sums([(1, 1, 1)], [], f1_of_sums)


def random_tree(rng: random.Random, words: list[str], tags: list[str]) -> Constituent:
    def grow(start: int, end: int) -> list[tuple[str, int, int]]:
        labels = ["S", "NP", "NP-SBJ", "ADVP", "PRT", "VP=2", "TOP"]
        found = [(rng.choice(labels), start, end) for _ in range(rng.randint(1, 2))]
        cut = rng.randint(start, end)
        if start < cut < end:
            found += grow(start, cut) + grow(cut, end)
        return found

    return Constituent.from_spans(grow(0, len(words)), words, tags)


def test_random_trees_against_the_slow_twin():
    rng = random.Random(11)
    trees: tuple[list[Constituent], list[Constituent]] = ([], [])
    for _ in range(300):
        n = rng.randint(1, 20)
        words = [f"w{place}" for place in range(n)]
        tags = [rng.choice(["NN", "VB", "RB", ",", ".", ":", "``", "''"]) for _ in range(n)]
        other = [rng.choice([tag, "NN"]) if tag in ("NN", "VB", "RB") else tag for tag in tags]
        trees[0].append(random_tree(rng, words, tags))
        trees[1].append(random_tree(rng, words, other))
    result = evaluate_brackets(*trees)
    slow = [evalb(*pair) for pair in zip(*trees, strict=True)]
    assert result.counts == [(row["matched"], row["gold"], row["system"]) for row in slow]
    for name, longest in (("all", 99), ("up to 15 words", 15), ("up to 40 words", 40)):
        rows = [row for row in slow if row["length"] <= longest]
        group = result.groups[name]
        assert group.sentences == len(rows)
        assert group.crossing == sum(row["crossing"] for row in rows)
        assert group.without_crossing == sum(row["crossing"] == 0 for row in rows)
        assert group.at_most_two_crossing == sum(row["crossing"] <= 2 for row in rows)
        assert group.exact == sum(row["matched"] == row["gold"] == row["system"] for row in rows)
        assert (group.tags.correct, group.tags.gold) == (
            sum(row["tags"] for row in rows),
            sum(row["words"] for row in rows),
        )
