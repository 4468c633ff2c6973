"""All probabilities of a sentence, heads and labels."""

from __future__ import annotations

import numpy as np
import pytest
from small_training import changed, treebank

from arbora.dependency import ParseOptions, train
from arbora.treebank import Sentence


@pytest.mark.parametrize("labels", ["joint", "second-stage", "both"])
def test_they_are_those_that_parsing_writes(labels):
    parser = train(treebank(), options=changed(labels=labels))
    for sentence in parser.parse([s.copy() for s in treebank()[:5]], ParseOptions(probabilities=True)):
        heads, of_labels = parser.probabilities(sentence)
        n = len(sentence)
        assert heads.shape == (n + 1, n + 1)
        assert of_labels.shape == (n + 1, len(parser.labels))
        assert heads[:, 1:].sum(axis=0) == pytest.approx(np.ones(n))
        assert of_labels[1:].sum(axis=1) == pytest.approx(np.ones(n))
        for token in sentence:
            written = dict(item.split("=") for item in token.misc.split("|") if "Probability" in item)
            own = of_labels[token.id, parser.labels.index(token.deprel)]
            assert float(written["HeadProbability"]) == pytest.approx(heads[token.head, token.id], abs=6e-5)
            assert float(written["LabelProbability"]) == pytest.approx(own, abs=6e-5)


def test_given_heads_are_certain(parser):
    sentence = treebank()[0]
    heads, of_labels = parser.probabilities(sentence, given_heads=True)
    assert [heads[head, word] for word, head in enumerate(sentence.heads, 1)] == pytest.approx(
        [1.0] * len(sentence)
    )
    assert of_labels[1:].sum(axis=1) == pytest.approx(np.ones(len(sentence)))


def test_of_one_word_and_of_none(parser):
    heads, _ = parser.probabilities(Sentence(["Hello"], upos=["INTJ"]))
    assert heads[0, 1] == 1
    assert parser.probabilities(Sentence([]))[0].shape == (1, 1)


def test_probabilities_of_a_former_tree_are_gone(parser):
    """Of what MISC and comments said, the rest stays."""
    sentence = Sentence(["Go", "on"], misc=["HeadProbability=0.1|a=b", "LabelProbability=0.2"])
    sentence.comments = ["# tree_log_probability = -9.000000", "# certificate = proved", "# sent_id = s"]
    (found,) = parser.parse([sentence])
    assert (found.misc, found.comments) == (["a=b", "_"], ["# sent_id = s"])
