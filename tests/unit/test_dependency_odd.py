"""Training and parsing are sturdy against odd sentences, odd treebanks, odd options and broken models."""

from __future__ import annotations

import json
from itertools import chain, count, islice, repeat

import numpy as np
import pytest
from small_training import SMALL, changed, las, treebank

from arbora.dependency import DependencyParser, ParseOptions, train
from arbora.errors import ArboraError, FileError
from arbora.features import Templates
from arbora.models import read_model, write_model
from arbora.treebank import Sentence
from arbora.treebank.batches import annotated, make_batches, to_sentences

# ---- odd input ----

ODD_FORMS = ["a\u0301\u0302\u0303", "\u0645\u0631\u062d\u0628\u0627", "\U0001f469\u200d\U0001f467",
             "\u200f\u202e", "\x01\x1b[31m", "\ufeff", "x" * 100_000, "\U0010ffff", " "]  # fmt: skip


def check_tree(sentence: Sentence) -> None:
    assert sentence.heads.count(0) == 1
    for word in range(1, len(sentence) + 1):
        for _ in range(len(sentence) + 1):
            word = sentence.heads[word - 1] if word else 0
        assert word == 0


@pytest.mark.parametrize("decoder", ["best", "mbr"])
def test_odd_sentences(parser, decoder):
    odd = [
        Sentence(comments=["# only comments"]),
        Sentence(["one"]),
        Sentence(["_"] * 7),
        Sentence(ODD_FORMS),
        Sentence(["a"] * 3, ["_"] * 3, ["NOUN", "_", "weird\u00a0tag"], ["_"] * 3, ["|", "=", "A=1||B="]),
        Sentence(["word"] * 300),
    ]
    odd[3].forms[0] = ""  # nobody looks at it then
    options = ParseOptions(decoder=decoder, probabilities=True)
    found = list(parser.parse(odd, options))
    assert found[0].heads == []
    assert found[1].heads == [0]
    for sentence in found[1:]:
        check_tree(sentence)
    (none,) = next(parser.kbest([Sentence()], 3))
    assert (none.heads, none.deprels, none.log_probability) == ([], [], 0.0)
    (only,) = {tuple(tree.heads) for tree in next(parser.kbest([Sentence(["one"])], 5))}
    assert only == (0,)
    assert list(parser.parse([])) == []


def test_a_thousand_words(parser):
    words = list(islice(chain.from_iterable(repeat([s for t in treebank() for s in t.forms])), 1000))
    check_tree(next(parser.parse([Sentence(words)], ParseOptions(probabilities=True))))


def test_a_lone_surrogate_is_an_error(parser):
    with pytest.raises(ArboraError, match="Unicode"):
        list(parser.parse([Sentence(["a", "b\ud800"])]))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("forms", [["the", "dog"], []])
def test_endless_input(parser, forms, threads):
    """Only as much is read as is needed: a batch or two ahead."""
    taken = count()

    def endless():
        while True:
            next(taken)
            yield Sentence(forms)

    stream = parser.parse(endless(), ParseOptions(batch=50, threads=threads))
    assert len(list(islice(stream, 500))) == 500
    stream.close()
    assert next(taken) < 700


def test_kbest_sentences(parser):
    sentence = max(treebank(), key=len)
    batches = annotated(make_batches([sentence, Sentence()], 100), [parser.ranker(4, ParseOptions())])
    *copies, empty = to_sentences(batches)
    assert len(copies) == 4
    assert [copy.findings["kbest_rank"] for copy in copies] == [1, 2, 3, 4]
    trees = next(parser.kbest([sentence], 4))
    assert [copy.heads for copy in copies] == [tree.heads for tree in trees]
    assert [copy.findings["tree_log_probability"] for copy in copies] == [t.log_probability for t in trees]
    assert empty.findings is None
    ranks = [[comment for comment in copy.comments if "kbest_rank" in comment] for copy in copies]
    assert ranks == [[f"# kbest_rank = {rank}"] for rank in (1, 2, 3, 4)]
    assert [copy.sent_id for copy in copies] == [f"{sentence.sent_id}-{rank}" for rank in (1, 2, 3, 4)]
    with pytest.raises(ArboraError, match="k must be"):
        next(parser.kbest([sentence], 0))


# ---- odd treebanks ----


def tree(heads: list[int | None], deprels: list[str]) -> Sentence:
    sentence = Sentence([f"w{i}" for i in range(len(heads))], deprels=deprels)
    sentence.heads[:] = heads  # whatever they are
    return sentence


@pytest.mark.parametrize("labels", ["joint", "second-stage", "both"])
def test_small_treebanks(labels):
    options = changed(labels=labels)
    for data in (
        [tree([0], ["root"])],
        [tree([0, 1], ["dep", "dep"])],
        [tree([2, 0, 2], ["a b|c=#:<x>", "💥", "\u202e"])],
        [tree([0], ["root"]), tree([0], ["alone"])],
    ):
        parser = train(data, data, options)
        text = parser.parse([Sentence(["x", "y", "z"]), data[0].copy()], ParseOptions(probabilities=True))
        for sentence in text:
            check_tree(sentence)
            assert set(sentence.deprels) <= set(parser.labels)
            assert "nan" not in sentence.to_conllu()
        assert las(parser, data) > 0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "no words"),
        ([Sentence()], "no words"),
        ([tree([None, None], ["_", "_"])], "no word of the training data has a head"),
        ([tree([2, 0], ["_", "_"])], "no word of the training data has a relation"),
        ([tree([2, 1], ["a", "b"])], "cycle"),
        ([tree([1, 0], ["a", "b"])], "cycle"),
        ([tree([0, 0], ["a", "b"])], "2 roots"),
        ([tree([7, 0], ["a", "b"])], "not in the sentence"),
    ],
)
def test_training_data_that_cannot_be(data, message):
    with pytest.raises(ArboraError, match=message):
        train(data, None, SMALL)


def test_several_roots_if_they_may_be():
    data = [tree([0, 0, 1], ["a", "b", "c"])]
    parser = train(data, None, changed(single_root=False, epochs=10))
    assert las(parser, data) == 1
    one = next(parser.parse([data[0].copy()], ParseOptions(single_root=True)))
    assert one.heads.count(0) == 1


def test_dev_may_have_what_the_model_does_not_know():
    data = treebank()
    dev = [sentence.copy() for sentence in data[:5]]
    dev[0].deprels = ["unheard-of"] * len(dev[0])
    dev[1].heads = [0] * len(dev[1])
    parser = train(data, dev, SMALL)
    assert 0 < parser.header["tree_scale"] < np.inf


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": "none"}, "labels must be"),
        ({"loss": "hinge"}, "no loss"),
        ({"learner": "adam"}, "no learner"),
        ({"preset": "ninth-order"}, "no preset 'ninth-order'; there are first-order, second-order"),
        ({"solver": "enumerate"}, "no solver 'enumerate' for parsers; there are dual-decomposition"),
        ({"constraint": "forest"}, "no constraint 'forest'; there are not2"),
        ({"iterations": 0}, "iterations must be"),
        ({"propagations": 0}, "propagations must be"),
        ({"features": "some"}, "features must be"),
        ({"bits": 9}, "bits must be"),
        ({"epochs": 0}, "epochs must be"),
        ({"pruning": 1.0}, "pruning must be"),
        ({"rate": -1.0}, "rate must be"),
        ({"beta": 0.0}, "beta must be"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(ArboraError, match=message):
        train(treebank()[:2], None, changed(**options))


def test_templates_that_lack_a_section():
    with pytest.raises(ArboraError, match=r"\[labels\]"):
        train(treebank()[:2], None, SMALL, templates=Templates.parse("[arcs]\nhead.form"))


def test_own_templates():
    own = Templates.parse("[arcs]\nhead.form & modifier.form\n[labels]\nmodifier.form")
    data = treebank()
    parser = train(data, None, changed(epochs=10, bits=16), templates=own, dev_fraction=0.0)
    assert las(parser, data) > 0.9


# ---- files that are no models ----


def test_broken_headers(parser, tmp_path):
    parser.save(tmp_path / "model")
    whole = read_model(tmp_path / "model")
    tensors = {name: np.array(tensor) for name, tensor in whole.tensors.items()}
    options = whole.header["options"]

    def check(header, tensors=tensors):
        write_model(tmp_path / "broken", header, tensors)
        with pytest.raises(FileError, match="broken"):
            DependencyParser.load(tmp_path / "broken")

    needed = "labels", "at_root", "below_words", "templates", "options", "padding", "step", "pruner_step"
    for name in needed:
        check({key: value for key, value in whole.header.items() if key != name})
        check({**whole.header, name: None})
    for name in ("bits", "most_heads", "single_root", "projective"):
        check({**whole.header, "options": {key: value for key, value in options.items() if key != name}})
    check({**whole.header, "labels": whole.header["labels"][1:]})
    check({**whole.header, "labels": [*whole.header["labels"][1:], 5]})
    check({**whole.header, "at_root": [*whole.header["at_root"], True]})
    check({**whole.header, "below_words": whole.header["below_words"][1:]})
    check({**whole.header, "templates": "[arcs]\nhead.soup"})
    check({**whole.header, "templates": "[arcs]\nhead.form"})
    check({**whole.header, "tree_scale": -1.0})
    check({**whole.header, "step": 0.0})
    check({**whole.header, "pruner_step": -1.0})
    check({**whole.header, "architecture": "constituency-parser"})
    check({**whole.header, "options": {**options, "bits": 13}})
    check({**whole.header, "options": {**options, "bits": 10**9}})
    check({**whole.header, "padding": whole.header["padding"] + 8})
    check(whole.header, {**tensors, "weights": tensors["weights"][:-1]})
    check(whole.header, {**tensors, "weights": tensors["weights"].astype(np.float64)})
    check(whole.header, {**tensors, "pruner": tensors["pruner"][:-1]})
    check(whole.header, {**tensors, "pruner": tensors["pruner"][:0]})
    check(whole.header, {**tensors, "pruner": tensors["pruner"].astype(np.float64)})
    check(whole.header, {"weights": tensors["weights"]})
    check(whole.header, {"pruner": tensors["pruner"]})
    assert json.loads(json.dumps(whole.header)) == whole.header
