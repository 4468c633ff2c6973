"""Pipelines whose parser chooses the tags, among those that the tagger lists."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_pipeline import SMALL
from small_training import treebank

from arbora.dependency import ParseOptions, preset_options
from arbora.pipeline import Pipeline, train_pipeline
from arbora.text import TagOptions
from arbora.treebank import Sentence

TEXT = "The door is open. Where is the key?\n\nDogs bark."
JOINT = replace(
    SMALL, parser=preset_options("joint", epochs=2, bits=16, pruner_bits=12, joint_tags=3, parts=())
)


@pytest.fixture(scope="module")
def nlp(tmp_path_factory) -> Pipeline:
    """Trained by a run that was killed and gone on with."""
    kept = tmp_path_factory.mktemp("joint") / "checkpoint"

    def kill(report):
        if report.title == "parser epoch 1/2":
            raise InterruptedError

    with pytest.raises(InterruptedError):
        train_pipeline(treebank(), treebank(), JOINT, checkpoint=kept, progress=kill)
    return train_pipeline(treebank(), treebank(), JOINT, checkpoint=kept, resume=True)


def test_the_parser_chooses_tags(nlp):
    assert nlp.parser.tags == nlp.tagger.tags
    assert nlp.card["scores"]["gold_tokens"]["UPOS"] > 80
    for sentence in nlp(TEXT):
        assert "_" not in sentence.upos
        assert not any("UposCandidates" in misc for misc in sentence.misc)


def test_what_it_chooses_is_on_the_list(nlp):
    asked, differing = nlp.parser.asks, 0
    assert asked == {"tag_candidates": 3, "tag_threshold": JOINT.parser.tag_threshold}
    how = TagOptions(candidates=3, least=asked["tag_threshold"])
    words = [Sentence(sentence.forms) for sentence in treebank("tr")]  # of which it knows little
    tagged = list(nlp.tagger.tag([s.copy() for s in words], how))
    lists = [[misc.partition("=")[2] for misc in sentence.misc] for sentence in tagged]
    first = [list(sentence.upos) for sentence in tagged]
    for found, own, tags in zip(nlp.annotate(words), lists, first, strict=True):
        for tag, text in zip(found.upos, own, strict=True):
            assert tag in [item.rpartition(":")[0] for item in text.split(";")]
        differing += found.upos != tags
    assert differing
    assert nlp.tagger.tag([Sentence(["x"])], TagOptions())  # lists are for parsers that ask for them


def test_the_fast_way_gives_the_same(nlp, tmp_path):
    nlp.save(tmp_path / "model")
    loaded = Pipeline.load(tmp_path / "model")
    for options in (ParseOptions(), ParseOptions(probabilities=True, threads=2)):
        expected = nlp(TEXT, options).to_conllu()
        for one in (nlp, loaded):
            found = b"".join(piece.data for piece in one.parse_text([TEXT.encode()], options)).decode()
            assert found == expected


def test_words_know_how_sure_they_are(nlp):
    """Given the tags that were chosen."""
    sentence = nlp(TEXT).sentences[0]
    for token in sentence:
        assert 0 <= token.probability <= 1
        assert sum(token.head_probabilities.values()) == pytest.approx(sentence.certainty)
    assert len(sentence.kbest(3)) == 3


def test_a_parser_that_chooses_tags_keeps_given_ones(nlp):
    """Even one that neither it nor the tagger knows."""
    given = [Sentence(["The", "doors", "are", "open"], upos=["_", "FOO", "ADV", "_"])]
    for options, keep_tags in ((ParseOptions(), True), (ParseOptions(constraints=True), False)):
        (found,) = nlp.annotate(given, options, keep_tags=keep_tags)
        assert found.upos[1:3] == ["FOO", "ADV"]
        assert "_" not in found.upos
        assert all("UposCandidates" not in misc for misc in found.misc)
