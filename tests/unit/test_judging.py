"""Judging trees with parsers and pipelines: tags, errors, rules, plain data."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from small_pipeline import small_pipeline
from small_training import changed, treebank

from arbora.dependency import ParseOptions, Rules, train
from arbora.errors import ArboraError, WrongTypeError
from arbora.evaluation import judge
from arbora.generative import GenerativeOptions, train_generative
from arbora.text import TagOptions
from arbora.treebank import Sentence

TAGS = TagOptions()


def example() -> Sentence:
    return next(sentence for sentence in treebank() if len(sentence) > 5)


def test_what_the_parser_finds_itself_is_as_it_says(parser):
    """Nothing differs, and the numbers are those that parsing writes."""
    parsed = list(parser.parse(treebank()[:10], ParseOptions(probabilities=True)))
    for sentence, found in zip(parsed, judge(parsed, parser), strict=True):
        assert found.disagreements == 0
        assert found.tree_log_probability == pytest.approx(sentence.findings["tree_log_probability"])
        for name, key in (("HeadProbability", "head_probability"), ("LabelProbability", "label_probability")):
            expected = sentence.findings[name].tolist()
            assert [getattr(word, key) for word in found.words] == pytest.approx(expected)


def test_a_wrong_head_is_seen(parser):
    sentence = example()
    right = next(judge([sentence], parser))
    sentence.heads[-1] = next(h for h in (1, 2, 3) if h not in (sentence.heads[-1], len(sentence)))
    wrong = next(judge([sentence], parser))
    assert wrong.words[-1].head_probability < right.words[-1].head_probability
    assert wrong.expected_errors > right.expected_errors


def test_a_partial_tree_is_judged_where_it_says_something(parser):
    sentence = example()
    whole = next(judge([sentence], parser))
    sentence.heads[0], sentence.deprels[1] = None, "_"
    partial = next(judge([sentence], parser))
    assert (partial.words[0].head_probability, partial.tree_log_probability) == (None, None)
    assert partial.words[1].label_probability is None
    assert partial.words[1].probability == partial.words[1].head_probability
    assert whole.tree_log_probability < 0
    nothing = next(judge([Sentence(sentence.forms, upos=sentence.upos)], parser))
    assert (nothing.disagreements, nothing.expected_errors) == (0, 0)


def test_what_cannot_be_judged_breaks_no_other(parser):
    good = example()
    circle = good.copy()
    circle.heads[0], circle.heads[1] = 2, 1
    odd = good.copy()
    odd.forms[0] = "\ud800"
    found = list(judge([good, circle, odd, Sentence(), good], parser))
    assert "heads make no tree" in found[1].error
    assert "Unicode" in found[2].error
    assert found[0] == found[4]
    assert [own.error is None for own in found] == [True, False, False, True, True]
    assert found[1].to_dict()["error"] == found[1].error


def test_what_makes_no_sense_is_an_error_at_once(parser):
    with pytest.raises(WrongTypeError):
        list(judge(["Dogs bark"], parser))
    with pytest.raises(ArboraError, match="between 0 and 1"):
        list(judge(treebank(), parser, alternatives=2))
    with pytest.raises(ArboraError, match="probabilities"):
        list(judge(treebank(), parser, options=ParseOptions(solver="ilp")))


def test_rules_are_checked_too(parser):
    rules = Rules.parse("root is upos=X", "house.rules")
    found = list(judge(treebank()[:5], parser, rules=rules))
    for own, sentence in zip(found, treebank(), strict=False):
        assert [(b.rule, b.word) for b in own.broken_rules] == [
            ("house.rules:1: root is upos=X", id) for id in sentence.roots
        ]


def test_plain_data_is_json(parser):
    sentence = example()
    sentence.deprels[0] = "unheard-of"  # which no tree has
    found = next(judge([sentence], parser, alternatives=0.1))
    assert found.tree_log_probability == float("-inf")
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["tree_log_probability"] is None
    assert data["words"][0]["label_probability"] == 0
    assert len(data["alternatives"]) == len(sentence)
    assert all(p >= 0.1 for own in data["alternatives"] for _, p in own["heads"] + own["labels"])
    assert "alternatives" not in next(judge([sentence], parser)).to_dict()


def test_a_pipeline_fills_in_tags_and_changes_none():
    nlp, gold = small_pipeline(), [s for s in treebank() if len(s) > 3][:6]
    bare = [Sentence(s.forms, heads=s.heads, deprels=s.deprels) for s in gold]
    tagged = [s.copy() for s in nlp.tagger.tag(bare)]
    assert list(judge(bare, nlp)) == list(judge(tagged, nlp.parser))
    assert list(judge(gold, nlp)) == list(judge(gold, nlp.parser))
    partly = gold[0].copy()
    partly.upos[0] = "_"
    (found,) = nlp.tagger.tag([partly], replace(TAGS, keep_tags=True))
    found.feats = [
        own if id else new for id, (own, new) in enumerate(zip(partly.feats, found.feats, strict=True))
    ]
    assert next(judge([partly], nlp)) == next(judge([found], nlp.parser))
    assert partly.upos[0] == "_"


def test_long_sentences_are_judged_in_pieces(parser):
    words = 50
    sentence = Sentence(["dog"] * words, upos=["NOUN"] * words, heads=[*range(2, words + 1), 0])
    found = next(judge([sentence], parser, options=ParseOptions(exact_length=10)))
    assert found.tree_log_probability is None
    assert all(0 <= word.head_probability <= 1 for word in found.words)


def test_parsers_of_higher_order_and_generative_ones_judge():
    data = treebank()
    second = train(data, options=changed(preset="second-order", epochs=1))
    generative = train_generative(data, options=GenerativeOptions(iterations=0))
    for parser in (second, generative):
        for sentence, found in zip(data[:5], judge(data[:5], parser), strict=True):
            assert found.error is None
            assert len(found.words) == len(sentence)
            assert 0 <= found.expected_errors <= len(sentence)
