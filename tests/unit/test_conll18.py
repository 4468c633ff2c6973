"""Scores where tokenizations differ: cases counted by hand, and the slow twin on random cuts of a text."""

from __future__ import annotations

import random

import pytest
from oracles import conll18 as oracle

from arbora.errors import ArboraError
from arbora.evaluation import MismatchError, evaluate, evaluate_raw_text
from arbora.evaluation.conll18 import METRICS
from arbora.treebank import Multiword, Sentence


def ratios(gold, system, **how):
    found = evaluate_raw_text(gold, system, **how).scores
    return {name: (ratio.correct, ratio.gold, ratio.system) for name, ratio in found.items()}


def test_one_sentence_in_two():
    gold = Sentence(
        ["We", "left", ".", "You", "stayed"],
        upos=["PRON", "VERB", "PUNCT", "PRON", "VERB"],
        heads=[2, 0, 2, 5, 2],
        deprels=["nsubj", "root", "punct", "nsubj", "parataxis"],
    )
    system = [
        Sentence(["We", "left."], upos=["PRON", "VERB"], heads=[2, 0], deprels=["nsubj", "root"]),
        Sentence(["You", "stayed"], upos=["PRON", "ADJ"], heads=[2, 0], deprels=["nsubj", "root"]),
    ]
    found = ratios([gold], system)
    assert found["Tokens"] == found["Words"] == (3, 5, 4)
    assert found["Sentences"] == (0, 1, 2)
    assert found["UPOS"] == (2, 5, 4)
    # `We` hangs on a word that is none of gold's; `stayed` on the root; `You` is right.
    assert found["UAS"] == found["LAS"] == (1, 5, 4)
    assert found["CLAS"] == (1, 4, 4)
    judged = evaluate_raw_text([gold], system)
    assert judged.right_heads == judged.right_arcs == [False, False, True, False]


def test_what_gold_does_not_know_is_not_judged():
    gold = Sentence(["a", "b", "c"], heads=[2, None, 2], deprels=["x", "y", "_"])
    system = Sentence(["a", "b", "c"], heads=[2, 0, 2], deprels=["x:z", "y", "z"])
    judged = evaluate_raw_text([gold], [system], annotated_only=True)
    assert judged.right_heads == [True, None, True]
    assert judged.right_arcs == [False, None, None]


def test_words_that_are_the_same_are_judged_as_usual():
    """Against the evaluation of given words."""
    draw = random.Random(3)
    gold = [Sentence([f"w{n}" for n in range(6)], heads=[0, 1, 1, 2, 2, 3], deprels=list("abcabc"))]
    for _ in range(20):
        other = gold[0].copy()
        other.heads = [0, *(draw.randrange(1, word) for word in range(2, 7))]
        other.deprels = [draw.choice("abc") for _ in range(6)]
        expected = evaluate(gold, [other])
        found = evaluate_raw_text(gold, [other])
        assert (found.right_heads, found.right_arcs) == (expected.right_heads, expected.right_arcs)


def joined(forms, multiwords, **columns):
    return Sentence(forms, multiwords=[Multiword(*row) for row in multiwords], **columns)


def test_words_of_multiword_tokens_align_by_forms():
    gold = joined(["vamos", "nos", "a", "el", "mar"], [(1, 2, "vámonos"), (3, 4, "al")])
    system = joined(["Vamos", "nos", "al", "mar"], [(1, 2, "vámonos")])
    found = ratios([gold], [system], annotated_only=True)
    assert found["Tokens"] == (3, 3, 3)
    assert found["Words"] == (3, 5, 4)  # vamos, in any case; nos; mar
    system = joined(["vámonos", "a", "la", "el", "mar"], [(2, 4, "al")])
    assert ratios([gold], [system], annotated_only=True)["Words"] == (3, 5, 5)  # a, el, mar


def test_multiword_tokens_that_overlap_are_one_region():
    gold = joined(["a", "b", "c"], [(1, 2, "ab")])
    system = joined(["a", "b", "c"], [(2, 3, "bc")])
    assert ratios([gold], [system], annotated_only=True)["Words"] == (3, 3, 3)
    assert ratios([gold], [system], annotated_only=True)["Tokens"] == (0, 2, 2)


def test_spaces_in_forms_do_not_count():
    assert ratios([Sentence(["10 000"])], [Sentence(["10", "000"])], annotated_only=True)["Tokens"] == (
        0,
        1,
        2,
    )
    assert ratios([Sentence(["10 000", "€"])], [Sentence(["10\xa0000", "€"])], annotated_only=True)[
        "Tokens"
    ] == (2, 2, 2)


def test_comments_alone_are_no_sentence():
    gold = [Sentence(["a"]), Sentence(comments=["# end"])]
    assert ratios(gold, [Sentence(["a"])], annotated_only=True)["Sentences"] == (1, 1, 1)
    assert ratios([], [], annotated_only=True)["Tokens"] == (0, 0, 0)


def test_lemmas_that_gold_does_not_have_cannot_be_wrong():
    gold = Sentence(["a", "b"], lemmas=["_", "b"])
    assert ratios([gold], [Sentence(["a", "b"], lemmas=["x", "y"])], annotated_only=True)["Lemmas"] == (
        1,
        2,
        2,
    )


@pytest.mark.parametrize(
    ("gold", "system", "reason"),
    [
        (
            [Sentence(["ab", "cd"])],
            [Sentence(["ab", "ce"])],
            "sentence #1: gold goes on with 'd' and system with",
        ),
        ([Sentence(["ab"]), Sentence(["cd"])], [Sentence(["ab"])], "sentence #2: gold goes on with 'cd'"),
        ([Sentence(["ab"])], [Sentence(["ab", "c"])], "gold goes on with '' and system with 'c'"),
    ],
)
def test_other_characters(gold, system, reason):
    with pytest.raises(MismatchError, match=reason):
        evaluate_raw_text(gold, system)


RELATIONS = ["nsubj", "nsubj:pass", "det", "case", "punct", "obl", "aux", "conj", "dep"]
FEATS = ["_", "Case=Nom|Number=Sing", "Number=Sing|Typo=Yes", "Foo=Bar", "Number=Sing|Case=Nom"]


def drawn(draw, text, *, heads_known=False):
    """The text cut into sentences, tokens and words at random; some heads are unknown, or none."""
    sentences = []
    while text:
        length = draw.randint(1, 9)
        piece, text = text[:length], text[length:]
        tokens = []
        while piece:
            length = draw.choice([1, 1, 2, 3])
            form, piece = piece[:length], piece[length:]
            count = draw.choice([1, 1, 1, 2, 3])
            inner = [form] if count == 1 else [draw.choice("abAB") for _ in range(count)]
            tokens.append((form, inner))
        total = sum(len(inner) for _, inner in tokens)

        def word(form, total=total):
            return (
                form,
                draw.choice("_xy"),
                draw.choice("NV"),
                draw.choice("nv"),
                draw.choice(FEATS),
                draw.choice([None] * (not heads_known) + [*range(total + 1)]),
                draw.choice(RELATIONS),
            )

        sentences.append([(form, [word(w) for w in inner]) for form, inner in tokens])
    return sentences


def as_sentence(tokens):
    words = [word for _, inner in tokens for word in inner]
    multiwords, first = [], 1
    for form, inner in tokens:
        if len(inner) > 1:
            multiwords.append(Multiword(first, first + len(inner) - 1, form))
        first += len(inner)
    forms, lemmas, upos, xpos, feats, heads, deprels = map(list, zip(*words, strict=True))
    return Sentence(forms, lemmas, upos, xpos, feats, heads, deprels, multiwords=multiwords)


@pytest.mark.parametrize("seed", range(60))
def test_the_slow_twin(seed):
    draw = random.Random(seed)
    text = "".join(draw.choice("ab") for _ in range(draw.randint(1, 24)))
    gold, system = drawn(draw, text, heads_known=True), drawn(draw, text)
    found = ratios(map(as_sentence, gold), map(as_sentence, system))
    assert list(found) == list(METRICS)
    assert found == oracle.scores(gold, system)


@pytest.mark.parametrize("seed", range(5))
def test_on_the_same_words_it_is_the_plain_evaluation(seed):
    draw = random.Random(seed)
    gold = [as_sentence(tokens) for tokens in drawn(draw, "abba" * 6)]
    for sentence in gold:
        sentence.heads = [head or 0 for head in sentence.heads]
    system = [sentence.copy() for sentence in gold]
    for sentence in system:
        for token in sentence:
            token.head = draw.randint(0, len(sentence))
            token.deprel = draw.choice(RELATIONS)
    plain, found = evaluate(gold, system).scores, ratios(gold, system)
    for name in ("UAS", "LAS", "CLAS"):
        ratio = plain[name]
        assert found[name] == (ratio.correct, ratio.gold, ratio.system)


def test_only_annotated_words_are_scored():
    """Words are cut differently; what gold does not know counts on neither side."""
    columns = {"upos": ["PRON", "VERB", "_"], "deprels": ["_", "root", "punct"]}
    gold = [Sentence(["I", "see", "."], heads=[2, 0, None], **columns)]
    found = [Sentence(["I", "see."], heads=[2, 0], deprels=["nsubj", "root"], upos=["PRON", "VERB"])]
    same = [Sentence(["I", "see", "."], heads=[2, 0, 1], deprels=["obj", "root", "punct"], upos=["X"] * 3)]

    def counts(system, name, **how):
        ratio = evaluate_raw_text(gold, system, **how).scores[name]
        return ratio.correct, ratio.gold, ratio.system

    with pytest.raises(ArboraError, match="sentence #1: gold word 3 has no head; --annotated-only"):
        evaluate_raw_text(gold, same)
    assert counts(same, "UAS", annotated_only=True) == (2, 2, 2)
    assert counts(same, "LAS", annotated_only=True) == (1, 1, 1)
    assert counts(same, "UPOS", annotated_only=True) == (0, 2, 2)
    assert counts(found, "UAS", annotated_only=True) == (0, 2, 2)
    assert counts(found, "Words", annotated_only=True) == (1, 3, 2)
