"""`root` is the label of arcs from the root and of no others, whatever a treebank or scores say."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from small_training import changed, treebank

from arbora.dependency import (
    ArrayParser,
    ArrayScores,
    ParseOptions,
    batch_loss,
    parse_with_rules,
    preset_options,
    train,
)
from arbora.dependency.rules import Rules
from arbora.errors import ArboraError, InfeasibleTreeError
from arbora.generative import GenerativeOptions, train_generative
from arbora.treebank import Sentence

TINY = {"epochs": 1, "bits": 14, "pruner_bits": 12, "pruner_epochs": 1, "batch": 3}


def noisy(seed: int = 1) -> list[Sentence]:
    """A treebank in which `root` is a usual label of any word, and one root has another."""
    rng = np.random.default_rng(seed)
    found = [sentence.copy() for sentence in treebank()]
    for sentence in found:
        for place, head in enumerate(sentence.heads):
            if head and rng.random() < 0.6:
                sentence.deprels[place] = "root"
    found[0][found[0].roots[0]].deprel = "dep"
    return found


def bare(sentences: Iterable[Sentence]) -> list[Sentence]:
    """Without trees."""
    found = [sentence.copy() for sentence in sentences]
    for sentence in found:
        sentence.heads = [None] * len(sentence)
        sentence.deprels = ["_"] * len(sentence)
    return found


def strays(sentences: Iterable[Sentence], *, universal: bool = True) -> list[tuple[int | None, str]]:
    """Arcs whose label does not go with their head."""
    return [
        (word.head, word.deprel)
        for sentence in sentences
        for word in sentence
        if (word.deprel == "root" if word.head else universal and word.deprel != "root")
    ]


@pytest.fixture(scope="module")
def learned():
    return train(noisy(), options=changed(epochs=2), dev_fraction=0.0)


@pytest.mark.parametrize("labels", ["joint", "second-stage", "both"])
@pytest.mark.parametrize("loss", ["svm", "crf"])
def test_mistakes_of_a_treebank_are_not_learned(labels, loss):
    parser = train(noisy(), options=changed(epochs=2, labels=labels, loss=loss), dev_fraction=0.0)
    for options in (ParseOptions(), ParseOptions(decoder="mbr", probabilities=True)):
        assert strays(parser.parse(bare(treebank()), options)) == []
    row = parser.probabilities(bare(treebank())[3])[1]
    assert row[:, parser.labels.index("root")].tolist().count(0.0) >= len(row) - 2


@pytest.mark.parametrize("preset", ["second-order", "belief", "turbo", "automata-grandsibling"])
def test_other_presets(preset):
    options = preset_options(preset, **TINY, projective=False)
    parser = train(noisy()[1:7], options=options, dev_fraction=0.0)
    assert strays(parser.parse(bare(treebank()[3:6]))) == []


def test_hidden_roles():
    parser = train(
        noisy(), options=changed(loss="crf", labels="second-stage", latent_roles=2), dev_fraction=0.0
    )
    assert strays(parser.parse(bare(treebank()[:8]))) == []


def test_k_best_pieces_and_graphs(learned):
    sentences = bare(treebank()[:6])
    ranked = learned.kbest(sentences, 30)
    for sentence, trees in zip(sentences, ranked, strict=True):
        assert strays(Sentence(sentence.forms, heads=t.heads, deprels=t.deprels) for t in trees) == []
    pieces = ParseOptions(exact_length=10, probabilities=True)
    assert strays(learned.parse(bare(treebank()), pieces)) == []
    assert strays(learned.parse(sentences, ParseOptions(solver="ilp"))) == []


def test_what_is_given(learned):
    """A given `root` is a root; where it cannot be one, the sentence is refused."""
    sentence = bare(treebank())[2]
    for word in (1, 3, len(sentence)):
        for options in ({}, {"solver": "ilp"}, {"exact_length": 10}):
            own = sentence.copy()
            own[word].deprel = "root"
            (found,) = learned.parse([own], ParseOptions(constraints=True, **options))
            assert (found.roots, found[word].deprel) == ([word], "root")
            assert strays([found]) == []
        own[word].deprel = "strange:label"
        (found,) = learned.parse([own], ParseOptions(constraints=True))
        assert strays([found]) == []
    for heads, labels in (
        ([2, None], ["root", "_"]),
        ([None, None], ["root", "root"]),
        ([0, None], ["nsubj", "_"]),
    ):
        wrong = Sentence(["a", "b"], heads=heads, deprels=labels)
        for solver in (None, "ilp"):
            with pytest.raises(InfeasibleTreeError):
                list(learned.parse([wrong], ParseOptions(constraints=True, solver=solver)))
        with pytest.raises(InfeasibleTreeError):
            list(learned.kbest([wrong], 2, ParseOptions(constraints=True)))
    wrong = Sentence(["a", "b"], heads=[2, 0], deprels=["root", "_"])
    with pytest.raises(InfeasibleTreeError, match="`root` is the label of arcs from the root"):
        list(learned.parse([wrong], ParseOptions(constraints=True)))


def test_rules(learned):
    """Other trees than the parser's own, and a rule that wants `root` elsewhere."""
    rules = Rules.parse("at most 1 children under upos=NOUN,VERB")
    sentences = bare(treebank()[:4])
    found = list(parse_with_rules(learned, sentences, rules))
    assert strays(found) == []
    with pytest.raises(InfeasibleTreeError):
        list(parse_with_rules(learned, sentences, Rules.parse("label of upos=PUNCT,NOUN is root")))
    wrong = Sentence(["a", "b"], upos=["X", "DET"], heads=[2, 0], deprels=["root", "_"])
    with pytest.raises(InfeasibleTreeError):
        list(parse_with_rules(learned, [wrong], rules, ParseOptions(constraints=True)))


def test_other_treebanks_keep_their_labels_at_the_root():
    """As in CoNLL-X, where `root` may be one of several, but not below words."""
    data = noisy()
    for number, sentence in enumerate(data):
        for word in sentence.roots:
            sentence[word].deprel = ("PRED", "root", "EXCL")[number % 3]
    parser = train(data, options=changed(epochs=4), dev_fraction=0.0)
    found = list(parser.parse(bare(data)))
    assert strays(found, universal=False) == []
    assert {word.deprel for s in found for word in s if word.head == 0} >= {"PRED", "EXCL"}


def test_one_word_sentences_alone():
    data = [Sentence([form], heads=[0], deprels=["root"]) for form in ("Yes", "No", "Go")]
    parser = train(data, options=changed(epochs=1), dev_fraction=0.0)
    (found,) = parser.parse([Sentence(["Yes", "No"])])
    assert strays([found]) == []


@pytest.mark.parametrize("model", ["bigram", "valence"])
def test_generative_models(model):
    data = noisy()
    for options in (GenerativeOptions(model=model), GenerativeOptions(model="bigram", labels=True)):
        parser = train_generative(data, options=options)
        sentences = bare(treebank()[:6])
        assert strays(parser.parse(sentences)) == []
        for trees in [*parser.kbest(sentences, 10), *parser.sample(sentences, 10)]:
            assert (
                strays(Sentence(["w"] * len(t.heads), heads=t.heads, deprels=t.deprels) for t in trees) == []
            )


@pytest.mark.parametrize("follow", [False, True])
def test_scores_from_outside(follow):
    """Names keep `root` to the root; without names, numbers are numbers."""
    rng = np.random.default_rng(3)
    arcs, rows = rng.normal(size=(6, 6)), rng.normal(size=(6, 6, 3))
    rows[:, :, 1] += 9  # root
    scores = ArrayScores([arcs], labels=[rows]) if follow else ArrayScores([arcs[..., None] + rows])
    for names, at_root in ((["nsubj", "root", "obj"], {1}), (["SBJ", "root", "OBJ"], {0, 1, 2})):
        parser = ArrayParser(names)
        found = parser.parse(scores, ParseOptions(probabilities=True))[0]
        for head, label in zip(found.heads[1:], found.labels[1:], strict=True):
            assert label in at_root if head == 0 else label != 1
        assert (parser.probabilities(scores)[0][1][found.heads > 0, 1] == 0).all()
        trees = parser.kbest(scores, 50)[0]
        assert ((trees.labels[:, 1:] != 1) | (trees.heads[:, 1:] == 0)).all()
        given = np.array([-1, 1, 1, -1, -1, -1])  # two roots
        with pytest.raises(InfeasibleTreeError):
            parser.parse(scores, given_labels=[given])
        (lone,) = parser.parse(scores, given_labels=[np.array([-1, -1, 1, -1, -1, -1])])
        assert lone.heads[2] == 0
    assert (ArrayParser().parse(scores)[0].labels[1:] == 1).all()
    gold = np.array([-1, 0, 1, 1, 1, 1])
    with pytest.raises(ArboraError, match="`root` is the label of arcs from the root"):
        batch_loss(
            scores, [gold], [np.array([-1, 1, 1, 0, 0, 0])], parser=ArrayParser(["nsubj", "root", "obj"])
        )
